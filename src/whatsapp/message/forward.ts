// Forwards a stored message, marked as forwarded. Its file is referenced again and not uploaded.

import { GatewayError } from '../../errors.ts';
import type { Json, JsonObject, Message } from '../../events/events.ts';
import { channelJidOf } from '../address/jid.ts';
import { normalizeMessageContent, proto } from '../baileys/proto.ts';
import { messageTypeOf, toJson } from '../content/message.ts';
import { type SendOptions, send } from '../outbound/send.ts';
import { findTarget, messageNotFound, type TargetKey } from '../outbound/target-message.ts';
import type { Session } from '../session.ts';

export interface ForwardInput {
  /** The recipient. */
  number: string;
  /** The message to forward. */
  message: { key: TargetKey };
  options?: SendOptions;
}

/** Kinds that do not depend on their chat. */
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
 * Resolves with the recorded message. Throws as send() and findTarget(), MESSAGE_NOT_FOUND for a message that is not
 * stored, and INVALID_REQUEST for view-once messages and for kinds that cannot be forwarded.
 */
export async function forwardMessage(session: Session, { number, message, options }: ForwardInput): Promise<Message> {
  const { stored } = await findTarget(session, message.key);
  if (!stored) throw messageNotFound();
  const { kind, body, score } = toForwarded(stored);
  // Files in channels are not encrypted, so the file would need another upload.
  if (channelJidOf(number) && kind !== 'extendedTextMessage')
    throw notForwardable('Only texts are forwarded to channels');
  const forwarded = { isForwarded: true, forwardingScore: score };
  return send(session, {
    number,
    options,
    kind,
    presence: kind === 'audioMessage' || kind === 'ptvMessage' ? 'recording' : 'composing',
    content: (contextInfo) => ({ [kind]: { ...body, contextInfo: { ...contextInfo, ...forwarded } } }),
  });
}

const notForwardable = (why: string) => new GatewayError('INVALID_REQUEST', [why], { certain: true });

/** Returns the content without quotes, mentions and timers of its chat, and its new forwarding score. */
export function toForwarded({ message }: Pick<Message, 'message'>): { kind: string; body: object; score: number } {
  if (isViewOnce(message)) throw notForwardable('Messages to be looked at once are not forwarded');
  const { conversation, ...others } = normalizeMessageContent(proto.Message.fromObject(message)) ?? {};
  const content: proto.IMessage = conversation ? { extendedTextMessage: { text: conversation } } : { ...others };
  const kind = messageTypeOf(toJson(content));
  const body: unknown = Reflect.get(content, kind);
  if (!FORWARDABLE_KINDS.has(kind) || typeof body !== 'object' || body === null)
    throw notForwardable('Messages of this kind are not forwarded');
  const { contextInfo, ...rest }: { contextInfo?: proto.IContextInfo } = { ...body };
  return { kind, body: rest, score: (contextInfo?.forwardingScore ?? 0) + 1 };
}

/** True for a view-once wrapper or flag at any depth. */
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

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
