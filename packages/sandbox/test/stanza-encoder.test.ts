import { type BinaryNode, decodeBinaryNode, encodeBinaryNode } from '@whiskeysockets/baileys';
import { TAGS, TOKEN_MAP } from '@whiskeysockets/baileys/lib/WABinary/constants.js';
import { describe, expect, it } from 'vitest';
import { Random } from '../../../test/support/random.ts';
import { encodeStanza } from '../src/lib/stanza-encoder.ts';

const TEXTS = [
  '',
  'message',
  'w:gp2',
  'constructor',
  '__proto__',
  '15550001001',
  '1-2.3',
  'ABCDEF',
  '3EB0A1B2C',
  'abcdef',
  'Olá, mundo 👍🏽',
  '9'.repeat(127),
  '9'.repeat(128),
  'x'.repeat(255),
  'é'.repeat(200),
  'x'.repeat(2 ** 20),
];
const JIDS = [
  '15550001001@s.whatsapp.net',
  '15550001001:12@s.whatsapp.net',
  '123456789@lid',
  '123456789:98@lid',
  '123456789:99@hosted',
  '123456789:99@hosted.lid',
  '120363000000000000@g.us',
  '15550001001-1600000000@g.us',
  '120363000000000000@newsletter',
  'status@broadcast',
  '@s.whatsapp.net',
  '@g.us',
];
/** Texts with an `@` that are not addresses. */
const NO_JIDS = ['Meet @ noon', '@', 'Ask us @', 'Open 9:30 @ home', 'a_b@c', 'a@b@lid', 'Ada@home', '1:300@lid'];

const attributesOf = async (node: BinaryNode) => (await decodeBinaryNode(encodeStanza(node))).attrs;

describe('encodeStanza()', () => {
  it.each([
    ...TEXTS,
    ...JIDS,
    ...NO_JIDS,
  ])('encodeStanza() encodes an attribute so that clients decode the same text: %.40s', async (text) => {
    const attrs = { to: text, subject: text };
    expect(await attributesOf({ tag: 'iq', attrs })).toEqual(attrs);
  });

  it.each(JIDS)('encodeStanza() encodes the address %s as a JID', (jid) => {
    const tags = jid.includes(':') ? TAGS.AD_JID : TAGS.JID_PAIR;
    expect(encodeStanza({ tag: 'iq', attrs: { to: jid } })).toEqual(
      encodeBinaryNode({ tag: 'iq', attrs: { to: jid } }),
    );
    expect(encodeStanza({ tag: 'iq', attrs: { to: jid } })).toContain(tags);
  });

  it.each(NO_JIDS)('encodeStanza() encodes %s, which is no address, as text', (text) => {
    const encoded = encodeStanza({ tag: 'group', attrs: { creator: text } });
    expect(encoded.includes(Buffer.from([TAGS.BINARY_8, Buffer.byteLength(text), ...Buffer.from(text)]))).toBe(true);
  });

  it.each([
    'subject',
    'notify',
    'name',
    'display_name',
    'text',
    'id',
  ])('encodeStanza() encodes the attribute %s as text, even for an address', (name) => {
    const text = 'me@g.us';
    const encoded = encodeStanza({ tag: 'group', attrs: { [name]: text } });
    expect(encoded.includes(Buffer.from([TAGS.BINARY_8, text.length, ...Buffer.from(text)]))).toBe(true);
  });
});

it('encodeStanza() encodes 5,000 random stanzas with texts and addresses like Baileys', () => {
  // Otherwise Baileys would find inherited names such as `constructor` in its dictionary.
  Object.setPrototypeOf(TOKEN_MAP, null);
  const random = new Random(13, 'sandbox stanzas');
  const tokens = Object.keys(TOKEN_MAP).filter((token) => token !== '');
  const text = () => random.pick([TEXTS.slice(1, -1), JIDS, tokens].map((texts) => random.pick(texts)));
  const stanza = (depth: number): BinaryNode => {
    const attrs = Object.fromEntries(Array.from({ length: random.few(6) }, () => [random.pick(tokens), text()]));
    for (const name of ['content', 'display_name', 'id', 'name', 'notify', 'subject', 'text']) delete attrs[name];
    const contents = [undefined, random.bytes(random.int(600)), random.pick(TEXTS.slice(1, -1))];
    const children = Array.from({ length: random.few(6) }, () =>
      depth > 0 ? stanza(depth - 1) : { tag: 'a', attrs: {} },
    );
    return { tag: random.pick(tokens), attrs, content: random.pick([...contents, children]) };
  };
  for (let round = 0; round < 5_000; round++) {
    const node = stanza(3);
    expect(encodeStanza(node).equals(encodeBinaryNode(node)), JSON.stringify(node)).toBe(true);
  }
});

it.each([0, 255, 256, 2 ** 20 - 1, 2 ** 20])('encodeStanza() encodes %d bytes like Baileys', (size) => {
  const node = { tag: 'enc', attrs: {}, content: Buffer.alloc(size, 7) };
  expect(encodeStanza(node).equals(encodeBinaryNode(node))).toBe(true);
});

it('encodeStanza() encodes a list of 300 elements like Baileys', () => {
  const node = { tag: 'list', attrs: {}, content: Array.from({ length: 300 }, () => ({ tag: 'item', attrs: {} })) };
  expect(encodeStanza(node)).toEqual(encodeBinaryNode(node));
});
