// The receivers of docs/guides/signatures.md, run unchanged against posts with signatures of the gateway.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createWebhookSecret, sign } from '../../src/webhooks/signature.ts';
import { codeBlocks } from '../support/docs.ts';
import { emptyFolder } from '../support/folder.ts';
import { freePort } from '../support/port.ts';
import { waitFor } from '../support/wait-for.ts';

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
  {
    fence: 'php',
    file: 'receiver.php',
    program: 'php',
    args: (file, port) => ['-d', 'display_errors=0', '-d', 'post_max_size=64M', '-S', `127.0.0.1:${port}`, file],
  },
];
/** The languages that this machine can run. Node is always available. */
const installed = languages.filter(({ program }) => spawnSync(program, ['--version']).status === 0);

function codeOf({ fence, file }: Language): string {
  const code = codeBlocks(PAGE, fence).find((block) => block.split('\n')[0]?.includes(file));
  if (!code) throw new Error(`${PAGE} has no ${file}`);
  return code;
}

interface Receiver {
  url: string;
  port: number;
  /** The output of the program so far, of both streams. */
  output: () => string;
}

async function start(language: Language): Promise<Receiver> {
  const file = join(emptyFolder(), language.file);
  writeFileSync(file, codeOf(language));
  const port = String(await freePort());
  const env = { PATH: process.env.PATH, PORT: port, WEBHOOK_SECRET: secret, TMPDIR: emptyFolder() };
  const child = spawn(language.program, language.args(file, port), { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += String(data)));
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const url = `http://127.0.0.1:${port}/`;
  await vi.waitFor(() => fetch(url, { method: 'POST' }), { timeout: 20_000 });
  return { url, port: Number(port), output: () => output };
}

const signed = (secrets: string[], timestamp = now(), id = 'id-1') => ({
  'webhook-id': id,
  'webhook-timestamp': String(timestamp),
  'webhook-signature': sign(secrets, { id, timestamp, body: Buffer.from(body) }),
});

/** Posts with these headers and resolves with the status of the answer. */
async function post({ url }: Receiver, headers: Record<string, string>, content = body): Promise<number> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: content };
  return (await fetch(url, init)).status;
}

/** The status that the receiver answers to these bytes, or "closed" when it closes the connection without an answer. */
async function postBytes({ port }: Receiver, ...parts: Buffer[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => undefined);
  const answer = new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data).slice(9, 12))));
  for (const part of parts) socket.write(part);
  const status = await Promise.race([answer, closed.then(() => 'closed')]);
  socket.destroy();
  return status;
}

/** The first bytes of a post whose body has `length` bytes. */
function headOfPost(length: number, signature = 'v1,'): Buffer {
  const lines = ['POST / HTTP/1.1', 'host: 127.0.0.1', 'webhook-id: id-1', `webhook-timestamp: ${now()}`];
  lines.push(`webhook-signature: ${signature}`, 'content-type: application/json', `content-length: ${length}`);
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}

describe('the receivers of docs/guides/signatures.md', () => {
  it('docs/guides/signatures.md contains a receiver in each of three languages', () => {
    expect(languages.map(codeOf)).toHaveLength(3);
    expect(installed[0]?.fence).toBe('js');
  });

  it.each(installed)('$file accepts posts with a signature of the gateway, and no other posts', async (language) => {
    const receiver = await start(language);
    expect(await post(receiver, signed([secret]))).toBe(204);
    expect(await post(receiver, signed([createWebhookSecret(), secret])), 'a post with two signatures').toBe(204);
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
    for (const headers of forged) expect(await post(receiver, headers), JSON.stringify(headers)).toBe(401);
    expect(await post(receiver, signed([secret]), body.replace('naïve', 'naive'))).toBe(401);
    expect(await post(receiver, signed([secret])), 'the receiver still accepts a valid post').toBe(204);
  });

  it.each(installed)('$file handles an event once when it arrives twice', async (language) => {
    const receiver = await start(language);
    for (const id of ['id-1', 'id-1', 'id-2']) expect(await post(receiver, signed([secret], now(), id))).toBe(204);
    await waitFor(() => expect(receiver.output()).toMatch(/id-2 messages.upsert Café/));
    expect(receiver.output().match(/id-1 messages.upsert Café/g)).toHaveLength(1);
  });

  it.each(
    installed,
  )('$file answers 401 to a signature with the right number of characters and more bytes', async (language) => {
    const receiver = await start(language);
    const signature = `v1,${'\u00e9'.repeat(44)}`;
    expect(await postBytes(receiver, headOfPost(2, signature), Buffer.from('{}'))).toBe('401');
    expect(await post(receiver, signed([secret])), 'the receiver still accepts a valid post').toBe(204);
  });

  it.each(installed)('$file continues after a client that closes the connection in the body', async (language) => {
    const receiver = await start(language);
    const socket = connect(receiver.port, '127.0.0.1');
    const closed = once(socket, 'close');
    socket.end(Buffer.concat([headOfPost(2000), Buffer.from('{}')]));
    socket.resume();
    await closed;
    expect(await post(receiver, signed([secret]))).toBe(204);
  });

  it.each(installed)('$file rejects a body above its limit', async (language) => {
    const receiver = await start(language);
    const tooLong = 33 * 1024 * 1024;
    expect(['413', 'closed']).toContain(await postBytes(receiver, headOfPost(tooLong), Buffer.alloc(tooLong, 32)));
    expect(await post(receiver, signed([secret])), 'the receiver still accepts a valid post').toBe(204);
  });
});
