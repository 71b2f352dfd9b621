import { deflateSync } from 'node:zlib';
import {
  type BinaryNode,
  encodeBinaryNode,
  getBinaryNodeChild,
  initAuthCreds,
  proto,
  QueryIds,
} from '@whiskeysockets/baileys';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { ManualClock } from '../../../test/support/dispatcher-world.ts';
import { createLightSandbox } from '../../../test/support/light-sandbox.ts';
import type { Phone } from '../src/phone/phone.ts';
import type { Sandbox } from '../src/sandbox.ts';
import { deviceListHash } from '../src/world/device-list.ts';
import type { Account } from '../src/world/model.ts';
import { pnJid } from '../src/world/world.ts';
import { RawClient } from './raw-client.ts';

const MIB = 1024 * 1024;

let sandbox: Sandbox;
let clock: ManualClock;
let number = 15_550_040_000;
let ownAccount: Account;
let peer: Phone;
let creds: ReturnType<Sandbox['provision']>;
let client: RawClient;

beforeAll(async () => {
  clock = new ManualClock();
  sandbox = await createLightSandbox({ clock });
});
afterAll(() => sandbox.close());
beforeEach(async () => {
  number += 10;
  ownAccount = sandbox.world.account(String(number + 1));
  peer = sandbox.phones.phone(String(number + 2));
  creds = sandbox.provision(ownAccount.number);
  client = await RawClient.connect(sandbox.platformUrl, creds);
  await client.received('success');
});

const identityOf = (deviceCreds: typeof creds) =>
  proto.ADVSignedDeviceIdentity.encode(deviceCreds.account ?? {}).finish();
const enc = (type: string, content = Buffer.alloc(80, 3), v: string | undefined = '2'): BinaryNode => ({
  tag: 'enc',
  attrs: v ? { v, type } : { type },
  content,
});

interface OutgoingMessage {
  id: string;
  copies: { to: string; enc: BinaryNode }[];
  identity?: Uint8Array;
  phash?: string;
}

/** Sends a message to the peer and resolves with the attributes of the ack. */
async function send({ id, copies, identity, phash }: OutgoingMessage): Promise<BinaryNode['attrs']> {
  const to = copies.map((copy) => ({ tag: 'to', attrs: { jid: copy.to }, content: [copy.enc] }));
  const content: BinaryNode[] = [{ tag: 'participants', attrs: {}, content: to }];
  if (identity) content.push({ tag: 'device-identity', attrs: {}, content: identity });
  const attrs = { id, to: pnJid(peer.account), type: 'text', ...(phash ? { phash } : {}) };
  client.nodes.length = 0;
  client.send({ tag: 'message', attrs, content });
  return (await client.received('ack', { class: 'message', id })).attrs;
}

describe('messages that open a session', () => {
  it('the server refuses a message that opens a session without the identity of the sending device', async () => {
    const copies = [{ to: pnJid(peer.account), enc: enc('pkmsg') }];
    expect((await send({ id: 'A', copies })).error).toBe('479');
    const foreign = identityOf(sandbox.provision(ownAccount.number));
    expect((await send({ id: 'B', copies, identity: foreign })).error).toBe('479');
    expect((await send({ id: 'C', copies, identity: Buffer.from('nonsense') })).error).toBe('479');
    expect((await send({ id: 'D', copies, identity: identityOf(creds) })).error).toBeUndefined();
  });
});

