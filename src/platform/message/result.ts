// A sent message as send operations answer it (interface §2.2).
import type { Json, JsonObject, Message } from '../../events.ts';

export interface SentMessage {
  key: { remoteJid: string; fromMe: boolean; id: string; participant?: string };
  /** One content object, named after the kind. */
  message: JsonObject;
  /** Seconds since the epoch, as a decimal string. */
  messageTimestamp: string;
  status: 'PENDING';
}

export function toSentMessage({ key, message, messageType, messageTimestamp }: Message): SentMessage {
  const { remoteJid, fromMe, id, participant } = key;
  const content = withoutLevels(message[messageType]);
  return {
    key: { remoteJid, fromMe, id, ...(participant ? { participant } : {}) },
    message: content === undefined ? {} : { [messageType]: content },
    messageTimestamp: String(messageTimestamp),
    status: 'PENDING',
  };
}

/** The interface's audioMessage has no levels of the voice note. */
function withoutLevels(content: Json | undefined): Json | undefined {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return content;
  const { waveform: _, ...shown } = content;
  return shown;
}
