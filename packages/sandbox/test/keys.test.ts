import { createHash } from 'node:crypto';
import {
  type BinaryNode,
  Curve,
  getAllBinaryNodeChildren,
  getBinaryNodeChild,
  getBinaryNodeChildBuffer,
  getBinaryNodeChildren,
  getBinaryNodeChildUInt,
  proto,
  S_WHATSAPP_NET,
  signedKeyPair,
  xmppPreKey,
  xmppSignedPreKey,
} from '@whiskeysockets/baileys';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, connect, createAuth, pair } from '../../../test/support/client.ts';
import { isValidSignature, KEY_TYPE_BYTE } from '../src/crypto/signing.ts';
import { createSandbox, type Sandbox } from '../src/sandbox.ts';
import { RawClient } from './raw-client.ts';

const OWNER = '491700500001';
const OWNER_DEVICE = `${OWNER}:1@s.whatsapp.net`;

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await createSandbox({ tlsPort: false });
});
afterAll(async () => {
  expect(sandbox.unanswered).toEqual([]);
  await sandbox.close();
});

async function open(number: string): Promise<Client> {
  const client = connect(sandbox, createAuth(sandbox.provision(number)));
  await client.open();
  return client;
}

const encrypt = (client: Client, type: 'get' | 'set', content: BinaryNode[]): Promise<BinaryNode> =>
  client.socket.query({ tag: 'iq', attrs: { to: S_WHATSAPP_NET, type, xmlns: 'encrypt' }, content });

/** Queries the key bundles of devices and resolves with the `<user>` elements of the answer. */
async function fetchBundles(client: Client, ...jids: string[]): Promise<BinaryNode[]> {
  const users = jids.map((jid) => ({ tag: 'user', attrs: { jid } }));
  const answer = await encrypt(client, 'get', [{ tag: 'key', attrs: {}, content: users }]);
  return getBinaryNodeChildren(getBinaryNodeChild(answer, 'list'), 'user');
}

function isBundleSigned(bundle: BinaryNode | undefined): boolean {
  if (!bundle) throw new Error('no bundle');
  const skey = getBinaryNodeChild(bundle, 'skey');
  const [identity, value, signature] = [
    getBinaryNodeChildBuffer(bundle, 'identity'),
    getBinaryNodeChildBuffer(skey, 'value'),
    getBinaryNodeChildBuffer(skey, 'signature'),
  ];
  if (!identity || !value || !signature) throw new Error('incomplete bundle');
  return isValidSignature(identity, Buffer.concat([KEY_TYPE_BYTE, value]), signature);
}

describe('key bundles', () => {
  it('a new client uploads fewer than 50 one-time pre-keys when the server reports that it has keys', async () => {
    const reportingSandbox = await createSandbox({ tlsPort: false, extraReportedPreKeys: 1 });
    try {
      const owner = await pair(reportingSandbox, OWNER);
      const { creds } = owner.auth;
      // The phone needs the uploaded keys to open a session for the first sync.
      if (!creds.myAppStateKeyId) await owner.event('creds.update', ({ myAppStateKeyId }) => Boolean(myAppStateKeyId));
      expect(creds.nextPreKeyId).toBeGreaterThan(5);
      expect(creds.nextPreKeyId).toBeLessThan(50);
    } finally {
      await reportingSandbox.close();
    }
  });

  it('a key bundle contains each uploaded one-time pre-key once, and the server asks for more when few are left', async () => {
    const owner = await pair(sandbox, OWNER);
    const requester = await open('491700500002');
    const companion = sandbox.world.companion(OWNER_DEVICE);
    if (!companion) throw new Error('not linked');
    // The phone took one of the 812 for the first sync.
    if (!owner.auth.creds.myAppStateKeyId) await owner.event('creds.update', (creds) => Boolean(creds.myAppStateKeyId));
    expect(companion.preKeys.length).toBe(811);
    companion.preKeys.splice(6);
    const uploaded = owner.event('creds.update', ({ nextPreKeyId }) => nextPreKeyId === 818);
    const ids = new Set<number | undefined>();
    for (let n = 0; n < 2; n++) {
      const [bundle] = await fetchBundles(requester, OWNER_DEVICE);
      expect(isBundleSigned(bundle)).toBe(true);
      const key = bundle && getBinaryNodeChild(bundle, 'key');
      ids.add(key && getBinaryNodeChildUInt(key, 'id', 3));
    }
    expect(ids).toEqual(new Set([2, 3]));
    await uploaded;
    // The client reports the new keys before it sends them.
    await expect.poll(() => companion.preKeys.map(({ id }) => id)).toEqual([4, 5, 6, 7, 813, 814, 815, 816, 817]);
  });

  it('the server asks for more one-time pre-keys also while the client is offline', async () => {
    const owner = '491700500009';
    const creds = sandbox.provision(owner);
    const companion = sandbox.world.companion(`${owner}:1@s.whatsapp.net`);
    if (!companion) throw new Error('not linked');
    companion.preKeys.push(...[1, 2].map((id) => ({ id, public: Curve.generateKeyPair().public })));
    await fetchBundles(await open('491700500008'), `${owner}:1@s.whatsapp.net`);
    const client = await RawClient.connect(sandbox.platformUrl, creds);
    await client.goLive();
    const request = await client.received('notification', { type: 'encrypt' });
    expect(request.attrs).toMatchObject({ from: S_WHATSAPP_NET, t: expect.stringMatching(/^\d{10}$/), offline: '0' });
    expect(getBinaryNodeChild(request, 'count')?.attrs).toEqual({ value: '1' });
  });

  it('the server returns the key bundles of phones and provisioned companions by number and by LID', async () => {
    const requester = await open('491700500003');
    const { lid } = sandbox.world.account('491700500004');
    sandbox.provision('491700500004');
    const jids = ['491700500004@s.whatsapp.net', `${lid}@lid`, '491700500004:1@s.whatsapp.net', `${lid}:1@lid`];
    const bundles = await fetchBundles(requester, ...jids);
    expect(bundles.map(({ attrs }) => attrs.jid)).toEqual(jids);
    expect(bundles.map(isBundleSigned)).toEqual([true, true, true, true]);
  });

  it('the key bundle of a companion contains its signed device identity, and that of a phone contains none', async () => {
    const requester = await open('491700500020');
    await pair(sandbox, '491700500021');
    sandbox.provision('491700500021');
    const phone = sandbox.world.account('491700500021').identity().public;
    const jids = ['491700500021@s.whatsapp.net', '491700500021:1@s.whatsapp.net', '491700500021:2@s.whatsapp.net'];
    const [phoneBundle, ...companionBundles] = await fetchBundles(requester, ...jids);
    expect(getBinaryNodeChild(phoneBundle, 'device-identity')).toBeUndefined();
    for (const bundle of companionBundles) {
      const encoded = getBinaryNodeChildBuffer(bundle, 'device-identity') ?? new Uint8Array();
      const identity = Buffer.from(getBinaryNodeChildBuffer(bundle, 'identity') ?? []);
      const signed = proto.ADVSignedDeviceIdentity.decode(encoded);
      const { accountSignature, deviceSignature, accountSignatureKey } = signed;
      const details = Buffer.from(signed.details ?? []);
      if (!accountSignature || !deviceSignature) throw new Error('unsigned');
      // The account signature key is missing, because the recipient has it from its session with the phone.
      expect(accountSignatureKey?.length ?? 0).toBe(0);
      const byPhone = Buffer.concat([Buffer.from([6, 0]), details, identity]);
      expect(isValidSignature(phone, byPhone, accountSignature)).toBe(true);
      const byCompanion = Buffer.concat([Buffer.from([6, 1]), details, identity, phone]);
      expect(isValidSignature(identity, byCompanion, deviceSignature)).toBe(true);
    }
  });

  it('a query for the key bundle of an unknown device returns the error 404', async () => {
    const requester = await open('491700500005');
    const [answer] = await fetchBundles(requester, '491700500006:9@s.whatsapp.net');
    expect(getBinaryNodeChild(answer, 'error')?.attrs.code).toBe('404');
  });

  it('a key bundle has a wrong signature for the violation preKeySignature', async () => {
    const requester = await open('491700500007');
    sandbox.violations.preKeySignature = true;
    const [bundle] = await fetchBundles(requester, '491700500008@s.whatsapp.net');
    sandbox.violations.preKeySignature = false;
    expect(isBundleSigned(bundle)).toBe(false);
  });
});