describe('messages', () => {
  it('the server refuses a message without the version of its encryption', async () => {
    const copies = [{ to: pnJid(peer.account), enc: enc('msg', undefined, '') }];
    expect((await send({ id: 'A', copies })).error).toBe('479');
  });

  it('a message that is not encrypted for every device is acknowledged with the correct device hash', async () => {
    sandbox.provision(peer.account.number);
    const copy = (account: Account, device = 0) => ({ to: pnJid(account, device), enc: enc('msg') });
    const hash = deviceListHash([peer.account, ownAccount], 'pn');
    expect((await send({ id: 'A', copies: [copy(peer.account), copy(ownAccount)] })).phash).toBe(hash);
    const all = [copy(peer.account), copy(peer.account, 1), copy(ownAccount)];
    expect((await send({ id: 'B', copies: all })).phash).toBeUndefined();
    expect((await send({ id: 'C', copies: all, phash: hash })).phash).toBeUndefined();
    expect((await send({ id: 'D', copies: all, phash: '2:AAAAAAAA' })).phash).toBe(hash);
    expect((await send({ id: 'E', copies: [...all, copy(peer.account, 9)] })).phash).toBe(hash);
  });

  it('the server refuses a message to the own phone that contains a privacy token', async () => {
    const to = pnJid(ownAccount);
    const attrs = { to, type: 'text', category: 'peer' };
    const errorFor = async (id: string, tokens: BinaryNode[]) => {
      client.send({ tag: 'message', attrs: { id, ...attrs }, content: [enc('msg'), ...tokens] });
      return (await client.received('ack', { class: 'message', id })).attrs.error;
    };
    expect(await errorFor('A', [])).toBeUndefined();
    expect(await errorFor('B', [{ tag: 'tctoken', attrs: {}, content: Buffer.alloc(8) }])).toBe('479');
  });

  it('a message that is repeated byte for byte is acknowledged again and delivered once', async () => {
    await client.goLive();
    const copies = [{ to: pnJid(peer.account), enc: enc('msg') }];
    await send({ id: 'TWICE', copies });
    const first = await client.received('receipt', { type: 'retry' });
    expect((await send({ id: 'TWICE', copies })).error).toBeUndefined();
    await send({ id: 'NEXT', copies });
    const next = await client.received('receipt', { type: 'retry', id: 'NEXT' });
    expect(getBinaryNodeChild(first, 'retry')?.attrs.count).toBe('1');
    expect(client.nodes.filter(({ tag }) => tag === 'receipt')).toEqual([next]);
  });
});

describe('presence', () => {
  const ping = () => client.ask({ xmlns: 'w:p', type: 'get' }, [{ tag: 'ping', attrs: {} }]);

  it('the presence of a client is not shown before the client has sent a name', async () => {
    client.send({ tag: 'presence', attrs: { type: 'available' } });
    await ping();
    expect(ownAccount.presence).toBe('unavailable');
    client.send({ tag: 'presence', attrs: { type: 'available', name: 'Ada' } });
    await ping();
    expect([ownAccount.presence, ownAccount.name]).toEqual(['available', 'Ada']);
  });

  it('a presence stanza does not change the name of the account to one that is too long', async () => {
    client.send({ tag: 'presence', attrs: { type: 'available', name: 'x'.repeat(1000) } });
    await ping();
    expect(ownAccount.name).toBe(`Phone ${ownAccount.number.slice(-4)}`);
  });

  it('the presence of an account becomes unavailable with its last available connection', async () => {
    const second = await RawClient.connect(sandbox.platformUrl, sandbox.provision(ownAccount.number));
    const phone = sandbox.phones.phone(ownAccount.number);
    for (const connected of [client, second]) {
      connected.send({ tag: 'presence', attrs: { type: 'available', name: 'Ada' } });
      await connected.ask({ xmlns: 'w:p', type: 'get' }, [{ tag: 'ping', attrs: {} }]);
    }
    phone.setPresence('available');
    const [firstCompanion, secondCompanion] = [...ownAccount.companions.values()];
    firstCompanion?.connection?.close();
    expect(ownAccount.presence).toBe('available');
    phone.setPresence('unavailable');
    expect(ownAccount.presence).toBe('available');
    secondCompanion?.connection?.close();
    expect(ownAccount.presence).toBe('unavailable');
  });
});

