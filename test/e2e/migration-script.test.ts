// deploy/migrate-from-evolution.ts, run with the commands of the guide against a simulated Evolution API 1 and 2.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { at } from '../support/api.ts';
import { codeBlocks } from '../support/docs.ts';
import { isEvent, KEY, startWorld, type World } from '../support/gateway.ts';
import { run } from '../support/process.ts';

const OLD_KEY = 'key-of-evolution';
const token = 'key-of-shop-0123456789';

/** A webhook row of Evolution API 2.1. */
const webhookRow = (url: string) => ({
  ...{ id: 'c1', enabled: true, url, headers: { authorization: 'Bearer of-the-receiver' } },
  ...{ events: ['MESSAGES_UPSERT', 'CONNECTION_UPDATE'], webhookByEvents: false, webhookBase64: true },
  ...{ createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z', instanceId: 'i1' },
});
const settingRow = {
  ...{ id: 's1', rejectCall: true, msgCall: 'Please write', groupsIgnore: true, alwaysOnline: false },
  ...{ readMessages: false, readStatus: false, syncFullHistory: false, wavoipToken: '', instanceId: 'i1' },
};

/** Starts a server with these answers by path. Other `find` operations answer null, as in Evolution API 2. */
async function startEvolution(answers: Record<string, unknown>): Promise<string> {
  const server = createServer(({ url = '', headers }, response) => {
    const isKnown = url in answers || url.includes('/find/');
    response.statusCode = headers.apikey !== OLD_KEY ? 401 : isKnown ? 200 : 404;
    response.end(
      JSON.stringify(response.statusCode === 200 ? (answers[url] ?? null) : { status: response.statusCode }),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function migrate(
  world: World,
  oldUrl: string,
  ...args: string[]
): Promise<{ code: number | null; text: string }> {
  const env = { OLD_URL: oldUrl, OLD_KEY, NEW_URL: `${world.url}/`, NEW_KEY: KEY };
  const program = run(['deploy/migrate-from-evolution.ts', ...args], env);
  return { code: await program.ended, text: program.lines.join('\n') };
}

describe('deploy/migrate-from-evolution.ts', () => {
  it('the guide runs the migration script with the commands create and enable, and sets its environment variables', () => {
    const blocks = codeBlocks('docs/guides/migrate-from-evolution.md', 'sh').filter((block) =>
      /OLD_URL|deploy/.test(block),
    );
    const text = blocks.join('');
    const script = 'node deploy/migrate-from-evolution.ts';
    expect(text.match(/^node .*$/gm)).toEqual([`${script} create`, `${script} enable shop`]);
    expect([...text.matchAll(/\b([A-Z_]+)=/g)].map(([, name]) => name)).toEqual([
      ...['OLD_URL', 'OLD_KEY'],
      ...['NEW_URL', 'NEW_KEY'],
    ]);
  });

  it('the migration script creates instances with disabled webhooks, and enables a webhook with headers and events', async () => {
    const world = await startWorld();
    const { api, receiver, sandbox } = world;
    const oldUrl = await startEvolution({
      '/instance/fetchInstances': [
        { id: 'i1', name: 'shop', token, integration: 'WHATSAPP-BAILEYS', connectionStatus: 'open' },
        { id: 'i2', name: 'cloud', token: null, integration: 'WHATSAPP-BUSINESS' },
        { instance: { instanceName: 'old one', apikey: 'key-of-old-one-0123456', status: 'open' } },
      ],
      '/webhook/find/shop': webhookRow(receiver.url),
      '/settings/find/shop': settingRow,
      '/webhook/find/old%20one': { enabled: false, url: '', events: [], webhook_by_events: false },
      '/settings/find/old%20one': { reject_call: false, msg_call: '', groups_ignore: true },
      '/proxy/find/old%20one': { enabled: false, proxy: null },
    });
    const created = await migrate(world, oldUrl, 'create');
    expect(created).toMatchObject({ code: 0, text: expect.stringContaining('shop: created, webhook disabled') });
    expect(created.text).toContain('cloud: skipped');
    expect((await api('GET', '/webhook/find/shop')).body).toMatchObject({
      ...{ enabled: false, url: receiver.url, webhookByEvents: false, webhookBase64: true },
      events: ['MESSAGES_UPSERT', 'CONNECTION_UPDATE'],
    });
    expect((await api('GET', '/settings/find/shop')).body).toMatchObject({ rejectCall: true, msgCall: 'Please write' });
    expect((await api('GET', '/settings/find/old%20one')).body).toMatchObject({ groupsIgnore: true });
    expect((await migrate(world, oldUrl, 'create')).text).toContain('shop: exists already');

    const { body } = await api('GET', '/instance/connect/shop');
    await sandbox.pairing.scanQr('15550009301', String(at(body, 'code')));
    await world.logged((line) => line.msg === 'instance.state.changed' && line.to === 'open');
    expect(receiver.posts).toEqual([]);
    expect(await migrate(world, oldUrl, 'enable', 'shop')).toMatchObject({ code: 0 });
    await sandbox.phones.phone('15550009302').send('15550009301', { text: 'Hello' });
    const post = await receiver.next((received) => isEvent(received.body, 'messages.upsert', 'shop'));
    expect(post.headers.authorization).toBe('Bearer of-the-receiver');
  });

  it('the migration script stops at the first error and reports the failed request and the reason', async () => {
    const world = await startWorld();
    const instances = [
      { name: 'first', token, integration: 'WHATSAPP-BAILEYS' },
      { name: 'second', token: 'short', integration: 'WHATSAPP-BAILEYS' },
      { name: 'third', token: 'key-of-third-0123456789', integration: 'WHATSAPP-BAILEYS' },
    ];
    const oldUrl = await startEvolution({ '/instance/fetchInstances': instances });
    const { code, text } = await migrate(world, oldUrl, 'create');
    expect({ code, text }).toMatchObject({
      code: 1,
      text: expect.stringMatching(/instance\/create: 400 .*WEAK_TOKENS/),
    });
    expect((await world.api('GET', '/instance/fetchInstances')).body).toMatchObject([{ name: 'first' }]);
    await expect(migrate(world, oldUrl, 'create', 'other')).resolves.toMatchObject({ code: 1 });
  });
});
