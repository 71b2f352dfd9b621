// The list of instances on the manager page: pages, search, empty lists, late responses and languages.
import { expect, it } from 'vitest';
import { expectAccessible } from '../support/browser.ts';
import { KEY } from '../support/gateway.ts';
import { create, logIn, startManager } from '../support/manager.ts';

const PHONE_SCREEN = { viewport: { width: 390, height: 780 } };

/** Number of instances without a connection. Together with the linked instance, they need three pages of the list. */
const CLOSED_INSTANCES = 125;
/** Largest size of a page of the list in bytes. A single full record has more than 1,000. */
const MAX_PAGE_BYTES = 25_000;

it('the manager page finds one of many instances and loads one page of short records at a time', async () => {
  const place = await startManager(PHONE_SCREEN, {}, []);
  const { page, api, controls } = place;
  await logIn(place, KEY);
  await page.getByText('There are no instances yet. An instance is one WhatsApp account.').waitFor();
  await create(place, 'shop');
  await page.getByRole('img', { name: 'QR code' }).waitFor();
  await controls('POST', '/phones/15550001201/scan', { instance: 'shop' });
  await page.getByText('shop is linked and open.').waitFor();
  for (let n = 0; n < CLOSED_INSTANCES; n += 1) await api('POST', '/instance/create', { instanceName: `store-${n}` });

  const sizes: number[] = [];
  page.on('response', async (response) => {
    if (!response.url().includes('fields=summary')) return;
    // A response has no body when the page aborts its request, or when the test ends before it.
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

it('the manager page requests no list of instances while it shows a single instance', async () => {
  const place = await startManager(PHONE_SCREEN, {}, [/status of 404/]);
  const { page } = place;
  await logIn(place, KEY);
  await create(place, 'shop');
  await page.getByRole('heading', { name: 'shop' }).waitFor();
  const listRequests: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('fields=summary')) listRequests.push(request.url());
  });
  await page.reload();
  await page.getByRole('heading', { name: 'shop' }).waitFor();
  await page.waitForResponse(/fetchInstances\?instanceName=shop/);
  expect(listRequests).toEqual([]);
  await page.goto(`${place.url}/manager/#/i/absent`);
  await page.getByText('No instance absent').waitFor();
  await page.getByRole('link', { name: 'All instances' }).click();
  await page.getByRole('link', { name: 'shop' }).waitFor();
  expect(listRequests).not.toEqual([]);
});

it('the manager page keeps showing an instance when the response for an earlier instance arrives late', async () => {
  const place = await startManager(PHONE_SCREEN, {}, [/status of 404/]);
  const { page, api } = place;
  for (const instanceName of ['shop', 'other']) await api('POST', '/instance/create', { instanceName });
  await logIn(place, KEY);
  await page.getByRole('link', { name: 'shop', exact: true }).click();
  await page.getByRole('heading', { name: 'shop', level: 1 }).waitFor();
  const responseReleased = Promise.withResolvers<void>();
  await page.route(/fetchInstances\?instanceName=shop/, async (route) => {
    await responseReleased.promise;
    // The page aborts the requests of its polling.
    await route.continue().catch(() => undefined);
  });
  const request = page.waitForRequest(/fetchInstances\?instanceName=shop/);
  // A view requests the record after its action. The page does not abort this request.
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await request;
  await page.goto(`${place.url}/manager/#/i/other`);
  await page.getByRole('heading', { name: 'other', level: 1 }).waitFor();
  await page.route(/fetchInstances\?instanceName=other/, () => undefined);
  const lateResponse = page.waitForResponse(/fetchInstances\?instanceName=shop/);
  responseReleased.resolve();
  await (await lateResponse).finished();
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
  expect(await page.getByRole('heading', { level: 1 }).allTextContents()).toEqual(['other']);
});

it('the manager page uses the language of the browser until the reader chooses another one', async () => {
  const place = await startManager({ ...PHONE_SCREEN, locale: 'pt-BR' }, {}, []);
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
    // The header keeps its padding on a phone screen, because longer texts wrap.
    const signOut = await page.getByRole('button', { name: 'Cerrar sesión' }).boundingBox();
    expect((signOut?.x ?? 0) + (signOut?.width ?? Infinity), name).toBeLessThanOrEqual(390 - 16);
    expect(await page.evaluate('document.documentElement.scrollWidth'), name).toBeLessThanOrEqual(390);
  }
});
