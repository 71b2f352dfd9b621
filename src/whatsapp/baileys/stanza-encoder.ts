// Encodes stanzas in WhatsApp's binary format. Takes a tenth of the time of encodeBinaryNode() of Baileys, which
// collects single bytes in an array of numbers. The encoded bytes are the same, with one exception: Baileys encodes
// each text that contains `@` as a JID, so that a text that is no JID, such as a name, loses a part. Here, such a text
// stays complete. Decision D-180.

import { TAGS, TOKEN_MAP } from '@whiskeysockets/baileys/lib/WABinary/constants.js';
import { jidDecode } from './library.ts';

/** An element to encode. Attributes that are undefined or null are left out. */
interface EncodableStanza {
  tag: string;
  attrs: Readonly<Record<string, unknown>>;
  /** Elements, a text or bytes. */
  content?: unknown;
}

/** Size of the buffer at first, in bytes. */
const INITIAL_SIZE = 4096;
/** Maximum size of the buffer between encodings, in bytes. A larger one is replaced, to free its memory. */
const MAX_KEPT_SIZE = 2 ** 18;

/** All encodings share one buffer: encodeStanza() is synchronous, so an encoding ends before the next one starts. */
let buffer = Buffer.allocUnsafeSlow(INITIAL_SIZE);
/** Number of bytes in `buffer` that belong to the current encoding. */
let length = 0;

/**
 * Returns the encoding of `stanza`. Throws Error for an element without a tag, for content of an unknown type, and for
 * a text or bytes of 4 GiB or more.
 */
export function encodeStanza(stanza: EncodableStanza): Buffer {
  length = 0;
  // The first byte says that the stanza is not compressed.
  writeByte(0);
  writeElement(stanza);
  const encoded = Buffer.from(buffer.subarray(0, length));
  if (buffer.length > MAX_KEPT_SIZE) buffer = Buffer.allocUnsafeSlow(INITIAL_SIZE);
  return encoded;
}

/** Makes room for `size` more bytes. */
function reserve(size: number): void {
  if (length + size <= buffer.length) return;
  const larger = Buffer.allocUnsafeSlow(Math.max(buffer.length * 2, length + size));
  buffer.copy(larger, 0, 0, length);
  buffer = larger;
}

function writeByte(value: number): void {
  reserve(1);
  buffer[length++] = value;
}

function writeBytes(bytes: Uint8Array): void {
  writeLength(bytes.length);
  reserve(bytes.length);
  buffer.set(bytes, length);
  length += bytes.length;
}

function writeElement({ tag, attrs, content }: EncodableStanza): void {
  if (!tag) throw new Error('a stanza needs a tag');
  const names = Object.keys(attrs ?? {}).filter((name) => attrs[name] !== undefined && attrs[name] !== null);
  // An element is a list: the tag, the name and value of each attribute, and the content if any.
  writeListStart(2 * names.length + (content === undefined ? 1 : 2));
  writeText(tag);
  for (const name of names) {
    const value = attrs[name];
    // A value of another type makes the stanza unreadable: it is counted in the size of the list above, but not
    // written. Baileys does the same.
    if (typeof value !== 'string') continue;
    writeText(name);
    writeText(value);
  }
  if (content !== undefined) writeContent(content, tag);
}

function writeContent(content: unknown, tag: string): void {
  if (typeof content === 'string') writeText(content);
  else if (content instanceof Uint8Array) writeBytes(content);
  else if (Array.isArray(content)) {
    // As in Baileys, values that are no children are left out. A text or bytes in the list are kept on purpose: they
    // have no tag, so writeElement() throws.
    const children = content.filter(
      (child) => child && (child.tag || child instanceof Uint8Array || typeof child === 'string'),
    );
    writeListStart(children.length);
    for (const child of children) writeElement(child);
  } else throw new Error(`the stanza <${tag}> has an invalid content of the type ${typeof content}`);
}

/** Writes the start of a list: its number of items, in 8 or 16 bits. An empty list has a tag of its own. */
function writeListStart(size: number): void {
  if (size === 0) writeByte(TAGS.LIST_EMPTY);
  else if (size < 2 ** 8) {
    writeByte(TAGS.LIST_8);
    writeByte(size);
  } else {
    writeByte(TAGS.LIST_16);
    writeByte(size >> 8);
    writeByte(size);
  }
}

