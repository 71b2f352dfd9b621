import { type AuthenticationCreds, Curve, proto, type SignalDataTypeMap } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { type BaileysKey, fromBaileys, toBaileys } from '../../src/session-bundle/baileys.ts';
import { decodeCreds, decodeKey, encodeCreds, encodeKey } from '../../src/whatsapp/baileys/auth/codec.ts';
import { silenceConsole } from '../support/console.ts';
import { createConversations, GROUP, OLD_GROUP, otherKeys } from '../support/signal-conversations.ts';
import {
  asPlainJson,
  asRevived,
  asStoredJson,
  type Envelope,
  linkedParty,
  newAccount,
  Party,
  senderKeyStates,
} from '../support/signal-party.ts';
import { containersOf } from './mutation.ts';

// libsignal reports closed sessions with their keys.
silenceConsole();

type Stage = Awaited<ReturnType<typeof createConversations>>;

/** Converts the session to a bundle and back, as a move to another program does. Returns its device. */
function convertSession(conversations: Stage): Party {
  const { credentials, keys } = fromBaileys({ creds: conversations.device.creds, keys: conversations.device.keys() });
  const next = toBaileys(JSON.parse(JSON.stringify({ credentials, keys })));
  return new Party({ ...conversations.device.creds, ...next.creds }, next.keys);
}

const valuesByName = (keys: BaileysKey[]) => new Map(keys.map(({ type, id, value }) => [`${type}|${id}`, value]));

/** The values that are neither null nor undefined, as JSON, by type and id of the key. */
const presentValues = (keys: BaileysKey[]) =>
  new Map(
    [...valuesByName(keys)]
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => [
        name,
        name.startsWith('sender-key|') && value instanceof Uint8Array ? senderKeyStates(value) : asStoredJson(value),
      ]),
  );

describe('converted sessions', () => {
  it('a converted session decrypts messages that were sent before the conversion', async () => {
    const conversations = await createConversations();
    const device = convertSession(conversations);
    const texts: string[] = [];
    for (const message of [...conversations.lateMessages, conversations.oldState])
      texts.push(await device.receive(message));
    expect(texts).toEqual(['late 1', 'late 2', 'late 3', 'sent with the old state']);
    expect(await device.receiveFromGroup(GROUP, conversations.bob, conversations.first.ciphertext)).toBe(
      'late in the group',
    );
    const [oldKey, newKey] = conversations.daveMessages;
    expect(await device.receiveFromGroup(OLD_GROUP, conversations.dave, newKey?.ciphertext ?? Buffer.alloc(0))).toBe(
      'new key',
    );
    expect(await device.receiveFromGroup(OLD_GROUP, conversations.dave, oldKey?.ciphertext ?? Buffer.alloc(0))).toBe(
      'old key',
    );
  });

  it('a converted session continues each conversation without a new Signal session', async () => {
    const conversations = await createConversations();
    const device = convertSession(conversations);
    for (const peer of [conversations.phone, conversations.bob, conversations.dave]) {
      const sent = await device.send(peer, 'after the move');
      expect(sent.type).toBe('msg');
      expect(await peer.receive(sent)).toBe('after the move');
      expect(await device.receive(await peer.send(device, 'understood'))).toBe('understood');
    }
    const group = await device.sendToGroup(GROUP, 'after the move');
    expect(await conversations.bob.receiveFromGroup(GROUP, device, group.ciphertext)).toBe('after the move');
  });

  it('a converted session repeats its pre-key message until the other device answers', async () => {
    const conversations = await createConversations();
    const device = convertSession(conversations);
    const second = await device.send(conversations.carol, 'still there?');
    expect(second.type).toBe('pkmsg');
    expect(await conversations.carol.receive(second)).toBe('still there?');
    expect(await conversations.carol.receive(conversations.unanswered)).toBe('hello Carol');
    await device.receive(await conversations.carol.send(device, 'yes'));
    expect((await device.send(conversations.carol, 'good')).type).toBe('msg');
  });

  it('a converted session accepts new Signal sessions with the pre-keys that the server still has', async () => {
    const conversations = await createConversations();
    const erin = linkedParty();
    await erin.greet(conversations.device);
    const hello: Envelope = await erin.send(conversations.device, 'hello');
    expect(await convertSession(conversations).receive(hello)).toBe('hello');
  });
});

