// The manager page in a browser, served by the sandbox as `npm run sandbox` starts it.
import type { BrowserContextOptions, Page } from 'playwright-core';
import { type Api, createApi, createControls } from './api.ts';
import { expectAccessible, openPage } from './browser.ts';
import { emptyFolder } from './folder.ts';
import { KEY } from './gateway.ts';
import { freePort } from './port.ts';
import { run } from './process.ts';

export interface Place {
  page: Page;
  url: string;
  api: Api;
  controls: Api;
}

/**
 * Starts the sandbox in a process of its own with `env`, and opens an empty page. `expected` matches errors that the
 * browser may report.
 */
export async function startManager(
  options: BrowserContextOptions,
  env: Record<string, string>,
  expected: RegExp[],
): Promise<Place> {
  const [port, sandboxPort] = [await freePort(), await freePort()];
  const ports = { PORT: String(port), SANDBOX_PORT: String(sandboxPort) };
  const program = run(['packages/sandbox/src/process/cli.ts'], {
    ...ports,
    DATA_DIR: emptyFolder(),
    API_KEY: KEY,
    ...env,
  });
  const page = await openPage(options, expected);
  await program.line(/Ctrl-C/);
  const url = `http://127.0.0.1:${port}`;
  return { page, url, api: createApi(url, KEY), controls: createControls(`http://127.0.0.1:${sandboxPort}`) };
}

export async function logIn({ page, url }: Place, key: string): Promise<void> {
  await page.goto(`${url}/manager`);
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

export async function create({ page }: Place, name: string): Promise<void> {
  const opener = page.getByRole('button', { name: 'New instance' });
  const field = page.getByLabel('Name');
  // Without instances, the page shows the form in place of the list.
  await opener.or(field).waitFor();
  if (await opener.isVisible()) await opener.click();
  await expectAccessible(page);
  await field.fill(name);
  await page.getByRole('button', { name: 'Create' }).click();
}

/** Waits until the displayed instance is in a state. `words` is the text of the state on the page. */
export const state = ({ page }: Place, words: string) =>
  page.locator('.badge[data-state]', { hasText: words }).first().waitFor();
