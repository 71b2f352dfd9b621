// Lists of chats and contacts, and the effects of read, archive and unread marks on the lists and on the phone.
import { expect, it } from 'vitest';
import { lidJid } from '../../packages/sandbox/src/world/world.ts';
import { at, textAt } from '../support/api.ts';
import { isEvent, type World } from '../support/gateway.ts';
import { ada, bob, createAdasGroup, jid, ownNumber, startLinked } from '../support/group.ts';
import { waitFor } from '../support/wait-for.ts';

const phoneOf = (world: World, number: string) => world.sandbox.phones.phone(number);

/** Sends a text from a phone. Resolves with its id when the webhook has it. */
async function sendFromPhone(world: World, from: string, to: string, text: string): Promise<string> {
  const id = await phoneOf(world, from).send(to, { text });
  await world.receiver.next(({ body }) => isEvent(body, 'messages.upsert') && at(body, 'data.key.id') === id);
  return id;
}

async function chatOf(world: World, remoteJid: string, instance = 'sales'): Promise<unknown> {
  const path = `/chat/findChatByRemoteJid/${instance}?remoteJid=${encodeURIComponent(remoteJid)}`;
  const answer = await world.api('GET', path);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
}

const key = (id: string, remoteJid: string) => ({ id, fromMe: false, remoteJid });

it('findChats lists chats with the last message and the unread count, and markMessageAsRead sends read receipts', async () => {
  const world = await startLinked();
  const group = createAdasGroup(world);
  const first = await sendFromPhone(world, ada, ownNumber, 'one');
  const second = await sendFromPhone(world, ada, ownNumber, 'two');
  const inGroup = await sendFromPhone(world, bob, group.id, 'all of you');
  const adasLid = lidJid(phoneOf(world, ada).account);
  expect(await chatOf(world, ada)).toMatchObject({
    remoteJid: jid(ada),
    lid: adasLid,
    pushName: phoneOf(world, ada).account.name,
    unreadCount: 2,
    archived: false,
    lastMessage: { key: { id: second }, message: { conversation: 'two' } },
    owner: 'sales',
  });
  expect(await chatOf(world, adasLid)).toMatchObject({ remoteJid: jid(ada) });
  expect(await chatOf(world, '15559999999')).toBeNull();
  const listed = await world.api('GET', '/chat/findChats/sales');
  expect((await world.api('POST', '/chat/findChats/sales', { where: {} })).body).toEqual(listed.body);
  expect(new Set((listed.body as { remoteJid: string }[]).map((one) => one.remoteJid))).toEqual(
    new Set([jid(ada), group.id]),
  );
  const paged = { where: { remoteJid: '' }, take: 1, skip: 1 };
  expect((await world.api('POST', '/chat/findChats/sales', paged)).body).toEqual([at(listed.body, '1')]);
  const past = { where: { messageTimestamp: { lte: '2020-01-01T00:00:00Z' } } };
  expect((await world.api('POST', '/chat/findChats/sales', past)).body).toEqual([]);
  const contacts = await world.api('POST', '/chat/findContacts/sales', { where: { id: ada } });
  const expectedContact = {
    id: jid(ada),
    remoteJid: jid(ada),
    lid: adasLid,
    pushName: phoneOf(world, ada).account.name,
  };
  expect(contacts.body).toMatchObject([expectedContact]);
  const named = { where: { pushName: expectedContact.pushName } };
  expect((await world.api('POST', '/chat/findContacts/sales', named)).body).toMatchObject([expectedContact]);

  const receipt = (number: string, id: string) => () =>
    phoneOf(world, number)
      .messages()
      .find((one) => one.id === id)
      ?.receipts.some(({ from, type }) => from === ownNumber && type === 'read');
  const answer = await world.api('PUT', '/chat/markMessageAsRead/sales', { read_messages: [key(first, jid(ada))] });
  expect(answer).toMatchObject({ status: 201, body: { message: 'Read messages', read: 'success' } });
  await phoneOf(world, ada).waitFor(receipt(ada, first));
  expect(receipt(ada, second)()).toBe(false);
  expect(await chatOf(world, ada)).toMatchObject({ unreadCount: 1 });
  const remaining = {
    readMessages: [key(second, adasLid), key(inGroup, group.id), { ...key('OWN', jid(ada)), fromMe: true }],
  };
  expect((await world.api('POST', '/chat/markMessageAsRead/sales', remaining)).status).toBe(201);
  await phoneOf(world, ada).waitFor(receipt(ada, second));
  await phoneOf(world, bob).waitFor(receipt(bob, inGroup));
  for (const chat of [ada, group.id]) expect(await chatOf(world, chat)).toMatchObject({ unreadCount: 0 });

  await sendFromPhone(world, ada, ownNumber, 'three');
  await sendFromPhone(world, bob, group.id, 'four');
  for (const chat of [ada, group.id]) {
    expect(await chatOf(world, chat)).toMatchObject({ unreadCount: 1 });
    phoneOf(world, ownNumber).read(chat);
    await waitFor(async () => expect(await chatOf(world, chat)).toMatchObject({ unreadCount: 0 }));
  }
  // These messages are posted after any event about the messages that were read, because each chat has an order.
  await sendFromPhone(world, bob, group.id, 'five');
  await sendFromPhone(world, ada, ownNumber, 'five');
  const updates = world.receiver.posts.filter(({ body }) => isEvent(body, 'messages.update'));
  expect(updates).toEqual([]);
  await world.api('POST', '/message/sendText/sales', { number: ada, text: 'answered' });
  const answered = { extendedTextMessage: { text: 'answered' }, conversation: 'answered' };
  expect(await chatOf(world, ada)).toMatchObject({
    unreadCount: 0,
    lastMessage: { key: { fromMe: true }, messageType: 'conversation', message: answered },
  });
  await world.api('DELETE', '/instance/logout/sales');
  expect(await chatOf(world, ada)).toMatchObject({ unreadCount: 0 });
});

