// Sends a stored message on to somebody else, marked as forwarded; its file is named again and not uploaded.

import { GatewayError } from '../../errors.ts';
import type { Json, JsonObject, Message } from '../../events/events.ts';
import { channelOf } from '../address/jid.ts';
import { normalizeMessageContent, proto } from '../baileys/proto.ts';
import { contentType, toJson } from '../content/message.ts';
import { type SendOptions, send } from '../outbound/send.ts';
import { findTarget, messageNotFound, type TargetKey } from '../outbound/target-message.ts';
import type { Session } from '../session.ts';

export interface ForwardInput {
  /** Who gets it. */
  number: string;
  /** Which message. */
  message: { key: TargetKey };
  options?: SendOptions;
}

/** Kinds that say the same wherever they are. */
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
 * Resolves with the recorded message; errors as send() and findTarget(), MESSAGE_NOT_FOUND for a message that is not stored, and
 * INVALID_REQUEST for one of a kind that is not forwarded, or that is to be looked at once.
 */
export async function forwardMessage(session: Session, { number, message, options }: ForwardInput): Promise<Message> {
  const { stored } = await findTarget(session, message.key);
  if (!stored) throw messageNotFound();
  const { kind, body, score } = toForwarded(stored);
  // Files of channels are not encrypted, so this one would have to be uploaded anew.
  if (channelOf(number) && kind !== 'extendedTextMessage') throw notForwardable('Only texts are forwarded to channels');
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

/** The content without what tied it to its chat (quotes, mentions, timers), and how often it will have been forwarded. */
export function toForwarded({ message }: Pick<Message, 'message'>): { kind: string; body: object; score: number } {
  if (isViewOnce(message)) throw notForwardable('Messages to be looked at once are not forwarded');
  const { conversation, ...others } = normalizeMessageContent(proto.Message.fromObject(message)) ?? {};
  const content: proto.IMessage = conversation ? { extendedTextMessage: { text: conversation } } : { ...others };
  const kind = contentType(toJson(content));
  const body: unknown = Reflect.get(content, kind);
  if (!FORWARDABLE_KINDS.has(kind) || typeof body !== 'object' || body === null)
    throw notForwardable('Messages of this kind are not forwarded');
  const { contextInfo, ...rest }: { contextInfo?: proto.IContextInfo } = { ...body };
  return { kind, body: rest, score: (contextInfo?.forwardingScore ?? 0) + 1 };
}

/** By a wrapper or a flag, inside whatever other wrappers. */
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
