// Reports edits, deletions and encrypted changes as messages, so that the gateway can check their author. Decisions
// D-152 and D-199.
// Why: Baileys applies an edit or a deletion without comparing its author with that of the message. Its event buffer
//   merges messages with the same id, even of different senders. Any group member can change or delete messages of
//   others, or set the disappearing-message timer. Baileys counts an encrypted edit or reaction as a new message, which
//   takes its chat out of the archive.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: `processMessage` compares the authors and knows encrypted edits, and the buffer's key contains the
//   author.
import {
  type BaileysEventMap,
  isLidUser,
  isPnUser,
  normalizeMessageContent,
  proto,
  type WAMessage,
  type WASocket,
} from '../library.ts';

type Upsert = BaileysEventMap['messages.upsert'];

const { EPHEMERAL_SETTING } = proto.Message.ProtocolMessage.Type;

/**
 * Emits edits and deletions in messages.upsert, and keeps Baileys from applying them. In the event buffer, a message
 * never replaces a message of another author. Drops the content of a group member's message that changes the
 * disappearing-message timer. `isChange` returns true for a message that changes another message.
 */
export function patchEditsAndDeletions({ ev }: Pick<WASocket, 'ev'>, isChange: (message: WAMessage) => boolean): void {
  const { emit } = ev;
  /** Author of each buffered message, by its key in the event buffer. */
  const authors = new Map<string, string>();
  // Baileys calls this function whenever it emits events, also when it empties the buffer.
  ev.process(() => authors.clear());
  ev.emit = (event, data) => {
    if (!isUpsert(event, data)) return emit(event, data);
    const messages = data.messages.map((message) => hideChange(message, isChange));
    for (const { key } of messages) {
      // Baileys' event buffer stores the message under this key.
      const bufferKey = `${key.remoteJid},${key.id},${key.fromMe}`;
      const author = key.participant ?? '';
      // Emptying the buffer emits the message of the other author before it can be replaced.
      if ((authors.get(bufferKey) ?? author) !== author) ev.flush();
      authors.set(bufferKey, author);
    }
    return emit('messages.upsert', { ...data, messages });
  };
}

const isUpsert = (event: keyof BaileysEventMap, _data: unknown): _data is Upsert => event === 'messages.upsert';

/**
 * Returns the message to emit. If the message is a change or a forged timer, sets its content (`message.message`) to
 * null, because Baileys processes the object after the emission and would apply the change. The returned copy of a
 * change keeps its content.
 */
function hideChange(message: WAMessage, isChange: (message: WAMessage) => boolean): WAMessage {
  const isForged = isForgedTimer(message);
  if (!isForged && !isChange(message)) return message;
  const emitted = isForged ? { ...message, message: null } : { ...message };
  message.message = null;
  return emitted;
}

/**
 * True for a message of a group member that changes the disappearing-message timer. Only WhatsApp's own notification
 * sets the timer of a group. Baileys turns that notification into an instance of WebMessageInfo, and messages into
 * plain objects.
 */
function isForgedTimer(message: WAMessage): boolean {
  const chat = message.key.remoteJid ?? '';
  if (isPnUser(chat) || isLidUser(chat) || message instanceof proto.WebMessageInfo) return false;
  return normalizeMessageContent(message.message)?.protocolMessage?.type === EPHEMERAL_SETTING;
}
