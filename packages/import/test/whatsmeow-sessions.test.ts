// Sessions of real libsignal devices, converted to records of whatsmeow and back. whatsapp-interop-client uses the same
// form of records and checks the conversions independently.
import { beforeAll, describe, expect, it } from 'vitest';
import {
  decodeSessionRecordComponents,
  encodeSessionRecordComponents,
  importLegacySessionRecordV1,
  initWasmEngine,
  projectLegacySessionRecordV1,
} from 'whatsapp-interop-client';
import type { BundleSession } from '../../../src/session-bundle/bundle.ts';
import { installLibsignalConsole } from '../../../src/whatsapp/baileys/patches/libsignal-console.ts';
import { installSessionRollback } from '../../../src/whatsapp/baileys/patches/session-rollback.ts';
import { deriveClosedChainKey } from '../src/whatsmeow/derivation.ts';
import { decodeSessionRecord, encodeSessionRecord } from '../src/whatsmeow/record-format.ts';
import { fromBundleSession, type OwnDevice, toBundleSession } from '../src/whatsmeow/session-conversion.ts';
import type { SessionRecord } from '../src/whatsmeow/session-record.ts';
import { toComparable, toComponents, toLegacyRecord, toReadable } from './support/other-client.ts';
import { SignalDevice } from './support/signal-device.ts';

const NOW = Date.UTC(2026, 10, 20);

const ownDeviceOf = (device: SignalDevice): OwnDevice => ({
  identityKey: device.identity.pubKey,
  registrationId: device.registrationId,
  deriveClosedChainKey: (ratchetKey) => deriveClosedChainKey(device.identity.privKey, ratchetKey),
});

/** The sessions of `device` with `other` as a record of whatsmeow. */
function recordOf(device: SignalDevice, other: SignalDevice): SessionRecord {
  const { record } = fromBundleSession(device.sessionWith(other), ownDeviceOf(device));
  if (!record) throw new Error('no record');
  return record;
}

/** Moves `device` to whatsmeow and back: replaces its sessions with `other` by their conversion. */
function moveThereAndBack(device: SignalDevice, other: SignalDevice): void {
  const { session } = toBundleSession(
    decodeSessionRecord(encodeSessionRecord(recordOf(device, other))),
    ownDeviceOf(device),
    NOW,
  );
  if (!session) throw new Error('no session');
  device.sessions.set(other.address, session);
}

/**
 * The parts of a session that a record of whatsmeow keeps. It keeps neither the times of a state, nor the initiator of
 * an answered state, nor more than five receiving chains.
 */
const keptParts = ({ _sessions }: BundleSession) =>
  Object.fromEntries(
    Object.entries(_sessions).map(([id, { indexInfo, _chains, ...state }]) => {
      const { remoteIdentityKey, baseKey, baseKeyType } = indexInfo;
      const chains = Object.entries(_chains);
      const receiving = chains.filter(([, { chainType }]) => chainType === 2).slice(-5);
      const sending = chains.filter(([, { chainType }]) => chainType === 1);
      const baseKeyRole = state.pendingPreKey ? { baseKeyType } : {};
      const isOpen = indexInfo.closed === -1;
      return [id, { ...state, remoteIdentityKey, baseKey, isOpen, receiving, sending, ...baseKeyRole }];
    }),
  );

/** Functions that create two devices with a session in the named stage. */
const STAGES: Record<string, () => Promise<[mover: SignalDevice, other: SignalDevice]>> = {
  'a session whose first message is not answered': async () => {
    const [anna, ben] = createDevices();
    await anna.start(ben);
    await anna.send(ben, 'hello');
    return [anna, ben];
  },
  'a session that starts without a one-time key': async () => {
    const [anna, ben] = createDevices();
    await anna.start(ben, { oneTimeKey: false });
    await anna.send(ben, 'hello');
    return [anna, ben];
  },
  'a session that the other device started': async () => {
    const [anna, ben] = createDevices();
    await ben.start(anna);
    await ben.send(anna, 'hello');
    return [anna, ben];
  },
  'a session after one answer': async () => {
    const [anna, ben] = createDevices();
    await anna.start(ben);
    await anna.send(ben, 'hello');
    await ben.send(anna, 'hello too');
    return [anna, ben];
  },
  'a session after many messages in both directions': async () => {
    const [anna, ben] = createDevices();
    await anna.start(ben);
    for (const round of [1, 2, 3, 4, 5, 6, 7]) await exchangeMessages(anna, ben, round);
    return [anna, ben];
  },
  'a session that replaced an older one': async () => {
    const [anna, ben] = createDevices();
    await anna.start(ben);
    for (const round of [1, 2, 3]) await exchangeMessages(anna, ben, round);
    await anna.start(ben);
    await exchangeMessages(anna, ben, 1);
    await ben.start(anna);
    await ben.send(anna, 'a third one');
    return [anna, ben];
  },
};

