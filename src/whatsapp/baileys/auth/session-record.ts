// The stored form of Signal sessions: what SessionRecord.serialize() of libsignal 6.0.0 returns. Bytes are base64.

/** A chain of message keys. Each encryption or decryption advances it. */
export interface SessionChain {
  /** `key` is absent in a closed chain. */
  chainKey: { counter: number; key?: string };
  /** SENDING or RECEIVING. */
  chainType: number;
  messageKeys: Record<string, string>;
}

/** A session with a device. */
export interface SessionEntry {
  /** Absent in a session that is not complete. */
  registrationId?: number;
  currentRatchet: {
    ephemeralKeyPair: { pubKey: string };
    /** Counter of the last message of the previous sending chain. */
    previousCounter?: number;
  };
  indexInfo: {
    /** OPEN, or the time of closing in epoch ms. */
    closed: number;
    /** Epoch ms. */
    created: number;
    /** Time of the last message, epoch ms. */
    used: number;
    /** THEIRS, or 1 for a session that this side has started. */
    baseKeyType: number;
    remoteIdentityKey: string;
  };
  /** The chains by the public key of their ratchet. */
  _chains: Record<string, SessionChain>;
  /** The keys that the first messages of a session contain. Absent after a message of the other side. */
  pendingPreKey?: { preKeyId?: number; signedKeyId: number; baseKey: string };
}

/**
 * All sessions with a device, by base key (the ephemeral public key of the side that started the session). At most one
 * session is open.
 */
export interface SessionRecord {
  _sessions: Record<string, SessionEntry>;
  version: string;
}

/** Type of the chains with which this side encrypts. */
const SENDING = 1;
/** Type of the chains of received messages. */
export const RECEIVING = 2;
/** The value of `indexInfo.closed` in an open session. */
export const OPEN = -1;
/** The value of `indexInfo.baseKeyType` in a session that the other side has started. */
export const THEIRS = 2;
const VERSION = 'v1';
/** Maximum number of sessions in a record, the same as in libsignal 6.0.0. */
const MAX_SESSIONS = 40;

/** True for a record of the version that these types describe. Does not check the sessions. */
export function isSessionRecord(value: unknown): value is SessionRecord {
  if (typeof value !== 'object' || value === null || !('version' in value) || !('_sessions' in value)) return false;
  return value.version === VERSION && typeof value._sessions === 'object' && value._sessions !== null;
}

/** The session that encrypts messages, and its sending chain `_sessions[baseKey]._chains[ratchetKey]` in the record. */
export interface SendingSession {
  baseKey: string;
  session: SessionEntry;
  ratchetKey: string;
  chain: SessionChain;
  /** Base64. */
  chainKey: string;
}

/**
 * Returns the open session, which encrypts messages. Undefined when no session is open, or when the open session cannot
 * encrypt.
 */
export function sendingSessionIn({ _sessions }: SessionRecord): SendingSession | undefined {
  for (const baseKey in _sessions) {
    const session = _sessions[baseKey];
    if (session?.indexInfo.closed !== OPEN) continue;
    const ratchetKey = session.currentRatchet.ephemeralKeyPair.pubKey;
    const chain = session._chains[ratchetKey];
    const chainKey = chain?.chainKey.key;
    const isUsable = typeof session.registrationId === 'number' && chain?.chainType === SENDING;
    return isUsable && chainKey ? { baseKey, session, ratchetKey, chain, chainKey } : undefined;
  }
  return undefined;
}

/**
 * Returns a copy of `record` in which `session` has another key in one of its chains. The copy shares all parts that do
 * not change.
 */
export function withChainKey(
  record: SessionRecord,
  { baseKey, session, ratchetKey, chain }: Omit<SendingSession, 'chainKey'>,
  chainKey: SessionChain['chainKey'],
): SessionRecord {
  const nextSession = { ...session, _chains: { ...session._chains, [ratchetKey]: { ...chain, chainKey } } };
  return { ...record, _sessions: { ...record._sessions, [baseKey]: nextSession } };
}

