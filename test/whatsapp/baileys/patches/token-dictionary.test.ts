import { decodeDecompressedBinaryNode, encodeBinaryNode } from '@whiskeysockets/baileys';
import * as dictionary from '@whiskeysockets/baileys/lib/WABinary/constants.js';
import { expect, it } from 'vitest';
import { installTokenDictionary } from '../../../../src/whatsapp/baileys/patches/token-dictionary.ts';

it.each(
  Object.getOwnPropertyNames(Object.prototype),
)('installTokenDictionary() lets Baileys encode the attribute value %s as text', (word) => {
  installTokenDictionary();
  const node = { tag: 'receipt', attrs: { id: word, type: 'read' } };
  expect(decodeDecompressedBinaryNode(encodeBinaryNode(node).subarray(1), dictionary)).toMatchObject(node);
});