describe('unknown stanzas', () => {
  it('an unknown stanza is answered with an error and recorded, and the connection stays open', async () => {
    const before = sandbox.unanswered.length;
    client.send({ tag: 'nonsense', attrs: { id: 'n', to: '@s.whatsapp.net' } });
    expect((await client.received('ack', { class: 'nonsense' })).attrs.error).toBe('501');
    const invalidQuery = await client.ask({ xmlns: 'w:p', type: 'maybe' }, [{ tag: 'ping', attrs: {} }]);
    expect(invalidQuery.attrs.type).toBe('error');
    const attrs = { xmlns: 'w:p', type: 'get', to: '@s.whatsapp.net' };
    client.send({ tag: 'iq', attrs, content: [{ tag: 'ping', attrs: {} }] });
    await client.received('iq', { type: 'error' });
    await client.ask({ xmlns: 'w:p', type: 'get' }, [{ tag: 'ping', attrs: {} }]);
    expect(sandbox.unanswered.slice(before).map(({ what }) => what)).toEqual([
      'nonsense',
      'iq maybe w:p',
      'iq get w:p',
    ]);
  });

  it('an unknown stanza is recorded up to a maximum length', async () => {
    const long = 'x'.repeat(MIB);
    client.send({ tag: 'nonsense', attrs: { id: 'n', type: long }, content: Buffer.from(long) });
    await client.received('ack', { class: 'nonsense' });
    const recorded = sandbox.unanswered.at(-1);
    expect(recorded?.what.startsWith('nonsense xxx')).toBe(true);
    expect(JSON.stringify(recorded).length).toBeLessThan(50_000);
  });
});

describe('names that JavaScript objects inherit', () => {
  it.each([
    'constructor',
    'toString',
    '__proto__',
  ])('a stanza with a name that JavaScript objects inherit is refused like an unknown stanza: %s', async (name) => {
    client.send({ tag: name, attrs: { id: 'odd', to: '@s.whatsapp.net' } });
    expect((await client.received('ack', { class: name })).attrs.error).toBe('501');
    expect((await client.ask({ xmlns: name, type: 'get' })).attrs.type).toBe('error');
    const query = { tag: 'query', attrs: { query_id: name }, content: Buffer.from('{}') };
    const mex = await client.ask({ xmlns: 'w:mex', type: 'get' }, [query]);
    expect(String(getBinaryNodeChild(mex, 'result')?.content)).toContain('unknown query');
  });

  it('an answer to a call with a name that JavaScript objects inherit does not change the state of the call', async () => {
    const { calls } = sandbox.phones;
    const call = calls.ring(peer.account.number, ownAccount.number);
    const answer = { tag: 'constructor', attrs: { 'call-id': call.id, 'call-creator': pnJid(peer.account) } };
    client.send({ tag: 'call', attrs: { id: 'odd', to: pnJid(peer.account) }, content: [answer] });
    expect((await client.received('ack', { class: 'call' })).attrs.error).toBe('404');
    expect(call.state).toBe('ringing');
  });
});

describe('malformed queries', () => {
  const mex = (content: string): BinaryNode => ({
    tag: 'query',
    attrs: { query_id: QueryIds.CREATE },
    content: Buffer.from(content),
  });
  const posts = (jid: string, count: string): BinaryNode => ({ tag: 'messages', attrs: { type: 'jid', jid, count } });
  const collection = (version: string, patch?: Uint8Array): BinaryNode => ({
    tag: 'collection',
    attrs: { name: 'regular', version },
    ...(patch ? { content: [{ tag: 'patch', attrs: {}, content: patch }] } : {}),
  });
  const patchWith = (fields: proto.ISyncdPatch): BinaryNode => ({
    tag: 'sync',
    attrs: {},
    content: [collection('0', proto.SyncdPatch.encode(fields).finish())],
  });
  const mac = Buffer.alloc(32);
  const mutations = [{ operation: 0, record: { index: { blob: mac }, value: { blob: mac }, keyId: { id: mac } } }];
  const channel = () => sandbox.channels.create(peer.account, 'Theirs').id;

  it.each([
    ['a channel query that is not JSON', 'w:mex', () => mex('{')],
    ['a number of posts that is 0', 'newsletter', () => posts(channel(), '0')],
    ['a number of posts below 0', 'newsletter', () => posts(channel(), '-1')],
    ['a number of posts that is not a number', 'newsletter', () => posts(channel(), 'all')],
    [
      'an app state version below 0',
      'w:sync:app:state',
      () => ({ tag: 'sync', attrs: {}, content: [collection('-1')] }),
    ],
    ['an app state patch without any field', 'w:sync:app:state', () => patchWith({})],
    ['an app state patch without MACs', 'w:sync:app:state', () => patchWith({ keyId: { id: mac }, mutations })],
    [
      'an app state patch without a change',
      'w:sync:app:state',
      () => patchWith({ keyId: { id: mac }, snapshotMac: mac, patchMac: mac }),
    ],
    ['a user sync without users', 'usync', () => ({ tag: 'usync', attrs: {}, content: [{ tag: 'query', attrs: {} }] })],
  ])('a malformed query is answered with bad-request, and the connection stays open: %s', async (_what, xmlns, create) => {
    const answer = await client.ask({ xmlns, type: 'get' }, [create()]);
    expect(getBinaryNodeChild(answer, 'error')?.attrs).toEqual({ code: '400', text: 'bad-request' });
    expect((await client.ask({ xmlns: 'w:p', type: 'get' })).attrs.type).toBe('result');
  });
});

