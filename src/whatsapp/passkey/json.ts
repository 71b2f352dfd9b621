// Reads the JSON of WebAuthn, in which bytes are base64url. The texts come from WhatsApp and from web pages.
import { isObject } from '../../lib/json-object.ts';
import { JsonShape } from '../../lib/json-shape.ts';

/** Maximum numbers of values, nested levels and escape sequences in a text that is parsed. */
const SHAPE_LIMITS = { values: 500, depth: 8, escapes: 500 };

/** Decodes base64url without padding. Undefined for any other form and for an empty text. */
export function fromBase64Url(value: unknown): Buffer | undefined {
  if (typeof value !== 'string' || !/^[\w-]+$/.test(value)) return undefined;
  const bytes = Buffer.from(value, 'base64url');
  // The last character can have unused bits. A text is accepted only when these bits are 0, so that no two texts have
  // the same value.
  return bytes.toString('base64url') === value ? bytes : undefined;
}

/** Parses the text of a JSON object. Undefined for anything else, and for an object that is too deep or too large. */
export function parseObject(text: Buffer): Record<string, unknown> | undefined {
  const exceededLimit = new JsonShape(SHAPE_LIMITS).add(text);
  if (exceededLimit) return undefined;
  try {
    const value: unknown = JSON.parse(text.toString());
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
