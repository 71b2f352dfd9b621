// Exports the definitions of WhatsApp's protobuf messages, and Baileys' functions that work on these messages.
import type { proto } from './library.ts';

export { PROCESSABLE_HISTORY_TYPES } from '@whiskeysockets/baileys/lib/Defaults/index.js';
export { cleanMessage } from '@whiskeysockets/baileys/lib/Utils/process-message.js';
export {
  decryptMediaRetryData,
  decryptMessageNode,
  decryptPollVote,
  encryptMediaRetryRequest,
  generateMessageIDV2 as generateMessageId,
  getContentType,
  getDevice,
  getHistoryMsg,
  normalizeMessageContent,
  proto,
} from './library.ts';

/**
 * Content of a message. Apart from `messageContextInfo`, one member is set. The name of this member is the type of the
 * message.
 */
export type MessageContent = proto.IMessage;