describe('queries whose answer does not fit in a frame', () => {
  it('a query whose answer does not fit in a frame gets an error, and the connection stays open', async () => {
    peer.account.business = { description: 'x'.repeat(MIB), website: [] };
    const profile = { tag: 'profile', attrs: { jid: pnJid(peer.account) } };
    const request = { tag: 'business_profile', attrs: { v: '244' }, content: Array(16).fill(profile) };
    const answer = await client.ask({ xmlns: 'w:biz', type: 'get' }, [request]);
    expect(getBinaryNodeChild(answer, 'error')?.attrs.code).toBe('500');
    expect((await client.ask({ xmlns: 'w:p', type: 'get' })).attrs.type).toBe('result');
  });
});

describe('invalid frames', () => {
  const huge = Buffer.alloc(3, 255);
  const messageOf = (size: number): BinaryNode => ({
    tag: 'message',
    attrs: { id: 'LARGE', to: pnJid(peer.account, 1), type: 'text' },
    content: [enc('msg', Buffer.alloc(size))],
  });
  const bomb = deflateSync(Buffer.alloc(64 * 1024 * 1024));

  it.each([
    ['an empty frame', () => client.sendPlain(Buffer.alloc(0))],
    ['an unencrypted frame', () => client.sendBytes(Buffer.from([0, 0, 4, 1, 2, 3, 4]))],
    ['a frame of 16 MiB', () => client.sendBytes(huge)],
    ['a frame that cannot be decompressed', () => client.sendPlain(Buffer.from([2, 1, 2, 3]))],
    ['a frame that decompresses to too many bytes', () => client.sendPlain(Buffer.concat([Buffer.from([2]), bomb]))],
    ['a stanza that is too large after decompression', () => client.sendPlain(compressed(messageOf(5 * MIB)))],
    ['a list without an end', () => client.sendPlain(Buffer.from([0, 248, 255, 3]))],
    ['deeply nested lists', () => client.sendPlain(Buffer.from([0, ...nested(50_000)]))],
  ])('an invalid frame closes the connection: %s', async (_what, sendFrame) => {
    sendFrame();
    await client.until(() => client.closed);
  });

  it('the server ignores frames after it has closed the connection', async () => {
    const before = sandbox.unanswered.length;
    for (const companion of ownAccount.companions.values()) companion.connection?.close();
    client.send({ tag: 'nonsense', attrs: {} });
    client.sendBytes(huge);
    await client.until(() => client.closed);
    expect(sandbox.unanswered).toHaveLength(before);
  });

  it('a stanza that fills a frame closes only the connection of its sender', async () => {
    const owner = sandbox.provision(peer.account.number);
    const reader = await RawClient.connect(sandbox.platformUrl, owner);
    await reader.goLive();
    client.sendPlain(compressed(messageOf(16 * MIB - 100)));
    await client.until(() => client.closed);
    const id = await sandbox.phones.phone(ownAccount.number).send(peer.account.number, { text: 'still there?' });
    await reader.received('message', { id });
    const next = await RawClient.connect(sandbox.platformUrl, owner);
    await next.goLive();
    expect([...reader.failures, ...next.failures]).toEqual([]);
  });

  it('a frame can be compressed', async () => {
    const attrs = { id: 'packed', xmlns: 'w:p', type: 'get', to: '@s.whatsapp.net' };
    client.sendPlain(compressed({ tag: 'iq', attrs, content: [{ tag: 'ping', attrs: {} }] }));
    expect((await client.received('iq', { id: 'packed' })).attrs.type).toBe('result');
  });
});

