// Converts session records between whatsmeow and libsignal, the Signal library of Baileys (D-179).
//
// A record contains all sessions with one device. whatsmeow calls each of these sessions a state.
//
// Both libraries count messages from 0. whatsmeow stores the number of the next message of a chain, and libsignal the
// number of the last message. For skipped messages (which had not arrived when a later message did), whatsmeow stores
// derived keys and libsignal stores seeds. Seeds can be converted to derived keys, but derived keys cannot be converted
// to seeds.
import type { BundleChain, BundleSession, BundleSessionState } from '../../../../src/session-bundle/bundle.ts';
import { deriveMessageKeys } from './derivation.ts';
import {
  MAX_PREVIOUS_STATES,
  MAX_RECEIVER_CHAINS,
  MAX_SKIPPED_KEYS,
  type RatchetChain,
  type SessionRecord,
  type SessionState,
  type SkippedMessageKeys,
} from './session-record.ts';

// Values of the field `baseKeyType` of libsignal: the device that started the session.
const OURS = 1;
const THEIRS = 2;
// Values of the field `chainType` of libsignal.
const SENDING = 1;
const RECEIVING = 2;
/** The value of the field `closed` of libsignal in an open state. */
const OPEN = -1;
/**
 * The previous counter (the number of the last message in the previous sending chain) in whatsmeow, when that chain had
 * no message: 0 - 1 as a uint32.
 */
const NO_PREVIOUS_MESSAGE = 2 ** 32 - 1;

/** Values that are the same in all records of this device. */
export interface OwnDevice {
  /** 33 bytes. */
  identityKey: Buffer;
  registrationId: number;
  /** The placeholder for the chain key of a closed receiving chain (derivation.ts). */
  deriveClosedChainKey(ratchetKey: Buffer): Buffer;
}

export interface ToBundleResult {
  /** Undefined when the current state belongs to an earlier identity key of this device. */
  session?: BundleSession;
  /** Number of derived keys of skipped messages, which are not converted. */
  skippedKeys: number;
  /** Number of states of an earlier identity key, and of damaged states. */
  droppedStates: number;
}

/**
 * Converts a record of whatsmeow. The record does not contain the time of its last use, so `now` (epoch ms) replaces
 * that time.
 */
export function toBundleSession(record: SessionRecord, own: OwnDevice, now: number): ToBundleResult {
  const result: ToBundleResult = { skippedKeys: 0, droppedStates: record.damaged };
  const session: BundleSession = { version: 'v1', _sessions: {} };
  for (const [age, state] of [record.current, ...record.previous].entries()) {
    if (!state.localIdentityKey.equals(own.identityKey)) {
      result.droppedStates += 1;
      if (age === 0) return result;
      continue;
    }
    const baseKey = base64(state.baseKey);
    // When whatsmeow makes an older state current again, the record also keeps a copy of this state. The copy has the
    // same base key.
    if (Object.hasOwn(session._sessions, baseKey)) continue;
    // libsignal tries the states in the order of their last use, so older states get earlier times.
    session._sessions[baseKey] = toBundleState(state, own, { used: now - age, isCurrent: age === 0 });
    for (const { skipped } of state.receiverChains) result.skippedKeys += skipped.length;
  }
  return { ...result, session };
}

function toBundleState(
  state: SessionState,
  own: OwnDevice,
  { used, isCurrent }: { used: number; isCurrent: boolean },
): BundleSessionState {
  const { senderChain, receiverChains, pendingPreKey } = state;
  return {
    registrationId: state.remoteRegistrationId,
    currentRatchet: {
      ephemeralKeyPair: {
        pubKey: base64(senderChain.ratchetKey),
        privKey: base64(senderChain.ratchetPrivateKey ?? Buffer.alloc(0)),
      },
      lastRemoteEphemeralKey: base64(receiverChains.at(-1)?.ratchetKey ?? state.baseKey),
      previousCounter: state.previousCounter === NO_PREVIOUS_MESSAGE ? -1 : state.previousCounter,
      rootKey: base64(state.rootKey),
    },
    indexInfo: {
      baseKey: base64(state.baseKey),
      // The record of an answered session does not show which device started the session. THEIRS is safe in both cases:
      // libsignal then compares the base key of the session with those of received messages, and no received message
      // has a base key of this device.
      baseKeyType: pendingPreKey ? OURS : THEIRS,
      closed: isCurrent ? OPEN : used,
      used,
      created: used,
      remoteIdentityKey: base64(state.remoteIdentityKey),
    },
    _chains: toBundleChains(state, own),
    ...(pendingPreKey
      ? {
          pendingPreKey: {
            signedKeyId: pendingPreKey.signedPreKeyId,
            ...(pendingPreKey.preKeyId === undefined ? {} : { preKeyId: pendingPreKey.preKeyId }),
            baseKey: base64(pendingPreKey.baseKey),
          },
        }
      : {}),
  };
}

function toBundleChains({ senderChain, receiverChains }: SessionState, own: OwnDevice): Record<string, BundleChain> {
  const chains: Record<string, BundleChain> = {};
  for (const { ratchetKey, index, key } of receiverChains) {
    // A chain with the index 0 is the first receiving chain of a session that this device started. It never receives a
    // message, and libsignal has no such chain. If the chain were converted, libsignal would derive a key for each of
    // its messages up to the previous counter in the first answer. In an answer of whatsmeow, this counter is 2^32 - 1,
    // so libsignal would reject the answer.
    if (index === 0) continue;
    const isClosed = key.length === 0 || key.equals(own.deriveClosedChainKey(ratchetKey));
    chains[base64(ratchetKey)] = {
      chainKey: { counter: index - 1, ...(isClosed ? {} : { key: base64(key) }) },
      chainType: RECEIVING,
      messageKeys: {},
    };
  }
  chains[base64(senderChain.ratchetKey)] = {
    chainKey: { counter: senderChain.index - 1, key: base64(senderChain.key) },
    chainType: SENDING,
    messageKeys: {},
  };
  return chains;
}

