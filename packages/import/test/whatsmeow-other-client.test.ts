// Conversations between libsignal and whatsapp-interop-client. That client stores its sessions in the protobuf form of
// whatsmeow forks. It has no connection in these tests.
import { randomBytes } from 'node:crypto';
import { SenderKeyDistributionMessage } from '@whiskeysockets/baileys/lib/Signal/Group/index.js';
import { calculateSignature, generateKeyPair } from 'libsignal/src/curve.js';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  createWhatsAppClient,
  encodeSessionRecordComponents,
  initWasmEngine,
  type WasmWhatsAppClient,
} from 'whatsapp-interop-client';
import { installLibsignalConsole } from '../../../src/whatsapp/baileys/patches/libsignal-console.ts';
import { MemoryStore } from '../../../test/support/interop-store.ts';
import { deriveClosedChainKey } from '../src/whatsmeow/derivation.ts';
import { decodeSenderKeyRecord, decodeSessionRecord } from '../src/whatsmeow/record-format.ts';
import { toBundleSenderKey } from '../src/whatsmeow/sender-key-conversion.ts';
import { fromBundleSession, type OwnDevice, toBundleSession } from '../src/whatsmeow/session-conversion.ts';
import type { SessionRecord } from '../src/whatsmeow/session-record.ts';
import { toComponents } from './support/other-client.ts';
import { SignalDevice, type SignalMessage } from './support/signal-device.ts';

const BEN = '4916012345678@s.whatsapp.net';
const GROUP = '120363012345678901@g.us';
const VERSION = [2, 3000, 1043857760] as const;

beforeAll(() => {
  installLibsignalConsole();
  initWasmEngine({ level: 'silent', ...Object.fromEntries(LEVELS.map((level) => [level, () => undefined])) });
});
const LEVELS = ['trace', 'debug', 'info', 'warn', 'error'];

/** A whatsapp-interop-client with its store. */
class OtherClient {
  readonly store = new MemoryStore();
  #engine: WasmWhatsAppClient | undefined;

  static async open(): Promise<OtherClient> {
    const client = new OtherClient();
    await client.restart();
    return client;
  }

  /** Creates the client again, which then reads its store. */
  async restart(): Promise<void> {
    this.#engine = await createWhatsAppClient(
      { connect: async () => undefined, send: () => undefined, disconnect: () => undefined },
      { execute: async () => ({ statusCode: 500, body: new Uint8Array() }) },
      { onEvent: () => undefined, onMessageBatch: () => undefined, onHistorySyncBatch: () => undefined },
      this.store.callbacks,
      null,
      VERSION,
    );
  }

  get engine(): WasmWhatsAppClient {
    if (!this.#engine) throw new Error('not started');
    return this.#engine;
  }

  /** The only record of a namespace. */
  async record(namespace: string): Promise<Buffer> {
    const [key, ...others] = this.store.keys(namespace);
    const bytes = key === undefined || others.length > 0 ? null : await this.store.callbacks.get(namespace, key);
    if (!bytes) throw new Error(`not one record in ${namespace}`);
    return Buffer.from(bytes);
  }

  async replaceSession(bytes: Uint8Array): Promise<void> {
    await this.store.callbacks.set('session', this.store.keys('session')[0] ?? '', bytes);
    await this.restart();
  }

  async start({ identity, signedPreKey, registrationId }: SignalDevice): Promise<void> {
    await this.engine.signalInstallPreKeyBundle(BEN, {
      registrationId,
      identityKey: identity.pubKey.subarray(1),
      signedPreKey: {
        keyId: 1,
        publicKey: signedPreKey.pubKey.subarray(1),
        signature: calculateSignature(identity.privKey, signedPreKey.pubKey),
      },
    });
  }

  async encrypt(text: string): Promise<SignalMessage> {
    const { type, ciphertext } = await this.engine.signalEncryptMessage(BEN, Buffer.from(text));
    return { isPreKeyMessage: type === 'pkmsg', body: Buffer.from(ciphertext) };
  }

  async decrypt({ isPreKeyMessage, body }: SignalMessage): Promise<string> {
    const text = await this.engine.signalDecryptMessage(BEN, isPreKeyMessage ? 'pkmsg' : 'msg', body);
    return Buffer.from(text).toString();
  }
}

/**
 * Creates the client, the device of Ben and a libsignal device with the address of the client, and starts a session.
 */
