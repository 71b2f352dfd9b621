// Limits the sessions in which libsignal tries a message, and restores a session that failed to decrypt it.
// Why: libsignal advances the ratchet (the chain of Signal keys) before it checks the MAC. When a device has several
//   sessions, libsignal tries them in turn and stores all of them after one succeeds. The sessions that failed before
//   are then stored in a wrong state: neither side can decrypt messages of the other in these sessions any more. And
//   one forged message derives up to 4,000 keys in each of up to 40 sessions, which blocks the process for a second.
// Upstream: docs/internals/upstream-security.md, "A message is tried in all sessions of its sender". The wrong state is
//   not reported. WhiskeySockets/Baileys issues #1754 and #2079 show the resulting "Bad MAC" errors, but do not name
//   this cause.
// Applies to: libsignal 6.0.0.
// Remove when: `doDecryptWhisperMessage` leaves the session unchanged when the MAC is wrong, and `decryptWithSessions`
//   limits the keys that all sessions derive for a message.
import { createRequire } from 'node:module';
import { OPEN } from '../auth/session-record.ts';
import { MAC_LENGTH } from '../auth/signal-message.ts';

interface SessionChain {
  chainKey: { counter: number };
}

/** One session with a device. A device has several after both sides have started one, or one side has started two. */
interface SessionEntry {
  currentRatchet: { lastRemoteEphemeralKey: Buffer };
  /** `closed` is OPEN in an open session. */
  indexInfo: { closed: number };
  /** Returns the chain for a ratchet key of either side. */
  getChain(ratchetKey: Buffer): SessionChain | undefined;
  serialize(): object;
}

/** The fields of a message that decide how many keys a session derives for it. */
interface MessageHeader {
  /** Ratchet key of the sender. */
  ephemeralKey: Buffer;
  counter: number;
  /** Number of messages of the sender's previous ratchet key. */
  previousCounter: number;
}

interface SessionCipher {
  doDecryptWhisperMessage(message: Buffer, session: SessionEntry): Promise<Buffer>;
  decryptWithSessions(message: Buffer, sessions: SessionEntry[]): Promise<unknown>;
}

const requireFromBaileys = createRequire(import.meta.resolve('@whiskeysockets/baileys'));
const { prototype }: { prototype: SessionCipher } = requireFromBaileys('libsignal/src/session_cipher.js');
const { WhisperMessage }: { WhisperMessage: { decode(bytes: Uint8Array): MessageHeader } } =
  requireFromBaileys('libsignal/src/protobufs.js');
const { doDecryptWhisperMessage, decryptWithSessions } = prototype;

const VERSION_LENGTH = 1;
/**
 * Maximum number of keys that a closed session derives for a message with an unknown ratchet key. A device that writes
 * in a closed session with a new ratchet key has just started to do so, so only a few of its messages can be missing.
 */
const MAX_KEYS_OF_CLOSED_SESSION = 100;

/**
 * Sessions that libsignal tries in turn for one message. A session that is tried alone needs no rollback, because
 * libsignal does not store it after a failure.
 */
const sessionsInTrial = new WeakSet<SessionEntry>();

/**
 * Makes libsignal try fewer sessions, and restore a session after a failure. Applies to the whole process. Idempotent.
 */
export function installSessionRollback(): void {
  prototype.decryptWithSessions = async function (message, sessions) {
    const candidates = sessions.length > 1 ? candidatesFor(message, sessions) : sessions;
    if (candidates.length > 1) {
      for (const session of candidates) sessionsInTrial.add(session);
    }
    return decryptWithSessions.call(this, message, candidates);
  };
  prototype.doDecryptWhisperMessage = async function (message, session) {
    if (!sessionsInTrial.has(session)) return doDecryptWhisperMessage.call(this, message, session);
    const backup = session.serialize();
    try {
      return await doDecryptWhisperMessage.call(this, message, session);
    } catch (error) {
      Object.assign(session, deserialize(session, backup));
      throw error;
    }
  };
}

/**
 * Returns the sessions in which `message` is tried. Only one session can have a chain for the ratchet key of the
 * message, because the sender creates each ratchet key for one session. libsignal itself limits the keys that this
 * session or the open session derives.
 */
function candidatesFor(message: Buffer, sessions: SessionEntry[]): SessionEntry[] {
  const header = headerOf(message);
  // A malformed message fails in every session, so one session is enough.
  if (!header) return sessions.slice(0, 1);
  const known = sessions.find((session) => session.getChain(header.ephemeralKey));
  if (known) return [known];
  const candidates = sessions.filter(
    (session) => session.indexInfo.closed === OPEN || newKeysIn(session, header) <= MAX_KEYS_OF_CLOSED_SESSION,
  );
  // For an empty list, libsignal would report that the device has no session.
  return candidates.length > 0 ? candidates : sessions.slice(0, 1);
}

/** Returns the header of a message; undefined for a malformed message. */
function headerOf(message: Buffer): MessageHeader | undefined {
  try {
    const header = WhisperMessage.decode(message.subarray(VERSION_LENGTH, -MAC_LENGTH));
    return header.ephemeralKey instanceof Buffer ? header : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the number of keys that a session without a chain for the message derives for it. */
function newKeysIn(session: SessionEntry, { counter, previousCounter }: MessageHeader): number {
  const previous = session.getChain(session.currentRatchet.lastRemoteEphemeralKey);
  const skipped = previous ? Math.max(0, previousCounter - previous.chainKey.counter) : 0;
  return skipped + counter + 1;
}

/** Creates a session from serialized data. libsignal does not export the class, so it is taken from an instance. */
function deserialize(session: SessionEntry, data: object): SessionEntry {
  const sessionClass: { deserialize: (data: object) => SessionEntry } = Reflect.get(session, 'constructor');
  return sessionClass.deserialize(data);
}