function createDevices(): [SignalDevice, SignalDevice] {
  return [new SignalDevice('4915112345678.3', 4711), new SignalDevice('123456789012345_1.0', 815)];
}

async function exchangeMessages(anna: SignalDevice, ben: SignalDevice, messages: number): Promise<void> {
  for (let number = 0; number < messages; number++) await anna.send(ben, `to ben ${number}`);
  for (let number = 0; number < messages; number++) await ben.send(anna, `to anna ${number}`);
}

beforeAll(() => {
  installLibsignalConsole();
  // libsignal tries several sessions for a message, the last used one first. The order is undefined for sessions that
  // were used in the same millisecond. Without the rollback, an attempt with the wrong session changes that session.
  installSessionRollback();
  initWasmEngine();
});

describe.each(Object.entries(STAGES))('%s', (_name, prepare) => {
  it('a session continues in both directions after a move to whatsmeow and back', async () => {
    const [mover, other] = await prepare();
    const inFlight = await other.encrypt(mover, 'sent before the move');
    moveThereAndBack(mover, other);
    expect(await mover.decrypt(other, inFlight)).toBe('sent before the move');
    for (const text of ['first', 'second']) {
      expect(await mover.send(other, text)).toBe(text);
      expect(await other.send(mover, text)).toBe(text);
    }
    moveThereAndBack(mover, other);
    expect(await other.send(mover, 'after the second move')).toBe('after the second move');
  });

  it('a whatsmeow record has the same bytes after a move to libsignal and back', async () => {
    const [mover, other] = await prepare();
    const bytes = encodeSessionRecord(recordOf(mover, other));
    moveThereAndBack(mover, other);
    expect(encodeSessionRecord(recordOf(mover, other)).toString()).toBe(bytes.toString());
  });

  it('a libsignal session is the same after a move to whatsmeow and back', async () => {
    const [mover, other] = await prepare();
    const sessionBefore = mover.sessionWith(other);
    moveThereAndBack(mover, other);
    expect(keptParts(mover.sessionWith(other))).toEqual(keptParts(sessionBefore));
  });

  it('fromBundleSession() makes the same record as whatsapp-interop-client', async () => {
    const [mover, other] = await prepare();
    const expected = importLegacySessionRecordV1(toLegacyRecord(mover.sessionWith(other)), {
      identityKey: mover.identity.pubKey,
      registrationId: mover.registrationId,
    });
    expect(toReadable(toComponents(recordOf(mover, other), ownDeviceOf(mover)))).toEqual(
      toReadable(decodeSessionRecordComponents(expected)),
    );
  });

  it('toBundleSession() reads the protobuf of whatsapp-interop-client as that client does', async () => {
    const [mover, other] = await prepare();
    const bytes = Buffer.from(encodeSessionRecordComponents(toComponents(recordOf(mover, other), ownDeviceOf(mover))));
    const { session } = toBundleSession(decodeSessionRecord(bytes), ownDeviceOf(mover), NOW);
    const projection = projectLegacySessionRecordV1(bytes);
    if (projection.status !== 'projected' || !session) throw new Error('not projected');
    expect(toReadable(toComparable(toLegacyRecord(session)))).toEqual(toReadable(toComparable(projection.record)));
    mover.sessions.set(other.address, session);
    expect(await other.send(mover, 'next')).toBe('next');
    expect(await mover.send(other, 'answer')).toBe('answer');
  });
});

describe('skipped message keys', () => {
  async function createLateMessages() {
    const [anna, ben] = createDevices();
    await anna.start(ben);
    await exchangeMessages(anna, ben, 2);
    const late = await ben.encrypt(anna, 'late');
    await ben.send(anna, 'in time');
    const older = await ben.encrypt(anna, 'late in an older chain');
    await exchangeMessages(anna, ben, 2);
    return { anna, ben, late, older };
  }

  it('fromBundleSession() derives the same skipped message keys as whatsapp-interop-client', async () => {
    const { anna, ben } = await createLateMessages();
    const expected = importLegacySessionRecordV1(toLegacyRecord(anna.sessionWith(ben)), {
      identityKey: anna.identity.pubKey,
      registrationId: anna.registrationId,
    });
    const actual = toComponents(recordOf(anna, ben), ownDeviceOf(anna));
    expect(actual.currentSession?.receiverChains.flatMap(({ messageKeys }) => messageKeys)).toHaveLength(2);
    expect(toReadable(actual)).toEqual(toReadable(decodeSessionRecordComponents(expected)));
  });

  it('toBundleSession() counts the skipped message keys it cannot convert, and all other messages stay readable', async () => {
    const { anna, ben, late, older } = await createLateMessages();
    const { session, skippedKeys } = toBundleSession(recordOf(anna, ben), ownDeviceOf(anna), NOW);
    expect(skippedKeys).toBe(2);
    if (session) anna.sessions.set(ben.address, session);
    await expect(anna.decrypt(ben, late)).rejects.toThrow('No matching sessions found');
    await expect(anna.decrypt(ben, older)).rejects.toThrow('No matching sessions found');
    await exchangeMessages(anna, ben, 3);
    expect(await ben.send(anna, 'still readable')).toBe('still readable');
  });

  it('fromBundleSession() counts skipped keys of chains beyond the five newest as dropped', async () => {
    const { anna, ben } = await createLateMessages();
    for (const round of [1, 1, 1, 1, 1, 1]) await exchangeMessages(anna, ben, round);
    const { record, droppedKeys } = fromBundleSession(anna.sessionWith(ben), ownDeviceOf(anna));
    expect(record?.current.receiverChains).toHaveLength(5);
    expect(droppedKeys).toBe(2);
  });
});

