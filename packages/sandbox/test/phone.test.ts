import { addTransactionCapability, initAuthCreds } from '@whiskeysockets/baileys';
import { makeLibSignalRepository } from '@whiskeysockets/baileys/lib/Signal/libsignal.js';
import pino from 'pino';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { withWrongBit } from '../src/crypto/signing.ts';
import { createMediaHost } from '../src/media/media-host.ts';
import { Mailbox } from '../src/phone/mailbox.ts';
import { createPhones, type SimulatedPhones } from '../src/phones.ts';
import { Restrictions } from '../src/stanzas/restrictions.ts';
import { AppStatePatches } from '../src/world/app-state.ts';
import { Faults } from '../src/world/faults.ts';
import type { Companion, World } from '../src/world/model.ts';
import { createSignal, type Signal } from '../src/world/signal.ts';
import { createWorld, lidJid } from '../src/world/world.ts';
import { memoryKeys } from './real-client.ts';

const ada = '15550003001';
const bob = '15550003002';

let world: World;

beforeEach(() => {
  world = createWorld({ faults: new Faults() });
});

/** Creates a companion of `number` and the Signal repository of its client. */
function createCompanion(number: string) {
  const creds = initAuthCreds();
  const log = pino({ level: 'silent' });
  const keys = addTransactionCapability(memoryKeys(new Map()), log, { maxCommitRetries: 1, delayBetweenTriesMs: 1 });
  const { keyPair, keyId, signature } = creds.signedPreKey;
  const companion: Companion = {
    account: world.account(number),
    device: 1,
    keyIndex: 1,
    noiseKey: creds.noiseKey.public,
    identity: creds.signedIdentityKey.public,
    signedIdentity: new Uint8Array(),
    registrationId: creds.registrationId,
    signedPreKey: { id: keyId, public: keyPair.public, signature },
    preKeys: [],
    extraReportedPreKeys: 0,
    connection: undefined,
    queue: [],
    queuedBytes: 0,
    syncStarted: true,
  };
  return { companion, companionSignal: makeLibSignalRepository({ creds, keys }, log) };
}

describe('Signal store of a phone', () => {
  let signal: Signal;
  beforeEach(() => {
    signal = createSignal(world.account(ada), () => undefined);
  });

  it('the Signal store of a phone exchanges messages with a companion', async () => {
    const { companion, companionSignal } = createCompanion(bob);
    const jid = lidJid(world.account(ada));
    const first = await signal.encrypt(companion, Buffer.from('to the companion'));
    expect(first.type).toBe('pkmsg');
    const read = await companionSignal.decryptMessage({ jid, ...first, ciphertext: Buffer.from(first.ciphertext) });
    expect(read.toString()).toBe('to the companion');
    const answer = await companionSignal.encryptMessage({ jid, data: Buffer.from('to the phone') });
    expect(Buffer.from(await signal.decrypt(companion, answer)).toString()).toBe('to the phone');
  });

  it('the Signal store of a phone decrypts the next message after a corrupt one', async () => {
    const spy = vi.spyOn(console, 'error').mockReturnValue(undefined);
    onTestFinished(() => spy.mockRestore());
    const { companion, companionSignal } = createCompanion(bob);
    const jid = lidJid(world.account(ada));
    const { ciphertext } = await signal.encrypt(companion, Buffer.from('hello'));
    await companionSignal.decryptMessage({ jid, type: 'pkmsg', ciphertext: Buffer.from(ciphertext) });
    const good = await companionSignal.encryptMessage({ jid, data: Buffer.from('good') });
    const garbled = Buffer.from(good.ciphertext);
    garbled.writeUInt8(garbled.readUInt8(20) ^ 1, 20);
    await expect(signal.decrypt(companion, { type: 'msg', ciphertext: garbled })).rejects.toThrow();
    expect(Buffer.from(await signal.decrypt(companion, good)).toString()).toBe('good');
  });

  it('the Signal store of a phone does not encrypt for a companion whose pre-key has a wrong signature', async () => {
    const { companion } = createCompanion(bob);
    companion.signedPreKey = { ...companion.signedPreKey, signature: withWrongBit(companion.signedPreKey.signature) };
    await expect(signal.encrypt(companion, Buffer.from('x'))).rejects.toThrow('wrong signature');
  });

  it('reopen() rejects the keys of another device in a retry receipt', async () => {
    const { companion } = createCompanion(bob);
    const otherCompanion = createCompanion(bob).companion;
    await expect(signal.reopen(companion, { ...otherCompanion, preKey: undefined })).rejects.toThrow(
      'not those of the linked',
    );
  });

  it('createBundle() returns a new one-time key at each call and always the same signed pre-key', () => {
    const [first, second] = [signal.createBundle(), signal.createBundle()];
    expect(first.preKey?.id).not.toBe(second.preKey?.id);
    expect(first.signedPreKey).toEqual(second.signedPreKey);
  });
});

