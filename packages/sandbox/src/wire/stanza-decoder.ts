// Decodes the stanzas of clients, with limits: a few kilobytes can decompress to millions of elements.
import { inflateSync } from 'node:zlib';
import { type BinaryNode, decodeDecompressedBinaryNode } from '@whiskeysockets/baileys';
import * as dictionary from '@whiskeysockets/baileys/lib/WABinary/constants.js';
import { MAX_STANZA } from './frame.ts';

const { TAGS } = dictionary;
/** Bit of the first byte of a decrypted frame: the stanza after this byte is compressed with zlib. */
const COMPRESSED_FLAG = 2;
/**
 * Maximum number of lists in a stanza. Every element is encoded as a list, and takes at least 80 bytes of memory when
 * it is decoded. Regular clients stay below the limit: the smallest element of a large stanza takes 15 bytes, so
 * MAX_STANZA (4 MiB) has room for 280,000 elements.
 */
const MAX_LISTS = 300_000;
/** Maximum size in bytes of the tag and the attributes of an answer; they take about 50 bytes. */
const MAX_HEADER = 4096;

/** Returns the decompressed stanza of a decrypted frame. Throws Error for a stanza that is too large or malformed. */
export function decompressStanza(plain: Buffer): Buffer {
  const isCompressed = (plain.readUInt8(0) & COMPRESSED_FLAG) !== 0;
  const stanza = plain.subarray(1);
  return isCompressed ? inflateSync(stanza, { maxOutputLength: MAX_STANZA }) : stanza;
}

/** Decodes a stanza. Throws Error for invalid bytes and for too many elements. */
export function decodeStanza(stanza: Buffer): BinaryNode {
  // The count can be too high, because values can contain the same bytes: about one in 128 bytes of encrypted content.
  let lists = 0;
  for (const byte of stanza) if (byte === TAGS.LIST_8 || byte === TAGS.LIST_16) lists++;
  if (lists > MAX_LISTS) throw new RangeError(`a stanza with ${lists} lists is too large`);
  return decodeDecompressedBinaryNode(stanza, dictionary);
}

/** The id of the query that a stanza answers; undefined for any other stanza. Reads only tag and attributes. */
export function answeredQueryOf(stanza: Buffer): string | undefined {
  const { tag, attrs } = decodeHeader(stanza) ?? {};
  const isAnswer = tag === 'iq' && (attrs?.type === 'result' || attrs?.type === 'error');
  return isAnswer ? attrs?.id : undefined;
}

/** Decodes tag and attributes; undefined for invalid bytes and for a header that is longer than MAX_HEADER. */
function decodeHeader(stanza: Buffer): BinaryNode | undefined {
  // A list begins with a tag and the number of its items: one byte after LIST_8, two bytes after LIST_16.
  const isShort = stanza[0] === TAGS.LIST_8;
  const start = isShort ? 2 : 3;
  if (stanza.length < start || !(isShort || stanza[0] === TAGS.LIST_16)) return undefined;
  const size = isShort ? stanza.readUInt8(1) : stanza.readUInt16BE(1);
  // The items of an element are the tag, two items per attribute, and the content if there is any. An odd number of
  // items makes the decoder stop before the content: `size - 1` with content, `size` without.
  const list = Buffer.of(TAGS.LIST_16, 0, 0);
  list.writeUInt16BE(Math.max(1, size - 1) | 1, 1);
  try {
    return decodeDecompressedBinaryNode(Buffer.concat([list, stanza.subarray(start, MAX_HEADER)]), dictionary);
  } catch {
    return undefined;
  }
}
