// Encodes stanzas (XML-like elements) in WhatsApp's binary format. Replaces encodeBinaryNode() of Baileys, which writes
// every text with an `@` in the binary form of a JID (an address). That form loses the characters after a `:` or `_` of
// such a text. This encoder writes only addresses in the form of a JID.
import type { BinaryNode } from '@whiskeysockets/baileys';
import { TAGS, TOKEN_MAP } from '@whiskeysockets/baileys/lib/WABinary/constants.js';

/** Attributes that people or clients fill with any text. They are not written as a JID, even if they look like one. */
const TEXT_ATTRIBUTES = new Set(['content', 'display_name', 'id', 'name', 'notify', 'subject', 'text']);

/** An address: `user@server`, `user:device@server` or `@server`. */
const JID =
  /^([\w.-]*)(?::(\d+))?@(s\.whatsapp\.net|c\.us|g\.us|lid|broadcast|newsletter|call|bot|hosted|hosted\.lid)$/;
/** Numbers of the servers (the part of a JID after the `@`) in the binary form of a JID with a device number. */
const DEVICE_DOMAINS: ReadonlyMap<string, number> = new Map([
  ['s.whatsapp.net', 0],
  ['c.us', 0],
  ['lid', 1],
  ['hosted', 128],
  ['hosted.lid', 129],
]);

/**
 * Tokens: numbers of one or two bytes that stand for frequent texts. This is a Map, because an object would also find
 * inherited names such as `constructor`.
 */
const TOKENS: ReadonlyMap<string, { dict?: number; index: number }> = new Map(Object.entries(TOKEN_MAP));

/** A binary form of short texts with two characters per byte. */
interface Packing {
  tag: number;
  /** The texts that can have this form. */
  texts: RegExp;
  /** All characters; the index of a character is its value (4 bits). */
  characters: string;
}
const PACKINGS: readonly Packing[] = [
  { tag: TAGS.NIBBLE_8, texts: /^[0-9.-]{1,127}$/, characters: '0123456789-.' },
  { tag: TAGS.HEX_8, texts: /^[0-9A-F]{1,127}$/, characters: '0123456789ABCDEF' },
];
/** The last 4 bits of a packed text with an odd number of characters. */
const FILLER = 15;
/** Bit of the length byte of a packed text with an odd number of characters. */
const ODD_LENGTH_FLAG = 2 ** 7;
/** First byte of a stanza that is not compressed. */
const UNCOMPRESSED = 0;

/**
 * Returns the flag byte and the encoded stanza, which is not compressed. Throws Error for an element without a tag, and
 * for content that is neither a text nor bytes nor a list of elements.
 */
export function encodeStanza(stanza: BinaryNode): Buffer {
  const writer = new Writer();
  writer.byte(UNCOMPRESSED);
  writeElement(writer, stanza);
  return writer.toBuffer();
}

/** A buffer that grows. */
class Writer {
  #buffer = Buffer.allocUnsafe(1024);
  #length = 0;

  byte(value: number): void {
    this.#reserve(1);
    this.#buffer[this.#length++] = value;
  }

  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  toBuffer(): Buffer {
    return Buffer.from(this.#buffer.subarray(0, this.#length));
  }

  #reserve(size: number): void {
    if (this.#length + size <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#length + size));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}

/** Writes an element as a list: the tag, the names and values of the attributes, and the content, if there is one. */
function writeElement(writer: Writer, { tag, attrs, content }: BinaryNode): void {
  if (!tag) throw new Error('an element needs a tag');
  const attributes = Object.entries(attrs);
  writeListStart(writer, 1 + 2 * attributes.length + (content === undefined ? 0 : 1));
  writeText(writer, tag);
  for (const [name, value] of attributes) {
    writeText(writer, name);
    if (TEXT_ATTRIBUTES.has(name) || !writeJid(writer, value)) writeText(writer, value);
  }
  if (content === undefined) return;
  if (typeof content === 'string') writeText(writer, content);
  else if (content instanceof Uint8Array) writeBinary(writer, content);
  else {
    writeListStart(writer, content.length);
    for (const child of content) writeElement(writer, child);
  }
}

function writeListStart(writer: Writer, size: number): void {
  if (size === 0) writer.byte(TAGS.LIST_EMPTY);
  else if (size < 2 ** 8) writer.bytes(Uint8Array.of(TAGS.LIST_8, size));
  else writer.bytes(Uint8Array.of(TAGS.LIST_16, size >> 8, size));
}

function writeBinary(writer: Writer, bytes: Uint8Array): void {
  const size = bytes.length;
  if (size < 2 ** 8) writer.bytes(Uint8Array.of(TAGS.BINARY_8, size));
  else if (size < 2 ** 20) writer.bytes(Uint8Array.of(TAGS.BINARY_20, size >> 16, size >> 8, size));
  else writer.bytes(Uint8Array.of(TAGS.BINARY_32, size >> 24, size >> 16, size >> 8, size));
  writer.bytes(bytes);
}

/** Writes an address in the form of a JID. Returns false, and writes nothing, for a text that has no such form. */
function writeJid(writer: Writer, text: string): boolean {
  const [, user = '', device, server = ''] = JID.exec(text) ?? [];
  if (!server) return false;
  if (device === undefined) {
    writer.byte(TAGS.JID_PAIR);
    if (user) writeText(writer, user);
    else writer.byte(TAGS.LIST_EMPTY);
    writeText(writer, server);
    return true;
  }
  const domain = DEVICE_DOMAINS.get(server);
  // The form of a JID with a device has one byte for the number of the device.
  if (domain === undefined || !user || Number(device) >= 2 ** 8) return false;
  writer.bytes(Uint8Array.of(TAGS.AD_JID, domain, Number(device)));
  writeText(writer, user);
  return true;
}

/** Writes a text in the shortest form: a token of the dictionary, two characters per byte, or UTF-8. */
function writeText(writer: Writer, text: string): void {
  // An empty text is not written as a token: the token has the number 0, which is also the tag of an empty list.
  const token = text === '' ? undefined : TOKENS.get(text);
  if (token) {
    if (token.dict !== undefined) writer.byte(TAGS.DICTIONARY_0 + token.dict);
    writer.byte(token.index);
    return;
  }
  const packing = PACKINGS.find(({ texts }) => texts.test(text));
  if (packing) writePacked(writer, text, packing);
  else writeBinary(writer, Buffer.from(text));
}

function writePacked(writer: Writer, text: string, { tag, characters }: Packing): void {
  const isOdd = text.length % 2 === 1;
  writer.byte(tag);
  writer.byte(Math.ceil(text.length / 2) | (isOdd ? ODD_LENGTH_FLAG : 0));
  for (let index = 0; index < text.length; index += 2) {
    const isLast = index + 1 === text.length;
    const low = isLast ? FILLER : characters.indexOf(text.charAt(index + 1));
    writer.byte((characters.indexOf(text.charAt(index)) << 4) | low);
  }
}
