// The page for operators in a real browser, on the sandbox as `npm run sandbox` starts it: what a person sees and does.
import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { type Api, createApi, createControls } from '../support/api.ts';
import { expectAccessible, openPage } from '../support/browser.ts';
import { emptyFolder } from '../support/folder.ts';
import { KEY } from '../support/gateway.ts';
import { freePort, run } from '../support/process.ts';

const mine = '15550001001';

interface Place {
  page: Page;
  url: string;
  api: Api;
  controls: Api;
}

async function start(options: BrowserContextOptions): Promise<Place> {
  const [port, sandboxPort] = [await freePort(), await freePort()];
  const env = { PORT: String(port), SANDBOX_PORT: String(sandboxPort), DATA_DIR: emptyFolder(), API_KEY: KEY };
  const program = run(['src/sandbox/cli.ts'], env);
  // The browser's own word about the wrong key that is tried.
  const page = await openPage(options, [/status of 401/]);
  await program.line(/Ctrl-C/);
  const url = `http://127.0.0.1:${port}`;
  return { page, url, api: createApi(url, KEY), controls: createControls(`http://127.0.0.1:${sandboxPort}`) };
}

async function logIn({ page, url }: Place, key: string): Promise<void> {
  await page.goto(`${url}/manager`);
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Log in' }).click();
}

async function create({ page }: Place, name: string): Promise<void> {
  await page.getByRole('button', { name: 'New instance' }).click();
  await expectAccessible(page);
  await page.getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Create' }).click();
}

async function link({ page, controls }: Place, instance: string): Promise<void> {
  const code = page.getByRole('img', { name: 'QR code' });
  await code.waitFor();
  await expectAccessible(page);
  expect((await controls('POST', `/phones/${mine}/scan`, { instance })).status).toBe(200);
  await page.getByText(`${instance} is linked and open.`).waitFor();
}

/** Buttons ask first; the answer is given in their dialog. */
async function confirm({ page }: Place, action: string): Promise<void> {
  await page.getByRole('button', { name: action }).click();
  await page.getByRole('dialog').getByRole('button', { name: action }).click();
}

const state = ({ page }: Place, words: string) =>
  page.locator('.badge[data-state]', { hasText: words }).first().waitFor();

describe.each([
  { width: 'desktop', options: { viewport: { width: 1280, height: 800 } } },
  { width: 'phone', options: { viewport: { width: 390, height: 780 }, colorScheme: 'dark' as const } },
])('the page at $width width', ({ options }) => {
  it('makes an instance, links it, and ends it', async () => {
    const place = await start(options);
    const { page, api } = place;
    await logIn(place, 'not-a-key');
    await page.getByText('This key is not known here').waitFor();
    await expectAccessible(page);
    await logIn(place, KEY);
    await create(place, 'shop');
    await link(place, 'shop');
    expect(page.url()).not.toContain(KEY);

    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByText(`+${mine}`).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Restart' }).click();
    await page.getByText('Restarted').waitFor();
    await state(place, 'Open');
    await confirm(place, 'Log out');
    await state(place, 'Not linked');
    await page.getByText('Connect again and scan the QR code.').waitFor();
    await confirm(place, 'Delete');
    await page.getByText('There is no instance yet').waitFor();
    expect((await api('GET', '/instance/fetchInstances')).body).toEqual([]);
  });
});
