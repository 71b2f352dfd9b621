import { type AuthenticationCreds, Curve, proto, type SignalDataTypeMap } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { type BaileysKey, fromBaileys, toBaileys } from '../../src/session-bundle/baileys.ts';
import { decodeCreds, decodeKey, encodeCreds, encodeKey } from '../../src/whatsapp/baileys/auth/codec.ts';
import { silenceConsole } from '../support/console.ts';
import { deviceInConversations, GROUP, OLD_GROUP, otherKeys } from './conversations.ts';
import { containers } from './mutation.ts';
import {
  asPlainJson,
  asRevived,
  asStoredJson,
  type Envelope,
  linkedParty,
  newAccount,
  Party,
  senderKeyStates,
} from './party.ts';

// libsignal reports closed sessions with their keys.
silenceConsole();

type Stage = Awaited<ReturnType<typeof deviceInConversations>>;

/** The session after it moved to another program. */
function moved(stage: Stage): Party {
  const { credentials, keys } = fromBaileys({ creds: stage.device.creds, keys: stage.device.keys() });
  const next = toBaileys(JSON.parse(JSON.stringify({ credentials, keys })));
  return new Party({ ...stage.device.creds, ...next.creds }, next.keys);
}

const byName = (keys: BaileysKey[]) => new Map(keys.map(({ type, id, value }) => [`${type}|${id}`, value]));

/** The keys that remain, in the form of JSON. */
const remaining = (keys: BaileysKey[]) =>
  new Map(
    [...byName(keys)]
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => [
        name,
        name.startsWith('sender-key|') && value instanceof Uint8Array ? senderKeyStates(value) : asStoredJson(value),
      ]),
  );

describe('a session that moved', () => {
  it('decrypts messages that were late before the move', async () => {
    const stage = await deviceInConversations();
    const device = moved(stage);
    const texts: string[] = [];
    for (const message of [...stage.late, stage.oldState]) texts.push(await device.receive(message));
    expect(texts).toEqual(['late 1', 'late 2', 'late 3', 'sent with the old state']);
    expect(await device.receiveFromGroup(GROUP, stage.bob, stage.first.ciphertext)).toBe('late in the group');
    const [oldKey, newKey] = stage.daves;
    expect(await device.receiveFromGroup(OLD_GROUP, stage.dave, newKey?.ciphertext ?? Buffer.alloc(0))).toBe('new key');
    expect(await device.receiveFromGroup(OLD_GROUP, stage.dave, oldKey?.ciphertext ?? Buffer.alloc(0))).toBe('old key');
  });

  it('continues every conversation without a new session', async () => {
    const stage = await deviceInConversations();
    const device = moved(stage);
    for (const peer of [stage.phone, stage.bob, stage.dave]) {
      const sent = await device.send(peer, 'after the move');
      expect(sent.type).toBe('msg');
      expect(await peer.receive(sent)).toBe('after the move');
      expect(await device.receive(await peer.send(device, 'understood'))).toBe('understood');
    }
    const group = await device.sendToGroup(GROUP, 'after the move');
    expect(await stage.bob.receiveFromGroup(GROUP, device, group.ciphertext)).toBe('after the move');
  });

  it('repeats its pre-key message until the other device has answered', async () => {
    const stage = await deviceInConversations();
    const device = moved(stage);
    const second = await device.send(stage.carol, 'still there?');
    expect(second.type).toBe('pkmsg');
    expect(await stage.carol.receive(second)).toBe('still there?');
    expect(await stage.carol.receive(stage.unanswered)).toBe('hello Carol');
    await device.receive(await stage.carol.send(device, 'yes'));
    expect((await device.send(stage.carol, 'good')).type).toBe('msg');
  });

  it('accepts new sessions with the pre-keys that the server still has', async () => {
    const stage = await deviceInConversations();
    const erin = linkedParty();
    await erin.greet(stage.device);
    const hello: Envelope = await erin.send(stage.device, 'hello');
    expect(await moved(stage).receive(hello)).toBe('hello');
  });
});

