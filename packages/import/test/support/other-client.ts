// The forms in which whatsapp-interop-client takes and returns session records.
import type { LegacySessionRecordV1, SessionComponents, SessionRecordComponents } from 'whatsapp-interop-client';
import type { BundleSession, BundleSessionState } from '../../../../src/session-bundle/bundle.ts';
import type { OwnDevice } from '../../src/whatsmeow/session-conversion.ts';
import type { RatchetChain, SessionRecord, SessionState } from '../../src/whatsmeow/session-record.ts';

type LegacySession = LegacySessionRecordV1['sessions'][number]['session'];

const bytes = (base64: string): Uint8Array => new Uint8Array(Buffer.from(base64, 'base64'));
const plain = (buffer: Buffer): Uint8Array => new Uint8Array(buffer);

/** A record of libsignal. */
export const toLegacyRecord = ({ _sessions }: BundleSession): LegacySessionRecordV1 => ({
  sessions: Object.entries(_sessions).map(([id, state]) => ({ indexKey: bytes(id), session: toLegacySession(state) })),
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
        public: bytes(currentRatchet.ephemeralKeyPair.pubKey),
        private: bytes(currentRatchet.ephemeralKeyPair.privKey),
      },
      lastRemoteEphemeralKey: bytes(currentRatchet.lastRemoteEphemeralKey),
      previousCounter: currentRatchet.previousCounter,
      rootKey: bytes(currentRatchet.rootKey),
    },
    index: {
      baseKey: bytes(indexInfo.baseKey),
      baseKeyRole: indexInfo.baseKeyType,
      closedTimestamp: indexInfo.closed,
      usedAtMs: indexInfo.used,
      createdAtMs: indexInfo.created,
      remoteIdentityKey: bytes(indexInfo.remoteIdentityKey),
    },
    chains: Object.entries(_chains).map(([ratchetKey, { chainKey, chainType, messageKeys }]) => ({
      ratchetKey: bytes(ratchetKey),
      role: chainType,
      chainKey: { counter: chainKey.counter, key: chainKey.key === undefined ? undefined : bytes(chainKey.key) },
      messageKeys: Object.entries(messageKeys).map(([index, seed]) => ({ index: Number(index), seed: bytes(seed) })),
    })),
    pendingPreKey: pendingPreKey && {
      preKeyId: pendingPreKey.preKeyId,
      signedPreKeyId: pendingPreKey.signedKeyId,
      baseKey: bytes(pendingPreKey.baseKey),
    },
  };
}

/** Sorted, and without what neither program can know: the times, and the newest key until the first answer. */
export const comparable = ({ sessions }: LegacySessionRecordV1) =>
  sessions
    .toSorted((a, b) => hex(a.indexKey).localeCompare(hex(b.indexKey)))
    .map(({ indexKey, session: { ratchet, index, chains, ...session } }) => {
      const { lastRemoteEphemeralKey, ...known } = ratchet;
      return {
        ...session,
        indexKey: hex(indexKey),
        ratchet: session.pendingPreKey ? known : { ...known, lastRemoteEphemeralKey },
        baseKeyRole: index.baseKeyRole,
        isClosed: index.closedTimestamp !== -1,
        remoteIdentityKey: index.remoteIdentityKey,
        chains: chains.toSorted((a, b) => hex(a.ratchetKey).localeCompare(hex(b.ratchetKey))),
      };
    });

const hex = (value: Uint8Array): string => Buffer.from(value).toString('hex');

/** A copy with all bytes in hex, so that a difference is readable. */
export const readable = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_key, one: unknown) => (one instanceof Uint8Array ? hex(one) : one)));

/** A record of whatsmeow. The client has neither the chain without messages nor the keys of closed chains. */
export const toComponents = ({ current, previous }: SessionRecord, own: OwnDevice): SessionRecordComponents => ({
  currentSession: toSessionComponents(current, own),
  previousSessions: previous.map((state) => toSessionComponents(state, own)),
});

function toSessionComponents(state: SessionState, own: OwnDevice): SessionComponents {
  const { senderChain, receiverChains, pendingPreKey } = state;
  return {
    sessionVersion: 3,
    localIdentityPublic: plain(state.localIdentityKey),
    remoteIdentityPublic: plain(state.remoteIdentityKey),
    rootKey: plain(state.rootKey),
    previousCounter: state.previousCounter,
    senderChain: {
      senderRatchetKey: plain(senderChain.ratchetKey),
      senderRatchetKeyPrivate: plain(senderChain.ratchetPrivateKey ?? Buffer.alloc(0)),
      chainKey: { index: senderChain.index, key: plain(senderChain.key) },
      messageKeys: [],
    },
    receiverChains: receiverChains.filter(({ index }) => index > 0).map((chain) => toChainComponents(chain, own)),
    pendingKeyExchange: undefined,
    pendingPreKey: pendingPreKey && {
      preKeyId: pendingPreKey.preKeyId,
      signedPreKeyId: pendingPreKey.signedPreKeyId,
      baseKey: plain(pendingPreKey.baseKey),
      kyberPreKeyId: undefined,
      kyberCiphertext: undefined,
    },
    remoteRegistrationId: state.remoteRegistrationId,
    localRegistrationId: state.localRegistrationId,
    needsRefresh: undefined,
    aliceBaseKey: plain(state.baseKey),
  };
}

function toChainComponents({ ratchetKey, index, key, skipped }: RatchetChain, own: OwnDevice) {
  const isClosed = key.equals(own.closedChainKey(ratchetKey));
  return {
    senderRatchetKey: plain(ratchetKey),
    chainKey: { index, key: isClosed ? undefined : plain(key) },
    messageKeys: skipped.map(({ index: number, cipherKey, macKey, iv }) => ({
      index: number,
      material: { kind: 'derived' as const, cipherKey: plain(cipherKey), macKey: plain(macKey), iv: plain(iv) },
    })),
  };
}
