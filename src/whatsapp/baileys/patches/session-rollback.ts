// Restores a Signal session after it failed to decrypt a message.
// Why: libsignal advances the ratchet (the chain of Signal keys) before it checks the MAC. When a device has several
//   sessions, libsignal tries them in turn and stores all of them after one succeeds. Those that it tried before are
//   then stored in a wrong state: neither side can decrypt messages of the other in these sessions any more.
// Upstream: not reported; WhiskeySockets/Baileys issues #1754 and #2079 show the resulting "Bad MAC" errors, without
//   this cause.
// Applies to: libsignal 6.0.0.
// Remove when: `doDecryptWhisperMessage` leaves the session unchanged when the MAC is wrong.
import { createRequire } from 'node:module';

/** One session with a device. A device has several after both sides have started one, or one side has started two. */
interface SessionEntry {
  serialize(): object;
}

interface SessionCipher {
  doDecryptWhisperMessage(message: Buffer, session: SessionEntry): Promise<Buffer>;
  decryptWithSessions(message: Buffer, sessions: SessionEntry[]): Promise<unknown>;
}

const requireFromBaileys = createRequire(import.meta.resolve('@whiskeysockets/baileys'));
const { prototype }: { prototype: SessionCipher } = requireFromBaileys('libsignal/src/session_cipher.js');
const { doDecryptWhisperMessage, decryptWithSessions } = prototype;

/**
 * Sessions of devices that have several sessions. The only session of a device needs no rollback, because libsignal
 * does not store it after a failure.
 */
const sessionsWithSiblings = new WeakSet<SessionEntry>();

/** Makes libsignal restore a session after a failure. Applies to the whole process. Idempotent. */
export function installSessionRollback(): void {
  prototype.decryptWithSessions = async function (message, sessions) {
    if (sessions.length > 1) {
      for (const session of sessions) sessionsWithSiblings.add(session);
    }
    return decryptWithSessions.call(this, message, sessions);
  };
  prototype.doDecryptWhisperMessage = async function (message, session) {
    if (!sessionsWithSiblings.has(session)) return doDecryptWhisperMessage.call(this, message, session);
    const backup = session.serialize();
    try {
      return await doDecryptWhisperMessage.call(this, message, session);
    } catch (error) {
      Object.assign(session, deserialize(session, backup));
      throw error;
    }
  };
}

/** Creates a session from serialized data. libsignal does not export the class, so it is taken from an instance. */
function deserialize(session: SessionEntry, data: object): SessionEntry {
  const sessionClass: { deserialize: (data: object) => SessionEntry } = Reflect.get(session, 'constructor');
  return sessionClass.deserialize(data);
}
