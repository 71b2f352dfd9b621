// The stored messages to which received messages refer: the poll of a vote, and the message that an encrypted edit or
// reaction is about. Each stored message has a secret, which decrypts the vote, edit or reaction. No I/O. Decisions
// D-068 and D-199.
import type { Message } from '../../events/events.ts';
import { normalizeMessageContent, type proto } from '../baileys/proto.ts';

/**
 * Messages by targetKey(). They are loaded from the database for a batch, a group of received messages that are handled
 * together. The messages of the batch itself are added while it is mapped to events, so that later messages of the
 * batch can refer to them.
 */
export type TargetMessages = Map<string, Message>;

/**
 * Returns the key of a message in TargetMessages: its chat and its id. The chat is included because a message may refer
 * only to messages of its own chat.
 */
export const targetKey = ({ remoteJid, id }: Pick<Message['key'], 'remoteJid' | 'id'>): string => `${remoteJid}|${id}`;

/** Returns the secret that the sender of a message put into its content. Undefined when there is none. */
export function messageSecretIn(content: proto.IMessage): Uint8Array | undefined {
  const infos = [content.messageContextInfo, normalizeMessageContent(content)?.messageContextInfo];
  return infos.find((info) => info?.messageSecret?.length)?.messageSecret ?? undefined;
}
