// The parts of the sandbox's stanzas that whatsmeow requires, according to its source code: attributes, numbers of
// children, signatures and hashes. The tests check the stanzas themselves, because whatsmeow does not run here.
import { createHmac } from 'node:crypto';
import {
  type BinaryNode,
  getBinaryNodeChildBuffer as bytesOf,
  Curve,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  initAuthCreds,
  proto,
} from '@whiskeysockets/baileys';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAuth, pair } from '../../../test/support/client.ts';
import { createLightSandbox } from '../../../test/support/light-sandbox.ts';
import { isValidSignature } from '../src/crypto/signing.ts';
import type { Phone } from '../src/phone/phone.ts';
import type { Sandbox } from '../src/sandbox.ts';
import { deviceListHash } from '../src/world/device-list.ts';
import type { Account } from '../src/world/model.ts';
import { lidJid, pnJid } from '../src/world/world.ts';
import { RawClient } from './raw-client.ts';

const SECONDS = /^\d{10}$/;

let sandbox: Sandbox;
let number = 15_550_030_000;
let ownAccount: Account;
let peer: Phone;

beforeAll(async () => {
  sandbox = await createLightSandbox();
});
afterAll(async () => {
  expect(sandbox.unanswered).toEqual([]);
  await sandbox.close();
});
beforeEach(() => {
  number += 10;
  ownAccount = sandbox.world.account(String(number + 1));
  peer = sandbox.phones.phone(String(number + 2));
});

async function login(account = ownAccount): Promise<RawClient> {
  const client = await RawClient.connect(sandbox.platformUrl, sandbox.provision(account.number));
  await client.goLive();
  return client;
}

const child = (node: BinaryNode | undefined, ...path: string[]) =>
  path.reduce<BinaryNode | undefined>((at, tag) => getBinaryNodeChild(at, tag), node);
const tags = (node: BinaryNode | undefined) => (Array.isArray(node?.content) ? node.content.map(({ tag }) => tag) : []);

describe('login', () => {
  it('the server sends success first, then the queue between <offline_preview> and <offline>', async () => {
    ownAccount.name = 'Ada@home';
    const creds = sandbox.provision(ownAccount.number);
    await peer.send(ownAccount.number, { text: 'waiting' });
    const client = await RawClient.connect(sandbox.platformUrl, creds);
    await client.goLive();
    const [success, ...rest] = client.nodes;
    expect(success).toMatchObject({
      tag: 'success',
      attrs: { t: expect.stringMatching(SECONDS), lid: lidJid(ownAccount, 1) },
    });
    expect(success?.attrs.display_name).toBe('Ada@home');
    expect(rest.map((node) => (node.tag === 'ib' ? tags(node)[0] : node.tag))).toEqual([
      'iq',
      'dirty',
      'offline_preview',
      'message',
      'offline',
    ]);
    const preview = child(
      client.nodes.find((node) => child(node, 'offline_preview')),
      'offline_preview',
    );
    expect(preview?.attrs).toEqual({ count: '1', message: '1', receipt: '0', notification: '0', appdata: '0' });
    expect(child(client.nodes.at(-1), 'offline')?.attrs).toEqual({ count: '1' });
  });

  it('the server answers every iq with the id and the address of the query', async () => {
    const client = await login();
    const pong = await client.ask({ xmlns: 'w:p', type: 'get' }, [{ tag: 'ping', attrs: {} }]);
    expect(pong.attrs).toMatchObject({ from: '@s.whatsapp.net', type: 'result' });
    client.send({
      tag: 'iq',
      attrs: { id: 'nobody', xmlns: 'w:p', type: 'get' },
      content: [{ tag: 'ping', attrs: {} }],
    });
    expect((await client.received('iq', { id: 'nobody' })).attrs.from).toBe('@s.whatsapp.net');
  });
});

