// Values that the server refuses while a client is linked: values of another client and changed values.
import { createHmac } from 'node:crypto';
import {
  type BinaryNode,
  getBinaryNodeChildBuffer as bytesOf,
  Curve,
  getBinaryNodeChild,
  initAuthCreds,
  proto,
} from '@whiskeysockets/baileys';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/dispatcher-world.ts';
import { createLightSandbox } from '../../../test/support/light-sandbox.ts';
import { withWrongBit } from '../src/crypto/signing.ts';
import type { Sandbox } from '../src/sandbox.ts';
import { RawClient } from './raw-client.ts';

const SERVER = '@s.whatsapp.net';

let sandbox: Sandbox;
let clock: ManualClock;
let number = 15_550_060_000;
let creds: ReturnType<typeof initAuthCreds>;
let client: RawClient;
let qr: string;

beforeAll(async () => {
  clock = new ManualClock();
  sandbox = await createLightSandbox({ clock });
});
afterAll(async () => {
  expect(sandbox.unanswered).toEqual([]);
  await sandbox.close();
});
beforeEach(async () => {
  number += 1;
  creds = initAuthCreds();
  client = await RawClient.connect(sandbox.platformUrl, creds);
  const offer = await client.received('iq', { type: 'set' });
  client.send({ tag: 'iq', attrs: { to: SERVER, type: 'result', id: offer.attrs.id ?? '' } });
  const ref = bytesOf(getBinaryNodeChild(offer, 'pair-device'), 'ref')?.toString();
  const keys = [creds.noiseKey.public, creds.signedIdentityKey.public].map((key) =>
    Buffer.from(key).toString('base64'),
  );
  qr = [ref, ...keys, creds.advSecretKey].join();
});

const companions = () => sandbox.world.account(String(number)).companions;
const node = (tag: string, content: Uint8Array): BinaryNode => ({ tag, attrs: {}, content });
const codeOf = (answer: BinaryNode) => getBinaryNodeChild(answer, 'error')?.attrs.code;

/** Sends the request of a stage of linking by code. `changes` replaces elements; undefined removes one. */
function requestStage(
  stage: string,
  values: Record<string, Uint8Array>,
  changes: Record<string, Uint8Array | undefined> = {},
) {
  const content = Object.entries({ ...values, ...changes }).flatMap(([tag, value]) =>
    value ? [node(tag, value)] : [],
  );
  const request = { tag: 'link_code_companion_reg', attrs: { jid: `${number}${SERVER}`, stage }, content };
  return client.ask({ xmlns: 'md', type: 'set' }, [request]);
}

const sendHello = (changes?: Record<string, Uint8Array | undefined>) =>
  requestStage(
    'companion_hello',
    {
      link_code_pairing_wrapped_companion_ephemeral_pub: Buffer.alloc(80, 1),
      companion_server_auth_key_pub: creds.noiseKey.public,
      companion_platform_display: Buffer.from('Chrome (Linux)'),
    },
    changes,
  );

describe('requests for pairing codes', () => {
  it('the server refuses a request for a pairing code without the Noise key of the client', async () => {
    expect(codeOf(await sendHello({ companion_server_auth_key_pub: undefined }))).toBe('400');
    expect(codeOf(await sendHello())).toBeUndefined();
  });

  it('the server refuses a request for a pairing code with the Noise key of another client', async () => {
    const { public: other } = Curve.generateKeyPair();
    expect(codeOf(await sendHello({ companion_server_auth_key_pub: other }))).toBe('400');
  });
});

