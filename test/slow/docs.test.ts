// The page /docs in a real browser, with the sandbox as `npm run sandbox` starts it: its content, its search, and its
// example requests, which are sent without changes.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import packageInfo from '../../package.json' with { type: 'json' };
import { type Api, createApi, createControls } from '../support/api.ts';
import { openPage } from '../support/browser.ts';
import { emptyFolder } from '../support/folder.ts';
import { KEY } from '../support/gateway.ts';
import { exampleOf, jsonSchema, operations, resolve, spec } from '../support/openapi-document.ts';
import { freePort } from '../support/port.ts';
import { run } from '../support/process.ts';

const VERSIONS = `gateway ${packageInfo.version}, interface ${spec.info.version}`;

/** Starts the sandbox with its gateway. Resolves with the URLs of both after the start. */
async function startSandbox(): Promise<{ gateway: string; controls: string }> {
  const [port, sandboxPort] = [await freePort(), await freePort()];
  const env = { PORT: String(port), SANDBOX_PORT: String(sandboxPort), DATA_DIR: emptyFolder(), API_KEY: KEY };
  await run(['packages/sandbox/src/process/cli.ts'], env).line(/Ctrl-C/);
  return { gateway: `http://127.0.0.1:${port}`, controls: `http://127.0.0.1:${sandboxPort}` };
}

const keyField = (page: Page) => page.locator('input.scalar-password-input').first();

/** Opens the page /docs of a gateway and resolves when it shows the contract. */
async function openDocs(page: Page, gateway: string): Promise<void> {
  await page.goto(`${gateway}/docs`);
  await keyField(page).waitFor();
}

/** Searches for a text and resolves with the texts of the results, the best first. */
async function search(page: Page, text: string): Promise<string[]> {
  await page
    .getByRole('button', { name: /Search/ })
    .first()
    .click();
  await page.getByRole('dialog', { name: 'Search' }).getByRole('combobox').fill(text);
  await page.getByRole('option').first().waitFor();
  return page.getByRole('option').allInnerTexts();
}

/**
 * Sends the example of an operation from the page. Resolves with the status in the request history.
 *
 * The dialog shows the status of the previous request until the new response is read. Closing the dialog aborts the
 * reading, and the browser reports this as an error. The history gets its entry after the complete response.
 */
async function sendExample(page: Page, operationId: string): Promise<string> {
  const found = operations.find(({ operation }) => operation.operationId === operationId);
  const section = page.locator(`section[id$="${found?.method.toUpperCase()}${found?.path}"]`);
  await section.getByRole('button', { name: /Test Request/ }).click();
  const client = page.getByRole('dialog', { name: 'API Client' });
  const send = client.getByRole('button', { name: /^Send/ }).filter({ visible: true }).first();
  await send.waitFor();
  const history = client.getByRole('button', { name: 'Request History' });
  const entries = client.getByRole('menuitem');
  let sentBefore = 0;
  if (await history.isVisible()) {
    await history.click();
    await entries.first().waitFor();
    sentBefore = await entries.count();
    await history.click();
  }
  await send.click();
  await history.click();
  await entries.nth(sentBefore).waitFor();
  const newest = await entries.first().innerText();
  await history.click();
  await page.keyboard.press('Escape');
  await client.waitFor({ state: 'hidden' });
  return /^[1-5]\d\d$/m.exec(newest)?.[0] ?? newest;
}

/** Searches for an operation, sends its example and resolves with the status that the page shows. */
async function tryOut(page: Page, operationId: string): Promise<string> {
  await search(page, operationId);
  await page.getByRole('option').first().click();
  return sendExample(page, operationId);
}

/**
 * Sends the examples of all operations below /message and /chat. Resolves with those that fail for another reason than
 * a missing message or a missing implementation.
 */
