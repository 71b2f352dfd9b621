// Messages that a phone shows only when the stanza announces them. The rules are those observed at clients and at the
// real platform (decision D-119).
import type { proto } from '@whiskeysockets/baileys';
import { expect, it } from 'vitest';
import { isDisplayed, isViewOnce } from '../src/phone/visibility.ts';

const stanza = (attrs: Record<string, string>) => ({ tag: 'message', attrs });
const copy = (attrs: Record<string, string>) => ({ tag: 'enc', attrs });
const video: proto.IMessage = { viewOnceMessageV2: { message: { videoMessage: { viewOnce: true } } } };

it.each<[string, boolean, proto.IMessage, Record<string, string>, Record<string, string>]>([
  ['a text', true, { conversation: 'hi' }, {}, {}],
  ['a pin', true, { pinInChatMessage: {} }, { edit: '2' }, {}],
  ['a pin in a stanza without the attribute edit', false, { pinInChatMessage: {} }, {}, {}],
  ['a view-once video', true, video, {}, { mediatype: 'video' }],
  ['a view-once video in a copy without the attribute mediatype', false, video, {}, {}],
  ['a view-once picture', true, { viewOnceMessage: { message: { imageMessage: {} } } }, {}, {}],
  ['an ordinary video', true, { videoMessage: {} }, {}, {}],
])('isDisplayed() for %s returns %s', (_name, isShown, content, attrs, enc) => {
  expect(isDisplayed(content, stanza(attrs), copy(enc))).toBe(isShown);
});

it('isViewOnce() recognizes a file by a wrapper or a flag', () => {
  expect(isViewOnce(video)).toBe(true);
  expect(isViewOnce({ audioMessage: { viewOnce: true } })).toBe(true);
  expect(isViewOnce({ audioMessage: {} })).toBe(false);
});
