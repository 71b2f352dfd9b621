import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Api, at, createApi, createControls, textAt } from '../support/api.ts';
import { holdToContract } from '../support/conforms.ts';
import { isEvent, isState, KEY } from '../support/gateway.ts';
import { freePort } from '../support/port.ts';
import { type Program, run } from '../support/process.ts';
import { startReceiver } from '../support/receiver.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';

const mine = '15550006001';
const theirs = '15550006002';

interface Platform {
  platformUrl: string;
  rootKey: string;
  caFile: string;
  control: string;
}

async function startPlatform(): Promise<Platform> {
  const program = run(['packages/sandbox/src/process/cli.ts', '--platform'], {
    SANDBOX_PORT: '0',
    DATA_DIR: temporary(),
  });
  return JSON.parse(await program.line(/^\{/)) as Platform;
}

function temporary(): string {
  const dir = mkdtempSync(join(tmpdir(), 'gateway-process-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

async function startGateway(
  platform: Platform,
  dataDir: string,
  env: Record<string, string> = {},
): Promise<{ program: Program; api: Api }> {
  const port = await freePort();
  const program = run(['src/server.ts'], {
    HOST: '127.0.0.1',
    PORT: String(port),
    DATA_DIR: dataDir,
    API_KEY: KEY,
    PLATFORM_URL: platform.platformUrl,
    PLATFORM_ROOT_KEY: platform.rootKey,
    NODE_EXTRA_CA_CERTS: platform.caFile,
    ...env,
  });
  await program.line(/gateway.ready/);
  return { program, api: createApi(`http://127.0.0.1:${port}`, KEY) };
}

/** An empty database on a PostgreSQL server that lives as long as the test. */
async function database(): Promise<string> {
  const server = sharedPostgres();
  return server.createDatabase();
}

/** Limits the files that a process may write to `bytes`, as a full disk would, or lifts the limit. */
function limitFiles({ pid }: Program, bytes: number | 'unlimited'): void {
  const { status, stderr } = spawnSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(status).toBe(0);
}

const control = (platform: Platform, path: string, body: object) =>
  createControls(platform.control)('POST', path, body);

const became = (body: unknown, status: string) =>
  isEvent(body, 'messages.update') && at(body, 'data.status') === status;

describe('the gateway as a process', () => {
  it('ends a message in ERROR, unconfirmed, that was without an ack when it was killed', async () => {
    const platform = await startPlatform();
    const dataDir = temporary();
    const receiver = await startReceiver();
    holdToContract(receiver);
    onTestFinished(() => receiver.stop());
    const first = await startGateway(platform, dataDir);
    const instance = { instanceName: 'shop', qrcode: true, webhook: receiver.url };
    const created = await first.api('POST', '/instance/create', instance);
    await control(platform, `/phones/${mine}/scan`, { code: textAt(created.body, 'qrcode.code') });
    await receiver.next((post) => isState(post.body, 'shop', 'open'));
    const send = (text: string) => first.api('POST', '/message/sendText/shop', { number: theirs, text });
    await send('makes the devices known');
    await receiver.next((post) => became(post.body, 'DELIVERY_ACK'));
    await control(platform, '/faults', { kind: 'stall', number: mine });
    const sent = await send('into silence');
    expect(sent).toMatchObject({ status: 201, body: { status: 'PENDING' } });
    await first.program.stop('SIGKILL');

    await startGateway(platform, dataDir);
    const update = await receiver.next((post) => became(post.body, 'ERROR'));
    expect(at(update.body, 'data')).toMatchObject({
      keyId: textAt(sent.body, 'key.id'),
      code: 'SEND_INTERRUPTED',
      reason: 'unconfirmed',
    });
  });

  it.each([
    'SQLite',
    'PostgreSQL',
  ])('survives SIGKILL on %s: same instance, open, no QR, what was waiting is delivered under the same id', async (dialect) => {
    const env: Record<string, string> =
      dialect === 'SQLite' ? {} : { DATABASE_URL: await database(), NODE_NAME: 'node' };
    const platform = await startPlatform();
    const dataDir = temporary();
    const receiver = await startReceiver();
    holdToContract(receiver);
    onTestFinished(() => receiver.stop());
    const first = await startGateway(platform, dataDir, env);
    const created = await first.api('POST', '/instance/create', {
      instanceName: 'shop',
      qrcode: true,
      webhook: receiver.url,
    });
    await control(platform, `/phones/${mine}/scan`, { code: textAt(created.body, 'qrcode.code') });
    await receiver.next((post) => isState(post.body, 'shop', 'open'));
    receiver.answer((post) => (isEvent(post.body, 'messages.upsert') ? 503 : 200));
    await control(platform, `/phones/${theirs}/messages`, { to: mine, text: 'before the kill' });
    const refused = await receiver.next((post) => isEvent(post.body, 'messages.upsert'));
    await first.program.stop('SIGKILL');

    await control(platform, `/phones/${theirs}/messages`, { to: mine, text: 'while it was dead' });
    receiver.answer(() => 200);
    const seen = receiver.posts.length;
    await startGateway(platform, dataDir, env);
    await receiver.next((post) => isState(post.body, 'shop', 'open'), { after: seen });
    await receiver.next(
      (post) =>
        isEvent(post.body, 'messages.upsert') && at(post.body, 'data.message.conversation') === 'while it was dead',
    );
    const delivered = receiver.posts.filter((post) => isEvent(post.body, 'messages.upsert') && post.status === 200);
    expect(delivered.map((post) => at(post.body, 'data.message.conversation'))).toEqual([
      'before the kill',
      'while it was dead',
    ]);
    expect(delivered[0]?.headers['webhook-id']).toBe(refused.headers['webhook-id']);
    expect(receiver.posts.slice(seen).some((post) => isEvent(post.body, 'qrcode.updated'))).toBe(false);
    const unanswered = await (await fetch(`${platform.control}/log`)).json();
    expect(unanswered).toEqual([]);
  });

  it('loses nothing when the disk is full in the middle: the session closes first, and the messages come when there is room', async () => {
    const platform = await startPlatform();
    const receiver = await startReceiver();
    holdToContract(receiver);
    onTestFinished(() => receiver.stop());
    const { program, api } = await startGateway(platform, temporary());
    const created = await api('POST', '/instance/create', {
      instanceName: 'shop',
      qrcode: true,
      webhook: receiver.url,
    });
    await control(platform, `/phones/${mine}/scan`, { code: textAt(created.body, 'qrcode.code') });
    await receiver.next((post) => isState(post.body, 'shop', 'open'));
    const say = (text: string) => control(platform, `/phones/${theirs}/messages`, { to: mine, text });
    const texts = () =>
      receiver.posts
        .filter(({ body }) => isEvent(body, 'messages.upsert'))
        .map(({ body }) => at(body, 'data.message.conversation'));
    await say('before');
    await receiver.next(() => texts().includes('before'));
    limitFiles(program, 1);
    for (const text of ['one', 'two', 'three']) await say(text);
    await program.line(/session\.(storage|ingest)\.failed/);
    await program.line(/"to":"backoff"/);
    expect(texts()).toEqual(['before']);
    limitFiles(program, 'unlimited');
    await receiver.next(() => ['one', 'two', 'three'].every((text) => texts().includes(text)));
    expect(texts()).toEqual(['before', 'one', 'two', 'three']);
    expect((await api('GET', '/readyz')).status).toBe(200);
  });

  it('refuses a data folder that another gateway uses, in one sentence', async () => {
    const platform = await startPlatform();
    const dataDir = temporary();
    await startGateway(platform, dataDir);
    const second = run(['src/server.ts'], {
      HOST: '127.0.0.1',
      PORT: String(await freePort()),
      DATA_DIR: dataDir,
      API_KEY: KEY,
      PLATFORM_URL: platform.platformUrl,
      PLATFORM_ROOT_KEY: platform.rootKey,
    });
    await second.line(/in use by another gateway/);
    expect(await second.ended).not.toBe(0);
  });

  it('stops cleanly on SIGTERM and on Ctrl-C', async () => {
    const platform = await startPlatform();
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const { program } = await startGateway(platform, temporary());
      expect(await program.stop(signal)).toBe(0);
    }
  });

  it('logs no key, no message text and no phone number at info', async () => {
    const platform = await startPlatform();
    const dataDir = temporary();
    const receiver = await startReceiver();
    holdToContract(receiver);
    onTestFinished(() => receiver.stop());
    const { program, api } = await startGateway(platform, dataDir);
    const created = await api('POST', '/instance/create', {
      instanceName: 'shop',
      qrcode: true,
      webhook: receiver.url,
    });
    await control(platform, `/phones/${mine}/scan`, { code: textAt(created.body, 'qrcode.code') });
    await receiver.next((post) => isState(post.body, 'shop', 'open'));
    await api('POST', '/message/sendText/shop', { number: theirs, textMessage: { text: 'secret text out' } });
    await control(platform, `/phones/${theirs}/messages`, { to: mine, text: 'secret text in' });
    await receiver.next((post) => isEvent(post.body, 'messages.upsert'));
    await program.stop();
    const output = program.lines.join('\n');
    expect(output).toContain('message.sent');
    for (const secret of [
      KEY,
      textAt(created.body, 'hash.apikey'),
      'secret text',
      mine,
      theirs,
      'privKey',
      'SessionEntry',
    ]) {
      expect(output).not.toContain(secret);
    }
  });
});