it('archiveChat and markChatUnread reach the phone, and changes on the phone reach the list of chats', async () => {
  const world = await startLinked({ env: { QUERY_TIMEOUT: '400' } });
  world.expectErrors(/^request\.failed$/);
  const { phoneAppState: synced } = world.sandbox.phones;
  const account = world.sandbox.world.account(ownNumber);
  const id = await sendFromPhone(world, ada, ownNumber, 'hello');
  const isAbout = (name: string) => (entry: { index: string[] }) =>
    entry.index[0] === name && entry.index[1] === jid(ada);
  for (const [method, body, archive] of [
    ['PUT', { chat: ada }, true],
    ['POST', { lastMessage: { key: key(id, jid(ada)), messageTimestamp: 1 } }, false],
  ] as const) {
    const answer = await world.api(method, '/chat/archiveChat/sales', { ...body, archive });
    expect(answer).toMatchObject({ status: 201, body: { chatId: jid(ada), archived: archive } });
    const { value } = await synced.waitFor(account, isAbout('archive'));
    expect(value.archiveChatAction).toMatchObject({ archived: archive, messageRange: { messages: [{ key: { id } }] } });
    expect(await chatOf(world, ada)).toMatchObject({ archived: archive });
  }
  for (const method of ['PUT', 'POST']) {
    const answer = await world.api(method, '/chat/markChatUnread/sales', { chat: jid(ada) });
    expect(answer).toMatchObject({ status: 201, body: { chatId: jid(ada), markedChatUnread: true } });
  }
  const { value } = await synced.waitFor(account, isAbout('markChatAsRead'));
  expect(value.markChatAsReadAction?.read).toBe(false);
  expect(await chatOf(world, ada)).toMatchObject({ unreadCount: -1 });
  const received = await world.receiver.next(
    ({ body }) => isEvent(body, 'chats.update') && JSON.stringify(body).includes('"unreadMessages":-1'),
  );
  expect(textAt(received.body, 'data.0.remoteJid')).toBe(jid(ada));

  const lastMessages = [{ key: key(id, jid(ada)), messageTimestamp: world.sandbox.world.now() }];
  await synced.change(account, { pin: true }, jid(ada));
  await synced.change(account, { contact: { fullName: 'Ada L.' } }, jid(ada));
  await synced.change(account, { markRead: true, lastMessages }, jid(ada));
  await waitFor(async () => expect(await chatOf(world, ada)).toMatchObject({ pinned: true, unreadCount: 0 }));
  await synced.change(account, { delete: true, lastMessages }, jid(ada));
  await waitFor(async () => expect(await chatOf(world, ada)).toBeNull());
  await sendFromPhone(world, ada, ownNumber, 'again');

  const operations: [string, object, string][] = [
    ['archiveChat', { archive: true, chat: ada }, 'w:sync:app:state'],
    ['markChatUnread', { chat: ada }, 'w:sync:app:state'],
  ];
  for (const [operation, body, xmlns] of operations) {
    world.sandbox.faults.add({ kind: 'mute', number: ownNumber, xmlns });
    const silent = await world.api('PUT', `/chat/${operation}/sales`, body);
    expect(silent.body).toMatchObject({ status: 504, code: 'PLATFORM_TIMEOUT', certain: false });
    const unknown = await world.api('PUT', `/chat/${operation}/sales`, { ...body, chat: bob });
    expect(unknown.body).toMatchObject({ status: 404, code: 'MESSAGE_NOT_FOUND' });
    const withoutChat = await world.api('PUT', `/chat/${operation}/sales`, { ...body, chat: undefined });
    expect(withoutChat.body).toMatchObject({ response: { message: [['instance requires property "chat"']] } });
  }
  const unread = { readMessages: [key('X', '123456789-123456@g.us')] };
  const unknown = await world.api('PUT', '/chat/markMessageAsRead/sales', unread);
  expect(unknown.body).toMatchObject({ status: 404, code: 'MESSAGE_NOT_FOUND' });
  const wrong = await world.api('PUT', '/chat/markMessageAsRead/sales', { readMessages: [key('X', 'nobody')] });
  expect(wrong.body).toMatchObject({
    response: { message: [[expect.stringMatching(/^readMessages\[0\]\.remoteJid/)]] },
  });
  await world.api('POST', '/instance/create', { instanceName: 'closed' });
  for (const [operation, body] of [...operations, ['markMessageAsRead', { readMessages: [key(id, ada)] }] as const]) {
    const closed = await world.api('PUT', `/chat/${operation}/closed`, body);
    expect(closed.body, operation).toMatchObject({ status: 400, code: 'INSTANCE_NOT_OPEN' });
  }
  expect((await world.api('GET', '/chat/findChatByRemoteJid/sales')).body).toMatchObject({ status: 400 });
});
