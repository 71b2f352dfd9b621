// The receivers of docs/guides/signatures.md, as they stand there, against posts that are signed as the gateway signs them.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createWebhookSecret, sign } from '../../src/webhooks/signature.ts';
import { codeBlocks } from '../support/docs.ts';
import { emptyFolder } from '../support/folder.ts';
import { freePort } from '../support/port.ts';

const PAGE = 'docs/guides/signatures.md';
const secret = createWebhookSecret();
const body = JSON.stringify({ event: 'messages.upsert', instance: 'Café', data: { text: 'naïve ☕' } });
const now = () => Math.floor(Date.now() / 1000);

interface Language {
  fence: string;
  file: string;
  program: string;
  args: (file: string, port: string) => string[];
}

const languages: Language[] = [
  { fence: 'js', file: 'receiver.mjs', program: process.execPath, args: (file) => [file] },
  { fence: 'python', file: 'receiver.py', program: 'python3', args: (file) => [file] },
  { fence: 'php', file: 'receiver.php', program: 'php', args: (file, port) => ['-S', `127.0.0.1:${port}`, file] },
];
/** Of the other languages, those that this machine has; Node is always there. */
const present = languages.filter(({ program }) => spawnSync(program, ['--version']).status === 0);

function codeOf({ fence, file }: Language): string {
  const code = codeBlocks(PAGE, fence).find((one) => one.split('\n')[0]?.includes(file));
  if (!code) throw new Error(`${PAGE} has no ${file}`);
  return code;
}

async function start(language: Language): Promise<string> {
  const file = join(emptyFolder(), language.file);
  writeFileSync(file, codeOf(language));
  const port = String(await freePort());
  const env = { PATH: process.env.PATH, PORT: port, WEBHOOK_SECRET: secret };
  const child = spawn(language.program, language.args(file, port), { env, stdio: 'ignore' });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const url = `http://127.0.0.1:${port}/`;
  await vi.waitFor(() => fetch(url, { method: 'POST' }), { timeout: 20_000 });
  return url;
}

describe('the receivers of docs/guides/signatures.md', () => {
  it('are in three languages', () => {
    expect(languages.map(codeOf)).toHaveLength(3);
    expect(present[0]?.fence).toBe('js');
  });

  it.each(present)('$file takes what the gateway signed, and nothing else', async (language) => {
    const url = await start(language);
    const post = async (headers: Record<string, string>, sent = body) =>
      (await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: sent }))
        .status;
    const signed = (secrets: string[], timestamp = now(), id = 'id-1') => ({
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': sign(secrets, { id, timestamp, body: Buffer.from(body) }),
    });
    expect(await post(signed([secret]))).toBe(204);
    expect(await post(signed([createWebhookSecret(), secret])), 'while a secret is replaced').toBe(204);
    const forged: Record<string, string>[] = [
      {},
      signed([createWebhookSecret()]),
      signed([secret], now() - 600),
      signed([secret], now() + 600),
      { ...signed([secret]), 'webhook-id': 'id-2' },
      { ...signed([secret]), 'webhook-timestamp': 'soon' },
      { ...signed([secret]), 'webhook-signature': '' },
      { ...signed([secret]), 'webhook-signature': 'v1,' },
    ];
    for (const headers of forged) expect(await post(headers), JSON.stringify(headers)).toBe(401);
    expect(await post(signed([secret]), body.replace('naïve', 'naive'))).toBe(401);
    expect(await post(signed([secret])), 'and it still works').toBe(204);
  });
});
