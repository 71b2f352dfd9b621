// Clients that send random bytes and random stanzas. They can lose their connection, but the server continues to serve
// other clients. The seed is constant, so each run sends the same data.
import { deflateSync } from 'node:zlib';
import { type BinaryNode, encodeBinaryNode, initAuthCreds } from '@whiskeysockets/baileys';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createLightSandbox } from '../../../test/support/light-sandbox.ts';
import type { Sandbox } from '../src/sandbox.ts';
import { RawClient } from './raw-client.ts';

let sandbox: Sandbox;
let seed = 20_251_120;
const failures: unknown[] = [];
const silent = () => undefined;

beforeAll(async () => {
  const error = ({ err }: { err?: unknown }, event: string) => void (event.endsWith('failed') && failures.push(err));
  const log = { debug: silent, warn: silent, error };
  sandbox = await createLightSandbox({ log });
});
afterAll(() => sandbox.close());

/** A whole number below `limit` (mulberry32). */
function random(limit: number): number {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
}

const bytes = (size: number) => Buffer.from(Array.from({ length: size }, () => random(256)));
const pick = <T>(values: readonly T[]): T => {
  const chosen = values[random(values.length)];
  if (chosen === undefined) throw new Error('nothing to choose from');
  return chosen;
};

async function assertLoginWorks(number = '15550050001'): Promise<void> {
  const client = await RawClient.connect(sandbox.platformUrl, sandbox.provision(number));
  await client.goLive();
}

it('the sandbox accepts a login after 60 handshakes of random bytes', async () => {
  for (let round = 0; round < 60; round++) {
    const socket = new WebSocket(sandbox.platformUrl);
    await new Promise((resolve) => socket.once('open', resolve));
    const size = random(200);
    const head = round % 2 ? Buffer.from([0x57, 0x41, 6, 3, 0, 0, size]) : Buffer.alloc(0);
    socket.send(Buffer.concat([head, bytes(size)]));
    socket.send(bytes(random(50)));
    socket.close();
    await new Promise((resolve) => socket.once('close', resolve));
  }
  await assertLoginWorks();
});

it('the sandbox accepts a login after 80 connections that send stanzas of random bytes', async () => {
  const creds = sandbox.provision('15550050002');
  const valid = encodeBinaryNode({ tag: 'iq', attrs: { id: '1', type: 'get', xmlns: 'usync' }, content: bytes(20) });
  for (let round = 0; round < 80; round++) {
    const client = await RawClient.connect(sandbox.platformUrl, creds);
    await client.received('success');
    const corrupted = Buffer.from(valid);
    for (let n = 0; n < 3; n++) corrupted[random(corrupted.length)] = random(256);
    client.sendPlain(round % 2 ? corrupted : bytes(random(300)));
    client.sendPlain(bytes(random(30)));
    await client.until(() => client.closed);
  }
  await assertLoginWorks();
});