describe('phones', () => {
  let phones: SimulatedPhones;
  beforeEach(() => {
    const faults = new Faults();
    phones = createPhones(world, {
      faults,
      appStatePatches: new AppStatePatches(),
      mediaHost: createMediaHost(faults),
      restrictions: new Restrictions(world),
    });
  });

  it('two phones exchange messages, delivery receipts and read receipts', async () => {
    const id = await phones.phone(ada).send(bob, { text: 'hi' });
    expect(phones.phone(bob).messages()).toMatchObject([
      { id, from: ada, chat: ada, kind: 'text', text: 'hi', fromMe: false },
    ]);
    expect(phones.phone(bob).read(ada)).toEqual([id]);
    expect(phones.phone(bob).read(ada)).toEqual([]);
    const [sent] = phones.phone(ada).messages();
    expect(sent).toMatchObject({ id, from: ada, chat: bob, fromMe: true });
    expect(sent?.receipts).toMatchObject([
      { from: bob, type: 'delivered' },
      { from: bob, type: 'read' },
    ]);
  });

  it('a phone sends no read receipts when its privacy setting forbids it', async () => {
    world.account(bob).privacy.set('readreceipts', 'none');
    await phones.phone(ada).send(bob, { text: 'hi' });
    expect(phones.phone(bob).read(ada)).toHaveLength(1);
    expect(
      phones
        .phone(ada)
        .messages()[0]
        ?.receipts.map(({ type }) => type),
    ).toEqual(['delivered']);
  });

  it('read() marks only the given messages as read', async () => {
    const [first = ''] = [
      await phones.phone(ada).send(bob, { text: '1' }),
      await phones.phone(ada).send(bob, { text: '2' }),
    ];
    expect(phones.phone(bob).read(ada, [first])).toEqual([first]);
    expect(phones.phone(bob).read(ada)).toHaveLength(1);
  });

  it('send() of a phone rejects a draft with an unknown message or number', async () => {
    const phone = phones.phone(ada);
    await expect(phone.send(bob, { edit: { id: 'NONE', text: 'x' } })).rejects.toThrow('there is no message NONE');
    await expect(phone.send('15550010000', { text: 'x' })).rejects.toThrow(RangeError);
    expect(phone.messages()).toEqual([]);
  });

  it('waitFor() of a phone waits for a later message', async () => {
    const seen = phones.phone(bob).waitFor(() => phones.phone(bob).messages()[0]?.text);
    await phones.phone(ada).send(bob, { text: 'at last' });
    expect(await seen).toBe('at last');
  });
});

describe('Mailbox', () => {
  const createMessage = (id: string) => ({
    id,
    chat: bob,
    from: bob,
    fromMe: false,
    timestamp: 1,
    content: { conversation: id },
    addressing: 'pn' as const,
    unread: true,
    receipts: [],
  });

  it('a mailbox shows a repeated message once', () => {
    const mailbox = new Mailbox();
    expect([mailbox.add(createMessage('A')), mailbox.add(createMessage('A'))]).toEqual([true, false]);
    expect(mailbox.view()).toHaveLength(1);
    expect(mailbox.receivedCount).toBe(1);
  });

  it('a mailbox removes the oldest message when it is full, and counts all messages', () => {
    const mailbox = new Mailbox(3);
    for (const id of ['A', 'B', 'C', 'D']) mailbox.add(createMessage(id));
    expect(mailbox.view().map(({ id }) => id)).toEqual(['B', 'C', 'D']);
    expect(mailbox.receivedCount).toBe(4);
  });
});
