// Builds the content of a quoted message for the quote in a reply.

import { GatewayError } from '../../errors.ts';
import type { JsonObject } from '../../events/events.ts';
import { messageTypeOf } from '../../events/message-type.ts';
import { isObject } from '../../lib/json-object.ts';
import { normalizeMessageContent, proto } from '../baileys/proto.ts';
import { toJson } from '../content/message.ts';
import { isViewOnce } from '../content/view-once.ts';

/** The messageTypes of the files in view-once messages. */
const VIEW_ONCE_KINDS = ['imageMessage', 'videoMessage', 'audioMessage', 'ptvMessage'];
/** Maximum encoded size of the quote of a stored message. Larger ones are reduced. */
const MAX_QUOTE_BYTES = 64 * 1024;
/** Maximum length of each text in a reduced quote, UTF-16 code units. */
const MAX_REDUCED_TEXT = 1024;
/** Maximum number of bytes of each binary field in a reduced quote, such as a hash or a key. */
const MAX_REDUCED_BYTES = 1024;

/**
 * Returns the content of a quote without wrappers and without contextInfo. Of a view-once file, only the type is
 * quoted, because its key would let the receiver keep the file. Throws INVALID_REQUEST when `content` is not the
 * content of a message.
 */
export function toQuotedContent(content: JsonObject): proto.IMessage {
  let unwrapped: JsonObject;
  try {
    unwrapped = toJson(normalizeMessageContent(proto.Message.fromObject(content)) ?? {});
  } catch (cause) {
    throw new GatewayError('INVALID_REQUEST', [['options.quoted.message is not a message']], { certain: true, cause });
  }
  const type = messageTypeOf(unwrapped);
  const body = unwrapped[type];
  if (body === undefined)
    throw new GatewayError('INVALID_REQUEST', [['options.quoted.message has no content']], { certain: true });
  if (!isObject(body)) return proto.Message.fromObject({ [type]: body });
  if (VIEW_ONCE_KINDS.includes(type) && isViewOnce(content))
    return proto.Message.fromObject({ [type]: { mimetype: body.mimetype, viewOnce: true } });
  delete body.contextInfo;
  return proto.Message.fromObject({ [type]: body });
}

/**
 * Like toQuotedContent() for a stored message, whose sender chose its size. Of a large message, only short fields and
 * the beginning of texts are quoted.
 */
export function toStoredQuote(content: JsonObject): proto.IMessage {
  const quote = toQuotedContent(content);
  return proto.Message.encode(quote).len > MAX_QUOTE_BYTES ? toReducedQuote(quote) : quote;
}

/** Returns the quote with shortened texts, without long binary fields and without nested objects. */
function toReducedQuote(quote: proto.IMessage): proto.IMessage {
  return Object.fromEntries(
    Object.entries(quote).map(([type, body]) => [
      type,
      typeof body === 'string' ? shorten(body) : keepShortFields(body),
    ]),
  );
}

function keepShortFields(body: object): object {
  const fields = Object.entries(body).flatMap(([name, value]): [string, unknown][] => {
    if (typeof value === 'string') return [[name, shorten(value)]];
    const isShort = value instanceof Uint8Array ? value.length <= MAX_REDUCED_BYTES : typeof value !== 'object';
    return isShort ? [[name, value]] : [];
  });
  return Object.fromEntries(fields);
}

const shorten = (text: string): string => text.slice(0, MAX_REDUCED_TEXT);
