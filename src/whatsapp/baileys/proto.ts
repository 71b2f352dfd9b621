// Messages in the platform's protobuf form: the definitions, and what only the library can do with them.
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

/** Content of a message: one member named after its kind. */
export type MessageContent = proto.IMessage;
