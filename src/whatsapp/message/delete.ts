// Deletes a message for everyone: an own message, or any message in a group of which this account is an admin
// (interface §4.4).

import { GatewayError } from '../../errors.ts';
import type { Message } from '../../events/events.ts';
import { isChannelJid, isGroup } from '../address/jid.ts';
import { proto } from '../baileys/proto.ts';
import { COMPATIBILITY_PHRASES } from '../compatibility-phrases.ts';
import { getGroup } from '../group/query.ts';
import { send } from '../outbound/send.ts';
import { findStoredMessage } from '../outbound/target-message.ts';
import type { Session } from '../session.ts';
import { deletePost } from './channel-post-changes.ts';
import { isChatOf } from './edit.ts';

export interface DeleteInput {
  id: string;
  fromMe: boolean;
  remoteJid: string;
}

const FAILURE = { text: COMPATIBILITY_PHRASES.deleteForEveryone };

/**
 * Resolves with the deletion as a message of its own; the stored content is removed. Throws MESSAGE_NOT_FOUND for a
 * message that is not stored, MESSAGE_NOT_EDITABLE when this account may not delete it, INVALID_REQUEST when the key
 * does not match the message, GROUP_FORBIDDEN, and as send() and deletePost().
 */
export async function deleteForEveryone(session: Session, { id, fromMe, remoteJid }: DeleteInput): Promise<Message> {
  const isNamed = (message: Message) => message.key.fromMe === fromMe && isChatOf(message, remoteJid);
  const original = await findStoredMessage(session, id, isNamed);
  if (!original || !isChatOf(original, remoteJid))
    throw new GatewayError('MESSAGE_NOT_FOUND', ['Message not found'], { certain: true });
  if (original.key.fromMe !== fromMe)
    throw new GatewayError('INVALID_REQUEST', [['fromMe does not match the message']], { certain: true });
  if (original.status === 'DELETED') throw notDeletable('Message is deleted');
  const { key } = original;
  if (isChannelJid(key.remoteJid)) return deletePost(session, original);
  const participant = fromMe ? undefined : await authorOf(session, original);
  return send(session, {
    number: key.remoteJid,
    kind: 'protocolMessage',
    presence: 'composing',
    // WhatsApp distinguishes deletions by the author (7) and by an admin (8).
    attributes: { edit: fromMe ? '7' : '8' },
    content: () => ({
      protocolMessage: {
        key: { remoteJid: key.remoteJid, fromMe, id, ...(participant ? { participant } : {}) },
        type: proto.Message.ProtocolMessage.Type.REVOKE,
      },
    }),
    event: (sent) => ({ type: 'messages.delete', key, at: Date.now(), sent }),
  });
}

const notDeletable = (why: string) => new GatewayError('MESSAGE_NOT_EDITABLE', [why], { certain: true });

/** Returns the author of another person's message, as the group addresses that person. */
async function authorOf(session: Session, { key }: Message): Promise<string | undefined> {
  if (!isGroup(key.remoteJid)) throw notDeletable('Only messages sent by this instance can be deleted for everyone');
  const { participants, addressingMode } = await getGroup(session, key.remoteJid, FAILURE);
  const me = session.me();
  const own = participants.find(({ id, phoneNumber }) =>
    [me?.jid, me?.lid].some((jid) => jid === id || jid === phoneNumber),
  );
  if (!own?.admin) {
    throw new GatewayError('GROUP_FORBIDDEN', [FAILURE.text, 'Error: only admins delete the messages of others'], {
      certain: true,
    });
  }
  return addressingMode === 'lid' ? (key.participantAlt ?? key.participant) : key.participant;
}
