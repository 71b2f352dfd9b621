import { expect, it } from 'vitest';
import type { Message } from '../../../src/events/events.ts';
import { openStorage } from '../../../src/storage/open.ts';
import { findChats } from '../../../src/whatsapp/chat/list.ts';

const instance = { id: 'one', name: 'shop' };

const messageFrom = (remoteJid: string, messageTimestamp: number): Message => ({
  key: { remoteJid, fromMe: false, id: `M${messageTimestamp}` },
  message: { conversation: 'hi' },
  messageType: 'conversation',
  messageTimestamp,
  source: 'android',
});

// `@bot` is the address of Meta AI. Requests cannot name it, but the phone reports the chat.
it.each([
  '867051314767696@bot',
  '15550009001@hosted',
  '1@newsletter',
])('findChats lists a chat with the address %s, and the other chats', async (address) => {
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
  await storage.close();
});
