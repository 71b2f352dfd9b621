import { Curve, initAuthCreds, proto } from '@whiskeysockets/baileys';
import { SenderKeyRecord } from '@whiskeysockets/baileys/lib/Signal/Group/sender-key-record.js';
import { describe, expect, it } from 'vitest';
import { decodeCreds, decodeKey, encodeCreds, encodeKey } from '../../../../src/whatsapp/baileys/auth/codec.ts';

const chain = (key?: string) => ({ chainKey: { counter: 1, ...(key ? { key } : {}) }, chainType: 2, messageKeys: {} });
const MESSAGE_KEY = { iteration: 1, seed: Buffer.from('old') };
const senderKey = (privateKey: number[], messageKeys = [MESSAGE_KEY]) =>
  Buffer.from(
    JSON.stringify([
      {
        senderKeyId: 9,
        senderChainKey: { iteration: 4, seed: Buffer.from('seed') },
        senderSigningKey: { public: Buffer.from('public'), private: Buffer.from(privateKey) },
        senderMessageKeys: messageKeys,
      },
    ]),
  );

describe('key codecs', () => {
  const pair = Curve.generateKeyPair();
  const cases: [string, unknown][] = [
    ['pre-key', { private: pair.private, public: pair.public }],
    ['session', { _sessions: { base: { _chains: { a: chain('k') }, registrationId: 5 } }, version: 'v1' }],
    ['identity-key', Buffer.from(pair.public)],
    ['sender-key', senderKey([], [])],
    ['lid-mapping', '4915112345678'],
    ['device-list', ['0', '3']],
    ['sender-key-memory', { '1:2@lid': true }],
    ['tctoken', { token: Buffer.from('token'), timestamp: '17', senderTimestamp: 18 }],
    [
      'app-state-sync-version',
      { version: 3, hash: Buffer.alloc(8, 1), indexValueMap: { 'YQ==': { valueMac: Buffer.from('m') } } },
    ],
  ];
  it.each(cases)('decodeKey() returns the %s that encodeKey() encoded', (type, value) => {
    expect(decodeKey(type, encodeKey(type, value))).toEqual(value);
  });

  it('decodeKey() returns an app-state key as a protobuf message', () => {
    const value = { keyData: Buffer.alloc(32, 7), timestamp: 12, fingerprint: { rawId: 3, deviceIndexes: [0, 1] } };
    const decoded = decodeKey('app-state-sync-key', encodeKey('app-state-sync-key', value));
    expect(decoded).toBeInstanceOf(proto.Message.AppStateSyncKeyData);
    expect(JSON.stringify(decoded)).toBe(JSON.stringify(proto.Message.AppStateSyncKeyData.fromObject(value)));
  });

  it('encodeKey() stores binary keys without encoding them', () => {
    expect(encodeKey('pre-key', pair)).toHaveLength(64);
    expect(encodeKey('identity-key', pair.public)).toHaveLength(32);
  });

  it.each([
    ['session', Buffer.from('bytes')],
    ['session', { version: 'v1' }],
    ['pre-key', 'text'],
    ['sender-key', { a: 1 }],
  ])('encodeKey() throws a TypeError for a malformed %s', (type, value) => {
    expect(() => encodeKey(type, value)).toThrow(TypeError);
  });

  it.each([
    ['session', Buffer.from('{"_sess')],
    ['pre-key', Buffer.alloc(63)],
    ['tctoken', Buffer.from('')],
  ])('decodeKey() throws for an unreadable %s', (type, bytes) => {
    expect(() => decodeKey(type, bytes)).toThrow();
  });
});

