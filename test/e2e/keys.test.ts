// Scoped keys in the whole gateway: creation, use, rotation and revocation, a restart, the audit log, and leaks in
// files and logs.

import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { io } from 'socket.io-client';
import { expect, it, onTestFinished } from 'vitest';
import { at, createApi, textAt } from '../support/api.ts';
import { startWorld, type World } from '../support/gateway.ts';

const mine = '15550005801';
const contact = '15550005802';

/** The files of the data folder and the log lines that contain one of these secrets. */
function findLeaks({ dataDir, log }: World, secrets: string[]): string[] {
  const files = readdirSync(dataDir).map((name) => [name, readFileSync(join(dataDir, name), 'latin1')] as const);
  const lines = log.map((line) => [line.msg, JSON.stringify(line)] as const);
  return [...files, ...lines].flatMap(([name, text]) =>
    secrets.some((secret) => text.includes(secret)) ? [name] : [],
  );
}

/** Opens an event stream. `ended` resolves when the stream ends. */
async function listen({ api }: World, apikey: string) {
  const clientRequest = request(`${api.url}/events/shop`, { headers: { apikey, accept: 'text/event-stream' } }).end();
  onTestFinished(() => void clientRequest.destroy());
  const [response] = await once(clientRequest, 'response');
  expect(response.statusCode).toBe(200);
  return { ended: once(response.resume(), 'end') };
}

/** Connects a socket. `disconnected` resolves when the server disconnects it. */
async function connectSocket({ api }: World, apikey: string) {
  const socket = io(`${api.url}/shop`, { auth: { apikey }, forceNew: true, reconnection: false });
  onTestFinished(() => void socket.disconnect());
  const disconnected = new Promise((resolve) => socket.once('disconnect', resolve));
  await new Promise((resolve, reject) =>
    socket.once('connect', () => resolve(undefined)).once('connect_error', reject),
  );
  return { disconnected };
}

it('scoped keys work for their scopes until they are revoked, and the audit log lists all changing requests', async () => {
  const world = await startWorld({ env: { WEBSOCKET_ENABLED: 'true' } });
  await world.link('shop', mine);
  const createKey = async (body: object) => {
    const answer = await world.api('POST', '/keys', body);
    return { id: textAt(answer.body, 'id'), key: textAt(answer.body, 'key') };
  };
  const reader = await createKey({ name: 'dashboard', scopes: ['read'] });
  const sender = await createKey({ name: 'backend', scopes: ['send'], instance: 'shop' });
  const apiWith = ({ key }: { key: string }) => createApi(world.api.url, key);
  const text = { number: contact, text: 'hi' };

  expect((await apiWith(sender)('POST', '/message/sendText/shop', text)).status).toBe(201);
  const refused = await apiWith(reader)('POST', '/message/sendText/shop', text);
  expect(refused.body).toMatchObject({ status: 403, code: 'SCOPE_MISSING', certain: true });
  const closed = io(`${world.api.url}/shop`, { auth: { apikey: sender.key }, forceNew: true, reconnection: false });
  const connectError = await new Promise((resolve) => closed.once('connect_error', resolve));
  expect(connectError).toMatchObject({ data: { status: 403, code: 'SCOPE_MISSING' } });

  const [stream, socket] = [await listen(world, reader.key), await connectSocket(world, reader.key)];
  await world.api('DELETE', `/keys/${reader.id}`);
  await Promise.all([stream.ended, socket.disconnected]);
  expect((await apiWith(reader)('GET', '/instance/connectionState/shop')).status).toBe(401);

  const rotated = await world.api('POST', `/keys/${sender.id}/rotate`, { overlap: 3600 });
  const successor = { id: textAt(rotated.body, 'id'), key: textAt(rotated.body, 'key') };
  await world.restart({ WEBSOCKET_ENABLED: 'true' });
  for (const credential of [sender, successor])
    expect((await apiWith(credential)('POST', '/chat/updateProfileName/shop', {})).body).toMatchObject({
      code: 'INVALID_REQUEST',
    });
  expect((await apiWith(reader)('GET', '/instance/connectionState/shop')).status).toBe(401);
  const listed = (await world.api('GET', '/keys')).body;
  expect(listed).toMatchObject({
    keys: [
      { id: sender.id, replacedBy: successor.id },
      { id: successor.id, instance: 'shop' },
    ],
  });

  await world.api('DELETE', '/instance/delete/shop');
  expect((await world.api('GET', '/keys')).body).toEqual({ keys: [] });
  expect((await apiWith(successor)('GET', '/instance/connectionState/shop')).status).toBe(401);

  const page = await world.api('GET', '/audit?limit=4');
  const remaining = await world.api('GET', `/audit?after=${textAt(page.body, 'next')}`);
  const entries = [page, remaining].flatMap(({ body }) => at(body, 'entries') as Record<string, unknown>[]);
  const summary = entries.map(({ key, operation, instance, subject, status }) => [
    key,
    operation,
    instance,
    subject,
    status,
  ]);
  expect(summary).toEqual([
    ['global', 'createInstance', 'shop', null, 201],
    ['global', 'createKey', null, reader.id, 201],
    ['global', 'createKey', 'shop', sender.id, 201],
    [sender.id, 'sendText', 'shop', null, 201],
    [reader.id, 'sendText', 'shop', null, 403],
    ['global', 'revokeKey', null, reader.id, 200],
    ['global', 'rotateKey', null, sender.id, 201],
    [sender.id, 'updateProfileName', 'shop', null, 400],
    [successor.id, 'updateProfileName', 'shop', null, 400],
    ['global', 'deleteInstance', 'shop', null, 200],
  ]);
  expect(findLeaks(world, [reader.key, sender.key, successor.key])).toEqual([]);
});
