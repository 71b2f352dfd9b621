// The list of instances on the page for operators: finding one of many, and what the page says when there is nothing to show.
import { expect, it } from 'vitest';
import { expectAccessible } from '../support/browser.ts';
import { KEY } from '../support/gateway.ts';
import { create, logIn, startManager } from '../support/manager.ts';

const phone = { viewport: { width: 390, height: 780 } };

/** Number of instances without a connection, beside the one that is linked: three pages. */
const CLOSED = 125;
/** Largest size of a page of the list in bytes: a full record alone has more than 1,000. */
const MAX_PAGE_BYTES = 25_000;

it('finds one of many instances, and loads a page of short records at a time', async () => {
  const place = await startManager(phone, {}, []);
  const { page, api, controls } = place;
  await logIn(place, KEY);
  await page.getByText('There are no instances yet. An instance is one WhatsApp account.').waitFor();
  await create(place, 'shop');
  await page.getByRole('img', { name: 'QR code' }).waitFor();
  await controls('POST', '/phones/15550001201/scan', { instance: 'shop' });
  await page.getByText('shop is linked and open.').waitFor();
  for (let n = 0; n < CLOSED; n += 1) await api('POST', '/instance/create', { instanceName: `store-${n}` });

  const sizes: number[] = [];
  page.on('response', async (response) => {
    if (!response.url().includes('fields=summary')) return;
    // The page aborts a request that it no longer needs, and the test ends while it makes others: these have no body.
    const body = await response.body().catch(() => undefined);
    if (body) sizes.push(body.length);
  });
  await page.getByRole('link', { name: 'Instances' }).click();
  const items = page.getByRole('main').getByRole('listitem');
  await page.getByRole('status').getByText('126 instances').waitFor();
  expect(await items.count()).toBe(60);
  expect(await page.getByRole('button', { name: 'Previous' }).isDisabled()).toBe(true);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByRole('link', { name: 'store-59', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByText('Page 3 of 3').waitFor();
  await page.getByRole('link', { name: 'store-124', exact: true }).waitFor();
  expect(await items.count()).toBe(6);
  expect(await page.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true);

  await page.getByLabel('State').selectOption('Closed (125)');
  await page.getByRole('status').getByText('125 instances').waitFor();
  await page.getByLabel('Search').fill('STORE-12');
  await page.getByRole('status').getByText('6 instances').waitFor();
  await page.getByLabel('Search').fill('STORE-99');
  await page.getByRole('status').getByText('1 instance', { exact: true }).waitFor();
  expect(await items.getByRole('link').allTextContents()).toEqual(['store-99']);
  await page.getByLabel('Search').fill('nothing');
  await page.getByText('No instance matches.').waitFor();
  await expectAccessible(page);
  await page.getByLabel('Search').fill('');
  await page.getByLabel('State').selectOption('Open (1)');
  await page.getByRole('status').getByText('1 instance', { exact: true }).waitFor();
  expect(await items.getByRole('link').allTextContents()).toEqual(['shop']);
  expect(Math.max(...sizes)).toBeGreaterThan(0);
  expect(Math.max(...sizes)).toBeLessThan(MAX_PAGE_BYTES);
});

it('requests one instance while it shows one', async () => {
  const place = await startManager(phone, {}, [/status of 404/]);
  const { page } = place;
  await logIn(place, KEY);
  await create(place, 'shop');
  await page.getByRole('heading', { name: 'shop' }).waitFor();
  const lists: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('fields=summary')) lists.push(request.url());
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

it('keeps showing an instance when the response about an earlier one arrives late', async () => {
  const place = await startManager(phone, {}, [/status of 404/]);
  const { page, api } = place;
  for (const instanceName of ['shop', 'other']) await api('POST', '/instance/create', { instanceName });
  await logIn(place, KEY);
  await page.getByRole('link', { name: 'shop', exact: true }).click();
  await page.getByRole('heading', { name: 'shop', level: 1 }).waitFor();
  const released = Promise.withResolvers<void>();
  await page.route(/fetchInstances\?instanceName=shop/, async (route) => {
    await released.promise;
    // The page aborts those that its polling has sent.
    await route.continue().catch(() => undefined);
  });
  const requested = page.waitForRequest(/fetchInstances\?instanceName=shop/);
  // A view requests the record after its action. Nothing aborts this request.
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await requested;
  await page.goto(`${place.url}/manager/#/i/other`);
  await page.getByRole('heading', { name: 'other', level: 1 }).waitFor();
  await page.route(/fetchInstances\?instanceName=other/, () => undefined);
  const late = page.waitForResponse(/fetchInstances\?instanceName=shop/);
  released.resolve();
  await (await late).finished();
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
  expect(await page.getByRole('heading', { level: 1 }).allTextContents()).toEqual(['other']);
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