async function createConversation() {
  const client = await OtherClient.open();
  const ben = new SignalDevice('4916012345678.0', 815);
  const anna = new SignalDevice('4915112345678.7', 1);
  await client.start(ben);
  const sendToBen = async (text: string) => ben.decrypt(anna, await client.encrypt(text));
  const sendToAnna = async (text: string) => client.decrypt(await ben.encrypt(anna, text));
  return { client, ben, anna, sendToBen, sendToAnna };
}

/** Copies the session record of the client to the libsignal device. */
async function moveToLibsignal(client: OtherClient, anna: SignalDevice, ben: SignalDevice): Promise<OwnDevice> {
  const record = decodeSessionRecord(await client.record('session'));
  anna.identity.pubKey = record.current.localIdentityKey;
  const own: OwnDevice = {
    identityKey: record.current.localIdentityKey,
    registrationId: record.current.localRegistrationId,
    deriveClosedChainKey: (ratchetKey) => deriveClosedChainKey(Buffer.alloc(32, 7), ratchetKey),
  };
  const { session } = toBundleSession(record, own, Date.UTC(2026, 10, 20));
  if (session) anna.sessions.set(ben.address, session);
  return own;
}

/** Replaces the session record of the client. */
async function moveToClient(client: OtherClient, record: SessionRecord | undefined, own: OwnDevice): Promise<void> {
  if (!record) throw new Error('no record');
  await client.replaceSession(encodeSessionRecordComponents(toComponents(record, own)));
}

describe('sessions of whatsapp-interop-client', () => {
  it('a session of whatsapp-interop-client continues in libsignal, before and after its first answer', async () => {
    const { client, ben, anna, sendToBen } = await createConversation();
    expect(await sendToBen('hello')).toBe('hello');
    await moveToLibsignal(client, anna, ben);
    expect(await ben.send(anna, 'answer to libsignal')).toBe('answer to libsignal');
    expect(await anna.send(ben, 'from libsignal')).toBe('from libsignal');

    const second = await createConversation();
    await second.sendToBen('hello');
    await second.sendToAnna('answer');
    for (const text of ['one', 'two', 'three']) expect(await second.sendToBen(text)).toBe(text);
    expect(await second.sendToAnna('more')).toBe('more');
    await moveToLibsignal(second.client, second.anna, second.ben);
    expect(await second.anna.send(second.ben, 'from libsignal')).toBe('from libsignal');
    expect(await second.ben.send(second.anna, 'to libsignal')).toBe('to libsignal');
  });

  it('a session of whatsapp-interop-client keeps its skipped message keys when it returns from libsignal', async () => {
    const { client, ben, anna, sendToBen, sendToAnna } = await createConversation();
    await sendToBen('hello');
    await sendToAnna('answer');
    const own = await moveToLibsignal(client, anna, ben);
    await anna.send(ben, 'from libsignal');
    const olderMessage = await ben.encrypt(anna, 'late in an older chain');
    await ben.send(anna, 'in time');
    await anna.send(ben, 'next chain');
    const lateMessage = await ben.encrypt(anna, 'late');
    await ben.send(anna, 'in time, too');
    const { record, droppedKeys, droppedStates } = fromBundleSession(anna.sessionWith(ben), own);
    expect({ droppedKeys, droppedStates }).toEqual({ droppedKeys: 0, droppedStates: 0 });
    await moveToClient(client, record, own);
    expect(await client.decrypt(lateMessage)).toBe('late');
    expect(await client.decrypt(olderMessage)).toBe('late in an older chain');
    expect(await sendToAnna('next')).toBe('next');
    expect(await sendToBen('answer')).toBe('answer');
    expect(await sendToAnna('last')).toBe('last');
  });
});

describe('sender keys of whatsapp-interop-client', () => {
  it('decodeSenderKeyRecord() and toBundleSenderKey() return the newest sender key last', async () => {
    const client = await OtherClient.open();
    for (const id of [11, 12, 13]) {
      const message = new SenderKeyDistributionMessage(id, id + 100, randomBytes(32), generateKeyPair().pubKey);
      await client.engine.signalProcessSenderKeyDistribution(GROUP, BEN, message.serialize());
    }
    const states = toBundleSenderKey(decodeSenderKeyRecord(await client.record('sender_key')));
    expect(states.map(({ senderKeyId }) => senderKeyId)).toEqual([11, 12, 13]);
    expect(states.map(({ senderChainKey }) => senderChainKey.iteration)).toEqual([111, 112, 113]);
    expect(states.some(({ senderSigningKey }) => 'private' in senderSigningKey)).toBe(false);
  });
});
