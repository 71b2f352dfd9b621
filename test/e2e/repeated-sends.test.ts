// Sends repeated with their Idempotency-Key after a crash, when their file or their original message no longer exists.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { at, textAt } from '../support/api.ts';
import type { World } from '../support/gateway.ts';
import { ada, startLinked } from '../support/group.ts';
import { serve } from '../support/site.ts';

/** Restarts the gateway as if it had crashed before it stored the responses of its requests. */
async function crash(world: World): Promise<void> {
  await world.gateway.stop();
  const database = new DatabaseSync(join(world.dataDir, 'gateway.db'));
  database.exec('UPDATE request SET status = NULL, body = NULL');
  database.close();
  await world.restart();
  await world.api('GET', '/instance/connect/sales');
}

const idsOf = (answer: { status: number; body: unknown }) => {
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  const { items = [] } = answer.body as { items?: unknown[] };
  return [answer.body, ...items].map((message) => textAt(message, 'key.id'));
};

it('a repeated send gets the accepted message, although its file or its original is gone', async () => {
  const world = await startLinked({ env: { EGRESS_ALLOW: '127.0.0.0/8' } });
  const picture = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#f00' } })
    .png()
    .toBuffer();
  const served = new Set<string>();
  const site = await serve(({ url = '' }, response) => {
    if (served.has(url)) response.writeHead(410).end();
    else response.end(picture);
    served.add(url);
  });
  const files = ['?1', '?2'].map((query) => ({ mediatype: 'image', media: site + query }));
  const original = await world.api('POST', '/message/sendText/sales', { number: ada, text: 'news' });
  const id = textAt(original.body, 'key.id');
  const requests: [string, object][] = [
    ['/message/sendMedia/sales?wait=ack', { number: ada, mediatype: 'image', media: `${site}?0` }],
    ['/message/sendAlbum/sales?wait=ack', { number: ada, items: files }],
    ['/message/forward/sales?wait=ack', { number: ada, id }],
  ];
  const sendAll = () =>
    Promise.all(
      requests.map(async ([path, body], index) =>
        idsOf(await world.api('POST', path, body, { 'idempotency-key': `order-${index}` })),
      ),
    );
  const first = await sendAll();
  const deletion = { id, fromMe: true, remoteJid: ada };
  expect((await world.api('DELETE', '/chat/deleteMessageForEveryone/sales', deletion)).status).toBe(201);
  await crash(world);
  expect(await sendAll()).toEqual(first);
  expect(first.flat()).toHaveLength(5);
});

it('a repeated edit gets the accepted edit, although the message can no longer be edited', async () => {
  const world = await startLinked();
  const original = await world.api('POST', '/message/sendText/sales?wait=ack', { number: ada, text: 'at nine' });
  const id = textAt(original.body, 'key.id');
  const edit = () =>
    world.api('PUT', '/chat/updateMessage/sales', { text: 'at ten', key: { id } }, { 'idempotency-key': 'edit-1' });
  const first = idsOf(await edit());
  const [editId = ''] = first;
  const status = async () => at((await world.api('GET', `/message/status/sales/${editId}`)).body, 'status');
  await expect.poll(status).toMatch(/_ACK$/);
  const deletion = { id, fromMe: true, remoteJid: ada };
  expect((await world.api('DELETE', '/chat/deleteMessageForEveryone/sales', deletion)).status).toBe(201);
  await crash(world);
  expect(idsOf(await edit())).toEqual(first);
});
