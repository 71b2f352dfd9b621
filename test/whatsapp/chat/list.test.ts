import { expect, it } from 'vitest';
import type { Message } from '../../../src/events/events.ts';
import { openStorage } from '../../../src/storage/open.ts';
import { findChats } from '../../../src/whatsapp/chat/list.ts';
import { findMessages } from '../../../src/whatsapp/message/find.ts';

const instance = { id: 'one', name: 'shop' };

const messageFrom = (remoteJid: string, messageTimestamp: number): Message => ({
  key: { remoteJid, fromMe: false, id: `M${messageTimestamp}` },
  message: { conversation: 'hi' },
  messageType: 'conversation',
  messageTimestamp,
  source: 'android',
});

// `@bot` is the address of Meta AI. Messages cannot be sent to it, but the phone reports the chat.
it.each([
  '867051314767696@bot',
  '15550009001@hosted',
  '111222333@hosted.lid',
  '120363000000000001@newsletter',
])('findChats() lists the chat %s beside other chats and finds it by this address', async (address) => {
  const storage = await openStorage({ dataDir: ':memory:', network: 'sandbox' });
  const messages = [messageFrom(address, 2), messageFrom('15550009002@s.whatsapp.net', 1)];
  await storage.messages.record(instance.id, {
    messages: messages.map((message) => ({ message, events: [] })),
    statuses: [],
    contacts: [],
    events: [],
  });
  expect(await findChats({ instance, ...storage }, {})).toMatchObject([
    { remoteJid: address, lastMessage: { key: { id: 'M2' } } },
    { remoteJid: '15550009002@s.whatsapp.net', lastMessage: { key: { id: 'M1' } } },
  ]);
  const archive = { instance, ...storage };
  expect(await findChats(archive, { where: { remoteJid: address } })).toMatchObject([{ remoteJid: address }]);
  const found = await findMessages(archive, { where: { key: { remoteJid: address } } }, { isCounted: true });
  expect(found.messages.records).toMatchObject([{ key: { remoteJid: address, id: 'M2' } }]);
  await storage.close();
});