const compressed = (node: BinaryNode) =>
  Buffer.concat([Buffer.from([2]), deflateSync(encodeBinaryNode(node).subarray(1))]);

/** Encodes `depth` elements. Each one is the only child of the element before it. */
const nested = (depth: number) => Array.from({ length: depth }, () => [248, 2, 3, 248, 1]).flat();

describe('ends of connections', () => {
  const countConnections = () => sandbox.connections().total;

  it('a connection is closed after 20 s without a complete handshake', async () => {
    const before = countConnections();
    const socket = new WebSocket(sandbox.platformUrl);
    await new Promise((resolve) => socket.once('open', resolve));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.send(Buffer.from([0x57, 0x41, 6, 3, 0, 1]));
    await expect.poll(countConnections).toBe(before + 1);
    clock.advance(19_000);
    expect(countConnections()).toBe(before + 1);
    clock.advance(1_000);
    await closed;
  });

  it('a connection is closed immediately when a handshake message is too long', async () => {
    const socket = new WebSocket(sandbox.platformUrl);
    await new Promise((resolve) => socket.once('open', resolve));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.send(Buffer.from([0x57, 0x41, 6, 3, 1, 0, 1]));
    await closed;
  });

  it('a connection is closed after two minutes without a frame', async () => {
    const isConnected = () => ownAccount.companions.get(1)?.connection !== undefined;
    clock.advance(100_000);
    await client.ask({ xmlns: 'w:p', type: 'get' }, [{ tag: 'ping', attrs: {} }]);
    clock.advance(100_000);
    await client.ask({ xmlns: 'w:p', type: 'get' }, [{ tag: 'ping', attrs: {} }]);
    clock.advance(119_000);
    // The client notices the end of its connection later than the server.
    expect(isConnected()).toBe(true);
    clock.advance(1_000);
    await client.until(() => client.closed);
  });

  it('a connection is closed when the client does not answer its QR codes, or shows them for too long', async () => {
    const silent = await RawClient.connect(sandbox.platformUrl, initAuthCreds());
    await silent.received('iq', { type: 'set' });
    clock.advance(10_000);
    await silent.until(() => silent.closed);
    const patient = await RawClient.connect(sandbox.platformUrl, initAuthCreds());
    const offer = await patient.received('iq', { type: 'set' });
    patient.send({ tag: 'iq', attrs: { to: '@s.whatsapp.net', type: 'result', id: offer.attrs.id ?? '' } });
    const ping = () => patient.ask({ xmlns: 'w:p', type: 'get' }, [{ tag: 'ping', attrs: {} }]);
    await ping();
    clock.advance(90_000);
    await ping();
    clock.advance(90_000);
    await patient.until(() => patient.closed);
  });

  it('a connection is closed when the client refuses to be linked', async () => {
    const fresh = initAuthCreds();
    const other = await RawClient.connect(sandbox.platformUrl, fresh);
    const offer = await other.received('iq', { type: 'set' });
    other.send({ tag: 'iq', attrs: { to: '@s.whatsapp.net', type: 'result', id: offer.attrs.id ?? '' } });
    const [ref] = getBinaryNodeChild(offer, 'pair-device')?.content as BinaryNode[];
    const keys = [fresh.noiseKey.public, fresh.signedIdentityKey.public].map((key) =>
      Buffer.from(key).toString('base64'),
    );
    const linking = sandbox.pairing.scanQr(
      ownAccount.number,
      [String(ref?.content), ...keys, fresh.advSecretKey].join(),
    );
    const success = await other.until(() => other.nodes.find((node) => getBinaryNodeChild(node, 'pair-success')));
    const error = { tag: 'error', attrs: { code: '401', text: 'not-authorized' } };
    const attrs = { to: '@s.whatsapp.net', type: 'error', id: success.attrs.id ?? '' };
    other.send({ tag: 'iq', attrs, content: [error] });
    await expect(linking).rejects.toMatchObject({ reason: 'refused' });
    await other.until(() => other.closed);
  });
});