/** Writes the number of bytes of a text or of binary content, in 8, 20 or 32 bits. */
function writeLength(size: number): void {
  if (size < 2 ** 8) {
    writeByte(TAGS.BINARY_8);
    writeByte(size);
    return;
  }
  if (size >= 2 ** 32) throw new Error(`${size} bytes are too many for a stanza`);
  const isLarge = size >= 2 ** 20;
  writeByte(isLarge ? TAGS.BINARY_32 : TAGS.BINARY_20);
  if (isLarge) writeByte(size >>> 24);
  writeByte(size >>> 16);
  writeByte(size >>> 8);
  writeByte(size);
}

/** The servers of JIDs. */
const SERVERS: ReadonlySet<string> = new Set([
  's.whatsapp.net',
  'c.us',
  'g.us',
  'lid',
  'hosted',
  'hosted.lid',
  'broadcast',
  'newsletter',
  'bot',
  'msgr',
  'interop',
  'call',
]);
/**
 * The start of a JID up to `@`, in one of two forms: `<digits>[_<domain>][:<device>]@`, where domain and device are
 * digits, or a name of letters, digits, `.`, `+` and `-`, which can be empty.
 */
const JID = /^(?:\d+(?:_\d+)?(?::\d+)?|[0-9A-Za-z.+-]*)@/;

/** Writes a text in the shortest form: a token of the dictionary, packed characters, a JID, or UTF-8. */
function writeText(text: string): void {
  if (text === '') {
    writeUtf8(text);
    return;
  }
  const token = TOKEN_MAP[text];
  // TOKEN_MAP inherits the members of Object.prototype until patches/token-dictionary.ts is installed. For a text such
  // as `constructor`, `token` is then such a member, which has no index.
  if (token && typeof token.index === 'number') {
    if (typeof token.dict === 'number') writeByte(TAGS.DICTIONARY_0 + token.dict);
    writeByte(token.index);
    return;
  }
  if (writePacked(text)) return;
  const jid = jidDecode(text);
  if (jid && SERVERS.has(jid.server) && JID.test(text)) writeJid(jid);
  else writeUtf8(text);
}

function writeUtf8(text: string): void {
  const size = Buffer.byteLength(text);
  writeLength(size);
  reserve(size);
  length += buffer.write(text, length);
}

function writeJid({ user, server, device, domainType }: NonNullable<ReturnType<typeof jidDecode>>): void {
  if (device === undefined) {
    writeByte(TAGS.JID_PAIR);
    if (user.length > 0) writeText(user);
    else writeByte(TAGS.LIST_EMPTY);
    writeText(server);
    return;
  }
  // The JID of a device. The domain type stands for the server.
  writeByte(TAGS.AD_JID);
  writeByte(domainType ?? 0);
  writeByte(device);
  writeText(user);
}

/** The second half of the last byte of a text with an odd number of characters. */
const FILLER = 15;
/** The code of a character that cannot be packed. */
const NOT_PACKABLE = -1;
const NIBBLES = createTable('0123456789-.');
const HEX_DIGITS = createTable('0123456789ABCDEF');

/** Returns a table that maps each character code below 128 to its 4-bit code: the position in `characters`. */
function createTable(characters: string): Int8Array {
  const table = new Int8Array(128).fill(NOT_PACKABLE);
  for (const [code, character] of [...characters].entries()) table[character.charCodeAt(0)] = code;
  return table;
}

/**
 * Writes a text of up to PACKED_MAX characters with two characters per byte, if the text contains only decimal digits,
 * `-` and `.`, or only uppercase hexadecimal digits. Returns false and writes nothing for any other text.
 */
function writePacked(text: string): boolean {
  if (text.length > TAGS.PACKED_MAX) return false;
  const isNibble = isPackable(text, NIBBLES);
  if (!isNibble && !isPackable(text, HEX_DIGITS)) return false;
  const table = isNibble ? NIBBLES : HEX_DIGITS;
  const isOdd = text.length % 2 === 1;
  writeByte(isNibble ? TAGS.NIBBLE_8 : TAGS.HEX_8);
  // The number of bytes. The highest bit marks an odd number of characters.
  writeByte(Math.ceil(text.length / 2) | (isOdd ? 128 : 0));
  for (let index = 0; index < text.length; index += 2) {
    const first = table[text.charCodeAt(index)] ?? 0;
    const second = index + 1 < text.length ? (table[text.charCodeAt(index + 1)] ?? 0) : FILLER;
    writeByte((first << 4) | second);
  }
  return true;
}

function isPackable(text: string, table: Int8Array): boolean {
  for (let index = 0; index < text.length; index++) {
    if ((table[text.charCodeAt(index)] ?? NOT_PACKABLE) === NOT_PACKABLE) return false;
  }
  return true;
}