describe('pruning', () => {
  it('pruneSession() keeps the newest five closed receiving chains and all open chains of each session', () => {
    const chains = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`closed${i}`, chain()]));
    const record = {
      _sessions: { one: { _chains: { open: chain('k'), ...chains, sending: chain('s') } } },
      version: 'v1',
    };
    const decoded = decodeKey('session', encodeKey('session', record));
    expect(Object.keys((decoded as typeof record)._sessions.one._chains)).toEqual([
      'open',
      'closed4',
      'closed5',
      'closed6',
      'closed7',
      'closed8',
      'sending',
    ]);
  });

  it('pruneSession() keeps 2,000 message keys of a record: the newest of the sessions that were used last', () => {
    const messageKeys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [n, 'key']));
    const sessionOf = (used: number, older: number, newer: number) => ({
      indexInfo: { used },
      _chains: {
        older: { ...chain(), messageKeys: messageKeys(older) },
        newer: { ...chain('k'), messageKeys: messageKeys(newer) },
      },
    });
    const record = {
      _sessions: { first: sessionOf(1, 5, 2_010), last: sessionOf(3, 300, 500), middle: sessionOf(2, 800, 1_000) },
      version: 'v1',
    };
    const { _sessions: sessions } = decodeKey('session', encodeKey('session', record)) as typeof record;
    const countersOf = (id: keyof typeof sessions) =>
      Object.values(sessions[id]._chains).map(({ messageKeys: keys }) => Object.keys(keys).map(Number));
    const range = (first: number, end: number) => Array.from({ length: end - first }, (_, n) => first + n);
    expect(countersOf('last')).toEqual([range(0, 300), range(0, 500)]);
    expect(countersOf('middle')).toEqual([range(600, 800), range(0, 1_000)]);
    expect(countersOf('first')).toEqual([[], []]);
  });

  it('pruneSenderKey() removes only the message keys from a sender key of the account itself', () => {
    const stored = decodeKey('sender-key', encodeKey('sender-key', senderKey([1, 2])));
    const [before] = SenderKeyRecord.deserialize(senderKey([1, 2])).serialize();
    const [after] = SenderKeyRecord.deserialize(stored as Buffer).serialize();
    expect(JSON.stringify(after)).toBe(JSON.stringify({ ...before, senderMessageKeys: [] }));
  });

  it("pruneSenderKey() keeps the message keys of another sender's key, as bytes", () => {
    const stored = decodeKey('sender-key', encodeKey('sender-key', senderKey([])));
    const [state] = SenderKeyRecord.deserialize(stored as Buffer).serialize();
    expect(state?.senderMessageKeys).toEqual([MESSAGE_KEY]);
  });

  it('pruneSenderKey() does not change a sender key of another sender that has no message keys', () => {
    const record = senderKey([], []);
    expect(encodeKey('sender-key', record)).toBe(record);
  });

  it('pruneSenderKey() changes an encoded own sender key only when Baileys has added lists or message keys', () => {
    const record = Buffer.from(encodeKey('sender-key', senderKey([1, 2])));
    expect(encodeKey('sender-key', record)).toBe(record);
    const [state] = JSON.parse(record.toString());
    const changes = [
      { senderMessageKeys: [MESSAGE_KEY] },
      { senderChainKey: { iteration: 4, seed: Buffer.from('seed') } },
      { senderMessageKeys: undefined },
    ];
    for (const change of changes) {
      const changed = Buffer.from(JSON.stringify([{ ...state, ...change }], null, 0));
      expect(JSON.parse(Buffer.from(encodeKey('sender-key', changed)).toString())).toEqual([state]);
    }
    const spaced = Buffer.from(
      JSON.stringify([{ ...state, senderChainKey: { iteration: 4, seed: Buffer.from('seed') } }], null, 1),
    );
    expect(JSON.parse(Buffer.from(encodeKey('sender-key', spaced)).toString())).toEqual([state]);
  });
});

describe('credentials', () => {
  it('decodeCreds() returns the credentials that encodeCreds() encoded', () => {
    const creds = initAuthCreds();
    expect(decodeCreds(encodeCreds(creds))).toEqual(JSON.parse(JSON.stringify(creds), reviveBuffers));
  });

  it.each(['{}', '[]', 'null', '{"noiseKey":', ''])('decodeCreds() throws for %j', (text) => {
    expect(() => decodeCreds(Buffer.from(text))).toThrow();
  });
});

function reviveBuffers(_: string, value: unknown): unknown {
  if (typeof value === 'object' && value && 'type' in value && value.type === 'Buffer' && 'data' in value) {
    return Buffer.from(value.data as number[]);
  }
  return value;
}
