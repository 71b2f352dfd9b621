import { decodeBinaryNode, encodeBinaryNode } from '@whiskeysockets/baileys';
import * as dictionary from '@whiskeysockets/baileys/lib/WABinary/constants.js';
import { expect, it } from 'vitest';
import { installTokenDictionary } from '../../../src/whatsapp/baileys/patches/token-dictionary.ts';
import type { Stanza } from '../../../src/whatsapp/baileys/stanza.ts';
import { encodeStanza } from '../../../src/whatsapp/baileys/stanza-encoder.ts';
import { Random } from '../../support/random.ts';

installTokenDictionary();

const encodeWithBaileys = (stanza: Stanza): Buffer => encodeBinaryNode(stanza);

const TEXTS = [
  '',
  'message',
  'w:gp2',
  'constructor',
  '__proto__',
  '0',
  '15550001001',
  '1-2.3',
  '123',
  'ABCDEF',
  '3EB0A1B2C3',
  'abcdef',
  '3EB0A1B2C',
  'Olá, mundo',
  '👍🏽',
  '\u0000',
  '15550001001@s.whatsapp.net',
  '15550001001:0@s.whatsapp.net',
  '15550001001:12@s.whatsapp.net',
  '15550001001_1:12@s.whatsapp.net',
  '123456789:99@hosted',
  '123456789:99@hosted.lid',
  '123456789@lid',
  '123456789:3@lid',
  '120363000000000000@g.us',
  'status@broadcast',
  '@s.whatsapp.net',
  '@g.us',
  'server@c.us',
  '4915112345678-1600000000@g.us',
  '120363000000000001@newsletter',
  '867051314767696@bot',
  '1:300@lid',
  `${'9'.repeat(127)}`,
  `${'9'.repeat(128)}`,
  `${'A'.repeat(127)}`,
  'x'.repeat(255),
  'x'.repeat(256),
  'é'.repeat(200),
];

it.each(TEXTS)('encodeStanza() encodes the text %j as Baileys does in each place of a stanza', (text) => {
  const stanza = { tag: text || 'iq', attrs: { [text]: text, id: text }, content: text };
  expect(encodeStanza(stanza)).toEqual(encodeWithBaileys(stanza));
});

it.each([
  'Vendas_2026@matriz',
  'Reunião 10:30 @ sala',
  'Vendas_2026@g.us',
  'Ada:1@lid',
  'ada@example.com',
  'name@',
  '@',
  ':@lid',
  '_:x@lid',
  'a_b:c@d',
  'a@b@c',
  '1@lid@home',
])('encodeStanza() keeps the text %j, which is no JID, complete in each place of a stanza', async (text) => {
  const stanza = { tag: 'create', attrs: { subject: text, [text]: 'name' }, content: text };
  expect(await decodeBinaryNode(encodeStanza(stanza))).toEqual({ ...stanza, content: Buffer.from(text) });
});

it.each([
  0,
  1,
  255,
  256,
  2 ** 20 - 1,
  2 ** 20,
  2 ** 20 + 1,
])('encodeStanza() encodes %d bytes as Baileys does', (size) => {
  const stanza = { tag: 'enc', attrs: {}, content: Buffer.alloc(size, 7) };
  // toEqual() compares large buffers byte by byte in JavaScript.
  expect(encodeStanza(stanza).equals(encodeWithBaileys(stanza))).toBe(true);
});

it.each([0, 1, 255, 256, 300])('encodeStanza() encodes a list of %d children as Baileys does', (count) => {
  const stanza = { tag: 'list', attrs: {}, content: Array.from({ length: count }, () => ({ tag: 'item', attrs: {} })) };
  expect(encodeStanza(stanza)).toEqual(encodeWithBaileys(stanza));
});

it('encodeStanza() encodes attributes that are undefined, null or a number as Baileys does', () => {
  const attrs: Record<string, string> = { id: '1' };
  for (const [name, value] of [
    ['to', undefined],
    ['type', null],
    ['count', 3],
  ] as const)
    Reflect.set(attrs, name, value);
  const stanza = { tag: 'message', attrs };
  expect(encodeStanza(stanza)).toEqual(encodeWithBaileys(stanza));
});

it('encodeStanza() throws for stanzas for which Baileys throws', () => {
  const stanzasWithoutTag: Stanza[] = [{ tag: '', attrs: {} }];
  const invalid: Stanza = { tag: 'iq', attrs: {} };
  Reflect.set(invalid, 'content', 5);
  for (const stanza of [...stanzasWithoutTag, invalid]) {
    expect(() => encodeWithBaileys(stanza)).toThrow();
    expect(() => encodeStanza(stanza)).toThrow();
  }
});

// Without `@`: Baileys encodes each text that contains it as a JID.
const CHARACTERS = [...'0123456789-.ABCDEFabcdefxyz:_ é👍'];

function randomText(random: Random): string {
  if (random.chance(0.3)) return random.pick(TEXTS);
  if (random.chance(0.3)) return random.pick(Object.keys(dictionary.TOKEN_MAP));
  const characters = random.chance(0.5) ? CHARACTERS.slice(0, random.pick([12, 18])) : CHARACTERS;
  return Array.from({ length: random.int(40) }, () => random.pick(characters)).join('');
}

function randomStanza(random: Random, depth: number): Stanza {
  const attrs = Object.fromEntries(
    Array.from({ length: random.few(6) }, () => [randomText(random), randomText(random)]),
  );
  const stanza: Stanza = { tag: randomText(random) || 'iq', attrs };
  const kind = random.int(depth > 0 ? 5 : 3);
  if (kind === 1) stanza.content = randomText(random);
  if (kind === 2) stanza.content = random.bytes(random.int(600));
  if (kind > 2) stanza.content = Array.from({ length: random.few(6) }, () => randomStanza(random, depth - 1));
  return stanza;
}

it('encodeStanza() encodes 5,000 random stanzas as Baileys does', () => {
  const random = new Random(180, 'stanzas');
  for (let round = 0; round < 5_000; round++) {
    const stanza = randomStanza(random, 3);
    expect(encodeStanza(stanza).equals(encodeWithBaileys(stanza)), JSON.stringify(stanza)).toBe(true);
  }
});

it('encodeStanza() does not change an earlier result when it encodes another stanza', () => {
  const stanza = { tag: 'message', attrs: { id: '3EB0' }, content: Buffer.alloc(5_000, 1) };
  const encoded = encodeStanza(stanza);
  encodeStanza({ tag: 'iq', attrs: {}, content: Buffer.alloc(9_000, 2) });
  expect(encoded).toEqual(encodeWithBaileys(stanza));
});