describe('linking', () => {
  it('the server sends six QR references to a new client, then the device identity and 515', async () => {
    const creds = initAuthCreds();
    const client = await RawClient.connect(sandbox.platformUrl, creds);
    const offer = await client.received('iq', { from: '@s.whatsapp.net', type: 'set' });
    client.send({ tag: 'iq', attrs: { to: '@s.whatsapp.net', type: 'result', id: offer.attrs.id ?? '' } });
    expect(tags(offer)).toEqual(['pair-device']);
    const refs = getBinaryNodeChildren(child(offer, 'pair-device'), 'ref').map(({ content }) => content);
    expect(refs.map((ref) => ref instanceof Uint8Array)).toEqual(Array(6).fill(true));

    const keys = [creds.noiseKey.public, creds.signedIdentityKey.public].map((key) =>
      Buffer.from(key).toString('base64'),
    );
    // The QR text has no address in front. Newer clients write one.
    const linking = sandbox.pairing.scanQr(ownAccount.number, [String(refs[0]), ...keys, creds.advSecretKey].join());
    const success = await client.until(() => client.nodes.find((node) => child(node, 'pair-success')));
    expect(tags(success)).toEqual(['pair-success']);
    expect(success.attrs.from).toBe('@s.whatsapp.net');
    const device = child(success, 'pair-success', 'device')?.attrs;
    expect(device).toEqual({ jid: pnJid(ownAccount, 1), lid: lidJid(ownAccount, 1) });
    expect(child(success, 'pair-success', 'platform')?.attrs.name).toBe('android');

    const wire = bytesOf(child(success, 'pair-success'), 'device-identity');
    const { details, hmac } = proto.ADVSignedDeviceIdentityHMAC.decode(Buffer.from(wire ?? []));
    const secret = Buffer.from(creds.advSecretKey, 'base64');
    expect(Buffer.from(hmac ?? [])).toEqual(
      createHmac('sha256', secret)
        .update(details ?? '')
        .digest(),
    );
    const signed = proto.ADVSignedDeviceIdentity.decode(details ?? new Uint8Array());
    const { accountSignatureKey: key, accountSignature, details: inner } = signed;
    if (!key || !accountSignature || !inner) throw new Error('incomplete');
    expect([key.length, accountSignature.length]).toEqual([32, 64]);
    const identity = creds.signedIdentityKey;
    expect(isValidSignature(key, Buffer.concat([Buffer.from([6, 0]), inner, identity.public]), accountSignature)).toBe(
      true,
    );
    expect(proto.ADVDeviceIdentity.decode(inner).keyIndex).toBe(1);

    const message = Buffer.concat([Buffer.from([6, 1]), inner, identity.public, key]);
    const deviceSignature = Curve.sign(identity.private, message);
    const answer = proto.ADVSignedDeviceIdentity.encode({ details: inner, accountSignature, deviceSignature }).finish();
    const content = [{ tag: 'device-identity', attrs: { 'key-index': '1' }, content: answer }];
    client.send({
      tag: 'iq',
      attrs: { to: '@s.whatsapp.net', type: 'result', id: success.attrs.id ?? '' },
      content: [{ tag: 'pair-device-sign', attrs: {}, content }],
    });
    expect((await linking).device).toBe(1);
    expect((await client.received('stream:error')).attrs).toEqual({ code: '515' });
    await client.until(() => client.closed);
  });

  it('the server sends the reference of a pairing code, and the phone’s request contains it', async () => {
    const creds = initAuthCreds();
    const client = await RawClient.connect(sandbox.platformUrl, creds);
    const hello = (display: string) =>
      client.ask({ xmlns: 'md', type: 'set' }, [
        {
          tag: 'link_code_companion_reg',
          attrs: { jid: pnJid(ownAccount), stage: 'companion_hello', should_show_push_notification: 'true' },
          content: [
            { tag: 'link_code_pairing_wrapped_companion_ephemeral_pub', attrs: {}, content: Buffer.alloc(80, 1) },
            { tag: 'companion_server_auth_key_pub', attrs: {}, content: creds.noiseKey.public },
            { tag: 'companion_platform_display', attrs: {}, content: Buffer.from(display) },
          ],
        },
      ]);
    for (const name of ['other', 'Chrome (Acme)']) expect(child(await hello(name), 'error')?.attrs.code).toBe('400');
    const ref = bytesOf(child(await hello('Chrome (Linux)'), 'link_code_companion_reg'), 'link_code_pairing_ref');
    const linking = sandbox.pairing.linkWithCode(ownAccount.number, 'ABCD-1234').catch((error: Error) => error.message);
    const request = child(
      await client.received('notification', { type: 'link_code_companion_reg' }),
      'link_code_companion_reg',
    );
    expect(bytesOf(request, 'link_code_pairing_ref')).toEqual(ref);
    expect(bytesOf(request, 'link_code_pairing_wrapped_primary_ephemeral_pub')).toHaveLength(80);
    expect(bytesOf(request, 'primary_identity_pub')).toHaveLength(32);
    sandbox.faults.add({ kind: 'close' });
    expect(await linking).toContain('did not answer');
  });

  it('a linked client receives the name of its account, also with an @, in its app state', async () => {
    ownAccount.name = 'Ada @ home';
    const client = await pair(sandbox, ownAccount.number);
    await client.event('creds.update', ({ me }) => me?.name === 'Ada @ home');
  });
});

