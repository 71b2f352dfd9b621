import { expect, it } from 'vitest';
import type { Message } from '../../../src/events/events.ts';
import { archiveChat } from '../../../src/whatsapp/chat/archive.ts';
import type { SessionSocket } from '../../../src/whatsapp/session.ts';
import { fakeSession } from '../../support/session-fakes.ts';

const registered = '5215512345678@s.whatsapp.net';
const message: Message = {
  key: { remoteJid: registered, fromMe: false, id: 'A1' },
  message: { conversation: 'hola' },
  messageType: 'conversation',
  messageTimestamp: 1_700_000_000,
  source: 'android',
};

it.each([
  '5215512345678',
  '525512345678',
  registered,
])('archiveChat() archives the chat of a number that is registered with a mobile digit, requested as %s', async (chat) => {
  const changes: Parameters<SessionSocket['chatModify']>[] = [];
  const session = fakeSession({ chatModify: async (...change) => void changes.push(change) });
  Object.assign(session.socket.authState, { creds: { myAppStateKeyId: 'key' } });
  session.storage.messages.find = async (_instance, { chatAddresses }) =>
    chatAddresses?.includes(registered) ? [{ message, statuses: [] }] : [];
  expect(await archiveChat(session, { chat, archive: true })).toBe(registered);
  const lastMessages = [{ key: message.key, messageTimestamp: message.messageTimestamp }];
  expect(changes).toEqual([[{ archive: true, lastMessages }, registered]]);
  expect(session.ingested).toEqual([{ type: 'chats.update', chats: [{ jid: registered, archived: true }] }]);
});
