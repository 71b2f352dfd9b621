import { proto, type WAMessageUpdate } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { fromCorrection } from '../../../src/platform/events/correction.ts';

const pn = '4915112345678@s.whatsapp.net';
const lid = '222@lid';
const now = 1_700_000_999_000;
const names = { me: undefined, twins: new Map([[lid, pn]]) };
const correct = (update: WAMessageUpdate['update'], key = { remoteJid: pn, fromMe: false, id: 'A1' }) =>
  fromCorrection({ key, update }, names, now);
const edit = (message: proto.IMessage, messageTimestamp?: number) =>
  correct({ message: { editedMessage: { message } }, ...(messageTimestamp ? { messageTimestamp } : {}) });

describe('an edit', () => {
  it.each<[string, proto.IMessage, string | undefined]>([
    ['a text', { conversation: 'new' }, 'new'],
    ['a text with context', { extendedTextMessage: { text: 'new' } }, 'new'],
    ['a caption', { imageMessage: { caption: 'new' } }, 'new'],
    ['something without text', { stickerMessage: {} }, undefined],
  ])('of %s names the message, its content and its text', (_, content, text) => {
    expect(edit(content, 1_700_000_100)).toEqual({
      type: 'messages.edited',
      key: { remoteJid: pn, fromMe: false, id: 'A1' },
      message: content,
      ...(text === undefined ? {} : { text }),
      at: 1_700_000_100_000,
    });
  });

  it('without a time happened now', () => {
    expect(edit({ conversation: 'new' })).toMatchObject({ at: now });
  });
});

describe('a deletion', () => {
  const messageStubType = proto.WebMessageInfo.StubType.REVOKE;

  it('names the message, phone number first', () => {
    expect(correct({ message: null, messageStubType }, { remoteJid: lid, fromMe: true, id: 'A1' })).toEqual({
      type: 'messages.delete',
      key: { remoteJid: pn, remoteJidAlt: lid, fromMe: true, id: 'A1' },
      at: now,
    });
  });

  it('of nothing is nothing', () => {
    expect(fromCorrection({ key: { remoteJid: pn }, update: { messageStubType } }, names, now)).toBeUndefined();
  });
});

it('other updates are no corrections', () => {
  expect(correct({ status: proto.WebMessageInfo.Status.READ })).toBeUndefined();
  expect(correct({ pollUpdates: [] })).toBeUndefined();
});
