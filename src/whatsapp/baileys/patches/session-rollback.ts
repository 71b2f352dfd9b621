// Trying a message with a session that it is not for leaves that session as it was. libsignal 6.0.0 steps the ratchet before it checks the
// MAC, and stores every session of a device when one of them fits: those tried before it could never read or be read again.
import { createRequire } from 'node:module';

/** One session with a device, as libsignal holds it; there are several after both sides began at the same time, or one began anew. */
interface Entry {
  serialize(): object;
}

interface Cipher {
  doDecryptWhisperMessage(message: Buffer, session: Entry): Promise<Buffer>;
  decryptWithSessions(message: Buffer, sessions: Entry[]): Promise<unknown>;
}

const requireFromBaileys = createRequire(import.meta.resolve('@whiskeysockets/baileys'));
const { prototype }: { prototype: Cipher } = requireFromBaileys('libsignal/src/session_cipher.js');
const { doDecryptWhisperMessage: decrypt, decryptWithSessions: tryAll } = prototype;

/** Sessions that are not the only one of their device: with one, nothing is stored when it does not fit. */
const rivals = new WeakSet<Entry>();

/** Process-wide; call it before the first socket. Calling it again changes nothing. */
export function restoreSessionOnFailure(): void {
  prototype.decryptWithSessions = async function (message, sessions) {
    if (sessions.length > 1) for (const session of sessions) rivals.add(session);
    return tryAll.call(this, message, sessions);
  };
  prototype.doDecryptWhisperMessage = async function (message, session) {
    if (!rivals.has(session)) return decrypt.call(this, message, session);
    const before = session.serialize();
    try {
      return await decrypt.call(this, message, session);
    } catch (error) {
      Object.assign(session, restored(session, before));
      throw error;
    }
  };
}

function restored(session: Entry, data: object): Entry {
  const { deserialize }: { deserialize: (data: object) => Entry } = Reflect.get(session, 'constructor');
  return deserialize.call(session.constructor, data);
}
