// Several webhooks in the whole gateway: the events of each receiver, and leaks of their secrets in files and logs.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { pnJid } from '../../packages/sandbox/src/world/world.ts';
import { at, textAt } from '../support/api.ts';
import { expectPostsConform } from '../support/conforms.ts';
import { isEvent, KEY, startWorld, type World } from '../support/gateway.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const mine = '15550005101';
const contact = '15550005102';
const token = 'instance-key-0123456789';

async function startExtraReceiver(): Promise<Receiver> {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.stop());
  expectPostsConform(receiver);
  return receiver;
}

const textOf = (body: unknown) =>
  isEvent(body, 'messages.upsert') ? at(body, 'data.message.conversation') : undefined;
const texts = ({ posts }: Receiver) => posts.flatMap(({ body }) => textOf(body) ?? []);

async function link(world: World, headers: Record<string, string>): Promise<void> {
  const webhook = { url: `${world.receiver.url}/main?key=address-secret`, headers };
  const created = await world.api('POST', '/instance/create', { instanceName: 'shop', token, qrcode: true, webhook });
  await world.sandbox.pairing.scanQr(mine, textAt(created.body, 'qrcode.code'));
  await world.receiver.next(({ body }) => isEvent(body, 'connection.update') && at(body, 'data.state') === 'open');
}

/** The files of the data folder and the log lines that contain these texts, with the text. */
function findLeaks({ dataDir, log }: World, secrets: string[]): string[] {
  const files = readdirSync(dataDir).map((name) => ({ name, text: readFileSync(join(dataDir, name), 'latin1') }));
  const lines = log.map((line) => ({ name: line.msg, text: JSON.stringify(line) }));
  return [...files, ...lines].flatMap(({ name, text }) =>
    secrets.filter((secret) => text.includes(secret)).map((secret) => `${name}: ${secret}`),
  );
}

it('each webhook gets its events with its own signature, and its secrets are rotated, tested and never in clear', async () => {
  const [further, global] = [await startExtraReceiver(), await startExtraReceiver()];
  const world = await startWorld({
    env: {
      ...{ WEBHOOK_GLOBAL_ENABLED: 'true', WEBHOOK_GLOBAL_URL: `${global.url}/all/` },
      ...{ WEBHOOK_GLOBAL_WEBHOOK_BY_EVENTS: 'true', WEBHOOK_EVENTS_MESSAGES_UPSERT: 'true' },
      ...{ WEBHOOK_EVENTS_REMOVE_INSTANCE: 'true', WEBHOOK_EVENTS_CALL: 'false', WEBHOOK_INCLUDE_APIKEY: 'true' },
    },
  });
  const { api, receiver: main, sandbox } = world;
  await link(world, { 'x-shared': 'header-secret', jwt_key: 'token-secret', 'Content-Type': 'application/json' });
  const added = await api('POST', '/webhook/endpoints/shop', {
    ...{ url: further.url, events: ['MESSAGES_UPSERT'], chats: { except: ['group'] } },
  });
  const phone = sandbox.phones.phone(contact);
  const { groups, world: platform } = sandbox;
  const [group] = groups.create(platform.account(contact), 'Theirs', [pnJid(platform.account(mine))]);
  await phone.send(group.id, { text: 'to all of us' });
  await phone.send(mine, { text: 'to you alone' });
  const isText = (text: string) => (post: { body: unknown }) => textOf(post.body) === text;
  const [mainPost, endpointPost, globalPost] = await Promise.all([
    main.next(isText('to you alone')),
    further.next(isText('to you alone')),
    global.next(isText('to you alone')),
  ]);
  await Promise.all([main.next(isText('to all of us')), global.next(isText('to all of us'))]);
  expect(texts(further)).toEqual(['to you alone']);
  expect(globalPost.path).toBe('/all/messages-upsert');
  expect(mainPost.headers.authorization).toMatch(/^Bearer [\w-]+\.[\w-]+\.[\w-]+$/);
  expect(new Set(global.posts.map(({ body }) => at(body, 'event')))).toEqual(new Set(['messages.upsert']));
  for (const { body } of [mainPost, endpointPost, globalPost]) expect(body).toMatchObject({ apikey: token });
  const globalWebhook = await api('GET', '/webhook/global');
  const secrets = [added.body, (await api('GET', '/webhook/find/shop')).body, globalWebhook.body].map((body) =>
    textAt(body, 'secret'),
  );
  for (const [index, post] of [endpointPost, mainPost, globalPost].entries())
    expect(() => post.verify(secrets[index] ?? '')).not.toThrow();

  const endpoint = textAt(added.body, 'id');
  const rotated = await api('POST', `/webhook/rotate/shop?endpoint=${endpoint}`, { graceHours: 1 });
  const newSecret = textAt(rotated.body, 'secret');
  further.answer(() => ({ status: 202, body: 'thank you' }));
  const tested = await api('POST', `/webhook/test/shop?endpoint=${endpoint}`);
  expect(tested.body).toMatchObject({ delivered: true, status: 202, body: 'thank you', error: null });
  const test = await further.next(({ body }) => isEvent(body, 'webhook.test', 'shop'));
  for (const secret of [newSecret, secrets[0] ?? '']) expect(() => test.verify(secret)).not.toThrow();
  await api('POST', `/webhook/rotate/shop?endpoint=${endpoint}`, { graceHours: 0 });
  await phone.send(mine, { text: 'after the rotation' });
  const last = await further.next(isText('after the rotation'));
  for (const secret of [newSecret, secrets[0] ?? '']) expect(() => last.verify(secret)).toThrow();

  const fetchReported = async (apikey: string) => {
    const { body } = await api('GET', '/webhook/deliveries/shop', undefined, { apikey });
    const ids = (list: unknown) => (Array.isArray(list) ? list.map((entry) => at(entry, 'id')) : []);
    return [ids(at(body, 'endpoints')), JSON.stringify(body).includes(global.url)];
  };
  expect(await fetchReported(KEY)).toEqual([expect.arrayContaining([endpoint, 'global']), true]);
  expect(await fetchReported(token)).toEqual([expect.not.arrayContaining(['global']), false]);
  const countReplayed = async (apikey: string) => {
    const body = { since: '2020-01-01', endpoint: 'global' };
    return Number(at((await api('POST', '/webhook/replay/shop', body, { apikey })).body, 'queued'));
  };
  expect([await countReplayed(token), (await countReplayed(KEY)) > 0]).toEqual([0, true]);

  await world.restart();
  const endpoints = await world.api('GET', '/webhook/endpoints/shop', undefined, { apikey: token });
  expect(endpoints.body).toMatchObject({ endpoints: [{ main: true }, { id: endpoint, chats: { except: ['group'] } }] });
  expect(at((await world.api('GET', '/webhook/global')).body, 'secret')).toBe(secrets[2]);
  const current = textAt(at(endpoints.body, 'endpoints.1'), 'secret');
  expect(findLeaks(world, ['to you alone'])).not.toEqual([]);
  expect(
    findLeaks(world, [...secrets, newSecret, current, token, KEY, 'header-secret', 'token-secret', 'address-secret']),
  ).toEqual([]);

  await world.api('DELETE', '/instance/delete/shop');
  await global.next(({ body }) => isEvent(body, 'remove.instance', 'shop'));
});
