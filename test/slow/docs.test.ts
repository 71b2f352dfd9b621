// The page at /docs in a real browser, on the sandbox as `npm run sandbox` starts it: its examples, sent as they are.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { exampleOf, jsonSchema, operations, resolve } from '../contract/document.ts';
import { type Api, createApi, createControls } from '../support/api.ts';
import { openPage } from '../support/browser.ts';
import { emptyFolder } from '../support/folder.ts';
import { KEY } from '../support/gateway.ts';
import { freePort } from '../support/port.ts';
import { run } from '../support/process.ts';

/** Opens an operation, sends its example and resolves with the status that the page shows. */
async function tryOut(page: Page, operationId: string): Promise<string> {
  const operation = page.locator(`[id$="-${operationId}"]`);
  await operation.locator('.opblock-summary-control').click();
  await operation.getByRole('button', { name: 'Try it out' }).click();
  await operation.getByRole('button', { name: 'Execute' }).click();
  const status = operation.locator('.live-responses-table .response-col_status').last();
  await status.waitFor();
  return ((await status.textContent()) ?? '').trim().slice(0, 3);
}

/** Sends the examples of all messages, and of what is done with chats; resolves with those that are neither done nor about a message of its own. */
async function sendExamples(api: Api): Promise<unknown[]> {
  const strange: unknown[] = [];
  for (const { method, path, operation } of operations) {
    // A video is too long for an example: it has to be at an address.
    if (!/^\/(message|chat)\//.test(path) || operation.operationId === 'sendPtv') continue;
    const given = (operation.parameters ?? []).map((one) => resolve(one)).filter(({ required }) => required);
    const query = given.filter((one) => one.in === 'query').map(({ name, example }) => [name, String(example)]);
    const url = path.replaceAll(/\{(\w+)\}/g, (_, name) => String(given.find((one) => one.name === name)?.example));
    const body = exampleOf(jsonSchema(operation.requestBody));
    const answer = await api(method.toUpperCase(), `${url}?${new URLSearchParams(query)}`, body);
    const isDone = answer.status < 300 || /"(MESSAGE_NOT_FOUND|NOT_IMPLEMENTED)"/.test(JSON.stringify(answer.body));
    if (!isDone) strange.push([method, path, answer.body]);
  }
  return strange;
}

describe('/docs', () => {
  it('takes the key once for its tab, and sends its examples as they are', async () => {
    const [port, sandboxPort] = [await freePort(), await freePort()];
    const env = { PORT: String(port), SANDBOX_PORT: String(sandboxPort), DATA_DIR: emptyFolder(), API_KEY: KEY };
    const program = run(['packages/sandbox/src/process/cli.ts'], env);
    const page = await openPage();
    await program.line(/Ctrl-C/);
    const controls = createControls(`http://127.0.0.1:${sandboxPort}`);

    await page.goto(`http://127.0.0.1:${port}/docs`);
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    await page.locator('.auth-container input[type="text"]').first().fill(KEY);
    await page.getByRole('button', { name: 'Apply credentials' }).first().click();
    await page.reload();
    await page.locator('.opblock-tag').first().waitFor();
    for (const tag of ['instance', 'message']) await page.locator(`#operations-tag-${tag}`).click();

    expect(await tryOut(page, 'createInstance')).toBe('201');
    expect((await controls('POST', '/phones/15550001001/scan', { instance: 'shop' })).status).toBe(200);
    expect(await tryOut(page, 'connectInstance')).toBe('200');
    expect(await tryOut(page, 'sendText')).toBe('201');
    const received = await controls('GET', '/phones/5511987654321/messages');
    expect(JSON.stringify(received.body)).toContain('Good morning');
    expect(await sendExamples(createApi(`http://127.0.0.1:${port}`, KEY))).toEqual([]);
    expect(await page.evaluate('localStorage.length'), 'the key is not kept for good').toBe(0);
  });
});
