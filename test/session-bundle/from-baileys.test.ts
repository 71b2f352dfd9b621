import { Curve } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { type BaileysKey, fromBaileys } from '../../src/session-bundle/baileys.ts';
import type { SessionBundle } from '../../src/session-bundle/bundle.ts';
import { BundleError } from '../../src/session-bundle/bundle-error.ts';
import { GROUP } from '../support/signal-conversations.ts';
import { linkedParty } from '../support/signal-party.ts';

describe('fromBaileys', () => {
  const { creds } = linkedParty();
  const convert = (...keys: BaileysKey[]) => fromBaileys({ creds, keys });

  it('fromBaileys() reports the keys that it drops with the reasons', () => {
    const version = { type: 'app-state-sync-version', value: { version: 1 } };
    const { dropped, keys } = convert(
      { ...version, id: 'regular' },
      { ...version, id: 'critical_block' },
      { type: 'sender-key-memory', id: GROUP, value: { a: true } },
      { type: 'weather', id: '1', value: 'rain' },
      { type: 'pre-key', id: '1', value: { private: Buffer.alloc(31), public: Buffer.alloc(32) } },
      { type: 'pre-key', id: '__proto__', value: Curve.generateKeyPair() },
      { type: 'session', id: '1.0', value: { version: 'v1', _sessions: { x: {} } } },
      { type: 'sender-key', id: `${GROUP}::1::0`, value: Buffer.from('[{"senderKeyId":1}]') },
      { type: 'pre-key', id: '2', value: null },
      { type: 'pre-key', id: '3', value: undefined },
    );
    expect(dropped).toEqual([
      { type: 'app-state-sync-version', count: 2, reason: 'The app state is synchronized again.' },
      { type: 'sender-key-memory', count: 1, reason: 'Each group gets the sender key once more.' },
      { type: 'weather', count: 1, reason: 'The type is unknown.' },
      { type: 'pre-key', count: 2, reason: 'The key is damaged.' },
      { type: 'session', count: 1, reason: 'The key is damaged.' },
      { type: 'sender-key', count: 1, reason: 'The key is damaged.' },
    ]);
    expect(Object.values(keys).map((record) => Object.keys(record).length)).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
  });

  it('fromBaileys() reports at most 50 unknown types by name', () => {
    const { dropped } = convert(...Array.from({ length: 500 }, (_, n) => ({ type: `type-${n}`, id: '1', value: 1 })));
    expect(dropped).toHaveLength(51);
    expect(dropped.at(-1)).toEqual({ type: 'other types', count: 450, reason: 'The type is unknown.' });
  });

  it('fromBaileys() ignores sender keys that have no state', () => {
    const { dropped, keys } = convert({ type: 'sender-key', id: `${GROUP}::1::0`, value: Buffer.from('[]') });
    expect({ dropped, senderKeys: keys.senderKeys }).toEqual({ dropped: [], senderKeys: {} });
  });

  it('fromBaileys() prefers LID mappings that exist in both directions', () => {
    const { keys, dropped } = convert(
      // The number moved from LID 90 to LID 91.
      { type: 'lid-mapping', id: '90_reverse', value: '1' },
      { type: 'lid-mapping', id: '1', value: '91' },
      { type: 'lid-mapping', id: '91_reverse', value: '1' },
      // LID 92 moved from number 2 to number 3.
      { type: 'lid-mapping', id: '2', value: '92' },
      { type: 'lid-mapping', id: '3', value: '92' },
      { type: 'lid-mapping', id: '92_reverse', value: '3' },
      // One direction is enough.
      { type: 'lid-mapping', id: '4', value: '94' },
      { type: 'lid-mapping', id: '95_reverse', value: '5' },
      { type: 'lid-mapping', id: 'x', value: '96' },
    );
    expect(keys.lidMap).toEqual({ 91: '1', 92: '3', 94: '4', 95: '5' });
    expect(dropped).toEqual([
      { type: 'lid-mapping', count: 1, reason: 'The key is damaged.' },
      { type: 'lid-mapping', count: 2, reason: 'The mapping contradicts another one.' },
    ]);
  });

  it('fromBaileys() raises the next pre-key id above the id of the last pre-key', () => {
    const { credentials, warnings } = fromBaileys({
      creds: { ...creds, nextPreKeyId: 31, firstUnuploadedPreKeyId: 31 },
      keys: [{ type: 'pre-key', id: '812', value: Curve.generateKeyPair() }],
    });
    expect(credentials).toMatchObject({ nextPreKeyId: 813, firstUnuploadedPreKeyId: 31 });
    expect(warnings).toEqual([
      'The credentials are older than the keys: the next pre-key id was raised from 31 to 813.',
    ]);
  });

  it('fromBaileys() removes the id of the app state key in use when that key is damaged', () => {
    const { credentials, warnings } = fromBaileys({
      creds: { ...creds, myAppStateKeyId: 'AAAA' },
      keys: [{ type: 'app-state-sync-key', id: 'AAAA', value: { keyData: 'not base64' } }],
    });
    expect(credentials.appStateKeyId).toBeUndefined();
    expect(warnings).toEqual([
      'The app state key in use is damaged or missing: chats can be changed again when the phone shares a new key.',
    ]);
  });

  it('fromBaileys() adds no device lists to a Baileys 6 session that would exceed 100,000 keys with them', () => {
    const value = { version: 'v1', _sessions: {} };
    function* sessions() {
      for (let user = 0; user < 60_000; user++) yield { type: 'session', id: `${user}.0`, value };
    }
    const { keys, warnings } = fromBaileys({ creds, keys: sessions() });
    expect(Object.keys(keys.sessions)).toHaveLength(60_000);
    expect(Object.keys(keys.deviceLists)).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining('too many')]);
  });

  it('fromBaileys() warns when a Baileys 6 session would exceed 100,000 keys with copies for LIDs', () => {
    const value = { version: 'v1', _sessions: {} };
    const firstLid = 100_000_000_000_000;
    function* sessions() {
      for (let user = 0; user < 40_000; user++) yield { type: 'session', id: `${firstLid + user}.0`, value };
    }
    const { keys, warnings } = fromBaileys({ creds, keys: sessions() });
    expect(Object.keys(keys.sessions)).toHaveLength(40_000);
    expect(Object.keys(keys.deviceLists)).toHaveLength(40_000);
    expect(warnings).toEqual([
      expect.stringContaining('Signal sessions with 40000 contacts'),
      'The session has too many keys to take those for both phone numbers and LIDs that may belong to either: Signal sessions 40000, sender keys 0. The gateway requests the first message of each such LID again.',
    ]);
  });

  it('fromBaileys() rejects more than 100,000 keys', () => {
    const pair = Curve.generateKeyPair();
    function* keys() {
      for (let id = 0; id <= 100_000; id++) yield { type: 'pre-key', id: String(id), value: pair };
    }
    expect(() => fromBaileys({ creds, keys: keys() })).toThrow('The session has more than 100000 keys.');
  });

  it.each([
    ['account', 'The session was never linked: its credentials have no "account".'],
    ['me', 'The session was never linked: its credentials have no "me".'],
  ])('fromBaileys() rejects credentials without %s', (name, message) => {
    expect(() => fromBaileys({ creds: { ...creds, [name]: undefined }, keys: [] })).toThrow(
      new BundleError(`credentials.${name}`, message),
    );
  });

  it.each<[string, unknown, string]>([
    ['credentials', null, 'The field credentials must be an object.'],
    ['credentials', [], 'The field credentials must be an object.'],
    [
      'credentials.noiseKey.private',
      { ...creds, noiseKey: { private: 'secret', public: creds.noiseKey.public } },
      'The field credentials.noiseKey.private must be 32 bytes in base64.',
    ],
    [
      'credentials.registrationId',
      { ...creds, registrationId: -1 },
      'The field credentials.registrationId must be a whole number from 0 to 4294967295.',
    ],
    [
      'credentials.signedPreKey.signature',
      { ...creds, signedPreKey: { ...creds.signedPreKey, signature: Buffer.alloc(63) } },
      'The field credentials.signedPreKey.signature must be 64 bytes in base64.',
    ],
    [
      'credentials.me.id',
      { ...creds, me: { id: 'a name' } },
      'The field credentials.me.id must be a JID such as 4915112345678:7@s.whatsapp.net.',
    ],
  ])('fromBaileys() rejects damaged credentials: %s', (field, damaged, message) => {
    expect(() => fromBaileys({ creds: damaged, keys: [] })).toThrow(new BundleError(field, message));
  });

  it('fromBaileys() shortens a long account name and replaces a character that is cut in half', () => {
    const name = `${'x'.repeat(999)}😀`;
    const { credentials } = fromBaileys({ creds: { ...creds, me: { ...creds.me, name } }, keys: [] });
    expect(credentials.me.name).toBe(`${'x'.repeat(999)}\ufffd`);
  });

  it('fromBaileys() omits optional fields of the credentials that have an unknown form', () => {
    const { credentials } = fromBaileys({
      creds: { ...creds, routingInfo: 'x', lastPropHash: 7, platform: {}, accountSyncCounter: 'y', accountSettings: 1 },
      keys: [],
    });
    const hints: (keyof SessionBundle['credentials'])[] = ['routingInfo', 'lastPropHash', 'platform', 'unarchiveChats'];
    expect(hints.filter((name) => name in credentials)).toEqual([]);
  });
});
