import { proto } from '@whiskeysockets/baileys';
import { getMessageReportingToken } from '@whiskeysockets/baileys/lib/Utils/reporting-utils.js';
import { expect, it } from 'vitest';
import { READABLE_PADDING_LENGTHS, toReportingNode } from '../../../src/whatsapp/baileys/message-stanza.ts';

const KEY = { id: 'A1', remoteJid: '1@lid' };
const secret = { messageContextInfo: { messageSecret: Buffer.alloc(32, 5) } };
const CONTENTS: [name: string, content: proto.IMessage][] = [
  ['a text', { conversation: 'Hello', ...secret }],
  ['a text with a quote', { extendedTextMessage: { text: 'a', contextInfo: { stanzaId: 'B' } }, ...secret }],
  ['a picture', { imageMessage: { url: 'https://example.com', mimetype: 'image/png' }, ...secret }],
  ['a poll', { pollCreationMessageV3: { name: 'a', options: [{ optionName: 'b' }] }, ...secret }],
];

it.each(
  CONTENTS,
)('getMessageReportingToken() of Baileys reads exactly the paddings in READABLE_PADDING_LENGTHS for %s', async (_, content) => {
  const bytes = proto.Message.encode(content).finish();
  const readable: number[] = [];
  for (let length = 1; length <= 16; length += 1) {
    const padded = Buffer.concat([bytes, Buffer.alloc(length, length)]);
    const node = await getMessageReportingToken(padded, content, { ...KEY, fromMe: true }).catch(() => null);
    if (node) readable.push(length);
  }
  expect(new Set(readable)).toEqual(READABLE_PADDING_LENGTHS);
});

it('toReportingNode() returns a token for some paddings of a text, and none for the others', async () => {
  const content = { conversation: 'Hello', ...secret };
  const bytes = proto.Message.encode(content).finish();
  const tags = new Set<string | undefined>();
  for (let turn = 0; turn < 400; turn += 1) tags.add((await toReportingNode(content, bytes, KEY))?.tag);
  expect(tags).toEqual(new Set([undefined, 'reporting']));
});
