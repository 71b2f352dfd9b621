// The list of instances on the page for operators: finding one of a thousand, and what the page says when there is nothing to show.
import { expect, it } from 'vitest';
import { expectAccessible } from '../support/browser.ts';
import { KEY } from '../support/gateway.ts';
import { create, logIn, startManager } from '../support/manager.ts';

const phone = { viewport: { width: 390, height: 780 } };

it('finds an instance among a thousand', async () => {
  const place = await startManager(phone, {}, []);
  const { page, api } = place;
  await logIn(place, KEY);
  await page.getByText('There are no instances yet. An instance is one WhatsApp account.').waitFor();
  await create(place, 'shop');
  await page.getByRole('heading', { name: 'shop' }).waitFor();
  const { body } = await api('GET', '/instance/fetchInstances?instanceName=shop');
  const [shop] = [body].flat();
  const records = Array.from({ length: 1000 }, (_, n) =>
    Object.assign({}, shop, { id: `id-${n}`, name: `shop-${n}`, connectionStatus: n % 10 === 0 ? 'close' : 'open' }),
  );
  await page.route('**/instance/fetchInstances', (route) => route.fulfill({ json: records }));
  await page.getByRole('link', { name: 'Instances' }).click();
  const items = page.getByRole('main').getByRole('listitem');
  await page.getByRole('status').getByText('1,000 instances').waitFor();
  expect(await items.count()).toBe(60);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Show more' }).click();
  await page.getByText('120 of 1000 shown').waitFor();
  expect(await items.count()).toBe(120);

  await page.getByLabel('State').selectOption('close');
  await page.getByRole('status').getByText('100 instances').waitFor();
  await page.getByLabel('Search').fill('SHOP-99');
  await page.getByRole('status').getByText('1 instance', { exact: true }).waitFor();
  expect(await items.getByRole('link').allTextContents()).toEqual(['shop-990']);
  await page.getByLabel('Search').fill('nothing');
  await page.getByText('No instance matches.').waitFor();
  await expectAccessible(page);
});

it('requests one instance while it shows one', async () => {
  const place = await startManager(phone, {}, [/status of 404/]);
  const { page } = place;
  await logIn(place, KEY);
  await create(place, 'shop');
  await page.getByRole('heading', { name: 'shop' }).waitFor();
  const lists: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/instance/fetchInstances')) lists.push(request.url());
  });
  await page.reload();
  await page.getByRole('heading', { name: 'shop' }).waitFor();
  await page.waitForResponse(/fetchInstances\?instanceName=shop/);
  expect(lists).toEqual([]);
  await page.goto(`${place.url}/manager/#/i/absent`);
  await page.getByText('No instance absent').waitFor();
  await page.getByRole('link', { name: 'All instances' }).click();
  await page.getByRole('link', { name: 'shop' }).waitFor();
  expect(lists).not.toEqual([]);
});

it('speaks the language of the browser, and another one when the reader chooses it', async () => {
  const place = await startManager({ ...phone, locale: 'pt-BR' }, {}, []);
  const { page, url } = place;
  const language = () => page.evaluate('document.documentElement.lang');
  await page.goto(`${url}/manager`);
  await page.getByLabel('Chave de API').fill(KEY);
  expect(await language()).toBe('pt-BR');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Entrar' }).click();
  await page.getByText('Ainda não há instâncias.').waitFor();
  await page.getByLabel('Idioma').selectOption({ label: 'Español' });
  await page.getByText('Aún no hay instancias.').waitFor();
  expect(await language()).toBe('es');
  await page.reload();
  await page.getByText('Aún no hay instancias.').waitFor();
  await page.getByLabel('Nombre').fill('tienda');
  await page.getByRole('button', { name: 'Crear' }).click();
  await page.getByText('Esperando el escaneo').waitFor();
  await page.getByRole('button', { name: 'Escanear el código QR' }).click();
  await page.getByText('tienda está vinculada y abierta.').waitFor();
  for (const name of ['Resumen', 'Mensajes', 'Eventos', 'Webhooks', 'Ajustes']) {
    await page.getByRole('navigation', { name: 'Partes de la instancia' }).getByRole('link', { name }).click();
    await expectAccessible(page);
    // The header keeps its padding on a phone; longer texts wrap.
    const signOut = await page.getByRole('button', { name: 'Cerrar sesión' }).boundingBox();
    expect((signOut?.x ?? 0) + (signOut?.width ?? Infinity), name).toBeLessThanOrEqual(390 - 16);
    expect(await page.evaluate('document.documentElement.scrollWidth'), name).toBeLessThanOrEqual(390);
  }
});
