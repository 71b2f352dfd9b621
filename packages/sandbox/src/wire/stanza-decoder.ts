// Decodes the stanzas of clients, with limits: a few kilobytes can decompress to millions of elements.
import { inflateSync } from 'node:zlib';
import { type BinaryNode, decodeDecompressedBinaryNode } from '@whiskeysockets/baileys';
import * as dictionary from '@whiskeysockets/baileys/lib/WABinary/constants.js';
import { MAX_STANZA } from './frame.ts';

const { TAGS } = dictionary;
/** Bit of the first byte of a decrypted frame: the stanza after this byte is compressed with zlib. */
const COMPRESSED_FLAG = 2;
/**
 * Maximum number of lists in a stanza. Every element is a list, and takes 80 bytes or more as an object. The smallest
 * element of a large stanza takes 15 bytes, so that a stanza of a client that is no attacker has fewer lists.
 */
const MAX_LISTS = 300_000;
/** Number of bytes in which the attributes of an answer end; they take about 50 bytes. */
const MAX_HEADER = 4096;

/** Returns the stanza in a decrypted frame, decompressed. Throws Error when it is too large or cannot be decompressed. */
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
  const isShort = stanza[0] === TAGS.LIST_8;
  const start = isShort ? 2 : 3;
  if (stanza.length < start || !(isShort || stanza[0] === TAGS.LIST_16)) return undefined;
  const size = isShort ? stanza.readUInt8(1) : stanza.readUInt16BE(1);
  // A list with an even number of items ends with the content. It gets an odd number here.
  const list = Buffer.of(TAGS.LIST_16, 0, 0);
  list.writeUInt16BE(Math.max(1, size - 1) | 1, 1);
  try {
    return decodeDecompressedBinaryNode(Buffer.concat([list, stanza.subarray(start, MAX_HEADER)]), dictionary);
  } catch {
    return undefined;
  }
}