describe('records of whatsmeow', () => {
  it('a device accepts the first answer of a whatsmeow device after a move to whatsmeow and back', async () => {
    const [anna, ben] = createDevices();
    await anna.start(ben);
    await anna.send(ben, 'hello');
    const record = recordOf(anna, ben);
    expect(record.current.receiverChains.map(({ index }) => index)).toEqual([0]);
    // A whatsmeow device reports 2^32 - 1 messages in its previous chain.
    const session = ben.sessionWith(anna);
    for (const state of Object.values(session._sessions)) state.currentRatchet.previousCounter = 2 ** 32 - 1;
    moveThereAndBack(anna, ben);
    expect(await ben.send(anna, 'answer')).toBe('answer');
  });

  it('a whatsmeow record keeps a chain without previous messages through a conversion', async () => {
    const [anna, ben] = createDevices();
    await anna.start(ben);
    const record = recordOf(anna, ben);
    record.current.previousCounter = 2 ** 32 - 1;
    const { session } = toBundleSession(record, ownDeviceOf(anna), NOW);
    expect(Object.values(session?._sessions ?? {})[0]?.currentRatchet.previousCounter).toBe(-1);
    expect(session && fromBundleSession(session, ownDeviceOf(anna)).record?.current.previousCounter).toBe(2 ** 32 - 1);
  });

  it('toBundleSession() keeps the first of two copies of a state', async () => {
    const [anna, ben] = createDevices();
    await anna.start(ben);
    await anna.start(ben);
    const record = recordOf(anna, ben);
    const [previous] = record.previous;
    if (!previous) throw new Error('no previous state');
    const copy = { ...previous, remoteRegistrationId: 1 };
    const { session } = toBundleSession({ ...record, previous: [previous, copy] }, ownDeviceOf(anna), NOW);
    expect(Object.values(session?._sessions ?? {}).map(({ registrationId }) => registrationId)).toEqual([815, 815]);
  });

  it('toBundleSession() drops a state whose local identity key is not the key of the device', async () => {
    const [anna, ben] = createDevices();
    await anna.start(ben);
    const record = recordOf(anna, ben);
    expect(toBundleSession(record, ownDeviceOf(ben), NOW)).toEqual({ skippedKeys: 0, droppedStates: 1 });
  });

  it('fromBundleSession() orders archived states by their closing time, newest first', async () => {
    const [anna, ben] = createDevices();
    for (let round = 0; round < 4; round++) await anna.start(ben);
    const closed = Object.values(anna.sessionWith(ben)._sessions).slice(0, 3);
    for (const [number, { indexInfo }] of closed.entries()) {
      indexInfo.closed = [NOW - 2, NOW, NOW - 1][number] ?? 0;
      indexInfo.used = NOW - number;
    }
    const keys = recordOf(anna, ben).previous.map(({ baseKey }) => baseKey.toString('base64'));
    expect(keys).toEqual([1, 2, 0].map((number) => closed[number]?.indexInfo.baseKey));
  });

  it('fromBundleSession() returns no record when all states are closed', async () => {
    const [anna, ben] = createDevices();
    await anna.start(ben);
    for (const state of Object.values(anna.sessionWith(ben)._sessions)) state.indexInfo.closed = NOW;
    expect(fromBundleSession(anna.sessionWith(ben), ownDeviceOf(anna))).toEqual({ droppedKeys: 0, droppedStates: 1 });
  });

  it('fromBundleSession() gives closed chains unique keys that depend on the private identity key', async () => {
    const [anna, ben] = createDevices();
    await anna.start(ben);
    for (const round of [1, 2, 3]) await exchangeMessages(anna, ben, round);
    const keys = recordOf(anna, ben).current.receiverChains.map(({ key }) => key.toString('hex'));
    expect(new Set(keys).size).toBe(keys.length);
    for (const key of keys) expect(key).toMatch(/^(?!0{64})[0-9a-f]{64}$/);
    const otherRecord = fromBundleSession(anna.sessionWith(ben), ownDeviceOf(ben)).record;
    const otherKeys = otherRecord?.current.receiverChains.slice(0, -1).map(({ key }) => key.toString('hex')) ?? [];
    expect(otherKeys.filter((key) => keys.includes(key))).toEqual([]);
  });
});
