// Distinguishes messages that a person reads in a chat from messages that only change or answer another message.

/**
 * The content fields of messages that are no text, file or card of their own: they have no read state and do not count
 * as unread.
 */
const UNREADABLE_TYPES: ReadonlySet<string> = new Set([
  'encCommentMessage',
  'encEventResponseMessage',
  'encReactionMessage',
  'keepInChatMessage',
  'pinInChatMessage',
  'pollUpdateMessage',
  'protocolMessage',
  'reactionMessage',
  'secretEncryptedMessage',
]);

/** True for a message whose content has this field when a person reads the message in the chat. */
export const isReadableType = (messageType: string): boolean => !UNREADABLE_TYPES.has(messageType);
