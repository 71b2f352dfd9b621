// Builds and reads stanzas. Baileys' encoder corrupts stanzas with numeric attributes and replaces some strings by
// tokens. Therefore attributes are typed as strings and text is sent as bytes.
import { type BinaryNode, getBinaryNodeChild } from '@whiskeysockets/baileys';

/** The server's own address: a JID with an empty user. Clients compare it literally. */
export const SERVER = '@s.whatsapp.net';

/** An element; `content` strings are sent as UTF-8 bytes, undefined attributes are left out. */
export function element(
  tag: string,
  attrs: Record<string, string | undefined> = {},
  content?: BinaryNode[] | Uint8Array | string,
): BinaryNode {
  const present: Record<string, string> = {};
  for (const [name, value] of Object.entries(attrs)) if (value !== undefined) present[name] = value;
  return { tag, attrs: present, content: typeof content === 'string' ? Buffer.from(content) : content };
}

/**
 * A person's name as an attribute. The encoder takes text with an @ for an address, and readers that expect text then
 * fail.
 */
export const attributeName = (name: string): string => name.replaceAll('@', '');

/** Bytes of a child element; undefined when it is absent or holds elements. A text child is read as UTF-8. */
export function childBytes(node: BinaryNode | undefined, tag: string): Buffer | undefined {
  const content = getBinaryNodeChild(node, tag)?.content;
  if (typeof content === 'string') return Buffer.from(content);
  return content instanceof Uint8Array ? Buffer.from(content) : undefined;
}

/** Text of an element however the decoder delivered it; '' when it has none. */
export function textOf(node: BinaryNode | undefined): string {
  const content = node?.content;
  if (typeof content === 'string') return content;
  return content instanceof Uint8Array ? Buffer.from(content).toString() : '';
}

/** `value` as `size` bytes, big-endian. */
export function bigEndian(value: number, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  bytes.writeUIntBE(value, 0, size);
  return bytes;
}

/** Bytes of `size`, or undefined. */
export const sized = (bytes: Buffer | undefined, size: number): Buffer | undefined =>
  bytes?.length === size ? bytes : undefined;