describe('answers to the phone that entered a pairing code', () => {
  /** Answers the phone with a key bundle that the phone cannot decrypt. */
  async function sendFinish(changes: Record<string, Uint8Array | undefined>) {
    await sendHello();
    const linking = sandbox.pairing.linkWithCode(String(number), 'ABCD1234').catch((error: Error) => error);
    const phone = await client.received('notification', { type: 'link_code_companion_reg' });
    const ref = bytesOf(getBinaryNodeChild(phone, 'link_code_companion_reg'), 'link_code_pairing_ref');
    const values = {
      link_code_pairing_wrapped_key_bundle: Buffer.alloc(156, 2),
      companion_identity_public: creds.signedIdentityKey.public,
      link_code_pairing_ref: ref ?? Buffer.alloc(0),
    };
    const answer = await requestStage('companion_finish', values, changes);
    // The phone waits 10 s for an answer.
    clock.advance(10_000);
    return { code: codeOf(answer), error: await linking };
  }

  it.each([
    ['without an identity key', { companion_identity_public: undefined }],
    ['with the identity key of another client', { companion_identity_public: Curve.generateKeyPair().public }],
    ['without the reference of the request', { link_code_pairing_ref: undefined }],
    ['with the reference of another request', { link_code_pairing_ref: Buffer.alloc(16, 3) }],
    ['without a key bundle', { link_code_pairing_wrapped_key_bundle: undefined }],
  ])('the server refuses a client’s answer to the phone that entered its pairing code %s', async (_what, changes) => {
    expect(await sendFinish(changes)).toMatchObject({ code: '400', error: { reason: 'refused' } });
  });

  it('a client’s answer to the phone that entered its pairing code reaches the phone', async () => {
    expect(await sendFinish({})).toMatchObject({ code: undefined, error: { reason: 'wrong_code' } });
  });
});

describe('signed device identities', () => {
  /** Scans the QR code, and signs the identity as a client does. `change` replaces parts of the answer. */
  async function sign(change: (signed: proto.IADVSignedDeviceIdentity, keyIndex: string) => Partial<BinaryNode>) {
    const linking = sandbox.pairing.scanQr(String(number), qr);
    const outcome = linking.then(
      ({ device }) => device,
      (error: { reason?: string }) => error.reason,
    );
    const success = await client.until(() => client.nodes.find((entry) => getBinaryNodeChild(entry, 'pair-success')));
    const wire = bytesOf(getBinaryNodeChild(success, 'pair-success'), 'device-identity') ?? Buffer.alloc(0);
    const { details, hmac } = proto.ADVSignedDeviceIdentityHMAC.decode(wire);
    const expected = createHmac('sha256', Buffer.from(creds.advSecretKey, 'base64')).update(details ?? '');
    expect(Buffer.from(hmac ?? [])).toEqual(expected.digest());
    const signed = proto.ADVSignedDeviceIdentity.decode(details ?? Buffer.alloc(0));
    const { keyIndex } = proto.ADVDeviceIdentity.decode(signed.details ?? Buffer.alloc(0));
    const parts = [signed.details, creds.signedIdentityKey.public, signed.accountSignatureKey].map(
      (part) => part ?? [],
    );
    const message = Buffer.concat([Buffer.from([6, 1]), ...parts.map((part) => Buffer.from(part))]);
    signed.deviceSignature = Curve.sign(creds.signedIdentityKey.private, message);
    const identity = { tag: 'device-identity', attrs: {}, ...change(signed, String(keyIndex)) };
    const content = [{ tag: 'pair-device-sign', attrs: {}, content: [identity] }];
    client.send({ tag: 'iq', attrs: { to: SERVER, type: 'result', id: success.attrs.id ?? '' }, content });
    return outcome;
  }

  const encode = (signed: proto.IADVSignedDeviceIdentity) => proto.ADVSignedDeviceIdentity.encode(signed).finish();

  it('a signed device identity with key index and both signatures links the client', async () => {
    expect(await sign((signed, index) => ({ attrs: { 'key-index': index }, content: encode(signed) }))).toBe(1);
  });

  it('the server refuses a signed device identity without its key index', async () => {
    expect(await sign((signed) => ({ content: encode(signed) }))).toBe('refused');
    expect(companions().size).toBe(0);
  });

  it('the server refuses a signed device identity with another key index', async () => {
    expect(await sign((signed) => ({ attrs: { 'key-index': '7' }, content: encode(signed) }))).toBe('refused');
    expect(companions().size).toBe(0);
  });

  it('the server refuses a signed device identity without the signature of the phone', async () => {
    const change = (signed: proto.IADVSignedDeviceIdentity) => encode({ ...signed, accountSignature: null });
    expect(await sign((signed, index) => ({ attrs: { 'key-index': index }, content: change(signed) }))).toBe('refused');
    expect(companions().size).toBe(0);
  });

  it('the server refuses a signed device identity with another signature than that of the phone', async () => {
    const change = (signed: proto.IADVSignedDeviceIdentity) =>
      encode({ ...signed, accountSignature: withWrongBit(signed.accountSignature ?? Buffer.alloc(64)) });
    expect(await sign((signed, index) => ({ attrs: { 'key-index': index }, content: change(signed) }))).toBe('refused');
    expect(companions().size).toBe(0);
  });
});
