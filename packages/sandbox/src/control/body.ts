// Reads the bodies of requests to the control API. Each function returns a value of the right type or throws
// ControlError 400, whose message names the field. `parent` is the path of the object that contains the field, such as
// `lock.`.

import { fromProtobufJson } from '../crypto/plaintext.ts';
import { MEDIA_KINDS, type MediaDraft, type MediaKind } from '../media/attachments.ts';
import { DRAFT_KINDS, type Draft } from '../phone/content.ts';

/** A request that cannot be served, with the HTTP status of the response. */
export class ControlError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const badRequest = (message: string) => new ControlError(400, message);

export type Body = Record<string, unknown>;

/** A JSON object; null or an absent value becomes an empty object. `name` is the name of the field in errors. */
export function toObject(value: unknown, name = 'body'): Body {
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) throw badRequest(`${name} must be a JSON object`);
  return { ...value };
}

export function readString(body: Body, field: string, parent = ''): string | undefined {
  const value = body[field];
  if (value === undefined || typeof value === 'string') return value;
  throw badRequest(`${parent}${field} must be a string`);
}

export function requireString(body: Body, field: string, parent = ''): string {
  const value = readString(body, field, parent);
  if (value) return value;
  throw badRequest(`${parent}${field} is missing: it must be a string that is not empty`);
}

export function readNumber(body: Body, field: string, parent = ''): number | undefined {
  const value = body[field];
  if (value === undefined || (typeof value === 'number' && Number.isFinite(value))) return value;
  throw badRequest(`${parent}${field} must be a number`);
}

export function requireNumber(body: Body, field: string, parent = ''): number {
  const value = readNumber(body, field, parent);
  if (value !== undefined) return value;
  throw badRequest(`${parent}${field} is missing: it must be a number`);
}

export function readBoolean(body: Body, field: string, parent = ''): boolean | undefined {
  const value = body[field];
  if (value === undefined || typeof value === 'boolean') return value;
  throw badRequest(`${parent}${field} must be true or false`);
}

export function readStrings(body: Body, field: string, parent = ''): string[] | undefined {
  const value = body[field];
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  throw badRequest(`${parent}${field} must be an array of strings`);
}

/** Returns `value`, which must be one of `choices`. */
export function oneOf<T extends string>(value: unknown, field: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === value);
  if (found !== undefined) return found;
  throw badRequest(`${field} must be one of ${choices.join(', ')}`);
}

/** The digits of a phone number. Accepts also a plus sign, spaces, dashes and a phone-number JID. */
export function toPhoneNumber(value: unknown, field: string): string {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string') throw badRequest(`${field} must be a phone number`);
  const digits = text.replace(/@s\.whatsapp\.net$/, '').replace(/^\+|[\s-]/g, '');
  if (!/^\d{7,15}$/.test(digits)) throw badRequest(`${field} must be a phone number of 7 to 15 digits`);
  return digits;
}

/** A username: 3 to 35 lower-case letters, digits, dots and underscores, with at least one letter. */
export function toUsername(value: unknown, field: string): string {
  if (typeof value === 'string' && /^(?=.*[a-z])[a-z0-9._]{3,35}$/.test(value)) return value;
  throw badRequest(
    `${field} must have 3 to 35 lower-case letters, digits, dots and underscores, and at least one letter`,
  );
}

/** An array of phone numbers; an absent value becomes an empty array. */
export function toPhoneNumbers(value: unknown, field: string): string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw badRequest(`${field} must be an array of phone numbers`);
  return value.map((item) => toPhoneNumber(item, field));
}

/** A phone number or the id of a group. */
export function toChat(value: unknown, field: string): string {
  return typeof value === 'string' && /^\d+@g\.us$/.test(value) ? value : toPhoneNumber(value, field);
}

/**
 * The fields that can contain the content of a message; a body has exactly one of them. The value of a media field is
 * the file as base64. `content` is a whole message in the JSON form of protobuf, `raw` the encoded message as base64.
 * `ephemeral` is the new disappearing timer of the chat in seconds.
 */
const CONTENT_FIELDS = [...DRAFT_KINDS.filter((kind) => kind !== 'media'), ...MEDIA_KINDS, 'content', 'raw'] as const;

