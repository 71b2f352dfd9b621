// Edits and deletes channel posts. The stanza has the id of the post, and WhatsApp's ack is the result.

import { GatewayError } from '../../errors.ts';
import type { DomainEvent, Message } from '../../events/events.ts';
import { generateMessageId, proto } from '../baileys/proto.ts';
import { POST_DELETED, POST_EDITED } from '../baileys/queries.ts';
import type { Stanza } from '../baileys/stanza.ts';
import { toJson } from '../content/message.ts';
import { toSentEvent } from '../content/sent-event.ts';
import { assertMayPost, toPostStanza } from '../outbound/channel-post.ts';
import { currentIdentity } from '../outbound/message-id.ts';
import { QueryRefusal, queryWhatsApp } from '../query.ts';
import type { Session } from '../session.ts';

const { MESSAGE_EDIT, REVOKE } = proto.Message.ProtocolMessage.Type;

/**
 * Resolves with the edit as a message of its own. Throws as assertMayPost(), and CHANNEL_REFUSED when WhatsApp refuses
 * it.
 */
export async function editPost(session: Session, { key }: Message, content: proto.IMessage): Promise<Message> {
  await sendChange(session, toPostStanza(key.remoteJid, key.id, content, { edit: POST_EDITED }));
  const sent = toMessage(session, key, { type: MESSAGE_EDIT, editedMessage: content, timestampMs: Date.now() });
  await record(session, toSentEvent(sent), sent);
  return sent;
}

/** Resolves with the deletion as a message of its own. Throws as editPost(). */
export async function deletePost(session: Session, { key }: Message): Promise<Message> {
  const plaintext = { tag: 'plaintext', attrs: {}, content: new Uint8Array() };
  const attrs = { to: key.remoteJid, id: key.id, type: 'text', edit: POST_DELETED };
  await sendChange(session, { tag: 'message', attrs, content: [plaintext] });
  const sent = toMessage(session, key, { type: REVOKE });
  await record(session, { type: 'messages.delete', key, at: Date.now() }, sent);
  return sent;
}

async function sendChange(session: Session, stanza: Stanza): Promise<void> {
  await assertMayPost(session, stanza.attrs.to ?? '');
  const refuse = (reason: string, cause?: unknown) =>
    new GatewayError('CHANNEL_REFUSED', [`Error: ${reason}`], { certain: true, cause });
  const ack = await queryWhatsApp(session, stanza, true).catch((error: unknown) => {
    throw error instanceof QueryRefusal ? refuse(error.message, error) : error;
  });
  if (ack.attrs.error) throw refuse(`the platform refused the change (${ack.attrs.error})`);
}

async function record(session: Session, event: DomainEvent, { key: { id } }: Message): Promise<void> {
  await session.ingest([event]).catch((cause: unknown) => {
    const sentence = 'the change was made but could not be stored';
    throw new GatewayError('STORAGE_UNAVAILABLE', sentence, { certain: false, messageId: id, cause });
  });
}

/** WhatsApp has already acknowledged the change, so its status is SERVER_ACK. */
function toMessage(
  session: Session,
  { remoteJid, id }: Message['key'],
  change: proto.Message.IProtocolMessage,
): Message {
  const me = session.me();
  const protocolMessage = { key: { remoteJid, fromMe: true, id }, ...change };
  return {
    key: { remoteJid, fromMe: true, id: currentIdentity()?.messageId ?? generateMessageId(me?.jid) },
    ...(me?.name ? { pushName: me.name } : {}),
    message: toJson({ protocolMessage }),
    messageType: 'protocolMessage',
    messageTimestamp: Math.floor(Date.now() / 1000),
    status: 'SERVER_ACK',
    source: 'web',
  };
}
