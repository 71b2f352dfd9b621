import { decodeDecompressedBinaryNode, encodeBinaryNode } from '@whiskeysockets/baileys';
import * as dictionary from '@whiskeysockets/baileys/lib/WABinary/constants.js';
import { expect, it } from 'vitest';
import { installTokenDictionary } from '../../../../src/whatsapp/baileys/patches/token-dictionary.ts';

it.each(Object.getOwnPropertyNames(Object.prototype))('%s is sent as the text that it is', (word) => {
  installTokenDictionary();
  const node = { tag: 'receipt', attrs: { id: word, type: 'read' } };
  expect(decodeDecompressedBinaryNode(encodeBinaryNode(node).subarray(1), dictionary)).toMatchObject(node);
});
