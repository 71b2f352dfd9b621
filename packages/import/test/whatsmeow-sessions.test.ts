// Sessions of real libsignal devices, converted to records of whatsmeow and back. A client of another make, which keeps
// records in the same form, checks them independently.
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
import { closedChainKey } from '../src/whatsmeow/derivation.ts';
import { decodeSessionRecord, encodeSessionRecord } from '../src/whatsmeow/record-format.ts';
import { fromBundleSession, type OwnDevice, toBundleSession } from '../src/whatsmeow/session-conversion.ts';
import type { SessionRecord } from '../src/whatsmeow/session-record.ts';
import { comparable, readable, toComponents, toLegacyRecord } from './support/other-client.ts';
import { SignalDevice } from './support/signal-device.ts';

const NOW = Date.UTC(2026, 10, 20);

const ownOf = (device: SignalDevice): OwnDevice => ({
  identityKey: device.identity.pubKey,
  registrationId: device.registrationId,
  closedChainKey: (ratchetKey) => closedChainKey(device.identity.privKey, ratchetKey),
});

/** The record of `device`'s sessions with `other`, as whatsmeow would have it. */
function recordOf(device: SignalDevice, other: SignalDevice): SessionRecord {
  const { record } = fromBundleSession(device.sessionWith(other), ownOf(device));
  if (!record) throw new Error('no record');
  return record;
}

/** Moves `device` to whatsmeow and back: its sessions with `other` are replaced by their conversion. */
function moveThereAndBack(device: SignalDevice, other: SignalDevice): void {
  const { session } = toBundleSession(
    decodeSessionRecord(encodeSessionRecord(recordOf(device, other))),
    ownOf(device),
    NOW,
  );
  if (!session) throw new Error('no session');
  device.sessions.set(other.address, session);
}

/**
 * The parts of a session that a record of whatsmeow has: neither the times of a state, nor who started an answered one,
 * nor more than five receiving chains.
 */
const kept = ({ _sessions }: BundleSession) =>
  Object.fromEntries(
    Object.entries(_sessions).map(([id, { indexInfo, _chains, ...state }]) => {
      const { remoteIdentityKey, baseKey, baseKeyType } = indexInfo;
      const chains = Object.entries(_chains);
      const receiving = chains.filter(([, { chainType }]) => chainType === 2).slice(-5);
      const sending = chains.filter(([, { chainType }]) => chainType === 1);
      const known = state.pendingPreKey ? { baseKeyType } : {};
      const isOpen = indexInfo.closed === -1;
      return [id, { ...state, remoteIdentityKey, baseKey, isOpen, receiving, sending, ...known }];
    }),
  );

/** Devices with a session in one stage of its life. */
const STAGES: Record<string, () => Promise<[mover: SignalDevice, other: SignalDevice]>> = {
  'a session whose first message is not answered': async () => {
    const [anna, ben] = devices();
    await anna.start(ben);
    await anna.send(ben, 'hello');
    return [anna, ben];
  },
  'a session that starts without a one-time key': async () => {
    const [anna, ben] = devices();
    await anna.start(ben, { oneTimeKey: false });
    await anna.send(ben, 'hello');
    return [anna, ben];
  },
  'a session that the other device started': async () => {
    const [anna, ben] = devices();
    await ben.start(anna);
    await ben.send(anna, 'hello');
    return [anna, ben];
  },
  'a session after one answer': async () => {
    const [anna, ben] = devices();
    await anna.start(ben);
    await anna.send(ben, 'hello');
    await ben.send(anna, 'hello too');
    return [anna, ben];
  },
  'a session after many messages in both directions': async () => {
    const [anna, ben] = devices();
    await anna.start(ben);
    for (const round of [1, 2, 3, 4, 5, 6, 7]) await talk(anna, ben, round);
    return [anna, ben];
  },
  'a session that replaced an older one': async () => {
    const [anna, ben] = devices();
    await anna.start(ben);
    for (const round of [1, 2, 3]) await talk(anna, ben, round);
    await anna.start(ben);
    await talk(anna, ben, 1);
    await ben.start(anna);
    await ben.send(anna, 'a third one');
    return [anna, ben];
  },
};

function devices(): [SignalDevice, SignalDevice] {
  return [new SignalDevice('4915112345678.3', 4711), new SignalDevice('123456789012345_1.0', 815)];
}

