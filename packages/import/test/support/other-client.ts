// Conversions of session records to the formats of whatsapp-interop-client.
import type { LegacySessionRecordV1, SessionComponents, SessionRecordComponents } from 'whatsapp-interop-client';
import type { BundleSession, BundleSessionState } from '../../../../src/session-bundle/bundle.ts';
import type { OwnDevice } from '../../src/whatsmeow/session-conversion.ts';
import type { RatchetChain, SessionRecord, SessionState } from '../../src/whatsmeow/session-record.ts';

type LegacySession = LegacySessionRecordV1['sessions'][number]['session'];

const fromBase64 = (base64: string): Uint8Array => new Uint8Array(Buffer.from(base64, 'base64'));
const toUint8Array = (buffer: Buffer): Uint8Array => new Uint8Array(buffer);

/** Converts a session record of libsignal. */
export const toLegacyRecord = ({ _sessions }: BundleSession): LegacySessionRecordV1 => ({
  sessions: Object.entries(_sessions).map(([id, state]) => ({
    indexKey: fromBase64(id),
    session: toLegacySession(state),
  })),
});

function toLegacySession({
  registrationId,
  currentRatchet,
  indexInfo,
  _chains,
  pendingPreKey,
}: BundleSessionState): LegacySession {
  return {
    registrationId,
    ratchet: {
      keyPair: {
        public: fromBase64(currentRatchet.ephemeralKeyPair.pubKey),
        private: fromBase64(currentRatchet.ephemeralKeyPair.privKey),
      },
      lastRemoteEphemeralKey: fromBase64(currentRatchet.lastRemoteEphemeralKey),
      previousCounter: currentRatchet.previousCounter,
      rootKey: fromBase64(currentRatchet.rootKey),
    },
    index: {
      baseKey: fromBase64(indexInfo.baseKey),
      baseKeyRole: indexInfo.baseKeyType,
      closedTimestamp: indexInfo.closed,
      usedAtMs: indexInfo.used,
      createdAtMs: indexInfo.created,
      remoteIdentityKey: fromBase64(indexInfo.remoteIdentityKey),
    },
    chains: Object.entries(_chains).map(([ratchetKey, { chainKey, chainType, messageKeys }]) => ({
      ratchetKey: fromBase64(ratchetKey),
      role: chainType,
      chainKey: { counter: chainKey.counter, key: chainKey.key === undefined ? undefined : fromBase64(chainKey.key) },
      messageKeys: Object.entries(messageKeys).map(([index, seed]) => ({
        index: Number(index),
        seed: fromBase64(seed),
      })),
    })),
    pendingPreKey: pendingPreKey && {
      preKeyId: pendingPreKey.preKeyId,
      signedPreKeyId: pendingPreKey.signedKeyId,
      baseKey: fromBase64(pendingPreKey.baseKey),
    },
  };
}

/**
 * Returns a sorted copy without values that a conversion cannot know: the times, and the newest remote key before the
 * first answer.
 */
export const toComparable = ({ sessions }: LegacySessionRecordV1) =>
  sessions
    .toSorted((a, b) => hex(a.indexKey).localeCompare(hex(b.indexKey)))
    .map(({ indexKey, session: { ratchet, index, chains, ...session } }) => {
      const { lastRemoteEphemeralKey, ...knownRatchet } = ratchet;
      return {
        ...session,
        indexKey: hex(indexKey),
        ratchet: session.pendingPreKey ? knownRatchet : { ...knownRatchet, lastRemoteEphemeralKey },
        baseKeyRole: index.baseKeyRole,
        isClosed: index.closedTimestamp !== -1,
        remoteIdentityKey: index.remoteIdentityKey,
        chains: chains.toSorted((a, b) => hex(a.ratchetKey).localeCompare(hex(b.ratchetKey))),
      };
    });

const hex = (value: Uint8Array): string => Buffer.from(value).toString('hex');

/** Returns a copy with all bytes in hex, so that a failed comparison is readable. */
export const toReadable = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_key, item: unknown) => (item instanceof Uint8Array ? hex(item) : item)));

/** Converts a record of whatsmeow. The client has no chains without messages and no keys of closed chains. */
export const toComponents = ({ current, previous }: SessionRecord, own: OwnDevice): SessionRecordComponents => ({
  currentSession: toSessionComponents(current, own),
  previousSessions: previous.map((state) => toSessionComponents(state, own)),
});

function toSessionComponents(state: SessionState, own: OwnDevice): SessionComponents {
  const { senderChain, receiverChains, pendingPreKey } = state;
  return {
    sessionVersion: 3,
    localIdentityPublic: toUint8Array(state.localIdentityKey),
    remoteIdentityPublic: toUint8Array(state.remoteIdentityKey),
    rootKey: toUint8Array(state.rootKey),
    previousCounter: state.previousCounter,
    senderChain: {
      senderRatchetKey: toUint8Array(senderChain.ratchetKey),
      senderRatchetKeyPrivate: toUint8Array(senderChain.ratchetPrivateKey ?? Buffer.alloc(0)),
      chainKey: { index: senderChain.index, key: toUint8Array(senderChain.key) },
      messageKeys: [],
    },
    receiverChains: receiverChains.filter(({ index }) => index > 0).map((chain) => toChainComponents(chain, own)),
    pendingKeyExchange: undefined,
    pendingPreKey: pendingPreKey && {
      preKeyId: pendingPreKey.preKeyId,
      signedPreKeyId: pendingPreKey.signedPreKeyId,
      baseKey: toUint8Array(pendingPreKey.baseKey),
      kyberPreKeyId: undefined,
      kyberCiphertext: undefined,
    },
    remoteRegistrationId: state.remoteRegistrationId,
    localRegistrationId: state.localRegistrationId,
    needsRefresh: undefined,
    aliceBaseKey: toUint8Array(state.baseKey),
  };
}

function toChainComponents({ ratchetKey, index, key, skipped }: RatchetChain, own: OwnDevice) {
  const isClosed = key.equals(own.deriveClosedChainKey(ratchetKey));
  return {
    senderRatchetKey: toUint8Array(ratchetKey),
    chainKey: { index, key: isClosed ? undefined : toUint8Array(key) },
    messageKeys: skipped.map(({ index: number, cipherKey, macKey, iv }) => ({
      index: number,
      material: {
        kind: 'derived' as const,
        cipherKey: toUint8Array(cipherKey),
        macKey: toUint8Array(macKey),
        iv: toUint8Array(iv),
      },
    })),
  };
}