describe('messages of phones', () => {
  it('a phone’s message contains the time, both addresses and the name of its author, and the encryption version', async () => {
    const client = await login();
    peer.account.name = 'Bob@work';
    const id = await peer.send(ownAccount.number, { text: 'hello' });
    const node = await client.received('message', { id });
    expect(node.attrs).toEqual({
      id,
      from: pnJid(peer.account),
      sender_lid: lidJid(peer.account),
      type: 'text',
      notify: 'Bob@work',
      t: expect.stringMatching(SECONDS),
    });
    expect(child(node, 'enc')?.attrs).toEqual({ v: '2', type: 'pkmsg' });
    const byLid = await peer.send(ownAccount.number, { text: 'hello' }, { addressing: 'lid' });
    expect((await client.received('message', { id: byLid })).attrs).toMatchObject({
      from: lidJid(peer.account),
      sender_pn: pnJid(peer.account),
      addressing_mode: 'lid',
    });
  });

  it('a phone’s message contains the chat and its other address in the copy for the author’s own devices', async () => {
    const client = await login();
    const phone = sandbox.phones.phone(ownAccount.number);
    const attrsOf = async (addressing: 'pn' | 'lid') => {
      const id = await phone.send(peer.account.number, { text: 'x' }, { addressing });
      return (await client.received('message', { id })).attrs;
    };
    expect(await attrsOf('pn')).toMatchObject({
      from: pnJid(ownAccount),
      recipient: pnJid(peer.account),
      peer_recipient_lid: lidJid(peer.account),
    });
    expect(await attrsOf('lid')).toMatchObject({
      from: lidJid(ownAccount),
      recipient: lidJid(peer.account),
      peer_recipient_pn: pnJid(peer.account),
    });
  });
});

describe('receipts', () => {
  it('a receipt contains the time and the ids, with further ids as a list', async () => {
    const client = await login();
    const phone = sandbox.phones.phone(ownAccount.number);
    const ids = [];
    for (const text of ['one', 'two', 'three']) ids.push(await phone.send(peer.account.number, { text }));
    peer.read(ownAccount.number);
    const node = await client.received('receipt', { type: 'read' });
    expect(node.attrs).toMatchObject({ from: pnJid(peer.account), id: ids[0], t: expect.stringMatching(SECONDS) });
    expect(tags(node)).toEqual(['list']);
    expect(getBinaryNodeChildren(child(node, 'list'), 'item').map(({ attrs }) => attrs.id)).toEqual(ids.slice(1));
  });

  it('a retry receipt of a phone contains count, id, time and registration id', async () => {
    const client = await login();
    const garbled = { tag: 'enc', attrs: { v: '2', type: 'msg' }, content: Buffer.alloc(80, 3) };
    const to = [{ tag: 'to', attrs: { jid: pnJid(peer.account) }, content: [garbled] }];
    const attrs = { id: 'GARBLED', to: pnJid(peer.account), type: 'text' };
    client.send({ tag: 'message', attrs, content: [{ tag: 'participants', attrs: {}, content: to }] });
    const node = await client.received('receipt', { type: 'retry', id: 'GARBLED' });
    expect(child(node, 'retry')?.attrs).toMatchObject({ count: '1', id: 'GARBLED', t: expect.stringMatching(SECONDS) });
    expect(bytesOf(node, 'registration')).toHaveLength(4);
  });
});

