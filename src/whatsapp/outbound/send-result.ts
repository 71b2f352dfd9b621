// The response of send operations for a sent message (interface §2.2).

import type { StatusChange } from '../../events/event-batch.ts';
import type { Json, JsonObject, Message, MessageStatus } from '../../events/events.ts';
import { type SendWarning, warningsOf } from './send-warnings.ts';

export interface SentMessage {
  key: { remoteJid: string; fromMe: boolean; id: string; participant?: string };
  /** One content object, named after the kind. */
  message: JsonObject;
  /** Seconds since the epoch, as a decimal string. */
  messageTimestamp: string;
  /** PENDING unless the request waited for a status. */
  status: MessageStatus;
  /** Code of an ERROR. */
  code?: string;
  reason?: string;
  /** Parts of the request that were left out. Absent when there are none. */
  warnings?: SendWarning[];
}

/** `outcome` is the status that the request waited for. */
export function toSentMessage(sent: Message, outcome?: StatusChange): SentMessage {
  const { key, message, messageType, messageTimestamp } = sent;
  const { remoteJid, fromMe, id, participant } = key;
  const content = withoutLevels(message[messageType]);
  const warnings = [...warningsOf(sent)];
  return {
    key: { remoteJid, fromMe, id, ...(participant ? { participant } : {}) },
    message: content === undefined ? {} : { [messageType]: content, ...secretOf(sent) },
    messageTimestamp: String(messageTimestamp),
    status: outcome?.status ?? 'PENDING',
    ...(outcome?.code ? { code: outcome.code } : {}),
    ...(outcome?.reason ? { reason: outcome.reason } : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}

/** Returns the secret of a poll, with which its votes can be read. */
const secretOf = ({ messageType, message: { messageContextInfo } }: Message): JsonObject =>
  messageType.startsWith('pollCreation') && messageContextInfo !== undefined ? { messageContextInfo } : {};

/** The interface's audioMessage has no waveform. */
function withoutLevels(content: Json | undefined): Json | undefined {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return content;
  const { waveform: _, ...shown } = content;
  return shown;
}
