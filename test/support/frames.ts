// Malformed frames, which WhatsApp does not send and clients cannot read. Each of them once crashed a gateway process.
import { deflateSync } from 'node:zlib';
import { encodeBinaryNode } from '@whiskeysockets/baileys';

export interface Frame {
  /** With `stanza`, `bytes` is the plaintext of a frame. With `frame`, `bytes` is the encrypted frame. */
  as: 'stanza' | 'frame';
  bytes: Uint8Array;
}

const hex = (digits: string) => Buffer.from(digits, 'hex');

/** A list in the content of another list, `depth` levels deep. */
function nestedLists(depth: number): Buffer {
  const level = Buffer.from([0xf8, 2, 3, 0xf8, 1]);
  return Buffer.concat([Buffer.from([0]), ...Array.from({ length: depth }, () => level), Buffer.from([0xf8, 1, 3])]);
}

/** Malformed frames, by their defect. */
export const malformedFrames: Record<string, () => Frame> = {
  'a wrong GCM tag': () => ({ as: 'frame', bytes: Buffer.alloc(48, 7) }),
  'an empty plaintext': () => ({ as: 'stanza', bytes: hex('') }),
  'an invalid zlib stream': () => ({ as: 'stanza', bytes: hex('02ffffffff') }),
  'an empty list': () => ({ as: 'stanza', bytes: hex('00f800') }),
  'a truncated list': () => ({ as: 'stanza', bytes: hex('00f9ffff03') }),
  'a JID pair of two empty halves': () => ({ as: 'stanza', bytes: hex('00f80303fa0000') }),
  '600 MB of zeros in 583 kB': () => {
    const zeros = deflateSync(Buffer.alloc(600_000_000), { level: 9 });
    return { as: 'stanza', bytes: Buffer.concat([Buffer.from([2]), zeros]) };
  },
  'lists a million levels deep': () => ({ as: 'stanza', bytes: nestedLists(1_000_000) }),
};

/** Stanzas without a part that their handlers expect, by their defect. The session may continue after them. */
export const malformedStanzas: Record<string, () => Frame> = {
  'a presence without children': () => ({ as: 'stanza', bytes: encodeBinaryNode({ tag: 'presence', attrs: {} }) }),
  'a chat state without children': () => ({
    as: 'stanza',
    bytes: encodeBinaryNode({ tag: 'chatstate', attrs: { from: '15550008001@s.whatsapp.net' }, content: [] }),
  }),
  'a receipt without a sender': () => ({
    as: 'stanza',
    bytes: encodeBinaryNode({ tag: 'receipt', attrs: { id: 'A' } }),
  }),
  'a message without anything': () => ({ as: 'stanza', bytes: encodeBinaryNode({ tag: 'message', attrs: {} }) }),
  'a call without an id': () => ({
    as: 'stanza',
    bytes: encodeBinaryNode({
      tag: 'call',
      attrs: { from: '15550008001@s.whatsapp.net', id: 'B', t: '1' },
      content: [{ tag: 'offer', attrs: { type: 'group' } }],
    }),
  }),
  'a dirty bit without its name': () => ({
    as: 'stanza',
    bytes: encodeBinaryNode({ tag: 'ib', attrs: {}, content: [{ tag: 'dirty', attrs: {} }] }),
  }),
  'a notification without a sender': () => ({
    as: 'stanza',
    bytes: encodeBinaryNode({
      tag: 'notification',
      attrs: { type: 'w:gp2', id: 'C' },
      content: [{ tag: 'add', attrs: {} }],
    }),
  }),
};
