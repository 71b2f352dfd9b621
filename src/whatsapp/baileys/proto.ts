// Protobuf messages of WhatsApp: their definitions, and Baileys' functions for them.
import type { proto } from '@whiskeysockets/baileys';

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
} from '@whiskeysockets/baileys';
export { PROCESSABLE_HISTORY_TYPES } from '@whiskeysockets/baileys/lib/Defaults/index.js';
export { cleanMessage } from '@whiskeysockets/baileys/lib/Utils/process-message.js';

/** Content of a message. It has one member, whose name is the kind of the message. */
export type MessageContent = proto.IMessage;