const isMedia = (kind: string): kind is MediaKind => MEDIA_KINDS.some((each) => each === kind);

/** Converts a body to a message to be sent. */
export function toDraft(body: Body): Draft {
  const [kind, ...others] = CONTENT_FIELDS.filter((field) => body[field] !== undefined);
  if (!kind || others.length > 0) throw badRequest(`send exactly one of ${CONTENT_FIELDS.join(', ')}`);
  const quoted = readString(body, 'quoted');
  const mentions = readStrings(body, 'mentions')?.map((number) => toPhoneNumber(number, 'mentions'));
  if (kind === 'text') return { text: requireString(body, 'text'), quoted, mentions };
  if (isMedia(kind)) return { media: toMedia(kind, body), quoted };
  if (kind === 'raw') return { raw: toBytes(body, 'raw') };
  if (kind === 'content') return { raw: fromProtobufJson(toObject(body.content, 'content')) };
  if (kind === 'ephemeral') return { ephemeral: requireNumber(body, 'ephemeral') };
  const parent = `${kind}.`;
  const fields = toObject(body[kind], kind);
  switch (kind) {
    case 'location': {
      const latitude = requireNumber(fields, 'latitude', parent);
      const longitude = requireNumber(fields, 'longitude', parent);
      const name = readString(fields, 'name', parent);
      return { location: { latitude, longitude, name, address: readString(fields, 'address', parent) }, quoted };
    }
    case 'contact':
      return {
        contact: {
          name: requireString(fields, 'name', parent),
          number: toPhoneNumber(fields.number, 'contact.number'),
        },
        quoted,
      };
    case 'reaction': {
      const id = requireString(fields, 'id', parent);
      const encrypted = readBoolean(fields, 'encrypted', parent);
      return { reaction: { id, emoji: readString(fields, 'emoji', parent) ?? '', encrypted } };
    }
    case 'edit': {
      const id = requireString(fields, 'id', parent);
      const encrypted = readBoolean(fields, 'encrypted', parent);
      return { edit: { id, text: requireString(fields, 'text', parent), encrypted } };
    }
    case 'pin':
      return { pin: { id: requireString(fields, 'id', parent), seconds: requireNumber(fields, 'seconds', parent) } };
    case 'delete':
      return { delete: { id: requireString(fields, 'id', parent) } };
    case 'poll': {
      const options = readStrings(fields, 'options', parent) ?? [];
      if (options.length < 2) throw badRequest('poll.options must contain at least two options');
      return {
        poll: {
          name: requireString(fields, 'name', parent),
          options,
          selectable: readNumber(fields, 'selectable', parent),
        },
      };
    }
    case 'vote':
      return {
        vote: { id: requireString(fields, 'id', parent), options: readStrings(fields, 'options', parent) ?? [] },
      };
  }
}

/** The bytes of a required base64 field; the field can be an empty string. */
export function toBytes(body: Body, field: string): Buffer {
  const text = body[field];
  if (typeof text !== 'string') throw badRequest(`${field} is missing: it must be base64`);
  const bytes = Buffer.from(text, 'base64');
  // Buffer.from() skips invalid characters. The text is valid when encoding the bytes gives the same text; padding is
  // optional.
  if (bytes.toString('base64').replace(/={1,2}$/, '') !== text.replace(/={1,2}$/, ''))
    throw badRequest(`${field} must be base64`);
  return bytes;
}

/** The bytes of a base64 field; undefined when it is absent. */
export const readBytes = (body: Body, field: string): Buffer | undefined =>
  body[field] === undefined ? undefined : toBytes(body, field);

/** Reads a file and its properties. The field that is named like the kind contains the file as base64. */
function toMedia(kind: MediaKind, body: Body): MediaDraft {
  // Rejects an empty file, which toBytes() would accept.
  requireString(body, kind);
  return {
    kind,
    bytes: toBytes(body, kind),
    mimetype: readString(body, 'mimetype'),
    caption: readString(body, 'caption'),
    fileName: readString(body, 'fileName'),
    seconds: readNumber(body, 'seconds'),
    ptt: readBoolean(body, 'ptt'),
    viewOnce: readBoolean(body, 'viewOnce'),
    width: readNumber(body, 'width'),
    height: readNumber(body, 'height'),
  };
}
