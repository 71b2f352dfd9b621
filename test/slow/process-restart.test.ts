import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Api, at, createApi, createControls, textAt } from '../support/api.ts';
import { expectPostsConform } from '../support/conforms.ts';
import { isEvent, isState, KEY } from '../support/gateway.ts';
import { freePort } from '../support/port.ts';
import { type Program, run } from '../support/process.ts';
import { startReceiver } from '../support/receiver.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';

const ownNumber = '15550006001';
const contactNumber = '15550006002';

interface Platform {
  platformUrl: string;
  rootKey: string;
  caFile: string;
  control: string;
}

async function startPlatform(): Promise<Platform> {
  const program = run(['packages/sandbox/src/process/cli.ts', '--platform'], {
    SANDBOX_PORT: '0',
    DATA_DIR: temporaryFolder(),
  });
  return JSON.parse(await program.line(/^\{/)) as Platform;
}

function temporaryFolder(): string {
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

/** Creates an empty database on the shared PostgreSQL server. Resolves with its URL. */
async function createDatabase(): Promise<string> {
  const server = sharedPostgres();
  return server.createDatabase();
}

/** Limits the size of the files that a process writes, which simulates a full disk, or removes the limit. */
function limitFiles({ pid }: Program, bytes: number | 'unlimited'): void {
  const { status, stderr } = spawnSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(status).toBe(0);
}

const control = (platform: Platform, path: string, body: object) =>
  createControls(platform.control)('POST', path, body);

const hasStatus = (body: unknown, status: string) =>
  isEvent(body, 'messages.update') && at(body, 'data.status') === status;

describe('the gateway process', () => {
  it('a killed gateway reports ERROR with the reason "unconfirmed" for a message without an ack after its restart', async () => {
    const platform = await startPlatform();
    const dataDir = temporaryFolder();
    const receiver = await startReceiver();
    expectPostsConform(receiver);
    onTestFinished(() => receiver.stop());
    const first = await startGateway(platform, dataDir);
    const instance = { instanceName: 'shop', qrcode: true, webhook: receiver.url };
    const created = await first.api('POST', '/instance/create', instance);
    await control(platform, `/phones/${ownNumber}/scan`, { code: textAt(created.body, 'qrcode.code') });
    await receiver.next((post) => isState(post.body, 'shop', 'open'));
    const send = (text: string) => first.api('POST', '/message/sendText/shop', { number: contactNumber, text });
    await send('makes the devices known');
    await receiver.next((post) => hasStatus(post.body, 'DELIVERY_ACK'));
    await control(platform, '/faults', { kind: 'stall', number: ownNumber });
    const sent = await send('into silence');
    expect(sent).toMatchObject({ status: 201, body: { status: 'PENDING' } });
    await first.program.stop('SIGKILL');

    await startGateway(platform, dataDir);
    const update = await receiver.next((post) => hasStatus(post.body, 'ERROR'));
    expect(at(update.body, 'data')).toMatchObject({
      keyId: textAt(sent.body, 'key.id'),
      code: 'SEND_INTERRUPTED',
      reason: 'unconfirmed',
    });
  });

  it.each([
    'SQLite',
    'PostgreSQL',
  ])('a gateway on %s reopens its instance after SIGKILL and repeats waiting deliveries under the same id', async (dialect) => {
    const env: Record<string, string> =
      dialect === 'SQLite' ? {} : { DATABASE_URL: await createDatabase(), NODE_NAME: 'node' };
    const platform = await startPlatform();
    const dataDir = temporaryFolder();
    const receiver = await startReceiver();
    expectPostsConform(receiver);
    onTestFinished(() => receiver.stop());
    const first = await startGateway(platform, dataDir, env);
    const created = await first.api('POST', '/instance/create', {
      instanceName: 'shop',
      qrcode: true,
      webhook: receiver.url,
    });
    await control(platform, `/phones/${ownNumber}/scan`, { code: textAt(created.body, 'qrcode.code') });
    await receiver.next((post) => isState(post.body, 'shop', 'open'));
    receiver.answer((post) => (isEvent(post.body, 'messages.upsert') ? 503 : 200));
    await control(platform, `/phones/${contactNumber}/messages`, { to: ownNumber, text: 'before the kill' });
    const refused = await receiver.next((post) => isEvent(post.body, 'messages.upsert'));
    await first.program.stop('SIGKILL');

    await control(platform, `/phones/${contactNumber}/messages`, { to: ownNumber, text: 'while it was dead' });
    receiver.answer(() => 200);
    const postsBefore = receiver.posts.length;
    await startGateway(platform, dataDir, env);
    await receiver.next((post) => isState(post.body, 'shop', 'open'), { after: postsBefore });
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
    expect(receiver.posts.slice(postsBefore).some((post) => isEvent(post.body, 'qrcode.updated'))).toBe(false);
    const unanswered = await (await fetch(`${platform.control}/log`)).json();
    expect(unanswered).toEqual([]);
  });

  it('a gateway closes a session when the disk is full, and posts its messages when the disk has space again', async () => {
    const platform = await startPlatform();
    const receiver = await startReceiver();
    expectPostsConform(receiver);
    onTestFinished(() => receiver.stop());
    const { program, api } = await startGateway(platform, temporaryFolder());
    const created = await api('POST', '/instance/create', {
      instanceName: 'shop',
      qrcode: true,
      webhook: receiver.url,
    });
    await control(platform, `/phones/${ownNumber}/scan`, { code: textAt(created.body, 'qrcode.code') });
    await receiver.next((post) => isState(post.body, 'shop', 'open'));
    const receive = (text: string) => control(platform, `/phones/${contactNumber}/messages`, { to: ownNumber, text });
    const postedTexts = () =>
      receiver.posts
        .filter(({ body }) => isEvent(body, 'messages.upsert'))
        .map(({ body }) => at(body, 'data.message.conversation'));
    await receive('before');
    await receiver.next(() => postedTexts().includes('before'));
    limitFiles(program, 1);
    for (const text of ['one', 'two', 'three']) await receive(text);
    await program.line(/session\.(storage|ingest)\.failed/);
    await program.line(/"to":"backoff"/);
    expect(postedTexts()).toEqual(['before']);
    limitFiles(program, 'unlimited');
    await receiver.next(() => ['one', 'two', 'three'].every((text) => postedTexts().includes(text)));
    expect(postedTexts()).toEqual(['before', 'one', 'two', 'three']);
    expect((await api('GET', '/readyz')).status).toBe(200);
  });

  it('a gateway does not start with a data folder that another gateway uses', async () => {
    const platform = await startPlatform();
    const dataDir = temporaryFolder();
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

  it('a gateway ends with code 0 on SIGTERM and on SIGINT', async () => {
    const platform = await startPlatform();
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const { program } = await startGateway(platform, temporaryFolder());
      expect(await program.stop(signal)).toBe(0);
    }
  });

  it('a gateway logs no key, message text or phone number at the level info', async () => {
    const platform = await startPlatform();
    const dataDir = temporaryFolder();
    const receiver = await startReceiver();
    expectPostsConform(receiver);
    onTestFinished(() => receiver.stop());
    const { program, api } = await startGateway(platform, dataDir);
    const created = await api('POST', '/instance/create', {
      instanceName: 'shop',
      qrcode: true,
      webhook: receiver.url,
    });
    await control(platform, `/phones/${ownNumber}/scan`, { code: textAt(created.body, 'qrcode.code') });
    await receiver.next((post) => isState(post.body, 'shop', 'open'));
    await api('POST', '/message/sendText/shop', { number: contactNumber, textMessage: { text: 'secret text out' } });
    await control(platform, `/phones/${contactNumber}/messages`, { to: ownNumber, text: 'secret text in' });
    await receiver.next((post) => isEvent(post.body, 'messages.upsert'));
    await program.stop();
    const output = program.lines.join('\n');
    expect(output).toContain('message.sent');
    for (const secret of [
      KEY,
      textAt(created.body, 'hash.apikey'),
      'secret text',
      ownNumber,
      contactNumber,
      'privKey',
      'SessionEntry',
    ]) {
      expect(output).not.toContain(secret);
    }
  });
});
