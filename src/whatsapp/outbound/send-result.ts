// Converts a sent message to the response body of the send operations.

import type { StatusChange } from '../../events/event-batch.ts';
import type { Json, JsonObject, Message, MessageStatus } from '../../events/events.ts';
import { type SendWarning, warningsOf } from './send-warnings.ts';

export interface SentMessage {
  key: { remoteJid: string; fromMe: boolean; id: string; participant?: string };
  /** The content under the name of its messageType. A poll also has `messageContextInfo`. */
  message: JsonObject;
  /** Epoch seconds as a decimal string. */
  messageTimestamp: string;
  /** PENDING, or the status that the message reached while the request waited for a status. */
  status: MessageStatus;
  /** Error code of the status ERROR. */
  code?: string;
  /** Reason of the status ERROR. */
  reason?: string;
  /** Names the parts of the request that the sent message lacks. Absent when the message contains all parts. */
  warnings?: SendWarning[];
}

/** Builds the response. `statusChange` is the status that arrived while the request waited for a status, if any. */
export function toSentMessage(sent: Message, statusChange?: StatusChange): SentMessage {
  const { key, message, messageType, messageTimestamp } = sent;
  const { remoteJid, fromMe, id, participant } = key;
  const content = withoutWaveform(message[messageType]);
  const warnings = [...warningsOf(sent)];
  return {
    key: { remoteJid, fromMe, id, ...(participant ? { participant } : {}) },
    message: content === undefined ? {} : { [messageType]: content, ...pollContextOf(sent) },
    messageTimestamp: String(messageTimestamp),
    status: statusChange?.status ?? 'PENDING',
    ...(statusChange?.code ? { code: statusChange.code } : {}),
    ...(statusChange?.reason ? { reason: statusChange.reason } : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}

/**
 * Returns the messageContextInfo of a poll, which contains the secret that decrypts the votes. Empty for other kinds.
 */
const pollContextOf = ({ messageType, message: { messageContextInfo } }: Message): JsonObject =>
  messageType.startsWith('pollCreation') && messageContextInfo !== undefined ? { messageContextInfo } : {};

/** Removes `waveform`, which the documented audioMessage of the API does not have. */
function withoutWaveform(content: Json | undefined): Json | undefined {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return content;
  const { waveform: _, ...rest } = content;
  return rest;
}