async function talk(anna: SignalDevice, ben: SignalDevice, messages: number): Promise<void> {
  for (let number = 0; number < messages; number++) await anna.send(ben, `to ben ${number}`);
  for (let number = 0; number < messages; number++) await ben.send(anna, `to anna ${number}`);
}

beforeAll(() => {
  installLibsignalConsole();
  // libsignal tries several sessions for a message, the newest first, in any order when they were used in the same
  // millisecond. Without the rollback, an attempt with the wrong session changes that session.
  installSessionRollback();
  initWasmEngine();
});

describe.each(Object.entries(STAGES))('%s', (_name, prepare) => {
  it('continues after a move to whatsmeow and back, in both directions', async () => {
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

  it('has the same bytes after a move from whatsmeow to libsignal and back', async () => {
    const [mover, other] = await prepare();
    const bytes = encodeSessionRecord(recordOf(mover, other));
    moveThereAndBack(mover, other);
    expect(encodeSessionRecord(recordOf(mover, other)).toString()).toBe(bytes.toString());
  });

  it('is the same session after a move from libsignal to whatsmeow and back', async () => {
    const [mover, other] = await prepare();
    const before = mover.sessionWith(other);
    moveThereAndBack(mover, other);
    expect(kept(mover.sessionWith(other))).toEqual(kept(before));
  });

  it('becomes the record that a client of another make derives from it', async () => {
    const [mover, other] = await prepare();
    const theirs = importLegacySessionRecordV1(toLegacyRecord(mover.sessionWith(other)), {
      identityKey: mover.identity.pubKey,
      registrationId: mover.registrationId,
    });
    expect(readable(toComponents(recordOf(mover, other), ownOf(mover)))).toEqual(
      readable(decodeSessionRecordComponents(theirs)),
    );
  });

  it('is read from the protobuf of a client of another make as that client reads it', async () => {
    const [mover, other] = await prepare();
    const bytes = Buffer.from(encodeSessionRecordComponents(toComponents(recordOf(mover, other), ownOf(mover))));
    const { session } = toBundleSession(decodeSessionRecord(bytes), ownOf(mover), NOW);
    const projection = projectLegacySessionRecordV1(bytes);
    if (projection.status !== 'projected' || !session) throw new Error('not projected');
    expect(readable(comparable(toLegacyRecord(session)))).toEqual(readable(comparable(projection.record)));
    mover.sessions.set(other.address, session);
    expect(await other.send(mover, 'next')).toBe('next');
    expect(await mover.send(other, 'answer')).toBe('answer');
  });
});

describe('skipped message keys', () => {
  async function withLateMessages() {
    const [anna, ben] = devices();
    await anna.start(ben);
    await talk(anna, ben, 2);
    const late = await ben.encrypt(anna, 'late');
    await ben.send(anna, 'in time');
    const older = await ben.encrypt(anna, 'late in an older chain');
    await talk(anna, ben, 2);
    return { anna, ben, late, older };
  }

  it('are written as the keys that a client of another make derives', async () => {
    const { anna, ben } = await withLateMessages();
    const theirs = importLegacySessionRecordV1(toLegacyRecord(anna.sessionWith(ben)), {
      identityKey: anna.identity.pubKey,
      registrationId: anna.registrationId,
    });
    const own = toComponents(recordOf(anna, ben), ownOf(anna));
    expect(own.currentSession?.receiverChains.flatMap(({ messageKeys }) => messageKeys)).toHaveLength(2);
    expect(readable(own)).toEqual(readable(decodeSessionRecordComponents(theirs)));
  });

  it('are counted when they cannot be read, and every other message is still readable', async () => {
    const { anna, ben, late, older } = await withLateMessages();
    const { session, skippedKeys } = toBundleSession(recordOf(anna, ben), ownOf(anna), NOW);
    expect(skippedKeys).toBe(2);
    if (session) anna.sessions.set(ben.address, session);
    await expect(anna.decrypt(ben, late)).rejects.toThrow('No matching sessions found');
    await expect(anna.decrypt(ben, older)).rejects.toThrow('No matching sessions found');
    await talk(anna, ben, 3);
    expect(await ben.send(anna, 'still readable')).toBe('still readable');
  });

  it('of older chains than whatsmeow keeps are counted as dropped', async () => {
    const { anna, ben } = await withLateMessages();
    for (const round of [1, 1, 1, 1, 1, 1]) await talk(anna, ben, round);
    const { record, droppedKeys } = fromBundleSession(anna.sessionWith(ben), ownOf(anna));
    expect(record?.current.receiverChains).toHaveLength(5);
    expect(droppedKeys).toBe(2);
  });
});

describe('a record of whatsmeow', () => {
  it('whose first chain was never used accepts the answer of a whatsmeow device', async () => {
    const [anna, ben] = devices();
    await anna.start(ben);
    await anna.send(ben, 'hello');
    const record = recordOf(anna, ben);
    expect(record.current.receiverChains.map(({ index }) => index)).toEqual([0]);
    // A whatsmeow device says that its previous chain had 2^32 - 1 messages.
    const session = ben.sessionWith(anna);
    for (const state of Object.values(session._sessions)) state.currentRatchet.previousCounter = 2 ** 32 - 1;
    moveThereAndBack(anna, ben);
    expect(await ben.send(anna, 'answer')).toBe('answer');
  });

  it('keeps a chain without previous messages', async () => {
    const [anna, ben] = devices();
    await anna.start(ben);
    const record = recordOf(anna, ben);
    record.current.previousCounter = 2 ** 32 - 1;
    const { session } = toBundleSession(record, ownOf(anna), NOW);
    expect(Object.values(session?._sessions ?? {})[0]?.currentRatchet.previousCounter).toBe(-1);
    expect(session && fromBundleSession(session, ownOf(anna)).record?.current.previousCounter).toBe(2 ** 32 - 1);
  });

  it('with copies of a state has the first one', async () => {
    const [anna, ben] = devices();
    await anna.start(ben);
    await anna.start(ben);
    const record = recordOf(anna, ben);
    const [previous] = record.previous;
    if (!previous) throw new Error('no previous state');
    const copy = { ...previous, remoteRegistrationId: 1 };
    const { session } = toBundleSession({ ...record, previous: [previous, copy] }, ownOf(anna), NOW);
    expect(Object.values(session?._sessions ?? {}).map(({ registrationId }) => registrationId)).toEqual([815, 815]);
  });

  it('of an earlier identity key of the device is not taken', async () => {
    const [anna, ben] = devices();
    await anna.start(ben);
    const record = recordOf(anna, ben);
    expect(toBundleSession(record, ownOf(ben), NOW)).toEqual({ skippedKeys: 0, droppedStates: 1 });
  });

  it('has the archived states in the order in which they were closed, newest first', async () => {
    const [anna, ben] = devices();
    for (let round = 0; round < 4; round++) await anna.start(ben);
    const closed = Object.values(anna.sessionWith(ben)._sessions).slice(0, 3);
    for (const [number, { indexInfo }] of closed.entries()) {
      indexInfo.closed = [NOW - 2, NOW, NOW - 1][number] ?? 0;
      indexInfo.used = NOW - number;
    }
    const keys = recordOf(anna, ben).previous.map(({ baseKey }) => baseKey.toString('base64'));
    expect(keys).toEqual([1, 2, 0].map((number) => closed[number]?.indexInfo.baseKey));
  });

  it('cannot be written when all states are closed', async () => {
    const [anna, ben] = devices();
    await anna.start(ben);
    for (const state of Object.values(anna.sessionWith(ben)._sessions)) state.indexInfo.closed = NOW;
    expect(fromBundleSession(anna.sessionWith(ben), ownOf(anna))).toEqual({ droppedKeys: 0, droppedStates: 1 });
  });

  it('never has a chain key that others can compute', async () => {
    const [anna, ben] = devices();
    await anna.start(ben);
    for (const round of [1, 2, 3]) await talk(anna, ben, round);
    const keys = recordOf(anna, ben).current.receiverChains.map(({ key }) => key.toString('hex'));
    expect(new Set(keys).size).toBe(keys.length);
    for (const key of keys) expect(key).toMatch(/^(?!0{64})[0-9a-f]{64}$/);
    const stranger = fromBundleSession(anna.sessionWith(ben), ownOf(ben)).record;
    const closed = stranger?.current.receiverChains.slice(0, -1).map(({ key }) => key.toString('hex')) ?? [];
    expect(closed.filter((key) => keys.includes(key))).toEqual([]);
  });
});