describe('fromBaileys and toBaileys', () => {
  it('fromBaileys() and toBaileys() keep all keys unchanged', async () => {
    const { device } = await createConversations();
    const before = [...device.keys(), ...otherKeys()];
    const { credentials, keys, dropped, warnings } = fromBaileys({ creds: device.creds, keys: before });
    expect({ dropped, warnings }).toEqual({ dropped: [], warnings: [] });
    const after = toBaileys({ credentials, keys });
    const expected = presentValues(before);
    // Baileys writes the int64 of a protobuf message as text. It reads both forms.
    const syncKey = expected.get('app-state-sync-key|AAAAAB/+');
    expect(syncKey).toMatchObject({ timestamp: '1700000000123' });
    const written = valuesByName(after.keys).get('app-state-sync-key|AAAAAB/+');
    expect(proto.Message.AppStateSyncKeyData.fromObject(Object(written)).toJSON()).toEqual(syncKey);
    expected.delete('app-state-sync-key|AAAAAB/+');
    const actual = presentValues(after.keys);
    actual.delete('app-state-sync-key|AAAAAB/+');
    expect(Object.fromEntries(actual)).toEqual(Object.fromEntries(expected));
    expect(fromBaileys(after)).toEqual({ credentials, keys, dropped: [], warnings: [] });
  });

  it('fromBaileys() and toBaileys() keep the credentials and create a new key pair for pairing codes', () => {
    const { creds } = linkedParty();
    const fullCreds = {
      ...creds,
      myAppStateKeyId: 'AAAAAB/+',
      routingInfo: Buffer.from([8, 2]),
      lastPropHash: '2abc',
      lastAccountSyncTimestamp: 1_700_000_000,
      accountSyncCounter: 3,
      accountSettings: { unarchiveChats: true },
      processedHistoryMessages: [{ key: { id: 'A' }, messageTimestamp: 1 }],
    };
    const { credentials, keys } = fromBaileys({ creds: fullCreds, keys: otherKeys() });
    const { creds: after } = toBaileys({ credentials, keys });
    const { pairingEphemeralKeyPair: pair, ...rest } = asStoredJson(after) as Record<string, unknown>;
    const { pairingEphemeralKeyPair: _, ...expected } = asStoredJson(fullCreds) as Record<string, unknown>;
    expect(rest).toEqual({ ...expected, registered: true, processedHistoryMessages: [] });
    expect(pair).not.toEqual(asStoredJson(creds.pairingEphemeralKeyPair));
    expect(pair).toEqual(asStoredJson(after.pairingEphemeralKeyPair));
    const keyPair = after.pairingEphemeralKeyPair as AuthenticationCreds['pairingEphemeralKeyPair'];
    const other = Curve.generateKeyPair();
    expect(Curve.sharedKey(keyPair.private, other.public)).toEqual(Curve.sharedKey(other.private, keyPair.public));
  });

  it.each([
    ['JSON of the multi-file store', asStoredJson],
    ['JSON with the reviver', asRevived],
    ['JSON without the replacer', asPlainJson],
  ])('fromBaileys() reads %s like values in memory', async (_, toStored) => {
    const { device } = await createConversations();
    const keys = [...device.keys(), ...otherKeys()];
    const expected = fromBaileys({ creds: device.creds, keys });
    const encodedKeys = keys.map(({ type, id, value }) => ({ type, id, value: toStored(value) }));
    expect(fromBaileys({ creds: toStored(device.creds), keys: encodedKeys })).toEqual(expected);
  });

  it('fromBaileys() reads sender keys as text, as parsed states and as base64', async () => {
    const { device } = await createConversations();
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
  ])('fromBaileys() reads a time that is %s', (_, timestamp) => {
    const { creds } = linkedParty();
    const value = { keyData: Buffer.alloc(32), timestamp };
    const { keys } = fromBaileys({ creds, keys: [{ type: 'app-state-sync-key', id: 'AAAA', value }] });
    expect(keys.appStateSyncKeys.AAAA?.timestamp).toBe('1700000000000');
  });

  it('the store of the gateway keeps converted keys, except the message keys of own sender keys', async () => {
    const { device } = await createConversations();
    const { credentials, keys } = fromBaileys({ creds: device.creds, keys: [...device.keys(), ...otherKeys()] });
    const after = toBaileys({ credentials, keys });
    const ownSenderKeys = Object.entries(keys.senderKeys).filter(
      ([, [state]]) => state?.senderSigningKey.private !== undefined,
    );
    expect(ownSenderKeys.length).toBeGreaterThan(0);
    for (const [, states] of ownSenderKeys) for (const state of states) state.senderMessageKeys = [];
    const stored = after.keys.map(({ type, id, value }) => ({
      type,
      id,
      value: decodeKey(type, encodeKey(type, value)),
    }));
    const creds = decodeCreds(encodeCreds({ ...device.creds, ...after.creds }));
    expect(fromBaileys({ creds, keys: stored })).toEqual({ credentials, keys, dropped: [], warnings: [] });
  });

  it('toBaileys() writes the token index that Baileys uses to prune tokens', () => {
    const { creds } = linkedParty();
    const value = { token: Buffer.from('t'), timestamp: '1' };
    const { credentials, keys } = fromBaileys({ creds, keys: [{ type: 'tctoken', id: '2@lid', value }] });
    const index = valuesByName(toBaileys({ credentials, keys }).keys).get(
      'tctoken|__index',
    ) as SignalDataTypeMap['tctoken'];
    expect(JSON.parse(index.token.toString())).toEqual(['2@lid']);
  });

  it('toBaileys() shares no objects with the bundle', async () => {
    const { device } = await createConversations();
    const { credentials, keys } = fromBaileys({ creds: device.creds, keys: [...device.keys(), ...otherKeys()] });
    const shared = new Set(containersOf({ credentials, keys }));
    const after = toBaileys({ credentials, keys });
    const values = [after.creds, ...after.keys.map(({ value }) => value)];
    expect(values.flatMap(containersOf).filter((container) => shared.has(container))).toEqual([]);
  });
});

describe('sessions of Baileys 6', () => {
  it('a session of Baileys 6 continues with Baileys 7, also in conversations with LIDs', async () => {
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
    const lateMessage = await lea.send(device, 'late');

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
    expect(await after.receive(lateMessage, leaLid)).toBe('late');
    expect(await after.receiveFromGroup(GROUP, leaLid, group.ciphertext)).toBe('late');
    expect((await after.send(leaLid, 'after')).type).toBe('msg');
    expect(await bob.receive(await after.send(bob, 'after'))).toBe('after');
  });

  it('toBaileys() writes an empty private key into the sender key of another member', async () => {
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
