// A session bundle with real Signal sessions and sender keys, for tests of databases.
import { randomBytes } from 'node:crypto';
import { calculateSignature } from 'libsignal/src/curve.js';
import {
  BUNDLE_FORMAT,
  BUNDLE_VERSION,
  type BundleKeyPair,
  type BundleSenderKeyState,
  type SessionBundle,
} from '../../../../src/session-bundle/bundle.ts';
import { publicKeyOf, withKeyType } from '../../src/whatsmeow/derivation.ts';
import { SignalDevice } from './signal-device.ts';

const randomBase64 = (length: number): string => randomBytes(length).toString('base64');

function createKeyPair(): BundleKeyPair {
  const privateKey = randomBytes(32);
  return { private: privateKey.toString('base64'), public: publicKeyOf(privateKey).toString('base64') };
}

const toKeyPair = ({ privKey, pubKey }: SignalDevice['identity']): BundleKeyPair => ({
  private: privKey.toString('base64'),
  public: pubKey.subarray(1).toString('base64'),
});

const createSenderKeyState = (senderKeyId: number, isOwn: boolean): BundleSenderKeyState => ({
  senderKeyId,
  senderChainKey: { iteration: senderKeyId + 5, seed: randomBase64(32) },
  senderSigningKey: {
    public: withKeyType(randomBytes(32)).toString('base64'),
    ...(isOwn ? { private: randomBase64(32) } : {}),
  },
  senderMessageKeys: [
    { iteration: 1, seed: randomBase64(32) },
    { iteration: 3, seed: randomBase64(32) },
  ],
});

export interface MovingSession {
  device: SignalDevice;
  /** A contact whose session with the device has a phone number as its address. */
  ben: SignalDevice;
  /** A contact whose session with the device has a LID as its address. Its message `late` has not arrived. */
  cleo: SignalDevice;
  late: Awaited<ReturnType<SignalDevice['encrypt']>>;
  bundle: SessionBundle;
}

/** Creates a session of the account `number` with two contacts and keys of every type. */
export async function createMovingSession(number = '4915112345678'): Promise<MovingSession> {
  const device = new SignalDevice(`${number}.7`, 4711);
  const ben = new SignalDevice('4916012345678.0', 815);
  const cleo = new SignalDevice('223456789012345_1.2', 816);
  await device.start(ben);
  await device.send(ben, 'hello ben');
  await cleo.start(device);
  await cleo.send(device, 'hello');
  await device.send(cleo, 'hello cleo');
  const late = await cleo.encrypt(device, 'late');
  await cleo.send(device, 'in time');
  return { device, ben, cleo, late, bundle: bundleOf(device, number, [ben, cleo]) };
}

function bundleOf(device: SignalDevice, number: string, contacts: readonly SignalDevice[]): SessionBundle {
  const signature = calculateSignature(device.identity.privKey, device.signedPreKey.pubKey);
  const newestKey = Buffer.from([0, 0, 0, 1, 2, 3]).toString('base64');
  return {
    format: BUNDLE_FORMAT,
    version: BUNDLE_VERSION,
    createdAt: '2026-11-20T10:00:00.000Z',
    source: 'test',
    instance: { name: 'shop', number },
    credentials: {
      me: { id: `${number}:7@s.whatsapp.net`, lid: '123456789012345:7@lid', name: 'Shop' },
      registrationId: device.registrationId,
      noiseKey: createKeyPair(),
      identityKey: toKeyPair(device.identity),
      signedPreKey: { id: 1, ...toKeyPair(device.signedPreKey), signature: Buffer.from(signature).toString('base64') },
      advSecret: randomBase64(32),
      account: {
        details: randomBase64(20),
        accountSignatureKey: randomBase64(32),
        accountSignature: randomBase64(64),
        deviceSignature: randomBase64(64),
      },
      nextPreKeyId: 33,
      firstUnuploadedPreKeyId: 31,
      appStateKeyId: newestKey,
      platform: 'android',
      accountSyncCounter: 1,
    },
    keys: {
      preKeys: Object.fromEntries([30, 31, 32].map((id) => [id, createKeyPair()])),
      sessions: Object.fromEntries(contacts.map((contact) => [contact.address, device.sessionWith(contact)])),
      senderKeys: {
        '120363012345678901@g.us::123456789012345_1::7': [createSenderKeyState(9, true)],
        '120363012345678901@g.us::223456789012345_1::2': [
          createSenderKeyState(1, false),
          createSenderKeyState(2, false),
        ],
        'status@broadcast::4916012345678::0': [createSenderKeyState(3, false)],
        '4916012345678-1500000000@g.us::4916012345678::0': [createSenderKeyState(4, false)],
      },
      identities: Object.fromEntries(
        contacts.map(({ address, identity }) => [address, identity.pubKey.toString('base64')]),
      ),
      appStateSyncKeys: {
        [Buffer.from([0, 0, 0, 1, 2, 2]).toString('base64')]: {
          keyData: randomBase64(32),
          fingerprint: { rawId: 0, currentIndex: 0, deviceIndexes: [] },
          timestamp: '1763200000000',
        },
        [newestKey]: {
          keyData: randomBase64(32),
          fingerprint: { rawId: 4_000_000_000, currentIndex: 7, deviceIndexes: [0, 3, 7] },
          timestamp: '1763600000000',
        },
      },
      lidMap: { '323456789012345': '4916012345678', '223456789012345': '4917012345678' },
      privacyTokens: {
        '223456789012345@lid': { token: randomBase64(24), timestamp: '1763600000', senderTimestamp: 1763600001 },
        '423456789012345@lid': { token: randomBase64(24), timestamp: '1763500000' },
      },
      deviceLists: { '4916012345678': ['0'] },
      nctSalt: randomBase64(32),
    },
  };
}