describe('device lists', () => {
  it('a device list contains a signed key index list, and a change contains the hash of the new list', async () => {
    const client = await login();
    const devices = async (jid: string) => {
      const answer = await client.ask({ xmlns: 'usync', type: 'get' }, [
        {
          tag: 'usync',
          attrs: { sid: 's', mode: 'query', last: 'true', index: '0', context: 'message' },
          content: [
            { tag: 'query', attrs: {}, content: [{ tag: 'devices', attrs: { version: '2' } }] },
            { tag: 'list', attrs: {}, content: [{ tag: 'user', attrs: { jid } }] },
          ],
        },
      ]);
      return child(answer, 'usync', 'list', 'user', 'devices');
    };
    await devices(pnJid(peer.account));
    await devices(lidJid(peer.account));
    sandbox.provision(peer.account.number);
    const byNumber = await client.received('notification', { type: 'devices', from: pnJid(peer.account) });
    expect(byNumber.attrs).toMatchObject({ lid: lidJid(peer.account), t: expect.stringMatching(SECONDS) });
    expect(tags(byNumber)).toEqual(['add']);
    expect(child(byNumber, 'add')?.attrs).toEqual({ device_hash: deviceListHash([peer.account], 'pn') });
    const device = { jid: pnJid(peer.account, 1), lid: lidJid(peer.account, 1), 'key-index': '1' };
    expect(child(byNumber, 'add', 'device')?.attrs).toEqual(device);
    const byLid = await client.received('notification', { type: 'devices', from: lidJid(peer.account) });
    expect(child(byLid, 'add')?.attrs).toEqual({ device_hash: deviceListHash([peer.account], 'lid') });
    const list = await devices(pnJid(peer.account));
    const signed = proto.ADVSignedKeyIndexList.decode(bytesOf(list, 'key-index-list') as Uint8Array);
    expect(signed.accountSignature).toHaveLength(64);

    const [companion] = peer.account.companions.values();
    if (companion) sandbox.pairing.unlink(companion);
    const removal = await client.until(() => client.nodes.find((node) => child(node, 'remove')));
    expect(child(removal, 'remove')?.attrs).toEqual({ device_hash: deviceListHash([peer.account], 'pn') });
  });

  it('a change of the own devices contains the complete device list', async () => {
    const client = await login();
    sandbox.provision(ownAccount.number);
    const node = await client.received('notification', { type: 'account_sync' });
    const list = child(node, 'devices');
    expect(list?.attrs).toEqual({ dhash: deviceListHash([ownAccount], 'pn') });
    expect(getBinaryNodeChildren(list, 'device').map(({ attrs }) => attrs.jid)).toEqual(
      [0, 1, 2].map((device) => pnJid(ownAccount, device)),
    );
  });
});

describe('usync', () => {
  it('a usync query finds an account by number, repeats the number, and accepts businesses and pictures', async () => {
    const client = await login();
    peer.account.picture = { id: '77', bytes: Buffer.from('x') };
    const query = ['contact', 'lid', 'status', 'picture'].map((tag) => ({ tag, attrs: {} }));
    const business = { tag: 'business', attrs: {}, content: [{ tag: 'verified_name', attrs: {} }] };
    const text = `+${peer.account.number}@c.us`;
    const contact = { tag: 'contact', attrs: {}, content: Buffer.from(text) };
    const answer = await client.ask({ xmlns: 'usync', type: 'get' }, [
      {
        tag: 'usync',
        attrs: { sid: 's', mode: 'query', last: 'true', index: '0', context: 'interactive' },
        content: [
          { tag: 'query', attrs: {}, content: [...query, business] },
          { tag: 'list', attrs: {}, content: [{ tag: 'user', attrs: {}, content: [contact] }] },
        ],
      },
    ]);
    const user = child(answer, 'usync', 'list', 'user');
    expect(user?.attrs.jid).toBe(pnJid(peer.account));
    expect(child(user, 'contact')).toMatchObject({ attrs: { type: 'in' }, content: Buffer.from(text) });
    expect(child(user, 'lid')?.attrs.val).toBe(lidJid(peer.account));
    expect(child(user, 'picture')?.attrs.id).toBe('77');
    expect(child(user, 'status')?.content).toBeInstanceOf(Uint8Array);
  });
});