describe('fromBaileys() and toBaileys()', () => {
  it('keep all keys unchanged', async () => {
    const { device } = await deviceInConversations();
    const before = [...device.keys(), ...otherKeys()];
    const { credentials, keys, dropped, warnings } = fromBaileys({ creds: device.creds, keys: before });
    expect({ dropped, warnings }).toEqual({ dropped: [], warnings: [] });
    const after = toBaileys({ credentials, keys });
    const expected = remaining(before);
    // Baileys writes an int64 of a message as a text. Both forms are read.
    const syncKey = expected.get('app-state-sync-key|AAAAAB/+');
    expect(syncKey).toMatchObject({ timestamp: '1700000000123' });
    const written = byName(after.keys).get('app-state-sync-key|AAAAAB/+');
    expect(proto.Message.AppStateSyncKeyData.fromObject(Object(written)).toJSON()).toEqual(syncKey);
    expected.delete('app-state-sync-key|AAAAAB/+');
    const actual = remaining(after.keys);
    actual.delete('app-state-sync-key|AAAAAB/+');
    expect(Object.fromEntries(actual)).toEqual(Object.fromEntries(expected));
    expect(fromBaileys(after)).toEqual({ credentials, keys, dropped: [], warnings: [] });
  });

  it('keep the credentials, with a new key pair for pairing codes', () => {
    const { creds } = linkedParty();
    const full = {
      ...creds,
      myAppStateKeyId: 'AAAAAB/+',
      routingInfo: Buffer.from([8, 2]),
      lastPropHash: '2abc',
      lastAccountSyncTimestamp: 1_700_000_000,
      accountSyncCounter: 3,
      accountSettings: { unarchiveChats: true },
      processedHistoryMessages: [{ key: { id: 'A' }, messageTimestamp: 1 }],
    };
    const { credentials, keys } = fromBaileys({ creds: full, keys: otherKeys() });
    const { creds: after } = toBaileys({ credentials, keys });
    const { pairingEphemeralKeyPair: pair, ...rest } = asStoredJson(after) as Record<string, unknown>;
    const { pairingEphemeralKeyPair: _, ...expected } = asStoredJson(full) as Record<string, unknown>;
    expect(rest).toEqual({ ...expected, registered: true, processedHistoryMessages: [] });
    expect(pair).not.toEqual(asStoredJson(creds.pairingEphemeralKeyPair));
    expect(pair).toEqual(asStoredJson(after.pairingEphemeralKeyPair));
    const made = after.pairingEphemeralKeyPair as AuthenticationCreds['pairingEphemeralKeyPair'];
    const other = Curve.generateKeyPair();
    expect(Curve.sharedKey(made.private, other.public)).toEqual(Curve.sharedKey(other.private, made.public));
  });

  it.each([
    ['JSON of the multi-file store', asStoredJson],
    ['JSON with the reviver', asRevived],
    ['JSON without the replacer', asPlainJson],
  ])('read %s like values in memory', async (_, stored) => {
    const { device } = await deviceInConversations();
    const keys = [...device.keys(), ...otherKeys()];
    const expected = fromBaileys({ creds: device.creds, keys });
    const read = keys.map(({ type, id, value }) => ({ type, id, value: stored(value) }));
    expect(fromBaileys({ creds: stored(device.creds), keys: read })).toEqual(expected);
  });

  it('read sender keys as text, as parsed states and as base64', async () => {
    const { device } = await deviceInConversations();
    const expected = fromBaileys({ creds: device.creds, keys: device.keys() });
    for (const form of [
      (bytes: Buffer) => bytes.toString(),
      (bytes: Buffer) => JSON.parse(bytes.toString()),
      (bytes: Buffer) => bytes.toString('base64'),
    ]) {
      const keys = device
        .keys()
        .map((key) =>
          key.type === 'sender-key' && key.value instanceof Buffer ? { ...key, value: form(key.value) } : key,
        );
      expect(fromBaileys({ creds: device.creds, keys })).toEqual(expected);
    }
  });

  it.each([
    ['a Long', { low: -807_049_216, high: 395, unsigned: false }],
    ['a text', '1700000000000'],
    ['a number', 1_700_000_000_000],
    ['a bigint', 1_700_000_000_000n],
  ])('read a time that is %s', (_, timestamp) => {
    const { creds } = linkedParty();
    const value = { keyData: Buffer.alloc(32), timestamp };
    const { keys } = fromBaileys({ creds, keys: [{ type: 'app-state-sync-key', id: 'AAAA', value }] });
    expect(keys.appStateSyncKeys.AAAA?.timestamp).toBe('1700000000000');
  });

  it('fit the store of the gateway, which removes only the message keys of own sender keys', async () => {
    const { device } = await deviceInConversations();
    const { credentials, keys } = fromBaileys({ creds: device.creds, keys: [...device.keys(), ...otherKeys()] });
    const after = toBaileys({ credentials, keys });
    const own = Object.entries(keys.senderKeys).filter(([, [state]]) => state?.senderSigningKey.private !== undefined);
    expect(own.length).toBeGreaterThan(0);
    for (const [, states] of own) for (const state of states) state.senderMessageKeys = [];
    const stored = after.keys.map(({ type, id, value }) => ({
      type,
      id,
      value: decodeKey(type, encodeKey(type, value)),
    }));
    const creds = decodeCreds(encodeCreds({ ...device.creds, ...after.creds }));
    expect(fromBaileys({ creds, keys: stored })).toEqual({ credentials, keys, dropped: [], warnings: [] });
  });

  it('write the index of tokens that Baileys prunes by', () => {
    const { creds } = linkedParty();
    const value = { token: Buffer.from('t'), timestamp: '1' };
    const { credentials, keys } = fromBaileys({ creds, keys: [{ type: 'tctoken', id: '2@lid', value }] });
    const index = byName(toBaileys({ credentials, keys }).keys).get('tctoken|__index') as SignalDataTypeMap['tctoken'];
    expect(JSON.parse(index.token.toString())).toEqual(['2@lid']);
  });

  it('share no objects with the bundle', async () => {
    const { device } = await deviceInConversations();
    const { credentials, keys } = fromBaileys({ creds: device.creds, keys: [...device.keys(), ...otherKeys()] });
    const shared = new Set(containers({ credentials, keys }));
    const after = toBaileys({ credentials, keys });
    const values = [after.creds, ...after.keys.map(({ value }) => value)];
    expect(values.flatMap(containers).filter((container) => shared.has(container))).toEqual([]);
  });
});

