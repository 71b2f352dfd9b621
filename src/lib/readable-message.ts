// Distinguishes messages that a person reads in a chat from messages that only change or answer another message.

/**
 * The content fields of messages that a chat does not show as a text, file or card of their own. Such messages have no
 * read state and do not count as unread.
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

/** True when a person reads messages of this type in a chat. The type of a message is the name of its content field. */
export const isReadableType = (messageType: string): boolean => !UNREADABLE_TYPES.has(messageType);