describe('key bundles', () => {
  it('a key bundle has values of exact sizes, and an unknown device in the query does not affect the others', async () => {
    const client = await login();
    const users = [pnJid(peer.account), pnJid(peer.account, 9)].map((jid) => ({ tag: 'user', attrs: { jid } }));
    const answer = await client.ask({ xmlns: 'encrypt', type: 'get' }, [{ tag: 'key', attrs: {}, content: users }]);
    const [known, unknown] = getBinaryNodeChildren(child(answer, 'list'), 'user');
    expect(known?.attrs.jid).toBe(pnJid(peer.account));
    const size = (tag: string, bundle = known) => bytesOf(bundle, tag)?.length;
    expect([size('registration'), size('type'), size('identity')]).toEqual([4, 1, 32]);
    const skey = child(known, 'skey');
    expect([size('id', skey), size('value', skey), size('signature', skey)]).toEqual([3, 32, 64]);
    expect([size('id', child(known, 'key')), size('value', child(known, 'key'))]).toEqual([3, 32]);
    expect(child(unknown, 'error')?.attrs).toEqual({ code: '404', text: 'item-not-found' });
  });
});

describe('notifications of the other devices of an account', () => {
  it('the other devices of an account get a changed privacy category, and the hash of a changed blocklist', async () => {
    const [one, other] = [await login(), await login()];
    const category = { tag: 'category', attrs: { name: 'last', value: 'none' } };
    await one.ask({ xmlns: 'privacy', type: 'set' }, [{ tag: 'privacy', attrs: {}, content: [category] }]);
    const privacy = await other.until(() => other.nodes.find((node) => child(node, 'privacy')));
    expect(child(privacy, 'privacy', 'category')?.attrs).toEqual({ name: 'last', value: 'none' });
    const item = { tag: 'item', attrs: { action: 'block', jid: lidJid(peer.account) } };
    const answer = await one.ask({ xmlns: 'blocklist', type: 'set' }, [item]);
    const blocked = await other.until(() => other.nodes.find((node) => child(node, 'blocklist')));
    expect(child(blocked, 'blocklist')?.attrs.dhash).toBe(child(answer, 'list')?.attrs.dhash);
    expect(child(blocked, 'blocklist', 'item')?.attrs).toEqual(item.attrs);
  });
});

describe('tokens of trusted contacts', () => {
  it('the sandbox sends a contact the token that an account issued for it, with both addresses of the account', async () => {
    const [client, contact] = [await login(), await login(peer.account)];
    const token = { tag: 'token', attrs: { jid: pnJid(peer.account), t: '1700000000', type: 'trusted_contact' } };
    await client.ask({ xmlns: 'privacy', type: 'set' }, [{ tag: 'tokens', attrs: {}, content: [token] }]);
    const node = await contact.received('notification', { type: 'privacy_token' });
    expect(node.attrs).toMatchObject({ from: pnJid(ownAccount), sender_lid: lidJid(ownAccount) });
    const tokenNode = child(node, 'tokens', 'token');
    expect(tokenNode?.attrs).toEqual({ jid: pnJid(peer.account), t: '1700000000', type: 'trusted_contact' });
    expect(tokenNode?.content).toBeInstanceOf(Uint8Array);
  });
});

describe('profile pictures', () => {
  it('a profile picture is not sent again to a client that has it', async () => {
    const client = await login();
    peer.account.picture = { id: '78', bytes: Buffer.from('x') };
    const ask = (id?: string) =>
      client.ask({ xmlns: 'w:profile:picture', type: 'get', target: pnJid(peer.account) }, [
        { tag: 'picture', attrs: { type: 'image', query: 'url', ...(id ? { id } : {}) } },
      ]);
    const keys = ['id', 'type', 'url', 'direct_path'];
    expect(Object.keys(child(await ask(), 'picture')?.attrs ?? {})).toEqual(keys);
    expect(tags(await ask('78'))).toEqual([]);
  });
});

describe('app state', () => {
  it('the app state is sent completely to a client that requests a snapshot and has no version', async () => {
    await pair(sandbox, ownAccount.number);
    const client = await RawClient.connect(sandbox.platformUrl, createAuth(sandbox.provision(ownAccount.number)).creds);
    const collection = { tag: 'collection', attrs: { name: 'critical_block', return_snapshot: 'true' } };
    const ask = () =>
      client.ask({ xmlns: 'w:sync:app:state', type: 'set' }, [{ tag: 'sync', attrs: {}, content: [collection] }]);
    const answer = child(await ask(), 'sync', 'collection');
    expect(answer?.attrs).toEqual({ name: 'critical_block', version: '1', has_more_patches: 'false' });
    const patch = proto.SyncdPatch.decode(bytesOf(child(answer, 'patches'), 'patch') as Uint8Array);
    expect(Number(patch.version?.version)).toBe(1);
    expect(patch.snapshotMac).toHaveLength(32);
  });
});