describe('a session of Baileys 6', () => {
  it('continues with Baileys 7, also in conversations with LIDs', async () => {
    const account = newAccount();
    const device = linkedParty(6, account);
    const [bob, lea] = [linkedParty(), linkedParty()];
    const leaLid = lea.creds.me?.lid ?? '';
    await bob.greet(device);
    await device.receive(await bob.send(device, 'hello'));
    await bob.receive(await device.send(bob, 'hello'));
    await lea.greet(device);
    await device.receive(await lea.send(device, 'hello'), leaLid);
    const group = await lea.sendToGroup(GROUP, 'late');
    await device.join(GROUP, leaLid, group.senderKeyDistributionMessage);
    await device.receiveFromGroup(GROUP, leaLid, (await lea.sendToGroup(GROUP, 'in time')).ciphertext);
    const late = await lea.send(device, 'late');

    const { credentials, keys, dropped, warnings } = fromBaileys({ creds: device.creds, keys: device.keys() });
    expect(dropped).toEqual([]);
    expect(warnings).toEqual([
      'The session is from Baileys 6, which stores no device lists: they were made from the Signal sessions with 2 contacts.',
      'Baileys 6 does not distinguish phone numbers and LIDs. Keys that are taken for both: Signal sessions 1, sender keys 1.',
    ]);
    const [bobUser = '', bobDevice] = bob.jid.split(/[:@]/);
    expect(keys.deviceLists[bobUser]).toEqual([bobDevice]);
    const next = toBaileys({ credentials, keys });
    const after = new Party({ ...device.creds, ...next.creds }, next.keys);
    expect(await after.receive(late, leaLid)).toBe('late');
    expect(await after.receiveFromGroup(GROUP, leaLid, group.ciphertext)).toBe('late');
    expect((await after.send(leaLid, 'after')).type).toBe('msg');
    expect(await bob.receive(await after.send(bob, 'after'))).toBe('after');
  });

  it('keeps the message keys of other senders, whose records have no private key', async () => {
    const device = linkedParty(6);
    const bob = linkedParty();
    const first = await bob.sendToGroup(GROUP, 'late');
    await device.join(GROUP, bob, first.senderKeyDistributionMessage);
    await device.receiveFromGroup(GROUP, bob, (await bob.sendToGroup(GROUP, 'in time')).ciphertext);
    const { credentials, keys } = fromBaileys({ creds: device.creds, keys: device.keys() });
    const record = toBaileys({ credentials, keys }).keys.find(({ type }) => type === 'sender-key')?.value;
    expect(String(record)).toContain('"private":{"type":"Buffer","data":[]}');
  });
});