async function sendExamples(api: Api): Promise<unknown[]> {
  const failures: unknown[] = [];
  for (const { method, path, operation } of operations) {
    // A video is too long for an example. It must be at a URL.
    if (!/^\/(message|chat)\//.test(path) || operation.operationId === 'sendPtv') continue;
    const parameters = (operation.parameters ?? [])
      .map((parameter) => resolve(parameter))
      .filter(({ required }) => required);
    const query = parameters
      .filter((parameter) => parameter.in === 'query')
      .map(({ name, example }) => [name, String(example)]);
    const url = path.replaceAll(/\{(\w+)\}/g, (_, name) =>
      String(parameters.find((parameter) => parameter.name === name)?.example),
    );
    const body = exampleOf(jsonSchema(operation.requestBody));
    const answer = await api(method.toUpperCase(), `${url}?${new URLSearchParams(query)}`, body);
    const isExpected = answer.status < 300 || /"(MESSAGE_NOT_FOUND|NOT_IMPLEMENTED)"/.test(JSON.stringify(answer.body));
    if (!isExpected) failures.push([method, path, answer.body]);
  }
  return failures;
}

describe('/docs', () => {
  it('the page /docs shows both versions, finds both operations for voice notes and links to no other site', async () => {
    const { gateway } = await startSandbox();
    const page = await openPage({ viewport: { width: 1280, height: 900 } });
    await openDocs(page, gateway);

    expect(await page.getByText(VERSIONS).isVisible()).toBe(true);
    expect(await page.locator('a[href^="http"]:visible').count(), 'links to other sites').toBe(0);
    expect(await page.getByText('Powered by').filter({ visible: true }).count()).toBe(0);
    const results = (await search(page, 'voice')).join('\n');
    expect(results).toContain('/message/sendPlatformAudio/{instance}');
    expect(results).toContain('/message/sendWhatsAppAudio/{instance}');
  });

  it('the page /docs keeps the API key for its tab only and sends its examples without changes', async () => {
    const { gateway, controls: controlsUrl } = await startSandbox();
    // Chromium reports the 401 of the first request.
    const page = await openPage({ viewport: { width: 1280, height: 900 } }, [/status of 401/]);
    const controls = createControls(controlsUrl);

    await openDocs(page, gateway);
    await search(page, 'fetchInstances');
    await page.getByRole('option').first().click();
    expect(await sendExample(page, 'fetchInstances'), 'without a key').toBe('401');
    await openDocs(page, gateway);
    await keyField(page).fill(KEY);
    await expect.poll(() => page.evaluate('JSON.stringify(sessionStorage)')).toContain(KEY);
    await page.reload();
    await keyField(page).waitFor();
    expect(await keyField(page).inputValue()).toBe(KEY);

    expect(await tryOut(page, 'createInstance')).toBe('201');
    expect((await controls('POST', '/phones/15550001001/scan', { instance: 'shop' })).status).toBe(200);
    expect(await tryOut(page, 'connectInstance')).toBe('200');
    expect(await tryOut(page, 'sendText')).toBe('201');
    expect(await tryOut(page, 'sendText'), 'an equal request is not a repetition').toBe('201');
    const received = await controls('GET', '/phones/5511987654321/messages');
    expect(received.body).toMatchObject([{ text: 'Good morning' }, { text: 'Good morning' }]);
    expect(await sendExamples(createApi(gateway, KEY))).toEqual([]);
    await page.goto(gateway);
    expect(await page.evaluate('localStorage.length'), 'the key is not stored permanently').toBe(0);
  });

  it('the page /docs fits the screen of a phone and sends an example request there', async () => {
    const { gateway } = await startSandbox();
    const page = await openPage({ viewport: { width: 390, height: 844 } });
    await openDocs(page, gateway);
    expect(await page.getByText(VERSIONS).isVisible()).toBe(true);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await page.getByRole('button', { name: /menu/i }).filter({ visible: true }).first().click();
    await search(page, 'livez');
    await page.getByRole('option').first().click();
    expect(await sendExample(page, 'livez')).toBe('200');
  });
});
