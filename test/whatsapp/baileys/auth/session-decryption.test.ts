import { beforeAll, describe, expect, it } from 'vitest';
import {
  decryptNext,
  decryptNextPreKeyMessage,
  parsePreKeyMessage,
} from '../../../../src/whatsapp/baileys/auth/session-decryption.ts';
import { installLibsignalConsole } from '../../../../src/whatsapp/baileys/patches/libsignal-console.ts';
import { installSessionRollback } from '../../../../src/whatsapp/baileys/patches/session-rollback.ts';
import { Random } from '../../../support/random.ts';
import { createSignalPeer, type SignalMessage } from '../signal-peer.ts';

/** Returns a peer that also decrypts with decryptNext() and decryptNextPreKeyMessage(). */
function createDevice() {
  const peer = createSignalPeer();
  return {
    ...peer,
    /** Decrypts a message, and does not change the stored sessions. Returns undefined when it is not decrypted. */
    tryNext({ type, ciphertext }: SignalMessage) {
      const record = peer.record();
      const context = { ownIdentityKey: peer.identity.pubKey, now: 0 };
      const message = type === 'pkmsg' ? parsePreKeyMessage(ciphertext) : undefined;
      const decryptFirst = () => message && decryptNextPreKeyMessage(record, message, context);
      const result = type === 'pkmsg' ? decryptFirst() : decryptNext(record, ciphertext, context);
      expect(record, 'the given record does not change').toEqual(peer.record());
      return result;
    },
  };
}

/** True when two messages of type `pkmsg` have the same session keys and the same inner message. */
const changesOnlyIds = (one: Uint8Array, other: Uint8Array): boolean =>
  JSON.stringify(parsePreKeyMessage(one)) === JSON.stringify(parsePreKeyMessage(other));

/** Returns stored sessions without the times of their last use. */
const withoutTimes = (record: unknown): unknown =>
  JSON.parse(JSON.stringify(record), (name, value: unknown) => (name === 'used' ? undefined : value));

/** Returns two devices that have exchanged messages in both directions. */
async function startConversation() {
  const [account, contact] = [createDevice(), createDevice()];
  await account.open(contact.bundle);
  await contact.decrypt(await account.encrypt('hello'));
  await account.decrypt(await contact.encrypt('hi'));
  return { account, contact };
}

beforeAll(() => {
  installLibsignalConsole();
  installSessionRollback();
});

describe('decryption with stored sessions', () => {
  it('decryptNext() returns the result of libsignal for each message that it decrypts', async () => {
    const random = new Random(183, 'conversation');
    const { account, contact } = await startConversation();
    const sides = [account, contact] as const;
    let decryptedCount = 0;
    for (let round = 0; round < 60; round++) {
      const [from, to] = round % 2 === 0 ? sides : ([contact, account] as const);
      for (let count = random.int(6); count >= 0; count--) {
        const plaintext = random.bytes(random.int(400));
        const sent = await from.encrypt(plaintext);
        // Some messages are lost, so that the next one is not the next of its chain.
        if (random.chance(0.1)) continue;
        const decrypted = to.tryNext(sent);
        const expected = await to.decrypt(sent);
        expect(expected).toEqual(Buffer.from(plaintext));
        if (!decrypted) continue;
        decryptedCount++;
        expect(decrypted.plaintext).toEqual(expected);
        expect(withoutTimes(decrypted.record)).toEqual(withoutTimes(to.record()));
      }
      if (round === 30) await account.open(contact.bundle);
    }
    expect(decryptedCount).toBeGreaterThan(60);
  });

  it('decryptNext() decrypts no message twice, and none out of order', async () => {
    const { account, contact } = await startConversation();
    const [one, two, three] = [await contact.encrypt('1'), await contact.encrypt('2'), await contact.encrypt('3')];
    await account.decrypt(one);
    expect(account.tryNext(one)).toBeUndefined();
    expect(account.tryNext(three)).toBeUndefined();
    expect(account.tryNext(two)?.plaintext.toString()).toBe('2');
  });

  it('decryptNextPreKeyMessage() returns the result of libsignal for all but the first message of a session', async () => {
    const [account, contact] = [createDevice(), createDevice()];
    await contact.open(account.bundle);
    for (let n = 0; n < 5; n++) {
      const sent = await contact.encrypt(`message ${n}`);
      expect(sent.type).toBe('pkmsg');
      const decrypted = account.tryNext(sent);
      expect(await account.decrypt(sent)).toEqual(Buffer.from(`message ${n}`));
      expect(decrypted?.plaintext.toString()).toBe(n === 0 ? undefined : `message ${n}`);
      if (decrypted) expect(withoutTimes(decrypted.record)).toEqual(withoutTimes(account.record()));
    }
  });

  it.each([
    'pkmsg',
    'msg',
  ] as const)('a Signal message of type %s is not decrypted when one of its authenticated bits is changed', async (type) => {
    const { account, contact } = await startConversation();
    if (type === 'pkmsg') {
      await contact.open(account.bundle);
      await account.decrypt(await contact.encrypt('begin'));
    }
    const sent = await contact.encrypt('pay ten');
    expect(sent.type).toBe(type);
    const { ciphertext } = sent;
    for (let bit = 0; bit < ciphertext.length * 8; bit++) {
      const changed = Buffer.from(ciphertext);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const result = account.tryNext({ type, ciphertext: changed });
      // The MAC does not cover the key ids and the registration id, and libsignal ignores them in a known session.
      if (result) expect(type === 'pkmsg' && result.plaintext.toString()).toBe('pay ten');
      if (result) expect(changesOnlyIds(ciphertext, changed)).toBe(true);
    }
    expect(account.tryNext(sent)?.plaintext.toString()).toBe('pay ten');
  });

  it.each([
    'pkmsg',
    'msg',
  ] as const)('a truncated or random Signal message of type %s is not decrypted', async (type) => {
    const { account, contact } = await startConversation();
    const { ciphertext } = await contact.encrypt('hello');
    const random = new Random(183, 'noise');
    for (let length = 0; length < ciphertext.length; length++) {
      expect(account.tryNext({ type, ciphertext: ciphertext.subarray(0, length) })).toBeUndefined();
      const noise = Buffer.concat([ciphertext.subarray(0, 1), random.bytes(length)]);
      expect(account.tryNext({ type, ciphertext: noise })).toBeUndefined();
    }
  });

  it.each([
    undefined,
    null,
    1,
    {},
    { version: 'v2', _sessions: {} },
    { version: 'v1', _sessions: {} },
  ])('decryptNext() returns undefined for the session record %j', async (record) => {
    const { contact } = await startConversation();
    const { ciphertext } = await contact.encrypt('hello');
    expect(decryptNext(record, ciphertext, { ownIdentityKey: Buffer.alloc(33), now: 0 })).toBeUndefined();
  });
});
