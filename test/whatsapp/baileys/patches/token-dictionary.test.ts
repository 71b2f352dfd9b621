import { decodeDecompressedBinaryNode, encodeBinaryNode } from '@whiskeysockets/baileys';
import * as dictionary from '@whiskeysockets/baileys/lib/WABinary/constants.js';
import { expect, it } from 'vitest';
import { installTokenDictionary } from '../../../../src/whatsapp/baileys/patches/token-dictionary.ts';

it.each(Object.getOwnPropertyNames(Object.prototype))('the attribute value %s is encoded as this text', (word) => {
  installTokenDictionary();
  const node = { tag: 'receipt', attrs: { id: word, type: 'read' } };
  expect(decodeDecompressedBinaryNode(encodeBinaryNode(node).subarray(1), dictionary)).toMatchObject(node);
});
