import { beforeAll, describe, expect, it } from 'vitest';
import {
  decryptNext,
  decryptNextPreKeyMessage,
  parsePreKeyMessage,
} from '../../../../src/whatsapp/baileys/auth/session-decryption.ts';
import { installLibsignalConsole } from '../../../../src/whatsapp/baileys/patches/libsignal-console.ts';
import { installSessionRollback } from '../../../../src/whatsapp/baileys/patches/session-rollback.ts';
import { Random } from '../../../fuzz/random.ts';
import { createSignalPeer, type SignalMessage } from '../signal-peer.ts';

/** A peer that also decrypts with its stored sessions. */
function device() {
  const peer = createSignalPeer();
  return {
    ...peer,
    /** The result of decryption with the stored sessions, which do not change. */
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

/** Stored sessions without the times of their last use. */
const withoutTimes = (record: unknown): unknown =>
  JSON.parse(JSON.stringify(record), (name, value: unknown) => (name === 'used' ? undefined : value));

/** Two devices that have exchanged messages in both directions. */
async function conversation() {
  const [we, they] = [device(), device()];
  await we.open(they.bundle);
  await they.decrypt(await we.encrypt('hello'));
  await we.decrypt(await they.encrypt('hi'));
  return { we, they };
}

beforeAll(() => {
  installLibsignalConsole();
  installSessionRollback();
});

describe('decryptNext', () => {
  it('decryptNext has the same results as libsignal where it decrypts', async () => {
    const random = new Random(183, 'conversation');
    const { we, they } = await conversation();
    const sides = [we, they] as const;
    let decryptedCount = 0;
    for (let round = 0; round < 60; round++) {
      const [from, to] = round % 2 === 0 ? sides : ([they, we] as const);
      for (let count = random.int(6); count >= 0; count--) {
        const plaintext = random.bytes(random.int(400));
        const sent = await from.encrypt(plaintext);
        // Some messages are lost, so that the next one is not the next of its chain.
        if (random.chance(0.1)) continue;
        const own = to.tryNext(sent);
        const expected = await to.decrypt(sent);
        expect(expected).toEqual(Buffer.from(plaintext));
        if (!own) continue;
        decryptedCount++;
        expect(own.plaintext).toEqual(expected);
        expect(withoutTimes(own.record)).toEqual(withoutTimes(to.record()));
      }
      if (round === 30) await we.open(they.bundle);
    }
    expect(decryptedCount).toBeGreaterThan(60);
  });

  it('decryptNext decrypts no message twice, and none out of order', async () => {
    const { we, they } = await conversation();
    const [one, two, three] = [await they.encrypt('1'), await they.encrypt('2'), await they.encrypt('3')];
    await we.decrypt(one);
    expect(we.tryNext(one)).toBeUndefined();
    expect(we.tryNext(three)).toBeUndefined();
    expect(we.tryNext(two)?.plaintext.toString()).toBe('2');
  });

  it('messages without an answer are decrypted as by libsignal, except for the first', async () => {
    const [we, they] = [device(), device()];
    await they.open(we.bundle);
    for (let n = 0; n < 5; n++) {
      const sent = await they.encrypt(`message ${n}`);
      expect(sent.type).toBe('pkmsg');
      const own = we.tryNext(sent);
      expect(await we.decrypt(sent)).toEqual(Buffer.from(`message ${n}`));
      expect(own?.plaintext.toString()).toBe(n === 0 ? undefined : `message ${n}`);
      if (own) expect(withoutTimes(own.record)).toEqual(withoutTimes(we.record()));
    }
  });

  it.each(['pkmsg', 'msg'] as const)('a message of type %s in which any bit was changed is refused', async (type) => {
    const { we, they } = await conversation();
    if (type === 'pkmsg') {
      await they.open(we.bundle);
      await we.decrypt(await they.encrypt('begin'));
    }
    const sent = await they.encrypt('pay ten');
    expect(sent.type).toBe(type);
    const { ciphertext } = sent;
    for (let bit = 0; bit < ciphertext.length * 8; bit++) {
      const changed = Buffer.from(ciphertext);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const result = we.tryNext({ type, ciphertext: changed });
      // The ids of keys and the registration are not signed, and libsignal does not read them in a known session.
      if (result) expect(type === 'pkmsg' && result.plaintext.toString()).toBe('pay ten');
      if (result) expect(changesOnlyIds(ciphertext, changed)).toBe(true);
    }
    expect(we.tryNext(sent)?.plaintext.toString()).toBe('pay ten');
  });

  it.each(['pkmsg', 'msg'] as const)('shortened and random messages of type %s are refused', async (type) => {
    const { we, they } = await conversation();
    const { ciphertext } = await they.encrypt('hello');
    const random = new Random(183, 'noise');
    for (let length = 0; length < ciphertext.length; length++) {
      expect(we.tryNext({ type, ciphertext: ciphertext.subarray(0, length) })).toBeUndefined();
      const noise = Buffer.concat([ciphertext.subarray(0, 1), random.bytes(length)]);
      expect(we.tryNext({ type, ciphertext: noise })).toBeUndefined();
    }
  });

  it.each([
    undefined,
    null,
    1,
    {},
    { version: 'v2', _sessions: {} },
    { version: 'v1', _sessions: {} },
  ])('decryptNext refuses %j as sessions', async (record) => {
    const { they } = await conversation();
    const { ciphertext } = await they.encrypt('hello');
    expect(decryptNext(record, ciphertext, { ownIdentityKey: Buffer.alloc(33), now: 0 })).toBeUndefined();
  });
});