/**
 * Returns a record with the sessions of two records of one device. A session that is in both records is taken from
 * `second`. Of two open sessions, the one that was created later stays open; at equal times, the session of `second`.
 *
 * Keeps at most MAX_SESSIONS and leaves out the sessions that were closed the longest ago. libsignal has the same
 * limit, but applies it only when it encrypts or decrypts. A device that decrypts nothing can request a new session
 * with each message. Does not change the given records.
 */
export function mergeSessions(first: SessionRecord | undefined, second: SessionRecord): SessionRecord {
  if (!first) return second;
  const all = Object.entries({ ...first._sessions, ...second._sessions });
  const byCreation = all.toSorted(([, one], [, other]) => one.indexInfo.created - other.indexInfo.created);
  const open = byCreation.findLast(([, { indexInfo }]) => indexInfo.closed === OPEN);
  const closed = all
    .filter(([baseKey]) => baseKey !== open?.[0])
    .map(([baseKey, session]): [string, SessionEntry] => [baseKey, toClosed(session)]);
  const newestFirst = closed.toSorted(([, one], [, other]) => other.indexInfo.closed - one.indexInfo.closed);
  const kept = new Set(newestFirst.slice(0, MAX_SESSIONS - 1).map(([baseKey]) => baseKey));
  const _sessions = Object.fromEntries([...closed.filter(([baseKey]) => kept.has(baseKey)), ...(open ? [open] : [])]);
  return { ...second, _sessions };
}

/**
 * Returns a record with the sessions of `earlier`, all closed, and the sessions of `record`. Unlike mergeSessions(),
 * does not compare times of creation, because the clock can have been set back. Does not change the given records.
 */
export function withNewSession(earlier: SessionRecord | undefined, record: SessionRecord): SessionRecord {
  if (!earlier) return record;
  const closed = Object.entries(earlier._sessions).map(([baseKey, session]) => [baseKey, toClosed(session)] as const);
  return mergeSessions({ ...earlier, _sessions: Object.fromEntries(closed) }, record);
}

function toClosed(session: SessionEntry): SessionEntry {
  const { indexInfo } = session;
  return indexInfo.closed === OPEN ? { ...session, indexInfo: { ...indexInfo, closed: Date.now() } } : session;
}

/**
 * Copies changes of `current`, the record in memory, into `written`, the record that Baileys writes next. Baileys
 * decrypts a message with a copy of the record and writes this copy later, so `written` lacks what has changed in
 * `current` since the copy was made. Two kinds of changes are copied:
 * - the positions of the sending chains;
 * - the sessions that only `current` has and that are newer than each session that both records have. An older session
 *   that only `current` has was removed from `written`, and stays removed.
 */
export function keepChanges(current: SessionRecord, written: SessionRecord): void {
  keepSendingPositions(current, written);
  const inBoth = Object.entries(written._sessions).filter(([baseKey]) => current._sessions[baseKey]);
  const newestInBoth = Math.max(...inBoth.map(([, { indexInfo }]) => indexInfo.created));
  const isAdded = ([baseKey, { indexInfo }]: [string, SessionEntry]) =>
    !written._sessions[baseKey] && indexInfo.created > newestInBoth;
  const added = Object.entries(current._sessions).filter(isAdded);
  if (added.length === 0) return;
  const { version } = current;
  written._sessions = mergeSessions({ version, _sessions: Object.fromEntries(added) }, written)._sessions;
}

/**
 * Changes `written` so that no sending chain is behind its position in `current`. A message that was encrypted after
 * the copy was made has advanced the chain in `current`, and the key of this message must not be used again.
 */
function keepSendingPositions(current: SessionRecord, written: SessionRecord): void {
  for (const baseKey in written._sessions) {
    const chains = written._sessions[baseKey]?._chains ?? {};
    const currentChains = current._sessions[baseKey]?._chains;
    for (const id in currentChains) {
      const chain = chains[id];
      const currentChain = currentChains[id];
      if (!chain || !currentChain || chain.chainType !== SENDING) continue;
      if (currentChain.chainKey.counter > chain.chainKey.counter) chain.chainKey = currentChain.chainKey;
    }
  }
}
