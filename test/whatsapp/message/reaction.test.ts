import { describe, expect, it } from 'vitest';
import type { Message } from '../../../src/events/events.ts';
import { isValidReaction, sendReaction } from '../../../src/whatsapp/message/reaction.ts';
import { fakeSession } from '../../support/session-fakes.ts';

const jid = '4915112345678@s.whatsapp.net';
const group = '120363025246125486@g.us';
const storedMessage = (key: Message['key'], parts: Partial<Message> = {}): Message => ({
  key,
  message: { conversation: 'hi' },
  messageType: 'conversation',
  messageTimestamp: 1,
  source: 'android',
  ...parts,
});
const react = (session: ReturnType<typeof fakeSession>, key: { id: string; remoteJid: string; participant?: string }) =>
  sendReaction(session, { reactionMessage: { key, reaction: '👍' } });

describe('reactions', () => {
  it('isValidReaction() accepts one pictograph, flag or keycap, or an empty text', () => {
    for (const emoji of ['', '👍', '👍🏽', '❤️', '👨‍👩‍👧‍👦', '🇧🇷', '1️⃣', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '©️'])
      expect(isValidReaction(emoji), emoji).toBe(true);
    for (const text of ['a', '1', '👍👍', '👍 ', ' ', ':)', '\u200d', '\u20e3\u20e3'])
      expect(isValidReaction(text), text).toBe(false);
  });

  it('sendReaction() uses the stored key instead of the key in the request', async () => {
    const session = fakeSession();
    session.stored.set('M1', storedMessage({ remoteJid: jid, fromMe: true, id: 'M1' }));
    const { message } = await sendReaction(session, {
      reactionMessage: { key: { id: 'M1', remoteJid: jid, fromMe: false }, reaction: '👍' },
    });
    expect(message.reactionMessage).toMatchObject({ key: { remoteJid: jid, fromMe: true, id: 'M1' }, text: '👍' });
    expect(message).not.toHaveProperty('messageContextInfo');
    const { message: unstored } = await react(session, { id: 'M2', remoteJid: jid });
    expect(unstored.reactionMessage).toMatchObject({ key: { remoteJid: jid, fromMe: false, id: 'M2' } });
  });

  it('sendReaction() adds the author in a group and rejects a message without a known author', async () => {
    const session = fakeSession();
    const author = '111@lid';
    session.stored.set('M1', storedMessage({ remoteJid: group, fromMe: false, id: 'M1', participant: author }));
    const known = await react(session, { id: 'M1', remoteJid: group });
    expect(known.message.reactionMessage).toMatchObject({ key: { participant: author } });
    const sent = await react(session, { id: 'M2', remoteJid: group, participant: jid });
    expect(sent.message.reactionMessage).toMatchObject({ key: { participant: jid } });
    await expect(react(session, { id: 'M3', remoteJid: group })).rejects.toMatchObject({ code: 'MESSAGE_NOT_FOUND' });
  });

  it('sendReaction() rejects a reaction to a deleted message', async () => {
    const session = fakeSession();
    session.stored.set('M1', storedMessage({ remoteJid: jid, fromMe: false, id: 'M1' }, { status: 'DELETED' }));
    await expect(react(session, { id: 'M1', remoteJid: jid })).rejects.toMatchObject({
      code: 'MESSAGE_NOT_FOUND',
      certain: true,
    });
    expect(session.calls.filter(([name]) => name === 'relayMessage')).toEqual([]);
  });
});
