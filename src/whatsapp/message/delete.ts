// Takes a message back for everyone: an own one, or in a group where this account is an admin anybody's (interface §4.4).

import { GatewayError } from '../../errors.ts';
import type { Message } from '../../events/events.ts';
import { isGroup, isNewsletter } from '../address/jid.ts';
import { proto } from '../baileys/proto.ts';
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

const FAILURE = { text: 'Error while deleting message for everyone' };

/**
 * Sends the deletion and resolves with it as a message of its own; the store forgets the content. Throws MESSAGE_NOT_FOUND when the store
 * does not have the message, MESSAGE_NOT_EDITABLE when it is not ours to delete, INVALID_REQUEST for a key that is another message's,
 * GROUP_FORBIDDEN, and what send() and deletePost() throw.
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
  if (isNewsletter(key.remoteJid)) return deletePost(session, original);
  const participant = fromMe ? undefined : await authorOf(session, original);
  return send(session, {
    number: key.remoteJid,
    kind: 'protocolMessage',
    presence: 'composing',
    // What the platform tells the deletion by an author and by an admin apart with.
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

/** Somebody else's message: its author as the group addresses them. */
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
