// Deletes a message for everyone: a message of this account, or any message in a group in which this account is an
// admin. Decision D-096.

import { COMPATIBILITY_PHRASES } from '../../compatibility-phrases.ts';
import { GatewayError, invalidRequestError } from '../../errors.ts';
import type { Message } from '../../events/events.ts';
import { isBroadcast, isChannelJid, isGroup } from '../address/jid.ts';
import { proto } from '../baileys/proto.ts';
import { getGroup } from '../group/query.ts';
import { send } from '../outbound/send.ts';
import { findStoredMessage, isInChat } from '../outbound/target-message.ts';
import type { Session } from '../session.ts';
import { deletePost } from './channel-post-changes.ts';
import { chatJidsOf } from './edit.ts';

/** The key of the message to delete. */
export interface DeleteInput {
  id: string;
  fromMe: boolean;
  remoteJid: string;
}

/** The error text when the group cannot be read or forbids the deletion. */
const FAILURE = { text: COMPATIBILITY_PHRASES.deleteForEveryone };

/**
 * Resolves with the message that carries the deletion to WhatsApp. The stored content of the deleted message is removed
 * before WhatsApp acknowledges the deletion. If the deletion fails, the caller can repeat it. Throws:
 * - MESSAGE_NOT_FOUND for a message that is not stored;
 * - INVALID_REQUEST when `fromMe` does not match the message;
 * - MESSAGE_NOT_EDITABLE for another person's message in a private chat, for a channel post that is already deleted,
 *   and for a status or a message to a broadcast list;
 * - GROUP_FORBIDDEN for another person's message when this account is not an admin;
 * - the errors of send() and deletePost().
 */
export async function deleteForEveryone(session: Session, { id, fromMe, remoteJid }: DeleteInput): Promise<Message> {
  const jids = await chatJidsOf(session, remoteJid, 'remoteJid');
  const matchesRequest = (message: Message) => message.key.fromMe === fromMe && isInChat(message, jids);
  const original = await findStoredMessage(session, id, matchesRequest);
  // If no stored message matches, findStoredMessage() returns another message with this id, or null.
  if (!original || !isInChat(original, jids))
    throw new GatewayError('MESSAGE_NOT_FOUND', ['Message not found'], { certain: true });
  if (original.key.fromMe !== fromMe) throw invalidRequestError('fromMe does not match the message');
  const { key } = original;
  // WhatsApp delivers a deletion only to the people that its stanza names. The recipients of statuses and of messages
  // to broadcast lists are not stored.
  if (isBroadcast(key.remoteJid))
    throw notDeletableError(
      'Statuses and messages to broadcast lists cannot be deleted here: their recipients are not stored. Delete it on the phone.',
    );
  if (isChannelJid(key.remoteJid)) {
    // The deletion of a post is stored only after WhatsApp has acknowledged it. Other deletions are stored earlier and
    // can have failed, so they may be repeated.
    if (original.status === 'DELETED') throw notDeletableError('Message is deleted');
    return deletePost(session, original);
  }
  const participant = fromMe ? undefined : await authorForAdminDeletion(session, original);
  return send(session, {
    number: key.remoteJid,
    kind: 'protocolMessage',
    presence: 'composing',
    continuesChat: true,
    content: () => ({
      protocolMessage: {
        key: { remoteJid: key.remoteJid, fromMe, id, ...(participant ? { participant } : {}) },
        type: proto.Message.ProtocolMessage.Type.REVOKE,
      },
    }),
    event: (sent) => ({ type: 'messages.delete', key, at: Date.now(), sent }),
  });
}

const notDeletableError = (reason: string) => new GatewayError('MESSAGE_NOT_EDITABLE', [reason], { certain: true });

/**
 * Returns the author of another person's message, addressed as the group addresses its members: by phone number, or by
 * LID (id that hides the number). Throws unless this account is an admin of the group.
 */
async function authorForAdminDeletion(session: Session, { key }: Message): Promise<string | undefined> {
  if (!isGroup(key.remoteJid))
    throw notDeletableError('Only messages sent by this instance can be deleted for everyone');
  const { participants, addressingMode } = await getGroup(session, key.remoteJid, FAILURE);
  const me = session.me();
  const ownEntry = participants.find(({ id, phoneNumber }) =>
    [me?.jid, me?.lid].some((jid) => jid === id || jid === phoneNumber),
  );
  if (!ownEntry?.admin) {
    throw new GatewayError('GROUP_FORBIDDEN', [FAILURE.text, 'Error: only admins delete the messages of others'], {
      certain: true,
    });
  }
  // If both addresses are known, `participant` is the phone number and `participantAlt` the LID.
  return addressingMode === 'lid' ? (key.participantAlt ?? key.participant) : key.participant;
}
