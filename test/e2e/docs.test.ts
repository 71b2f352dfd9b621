// The page at /docs in a real browser, on the sandbox as `npm run sandbox` starts it: its examples, sent as they are.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { createControls } from '../support/api.ts';
import { openPage } from '../support/browser.ts';
import { emptyFolder } from '../support/folder.ts';
import { KEY } from '../support/gateway.ts';
import { freePort, run } from '../support/process.ts';

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

describe('/docs', () => {
  it('takes the key once for its tab, and sends its examples as they are', async () => {
    const [port, sandboxPort] = [await freePort(), await freePort()];
    const env = { PORT: String(port), SANDBOX_PORT: String(sandboxPort), DATA_DIR: emptyFolder(), API_KEY: KEY };
    const program = run(['src/sandbox/cli.ts'], env);
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
    expect(await page.evaluate('localStorage.length'), 'the key is not kept for good').toBe(0);
  });
});
