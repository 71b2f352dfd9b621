import { describe, expect, it } from 'vitest';
import type { Message } from '../../../src/events/events.ts';
import { createRetrySource, createSentMessageFinder } from '../../../src/whatsapp/outbound/retry-source.ts';

const pn = '4915112345678@s.whatsapp.net';
const lid = '222@lid';
const otherPerson = '33600000001@s.whatsapp.net';
const group = '120363025246125486@g.us';

const message = (key: Partial<Message['key']>, parts: Partial<Message> = {}): Message => ({
  key: { remoteJid: pn, fromMe: true, id: 'M', ...key },
  message: { conversation: 'secret' },
  messageType: 'conversation',
  messageTimestamp: 1,
  source: 'web',
  ...parts,
});

function createSource(
  stored: Message,
  pairs: Record<string, string> = { '4915112345678': '222', '222_reverse': '4915112345678' },
) {
  return createRetrySource({
    recentMessage: (chat, id) => (chat === pn && id === 'RECENT' ? { conversation: 'not stored' } : undefined),
    messages: {
      get: async (_instance, id, chat) =>
        id === stored.key.id && [stored.key.remoteJid, stored.key.remoteJidAlt].includes(chat) ? stored : null,
    },
    instanceId: 'one',
    keys: { get: (_type, ids) => Object.fromEntries(ids.flatMap((id) => (pairs[id] ? [[id, pairs[id]]] : []))) },
    me: () => ({ jid: '4915100000001@s.whatsapp.net', lid: '111@lid' }),
  });
}

describe('createRetrySource', () => {
  it.each([
    ['its recipient', message({}), { remoteJid: pn, fromMe: true, id: 'M' }],
    ['a device of its recipient', message({}), { remoteJid: '4915112345678:7@s.whatsapp.net', fromMe: true, id: 'M' }],
    ['its recipient, by LID', message({}), { remoteJid: '222:3@lid', fromMe: true, id: 'M' }],
    ['its recipient, stored by LID', message({ remoteJid: lid }), { remoteJid: pn, fromMe: true, id: 'M' }],
    ['its recipient with two addresses', message({ remoteJidAlt: lid }), { remoteJid: lid, fromMe: true, id: 'M' }],
    ['a member of its group', message({ remoteJid: group }), { remoteJid: group, fromMe: true, id: 'M' }],
  ])('the retry source finds the message for %s', async (_, stored, key) => {
    expect(await createSource(stored)(key)).toMatchObject({ content: { conversation: 'secret' }, sentAt: 1 });
  });

  it('the retry source finds a recent message that is not stored, for a device of its recipient', async () => {
    const key = { remoteJid: '4915112345678:7@s.whatsapp.net', fromMe: true, id: 'RECENT' };
    expect(await createSource(message({}))(key)).toEqual({
      content: { conversation: 'not stored' },
      sentAt: undefined,
    });
  });

  it.each([
    ['a person to whom it was not sent', message({}), { remoteJid: otherPerson, fromMe: true, id: 'M' }],
    ['an unknown LID', message({}), { remoteJid: '999@lid', fromMe: true, id: 'M' }],
    ['another group', message({ remoteJid: group }), { remoteJid: '120363025246125499@g.us', fromMe: true, id: 'M' }],
    ['a person, when it was sent to a group', message({ remoteJid: group }), { remoteJid: pn, fromMe: true, id: 'M' }],
    ['a chat in which another person wrote it', message({ fromMe: false }), { remoteJid: pn, fromMe: true, id: 'M' }],
    ['the key of a deleted message', message({}, { status: 'DELETED' }), { remoteJid: pn, fromMe: true, id: 'M' }],
    ['a key without a chat', message({}), { fromMe: true, id: 'M' }],
  ])('the retry source finds no message for %s', async (_, stored, key) => {
    expect(await createSource(stored)(key)).toBeUndefined();
  });

  // A case of the fuzz test: a response to an event whose key is missing.
  it('the retry source finds no message without a key', async () => {
    expect(await Reflect.apply(createSource(message({})), undefined, [null])).toBeUndefined();
  });
});

describe('createSentMessageFinder', () => {
  const key = { remoteJid: pn, fromMe: true, id: 'M' };
  const now = Math.floor(Date.now() / 1000);
  const find = (stored: Message) => createSentMessageFinder(createSource(stored), () => undefined)(key);

  it('the finder of sent messages finds no message that is older than 14 days', async () => {
    const day = 24 * 3_600;
    expect(await find(message({}, { messageTimestamp: now - 13 * day }))).toMatchObject({
      content: { conversation: 'secret' },
    });
    expect(await find(message({}, { messageTimestamp: now - 15 * day }))).toBeUndefined();
  });

  it('the finder of sent messages returns the attributes of the stanza', async () => {
    const content = { protocolMessage: { type: 'REVOKE', key: { remoteJid: pn, fromMe: true, id: 'A' } } };
    expect(await find(message({}, { messageTimestamp: now, message: content }))).toMatchObject({
      attributes: { edit: '7' },
      nodes: [],
    });
  });

  it('the finder of sent messages waits for a message that is being stored', async () => {
    const stored = Promise.withResolvers<void>();
    let isStored = false;
    const findSent = createSentMessageFinder(
      async () => (isStored ? { content: { conversation: 'hello' }, sentAt: undefined } : undefined),
      (id) => (id === 'M' ? stored.promise : undefined),
    );
    const found = findSent(key);
    expect(await findSent({ ...key, id: 'OTHER' })).toBeUndefined();
    isStored = true;
    stored.resolve();
    expect(await found).toMatchObject({ content: { conversation: 'hello' } });
  });
});