it('the sandbox answers or ignores every stanza that can be decoded, without an error', async () => {
  failures.length = 0;
  const [number, other] = ['15550050003', '15550050004'];
  const { lid } = sandbox.world.account(other);
  const jids = [number, other, '15550050000', lid].flatMap((user) => [
    `${user}@s.whatsapp.net`,
    `${user}:1@lid`,
    `${user}@g.us`,
    user,
  ]);
  const attrValues = [
    ...['get', 'set', 'result', 'error', 'read', 'retry', 'sender', 'read-self', 'subscribe', 'available', 'block', ''],
    ...['message', 'receipt', 'notification', '0', '1', '99999999999999999999', '-1', 'critical_block', 'add', '@lid'],
  ];
  const xmlns = [
    ...[
      'abt',
      'blocklist',
      'disappearing_mode',
      'encrypt',
      'passive',
      'privacy',
      'status',
      'usync',
      'w:biz',
      'w:g2',
      'w:m',
    ],
    ...['urn:xmpp:whatsapp:dirty', 'w:mex', 'w:p', 'w:profile:picture', 'w:stats', 'w:sync:app:state', 'md', 'x'],
  ];
  const rootTags = ['iq', 'iq', 'iq', 'message', 'receipt', 'ack', 'presence', 'chatstate', 'ib', 'notification', 'x'];
  const tags = [
    ...[
      'privacy',
      'category',
      'tokens',
      'token',
      'item',
      'list',
      'usync',
      'query',
      'user',
      'contact',
      'devices',
      'lid',
    ],
    ...[
      'participants',
      'to',
      'enc',
      'device-identity',
      'retry',
      'keys',
      'registration',
      'skey',
      'key',
      'identity',
      'rotate',
    ],
    ...[
      'sync',
      'collection',
      'patch',
      'patches',
      'picture',
      'status',
      'create',
      'participant',
      'add',
      'remove',
      'subject',
    ],
    ...[
      'description',
      'invite',
      'accept',
      'leave',
      'group',
      'membership_approval_mode',
      'group_join',
      'composing',
      'count',
    ],
    ...['digest', 'active', 'ping', 'props', 'business_profile', 'media_conn', 'clean', 'body', 'query', 'ephemeral'],
  ];
  const names = ['id', 'to', 'type', 'participant', 'recipient', 'jid', 'name', 'value', 'version', 'v', 't', 'count'];
  const moreNames = [
    'action',
    'target',
    'duration',
    'code',
    'category',
    'class',
    'phash',
    'expiration',
    'subject',
    'query_id',
  ];
  const attrs = (values: readonly string[], least = 0) =>
    Object.fromEntries(
      Array.from(
        { length: least + random(5) },
        () => [pick(values), random(3) ? pick(attrValues) : pick(jids)] as const,
      ),
    );
  const node = (depth: number, tag: string, nodeAttrs: BinaryNode['attrs'] = {}): BinaryNode => {
    const children = () =>
      Array.from({ length: random(4) }, () => node(depth - 1, pick(tags), attrs([...names, ...moreNames])));
    const content = depth > 0 && random(4) ? children() : random(2) ? bytes(random(100)) : undefined;
    return { tag, attrs: nodeAttrs, content };
  };
  const client = await RawClient.connect(sandbox.platformUrl, sandbox.provision(number));
  await client.goLive();
  for (let round = 0; round < 3000; round++) {
    const tag = pick(rootTags);
    const base: BinaryNode['attrs'] = { id: `f${round}`, to: pick(['@s.whatsapp.net', '@g.us', ...jids]) };
    const iq: BinaryNode['attrs'] = tag === 'iq' ? { xmlns: pick(xmlns), type: pick(['get', 'set']) } : {};
    client.send(node(4, tag, { ...base, ...attrs([...names, ...moreNames]), ...iq }));
    if (round % 100 !== 0) continue;
    client.send({
      tag: 'iq',
      attrs: { id: `p${round}`, xmlns: 'w:p', type: 'get' },
      content: [{ tag: 'ping', attrs: {} }],
    });
    await client.until(() => client.closed || client.nodes.some(({ attrs: { id } }) => id === `p${round}`));
    client.nodes.length = 0;
    if (client.closed) break;
  }
  expect(failures).toEqual([]);
  expect(client.closed).toBe(false);
  await assertLoginWorks();
});

/** A stanza of 4 MiB with 1.4 million elements, compressed to a few kilobytes. */
function compressedElements(): Buffer {
  const empty = Buffer.from([248, 1, 3]);
  const parent = Buffer.concat([Buffer.from([248, 2, 3, 249, 255, 255]), ...Array(65_535).fill(empty)]);
  const root = Buffer.from([248, 2, 3, 248, 21]);
  return Buffer.concat([Buffer.from([2]), deflateSync(Buffer.concat([root, ...Array(21).fill(parent)]))]);
}

it.each<[string, (client: RawClient) => void]>([
  ['200 compressed frames with millions of elements', (client) => client.sendFrames(compressedElements(), 200)],
  ['20,000 small frames', (client) => client.sendFrames(Buffer.from([0, 248, 1, 3]), 20_000)],
  ['millions of empty frames', (client) => client.sendBytes(Buffer.alloc(30 * 1024 * 1024))],
])('one WebSocket message with %s ends only the connection of its client', async (_what, send) => {
  const other = await RawClient.connect(sandbox.platformUrl, sandbox.provision('15550050005'));
  await other.goLive();
  const client = await RawClient.connect(sandbox.platformUrl, initAuthCreds());
  const offer = await client.received('iq', { type: 'set' });
  client.send({ tag: 'iq', attrs: { to: '@s.whatsapp.net', type: 'result', id: offer.attrs.id ?? '' } });
  send(client);
  await client.until(() => client.closed);
  expect((await other.ask({ xmlns: 'w:p', type: 'get' })).attrs.type).toBe('result');
  await assertLoginWorks();
});

it('a client that does not read what it receives loses its connection', async () => {
  const number = '15550050006';
  const client = await RawClient.connect(sandbox.platformUrl, sandbox.provision(number));
  await client.goLive();
  client.stopReading();
  for (let megabytes = 0; megabytes < 300; megabytes += 15)
    sandbox.inject(number, 'stanza', Buffer.alloc(15 * 2 ** 20));
  await expect.poll(() => sandbox.world.companion(`${number}:1@s.whatsapp.net`)?.connection).toBeUndefined();
  await assertLoginWorks();
});