export interface FromBundleResult {
  /** Undefined when no state is open, because a record of whatsmeow needs a current state. */
  record?: SessionRecord;
  /** Number of seeds of skipped messages beyond the limits of whatsmeow. */
  droppedKeys: number;
  /** Number of closed states beyond the limits of whatsmeow, and of invalid states. All states when none is open. */
  droppedStates: number;
}

/** Converts a record of libsignal. Expects that the bundle's schema has checked the record. */
export function fromBundleSession(session: BundleSession, own: OwnDevice): FromBundleResult {
  const entries = Object.values(session._sessions);
  const open = entries.find(({ indexInfo }) => indexInfo.closed === OPEN);
  const current = open && fromBundleState(open, own);
  if (!current) return { droppedKeys: 0, droppedStates: entries.length };
  // The states that were closed last come first.
  const closed = entries
    .filter((entry) => entry !== open)
    .sort((a, b) => b.indexInfo.closed - a.indexInfo.closed || b.indexInfo.used - a.indexInfo.used)
    .flatMap((entry) => fromBundleState(entry, own) ?? []);
  const previous = closed.slice(0, MAX_PREVIOUS_STATES);
  const kept = [current, ...previous];
  return {
    record: { current: current.state, previous: previous.map(({ state }) => state), damaged: 0 },
    droppedKeys: kept.reduce((sum, { droppedKeys }) => sum + droppedKeys, 0),
    droppedStates: entries.length - kept.length,
  };
}

/** Converts a state of libsignal. Returns undefined for a state without a sending chain, which no library writes. */
function fromBundleState(
  entry: BundleSessionState,
  own: OwnDevice,
): { state: SessionState; droppedKeys: number } | undefined {
  const { currentRatchet: ratchet, indexInfo, pendingPreKey } = entry;
  const sending = entry._chains[ratchet.ephemeralKeyPair.pubKey];
  if (sending?.chainType !== SENDING || sending.chainKey.key === undefined) return undefined;
  const allChains = receiverChainsOf(entry, own);
  const receiverChains = allChains.slice(-MAX_RECEIVER_CHAINS).map((chain) => ({
    ...chain,
    skipped: chain.skipped.slice(-MAX_SKIPPED_KEYS),
  }));
  const countSkipped = (chains: RatchetChain[]) => chains.reduce((sum, { skipped }) => sum + skipped.length, 0);
  const state: SessionState = {
    localIdentityKey: own.identityKey,
    remoteIdentityKey: bytes(indexInfo.remoteIdentityKey),
    localRegistrationId: own.registrationId,
    remoteRegistrationId: entry.registrationId,
    rootKey: bytes(ratchet.rootKey),
    previousCounter: ratchet.previousCounter < 0 ? NO_PREVIOUS_MESSAGE : ratchet.previousCounter,
    senderChain: {
      ratchetKey: bytes(ratchet.ephemeralKeyPair.pubKey),
      ratchetPrivateKey: bytes(ratchet.ephemeralKeyPair.privKey),
      index: sending.chainKey.counter + 1,
      key: bytes(sending.chainKey.key),
      skipped: [],
    },
    receiverChains,
    ...(pendingPreKey
      ? {
          pendingPreKey: {
            ...(pendingPreKey.preKeyId === undefined ? {} : { preKeyId: pendingPreKey.preKeyId }),
            signedPreKeyId: pendingPreKey.signedKeyId,
            baseKey: bytes(pendingPreKey.baseKey),
          },
        }
      : {}),
    baseKey: bytes(indexInfo.baseKey),
  };
  return { state, droppedKeys: countSkipped(allChains) - countSkipped(receiverChains) };
}

/** The receiving chains, newest last. The last chain always has the newest ratchet key of the other device. */
function receiverChainsOf({ _chains, currentRatchet }: BundleSessionState, own: OwnDevice): RatchetChain[] {
  const newest = currentRatchet.lastRemoteEphemeralKey;
  const convert = ([id, { chainKey, messageKeys }]: [string, BundleChain]): RatchetChain => {
    const ratchetKey = bytes(id);
    return {
      ratchetKey,
      index: chainKey.counter + 1,
      key: chainKey.key === undefined ? own.deriveClosedChainKey(ratchetKey) : bytes(chainKey.key),
      skipped: Object.entries(messageKeys).map(
        ([index, seed]): SkippedMessageKeys => ({
          index: Number(index),
          ...deriveMessageKeys(bytes(seed)),
        }),
      ),
    };
  };
  const receiving = Object.entries(_chains).filter(([, { chainType }]) => chainType === RECEIVING);
  const older = receiving.filter(([id]) => id !== newest).map(convert);
  const last = receiving.find(([id]) => id === newest);
  // Until the first answer arrives, libsignal stores the newest key without a chain. whatsmeow reads the key from a
  // chain without messages.
  const ratchetKey = bytes(newest);
  return [
    ...older,
    last ? convert(last) : { ratchetKey, index: 0, key: own.deriveClosedChainKey(ratchetKey), skipped: [] },
  ];
}

const base64 = (value: Buffer): string => value.toString('base64');
const bytes = (value: string): Buffer => Buffer.from(value, 'base64');
