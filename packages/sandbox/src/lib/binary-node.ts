// Builds and reads stanzas (XML-like elements in binary form). Text content is sent as bytes. Otherwise, clients would
// decode some texts to strings, such as those in the token dictionary of the format, and other texts to bytes.
import { type BinaryNode, getBinaryNodeChild } from '@whiskeysockets/baileys';

/** The server's own address: a JID with an empty user. Clients check that `from` is this text. */
export const SERVER = '@s.whatsapp.net';

/** Creates an element. Text content becomes UTF-8 bytes; undefined attributes are omitted. */
export function element(
  tag: string,
  attrs: Record<string, string | undefined> = {},
  content?: BinaryNode[] | Uint8Array | string,
): BinaryNode {
  const present: Record<string, string> = {};
  for (const [name, value] of Object.entries(attrs)) if (value !== undefined) present[name] = value;
  return { tag, attrs: present, content: typeof content === 'string' ? Buffer.from(content) : content };
}

/** Returns the bytes of a child element (text as UTF-8); undefined when it is absent or contains elements. */
export function childBytes(node: BinaryNode | undefined, tag: string): Buffer | undefined {
  const content = getBinaryNodeChild(node, tag)?.content;
  if (typeof content === 'string') return Buffer.from(content);
  return content instanceof Uint8Array ? Buffer.from(content) : undefined;
}

/** Returns the text of an element, which the decoder delivers as string or as bytes; '' when it has none. */
export function textOf(node: BinaryNode | undefined): string {
  const content = node?.content;
  if (typeof content === 'string') return content;
  return content instanceof Uint8Array ? Buffer.from(content).toString() : '';
}

/** Encodes `value` as `size` bytes, big-endian. */
export function bigEndian(value: number, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  bytes.writeUIntBE(value, 0, size);
  return bytes;
}

/** Returns `bytes` when their number is `size`, otherwise undefined. */
export const bytesOfSize = (bytes: Buffer | undefined, size: number): Buffer | undefined =>
  bytes?.length === size ? bytes : undefined;
