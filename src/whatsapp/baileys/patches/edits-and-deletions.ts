// Keeps what people say about earlier messages out of Baileys' own hands. rc14 applies edits and deletions without asking who made them,
// and its buffer merges them into the message that bears the same id, whoever wrote it.
import {
  type BaileysEventMap,
  normalizeMessageContent,
  proto,
  type WAMessage,
  type WASocket,
} from '@whiskeysockets/baileys';
import { isLid, isUser } from '../../address/jid.ts';
import { correctionIn } from '../../content/edit.ts';

type Upsert = BaileysEventMap['messages.upsert'];

const { EPHEMERAL_SETTING } = proto.Message.ProtocolMessage.Type;

/**
 * From now on edits and deletions are reported in messages.upsert alone, and a message never takes the place of another author's in the
 * buffer. Timers of groups come from the platform only: what a member says of one is nothing.
 */
export function patchEditsAndDeletions({ ev }: Pick<WASocket, 'ev'>): void {
  const emit = ev.emit;
  /** Author by message, of the messages in the buffer. */
  const buffered = new Map<string, string>();
  ev.process(() => buffered.clear());
  ev.emit = (event, data) => {
    if (!isUpsert(event, data)) return emit(event, data);
    const messages = data.messages.map((message) => takeChange(message));
    for (const { key } of messages) {
      const name = `${key.remoteJid},${key.id},${key.fromMe}`;
      const author = key.participant ?? '';
      if ((buffered.get(name) ?? author) !== author) ev.flush();
      buffered.set(name, author);
    }
    return emit('messages.upsert', { ...data, messages });
  };
}

const isUpsert = (event: keyof BaileysEventMap, _data: unknown): _data is Upsert => event === 'messages.upsert';

/** The message for our own mapping; where it is a change, the one that Baileys goes on with is empty from now on. */
function takeChange(message: WAMessage): WAMessage {
  const isForged = isForgedTimer(message);
  if (!isForged && !correctionIn(message)) return message;
  const own = isForged ? { ...message, message: null } : { ...message };
  message.message = null;
  return own;
}

/** Groups are set by the platform's own notifications, of which rc14 makes instances of the protocol's class. */
function isForgedTimer(message: WAMessage): boolean {
  const chat = message.key.remoteJid ?? '';
  if (isUser(chat) || isLid(chat) || message instanceof proto.WebMessageInfo) return false;
  return normalizeMessageContent(message.message)?.protocolMessage?.type === EPHEMERAL_SETTING;
}
