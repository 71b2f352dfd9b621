// Edits and deletes channel posts. A change is a `message` stanza with the id of the post. The gateway waits for
// WhatsApp's ack of this stanza, as for the answer to a query. Decision D-115.

import { GatewayError } from '../../errors.ts';
import type { DomainEvent, Message } from '../../events/events.ts';
import { generateMessageId, proto } from '../baileys/proto.ts';
import { POST_DELETED, POST_EDITED } from '../baileys/queries.ts';
import type { Stanza } from '../baileys/stanza.ts';
import { toJson } from '../content/message.ts';
import { toSentEvent } from '../content/sent-event.ts';
import { assertMayPost, toPostStanza } from '../outbound/channel-post.ts';
import { currentMessageIdentity } from '../outbound/message-id.ts';
import { QueryRefusal, queryWhatsApp } from '../query.ts';
import type { Session } from '../session.ts';

const { MESSAGE_EDIT, REVOKE } = proto.Message.ProtocolMessage.Type;

/**
 * Edits a post. Resolves with a message that describes the edit for the API and the store. WhatsApp never gets this
 * message. The member `certain` of an error is true when the post is unchanged, and false when the post is or may be
 * changed. Throws:
 * - the errors of assertMayPost() and queryWhatsApp();
 * - CHANNEL_REFUSED when WhatsApp refuses the edit;
 * - STORAGE_UNAVAILABLE (`certain: false`) when the edit was made but cannot be stored.
 */
export async function editPost(session: Session, { key }: Message, content: proto.IMessage): Promise<Message> {
  await sendChange(session, toPostStanza(key.remoteJid, key.id, content, { edit: POST_EDITED }));
  const edit = describeChange(session, key, { type: MESSAGE_EDIT, editedMessage: content, timestampMs: Date.now() });
  // As in other chats, the event is `send.message.update`.
  await storeAndPublish(session, toSentEvent(edit), edit);
  return edit;
}

/**
 * Deletes a post. Resolves with a message that describes the deletion for the API. WhatsApp never gets this message.
 * Throws the errors of editPost(), for the deletion instead of the edit.
 */
export async function deletePost(session: Session, { key }: Message): Promise<Message> {
  const plaintext = { tag: 'plaintext', attrs: {}, content: new Uint8Array() };
  const attrs = { to: key.remoteJid, id: key.id, type: 'text', edit: POST_DELETED };
  await sendChange(session, { tag: 'message', attrs, content: [plaintext] });
  const deletion = describeChange(session, key, { type: REVOKE });
  await storeAndPublish(session, { type: 'messages.delete', key, at: Date.now() }, deletion);
  return deletion;
}

async function sendChange(session: Session, stanza: Stanza): Promise<void> {
  await assertMayPost(session, stanza.attrs.to ?? '');
  const refusedError = (reason: string, cause?: unknown) =>
    new GatewayError('CHANNEL_REFUSED', [`Error: ${reason}`], { certain: true, cause });
  // If WhatsApp sends no ack, it may still have made the change. With `isChange`, the error then has `certain: false`.
  const ack = await queryWhatsApp(session, stanza, { isChange: true }).catch((error: unknown) => {
    throw error instanceof QueryRefusal ? refusedError(error.message, error) : error;
  });
  if (ack.attrs.error) throw refusedError(`the platform refused the change (${ack.attrs.error})`);
}

async function storeAndPublish(session: Session, event: DomainEvent, { key: { id } }: Message): Promise<void> {
  await session.ingest([event]).catch((cause: unknown) => {
    const sentence = 'The change was made but could not be stored.';
    throw new GatewayError('STORAGE_UNAVAILABLE', sentence, { certain: false, messageId: id, cause });
  });
}

/**
 * Builds the message that describes a change. WhatsApp has acknowledged the change, so the status is SERVER_ACK. If the
 * request has an idempotency key, a repeated request gets the same id (currentMessageIdentity()). Otherwise the id is
 * random. `source` is the app of the sender: the gateway is a client like WhatsApp Web.
 */
function describeChange(
  session: Session,
  { remoteJid, id }: Message['key'],
  change: proto.Message.IProtocolMessage,
): Message {
  const me = session.me();
  const protocolMessage = { key: { remoteJid, fromMe: true, id }, ...change };
  return {
    key: { remoteJid, fromMe: true, id: currentMessageIdentity()?.messageId ?? generateMessageId(me?.jid) },
    ...(me?.name ? { pushName: me.name } : {}),
    message: toJson({ protocolMessage }),
    messageType: 'protocolMessage',
    messageTimestamp: Math.floor(Date.now() / 1000),
    status: 'SERVER_ACK',
    source: 'web',
  };
}
