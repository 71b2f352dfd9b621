// Handles the messages of channels (newsletters in the protocol) in place of Baileys. Decision D-115.
// Why: Baileys ignores `is_sender` on a channel post, so that own posts from another device look like posts of others.
//   An edit or a deletion has the id of the post, and Baileys reports it as a new message. Baileys acknowledges a post
//   before its event is stored, so that a crash loses the post. Baileys processes an own post like a message of this
//   account's phone, although posts are not encrypted. A forged own post can therefore add app state keys, a history
//   and mappings of numbers, and rename the account. Baileys does not check that a notification about channels comes
//   from a channel.
// Upstream: docs/internals/upstream-security.md, "Unencrypted messages are accepted from people".
// Applies to: Baileys 7.0.0-rc14.
// Remove when: Baileys evaluates the attributes `is_sender` and `edit` of channel messages, and has an option to
//   acknowledge after the event handlers have finished.

import { toWholeNumber } from '../../../lib/whole-number.ts';
import {
  type BinaryNode,
  buildAckStanza,
  isJidNewsletter,
  normalizeMessageContent,
  proto,
  type WAMessage,
  type WAMessageUpdate,
  type WASocket,
} from '../library.ts';
import { POST_DELETED, POST_EDITED } from '../queries.ts';
import { childOf } from '../stanza.ts';
import { type StanzaHooks, takeListener } from '../stanza-listener.ts';

const MESSAGE_EVENT = 'CB:message';
const { CIPHERTEXT, REVOKE } = proto.WebMessageInfo.StubType;

type NewsletterSocket = Pick<WASocket, 'authState' | 'ev' | 'messageMutex' | 'sendNode' | 'ws'>;

/**
 * Takes the `<message>` stanzas of channels away from Baileys' listener, and acknowledges each one after its events are
 * stored. Drops protocol messages (messages for the client itself) of channels. Removes the content of a notification
 * about channels whose sender is no channel.
 */
export function patchNewsletterMessages(
  { authState, ev, messageMutex, sendNode, ws }: NewsletterSocket,
  { waitForEvents, onFailure }: StanzaHooks,
): void {
  const report = (stanza: BinaryNode): Promise<void> =>
    messageMutex.mutex(async () => {
      const { edit, offline } = stanza.attrs;
      const post = toPost(stanza);
      if (edit === POST_EDITED || edit === POST_DELETED)
        ev.emit('messages.update', [{ key: post.key, update: toChange(post, edit) }]);
      else if (!isProtocolMessage(post.message))
        ev.emit('messages.upsert', { messages: [post], type: offline ? 'append' : 'notify' });
      // Emits what is buffered, so that waitForEvents() includes the message.
      ev.flush();
    });
  const handle = async (stanza: BinaryNode): Promise<void> => {
    // A post that cannot be reported is acknowledged, too. Otherwise WhatsApp would send it in every session.
    await report(stanza).catch(onFailure);
    await waitForEvents();
    await sendNode(buildAckStanza(stanza, undefined, authState.creds.me?.id));
  };
  const baileysListener = takeListener(ws, MESSAGE_EVENT);
  ws.on(MESSAGE_EVENT, (stanza: BinaryNode) => {
    const { from, id } = stanza.attrs;
    if (!isJidNewsletter(from)) return baileysListener(stanza);
    return id ? handle(stanza).catch(onFailure) : undefined;
  });
  ws.prependListener('CB:notification', (stanza: BinaryNode) => {
    if (stanza.attrs.type !== 'newsletter' || !Array.isArray(stanza.content)) return;
    // Keeps nothing if the sender is no channel. Otherwise keeps all elements except unreadable messages and protocol
    // messages.
    const isOfChannel = isJidNewsletter(stanza.attrs.from);
    stanza.content = stanza.content.filter((child) => {
      if (!isOfChannel || child.tag !== 'message') return isOfChannel;
      const { message } = contentOf(child);
      return message && !isProtocolMessage(message);
    });
  });
}

const isProtocolMessage = (message: proto.IMessage | null | undefined): boolean =>
  Boolean(normalizeMessageContent(message)?.protocolMessage);

/** Returns a channel message in the form in which Baileys reports messages. */
function toPost(stanza: BinaryNode): WAMessage {
  const { id, from, t, notify, is_sender: isSender, server_id: serverId } = stanza.attrs;
  const isOwn = isSender === 'true';
  return {
    key: { remoteJid: from, fromMe: isOwn, id, ...(serverId ? { server_id: serverId } : {}) },
    messageTimestamp: toWholeNumber(t) ?? 0,
    pushName: notify,
    ...(isOwn ? { status: proto.WebMessageInfo.Status.SERVER_ACK } : {}),
    ...contentOf(stanza),
  };
}

/** Returns the decoded content, or the reason why there is none. */
function contentOf(stanza: BinaryNode): Pick<WAMessage, 'message' | 'messageStubType' | 'messageStubParameters'> {
  const content = childOf(stanza, 'plaintext')?.content;
  const toFailure = (reason: string) => ({ messageStubType: CIPHERTEXT, messageStubParameters: [reason] });
  if (!(content instanceof Uint8Array)) return toFailure('Message absent from node');
  try {
    return { message: proto.Message.decode(content) };
  } catch (error) {
    return toFailure(String(error));
  }
}

/** Returns the update that edits or deletes a post. An edit without readable content changes nothing. */
function toChange({ message, messageTimestamp }: WAMessage, edit: string): WAMessageUpdate['update'] {
  if (edit === POST_DELETED) return { messageStubType: REVOKE, messageTimestamp };
  return { ...(message ? { message: { editedMessage: { message } } } : {}), messageTimestamp };
}
