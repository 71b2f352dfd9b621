// Forwards a stored message and marks it as forwarded. A file is not uploaded again: the new message refers to the file
// of the stored message. Decision D-117.

import { GatewayError } from '../../errors.ts';
import type { JsonObject, Message } from '../../events/events.ts';
import { messageTypeOf } from '../../events/message-type.ts';
import { isObject } from '../../lib/json-object.ts';
import { channelJidOf } from '../address/jid.ts';
import { normalizeMessageContent, proto } from '../baileys/proto.ts';
import { toJson } from '../content/message.ts';
import { type SendOptions, send } from '../outbound/send.ts';
import { findTarget, messageNotFoundError, type TargetKey } from '../outbound/target-message.ts';
import type { Session } from '../session.ts';

export interface ForwardInput {
  /** The recipient. */
  number: string;
  /** The message to forward. */
  message: { key: TargetKey };
  options?: SendOptions;
}

/** The messageTypes that can be forwarded: their content makes sense in any chat. */
const FORWARDABLE_KINDS = new Set([
  'extendedTextMessage',
  'imageMessage',
  'videoMessage',
  'ptvMessage',
  'audioMessage',
  'documentMessage',
  'stickerMessage',
  'locationMessage',
  'contactMessage',
  'contactsArrayMessage',
]);

/**
 * Resolves with the sent message. Throws the errors of send(), findTarget() and toForwardedContent(), MESSAGE_NOT_FOUND
 * for a message that is not stored, and INVALID_REQUEST for content other than text to a channel.
 */
export async function forwardMessage(session: Session, { number, message, options }: ForwardInput): Promise<Message> {
  const { stored } = await findTarget(session, message.key, 'message.key');
  if (!stored) throw messageNotFoundError();
  const { kind, body, forwardingScore } = toForwardedContent(stored);
  // Channels need unencrypted files. The stored file is encrypted and would have to be uploaded again.
  if (channelJidOf(number) && kind !== 'extendedTextMessage')
    throw notForwardableError('Only texts are forwarded to channels');
  const forwarded = { isForwarded: true, forwardingScore };
  return send(session, {
    number,
    options,
    kind,
    presence: kind === 'audioMessage' || kind === 'ptvMessage' ? 'recording' : 'composing',
    content: (contextInfo) => ({ [kind]: { ...body, contextInfo: { ...contextInfo, ...forwarded } } }),
  });
}

const notForwardableError = (reason: string) => new GatewayError('INVALID_REQUEST', [reason], { certain: true });

/**
 * Returns the content without the quote, mentions and timer of the original message. `forwardingScore` is the number of
 * times that the content has been forwarded. Throws INVALID_REQUEST for view-once messages and for messageTypes that
 * cannot be forwarded.
 */
export function toForwardedContent({ message }: Pick<Message, 'message'>): {
  kind: string;
  body: object;
  forwardingScore: number;
} {
  if (isViewOnce(message)) throw notForwardableError('View-once messages cannot be forwarded');
  const { conversation, ...others } = normalizeMessageContent(proto.Message.fromObject(message)) ?? {};
  const content: proto.IMessage = conversation ? { extendedTextMessage: { text: conversation } } : { ...others };
  const kind = messageTypeOf(toJson(content));
  const body: unknown = Reflect.get(content, kind);
  if (!FORWARDABLE_KINDS.has(kind) || typeof body !== 'object' || body === null)
    throw notForwardableError('Messages of this kind are not forwarded');
  const { contextInfo, ...rest }: { contextInfo?: proto.IContextInfo } = { ...body };
  return { kind, body: rest, forwardingScore: (contextInfo?.forwardingScore ?? 0) + 1 };
}

/** True when the content, or a message nested in it, is a view-once wrapper or has the flag `viewOnce`. */
function isViewOnce(content: JsonObject): boolean {
  return Object.entries(content).some(([name, body]) => {
    if (!isObject(body)) return false;
    return (
      name.startsWith('viewOnceMessage') ||
      body.viewOnce === true ||
      (isObject(body.message) && isViewOnce(body.message))
    );
  });
}
