// Keys with scopes in a whole product: given out, used, rotated, revoked, over a restart, and what is left of them in files and logs.

import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { io } from 'socket.io-client';
import { expect, it, onTestFinished } from 'vitest';
import { at, createApi, textAt } from '../support/api.ts';
import { startWorld, type World } from '../support/gateway.ts';

const mine = '15550005801';
const theirs = '15550005802';

/** Files of the data folder, and log lines, that hold one of these texts. */
function leaks({ dataDir, log }: World, secrets: string[]): string[] {
  const files = readdirSync(dataDir).map((name) => [name, readFileSync(join(dataDir, name), 'latin1')] as const);
  const lines = log.map((line) => [line.msg, JSON.stringify(line)] as const);
  return [...files, ...lines].flatMap(([name, text]) =>
    secrets.some((secret) => text.includes(secret)) ? [name] : [],
  );
}

/** Resolves when the stream of events is there; `ended` when it is over. */
async function listen({ api }: World, apikey: string) {
  const asked = request(`${api.url}/events/shop`, { headers: { apikey, accept: 'text/event-stream' } }).end();
  onTestFinished(() => void asked.destroy());
  const [response] = await once(asked, 'response');
  expect(response.statusCode).toBe(200);
  return { ended: once(response.resume(), 'end') };
}

/** A socket that was let in; `left` when it is out. */
async function enter({ api }: World, apikey: string) {
  const socket = io(`${api.url}/shop`, { auth: { apikey }, forceNew: true, reconnection: false });
  onTestFinished(() => void socket.disconnect());
  const left = new Promise((resolve) => socket.once('disconnect', resolve));
  await new Promise((resolve, reject) =>
    socket.once('connect', () => resolve(undefined)).once('connect_error', reject),
  );
  return { left };
}

it('open what they are for, until they are revoked, and everything that was done is known afterwards', async () => {
  const world = await startWorld({ env: { WEBSOCKET_ENABLED: 'true' } });
  await world.link('shop', mine);
  const give = async (body: object) => {
    const made = await world.api('POST', '/keys', body);
    return { id: textAt(made.body, 'id'), key: textAt(made.body, 'key') };
  };
  const reader = await give({ name: 'dashboard', scopes: ['read'] });
  const sender = await give({ name: 'backend', scopes: ['send'], instance: 'shop' });
  const as = ({ key }: { key: string }) => createApi(world.api.url, key);
  const text = { number: theirs, text: 'hi' };

  expect((await as(sender)('POST', '/message/sendText/shop', text)).status).toBe(201);
  const refused = await as(reader)('POST', '/message/sendText/shop', text);
  expect(refused.body).toMatchObject({ status: 403, code: 'SCOPE_MISSING', certain: true });
  const closed = io(`${world.api.url}/shop`, { auth: { apikey: sender.key }, forceNew: true, reconnection: false });
  const why = await new Promise((resolve) => closed.once('connect_error', resolve));
  expect(why).toMatchObject({ data: { status: 403, code: 'SCOPE_MISSING' } });

  const [stream, socket] = [await listen(world, reader.key), await enter(world, reader.key)];
  await world.api('DELETE', `/keys/${reader.id}`);
  await Promise.all([stream.ended, socket.left]);
  expect((await as(reader)('GET', '/instance/connectionState/shop')).status).toBe(401);

  const rotated = await world.api('POST', `/keys/${sender.id}/rotate`, { overlap: 3600 });
  const next = { id: textAt(rotated.body, 'id'), key: textAt(rotated.body, 'key') };
  await world.restart({ WEBSOCKET_ENABLED: 'true' });
  for (const each of [sender, next])
    expect((await as(each)('POST', '/chat/updateProfileName/shop', {})).body).toMatchObject({
      code: 'INVALID_REQUEST',
    });
  expect((await as(reader)('GET', '/instance/connectionState/shop')).status).toBe(401);
  const listed = (await world.api('GET', '/keys')).body;
  expect(listed).toMatchObject({
    keys: [
      { id: sender.id, replacedBy: next.id },
      { id: next.id, instance: 'shop' },
    ],
  });

  await world.api('DELETE', '/instance/delete/shop');
  expect((await world.api('GET', '/keys')).body).toEqual({ keys: [] });
  expect((await as(next)('GET', '/instance/connectionState/shop')).status).toBe(401);

  const page = await world.api('GET', '/audit?limit=4');
  const rest = await world.api('GET', `/audit?after=${textAt(page.body, 'next')}`);
  const done = [page, rest].flatMap(({ body }) => at(body, 'entries') as Record<string, unknown>[]);
  const brief = done.map(({ key, operation, instance, subject, status }) => [
    key,
    operation,
    instance,
    subject,
    status,
  ]);
  expect(brief).toEqual([
    ['global', 'createInstance', 'shop', null, 201],
    ['global', 'createKey', null, reader.id, 201],
    ['global', 'createKey', 'shop', sender.id, 201],
    [sender.id, 'sendText', 'shop', null, 201],
    [reader.id, 'sendText', 'shop', null, 403],
    ['global', 'revokeKey', null, reader.id, 200],
    ['global', 'rotateKey', null, sender.id, 201],
    [sender.id, 'updateProfileName', 'shop', null, 400],
    [next.id, 'updateProfileName', 'shop', null, 400],
    ['global', 'deleteInstance', 'shop', null, 200],
  ]);
  expect(leaks(world, [reader.key, sender.key, next.key])).toEqual([]);
});