describe('uploads of keys', () => {
  it('a client can compare its keys with the ids and the hash of the keys that the server has', async () => {
    const client = await open('491700500030');
    const preKeys = [7, 9].map((id) => ({ id, pair: Curve.generateKeyPair() }));
    const { signedIdentityKey, signedPreKey } = client.auth.creds;
    await encrypt(client, 'set', [
      { tag: 'identity', attrs: {}, content: signedIdentityKey.public },
      { tag: 'list', attrs: {}, content: preKeys.map(({ id, pair: key }) => xmppPreKey(key, id)) },
      xmppSignedPreKey(signedPreKey),
    ]);
    const digest = getBinaryNodeChild(await encrypt(client, 'get', [{ tag: 'digest', attrs: {} }]), 'digest');
    const ids = getAllBinaryNodeChildren(getBinaryNodeChild(digest, 'list') ?? { tag: '', attrs: {} });
    expect(ids.map(({ content }) => content)).toEqual([Buffer.from([0, 0, 7]), Buffer.from([0, 0, 9])]);
    const hash = createHash('sha1').update(signedIdentityKey.public).update(signedPreKey.keyPair.public);
    hash.update(signedPreKey.signature);
    for (const { pair: key } of preKeys) hash.update(key.public);
    expect(getBinaryNodeChildBuffer(digest, 'hash')).toEqual(hash.digest());
  });

  it('rotateSignedPreKey() replaces the signed pre-key on the server', async () => {
    const client = await open('491700500010');
    await client.socket.rotateSignedPreKey();
    expect(sandbox.world.companion('491700500010:1@s.whatsapp.net')?.signedPreKey.id).toBe(2);
    const [bundle] = await fetchBundles(client, '491700500010:1@s.whatsapp.net');
    expect(isBundleSigned(bundle)).toBe(true);
  });

  it('the server refuses a signed pre-key that another identity key signed', async () => {
    const client = await open('491700500011');
    const foreignPreKey = xmppSignedPreKey(signedKeyPair(Curve.generateKeyPair(), 2));
    const rotate = encrypt(client, 'set', [{ tag: 'rotate', attrs: {}, content: [foreignPreKey] }]);
    await expect(rotate).rejects.toMatchObject({ data: 406 });
    expect(sandbox.world.companion('491700500011:1@s.whatsapp.net')?.signedPreKey.id).toBe(1);
  });

  it('the server refuses an upload of keys that contains another identity key', async () => {
    const client = await open('491700500012');
    const identity = Curve.generateKeyPair();
    const upload = encrypt(client, 'set', [
      { tag: 'identity', attrs: {}, content: identity.public },
      { tag: 'list', attrs: {}, content: [xmppPreKey(Curve.generateKeyPair(), 1)] },
      xmppSignedPreKey(signedKeyPair(identity, 1)),
    ]);
    await expect(upload).rejects.toMatchObject({ data: 406 });
  });
});
