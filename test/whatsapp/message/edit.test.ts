import { describe, expect, it } from 'vitest';
import type { JsonObject, Message } from '../../../src/events/events.ts';
import { updateMessage } from '../../../src/whatsapp/message/edit.ts';
import { fakeSession } from '../../support/session-fakes.ts';

const group = '120363025246125486@g.us';
const [ada, bob] = ['15550001001@s.whatsapp.net', '222@lid'];

const storedMessage = (message: JsonObject, remoteJid = group): Message => ({
  ...{ key: { remoteJid, fromMe: true, id: 'M1' }, message, messageType: Object.keys(message)[0] ?? '' },
  ...{ messageTimestamp: Math.floor(Date.now() / 1000), source: 'web', status: 'SERVER_ACK' },
});

/** Edits a stored message. Returns the protocol message of the edit. */
async function editMessage(message: JsonObject, text: string): Promise<unknown> {
  const session = fakeSession();
  session.stored.set('M1', storedMessage(message));
  const edit = await updateMessage(session, { text, key: { id: 'M1' } });
  return edit.message.protocolMessage;
}

describe('updateMessage', () => {
  const mentions = { mentionedJid: [ada, bob], nonJidMentions: 1, stanzaId: 'Q' };

  it.each([
    ['@15550001001 and @222 at ten', { mentionedJid: [ada, bob] }],
    ['@15550001001 at ten', { mentionedJid: [ada] }],
    ['@155500010011 and @2222', undefined],
    ['@all at ten', { nonJidMentions: 1 }],
    ['at ten', undefined],
  ])('updateMessage() keeps the mentions that the new text "%s" contains', async (text, contextInfo) => {
    const message = { extendedTextMessage: { text: '@15550001001 @222 @all', contextInfo: mentions } };
    expect(await editMessage(message, text)).toMatchObject({
      editedMessage: { extendedTextMessage: { text, ...(contextInfo ? { contextInfo } : {}) } },
    });
    const content: unknown = await editMessage(message, text);
    if (!contextInfo) expect(JSON.stringify(content)).not.toContain('contextInfo');
  });

  it('updateMessage() keeps the file, the quote and the remaining mentions of a caption', async () => {
    const image = { mimetype: 'image/jpeg', mediaKey: 'AAAA', caption: '@15550001001 @222' };
    expect(await editMessage({ imageMessage: { ...image, contextInfo: mentions } }, 'for @222')).toMatchObject({
      editedMessage: {
        imageMessage: { ...image, caption: 'for @222', contextInfo: { mentionedJid: [bob], stanzaId: 'Q' } },
      },
    });
    const plain = JSON.stringify(await editMessage({ imageMessage: { mediaKey: 'AAAA', caption: 'a' } }, 'b'));
    expect(plain).not.toContain('contextInfo');
  });

  it.each<[string, JsonObject, string]>([
    [
      'a view-once file',
      { viewOnceMessageV2: { message: { imageMessage: { caption: 'a', mediaKey: 'AAAA' } } } },
      group,
    ],
    ['a status', { extendedTextMessage: { text: 'a' } }, 'status@broadcast'],
  ])('updateMessage() rejects an edit of %s', async (_, message, remoteJid) => {
    const session = fakeSession();
    session.stored.set('M1', storedMessage(message, remoteJid));
    await expect(updateMessage(session, { text: 'b', key: { id: 'M1' } })).rejects.toMatchObject({
      code: 'MESSAGE_NOT_EDITABLE',
      certain: true,
    });
    expect(session.calls).toEqual([]);
  });
});
