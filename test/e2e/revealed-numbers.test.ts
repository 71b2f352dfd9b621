// A contact hides the phone number at first and shows it later. Earlier and later chats, contacts and messages belong
// to one contact, and no message is lost or posted twice.
import { expect, it } from 'vitest';
import { at, textAt } from '../support/api.ts';
import { isEvent } from '../support/gateway.ts';
import { ada, createAdasGroup, jid, ownNumber } from '../support/group.ts';
import { type HiddenWorld, hiddenWorld, username } from '../support/hidden-number.ts';

const search = async ({ api }: HiddenWorld, operation: string, where: object): Promise<unknown[]> => {
  const { status, body } = await api('POST', `/chat/${operation}/sales`, { where });
  expect(status, JSON.stringify(body)).toBe(200);
  return [body].flat();
};

/** Whether the data of contacts.update contains the contact with the number. */
const isRevealed = (data: unknown) => [data].flat().some((contact) => at(contact, 'remoteJid') === jid(ada));

it.each([
  ['a message from the number', { migrated: false }],
  ['a message from the LID that also contains the number', { migrated: true }],
])('a hidden number becomes known by %s, and chats, contacts and messages stay those of one contact', async (_, identity) => {
  const world = await hiddenWorld();
  const { lid, sandbox, api } = world;
  const hiddenMessage = await world.receiveText('hidden');
  await api('POST', '/chat/toggleEphemeral/sales', { number: lid, expiration: 86_400 });
  const sent = await api('POST', '/message/sendText/sales', { number: lid, text: 'answer' });
  await api('POST', '/chat/pinChat/sales', { chat: lid, pin: true });
  Object.assign(sandbox.world.account(ada), { hidesNumber: false, ...identity });
  const shownMessage = await world.receiveText('shown');
  expect(shownMessage).toMatchObject({ key: { remoteJid: jid(ada), remoteJidAlt: lid } });

  const [contact] = [await world.next('contacts.update', isRevealed)].flat();
  expect(contact).toMatchObject({ remoteJid: jid(ada), lid, pushName: 'Ada', username });
  const contacts = (await search(world, 'findContacts', {})).filter((person) => at(person, 'pushName') === 'Ada');
  expect(contacts).toMatchObject([{ remoteJid: jid(ada), lid, username }]);
  for (const where of [{}, { id: lid }, { id: ada }, { id: `@${username}` }]) {
    const chats = await search(world, 'findChats', where);
    expect(chats).toMatchObject([
      { remoteJid: jid(ada), lid, pinned: true, ephemeralExpiration: 86_400, unreadCount: 1 },
    ]);
  }
  for (const remoteJid of [lid, ada]) {
    const found = await search(world, 'findMessages', { key: { remoteJid } });
    const keys = found.map((message) => at(message, 'key'));
    expect(keys).toEqual(keys.map(() => expect.objectContaining({ remoteJid: jid(ada), remoteJidAlt: lid })));
    expect(keys.map((key) => at(key, 'id')).sort()).toEqual(
      [hiddenMessage, shownMessage, sent.body].map((message) => at(message, 'key.id')).sort(),
    );
  }

  // Operations on the earlier message work under both addresses, and its receipt finds it.
  sandbox.phones.phone(ada).read(ownNumber);
  const id = textAt(sent.body, 'key.id');
  await world.next('messages.update', (data) => at(data, 'keyId') === id && at(data, 'status') === 'READ');
  const quoted = { key: { remoteJid: lid, fromMe: false, id: at(hiddenMessage, 'key.id') } };
  const timedAnswer = await api('POST', '/message/sendText/sales', { number: ada, text: 'still short-lived', quoted });
  const phone = sandbox.phones.phone(ada);
  const isTimed = (message: { id: string; expiration?: number | undefined }) =>
    message.id === textAt(timedAnswer.body, 'key.id') && message.expiration === 86_400;
  await phone.waitFor(() => phone.messages().some(isTimed));
  const reply = phone.messages().find(isTimed);
  expect(reply).toMatchObject({ quoted: quoted.key.id });
  expect(at(reply, 'message.extendedTextMessage.contextInfo')).not.toHaveProperty('remoteJid');
  const key = { id, fromMe: true, remoteJid: jid(ada) };
  expect((await api('DELETE', '/chat/deleteMessageForEveryone/sales', key)).status).toBe(201);
  await phone.waitFor(() => phone.messages().some((message) => message.id === id && message.deleted));
  const upserts = world.world.receiver.posts.filter(({ body }) => isEvent(body, 'messages.upsert'));
  expect(upserts).toHaveLength(2);
});

it('a hidden number becomes known by a message to it, and the chat is listed under the number', async () => {
  const world = await hiddenWorld();
  const { lid, api } = world;
  await world.receiveText('hidden');
  const sent = await api('POST', '/message/sendText/sales', { number: ada, text: 'is that you?' });
  expect(sent).toMatchObject({ status: 201, body: { key: { remoteJid: jid(ada) } } });
  const [contact] = [await world.next('contacts.update', isRevealed)].flat();
  expect(contact).toMatchObject({ remoteJid: jid(ada), lid, pushName: 'Ada', username });
  expect(await search(world, 'findChats', {})).toMatchObject([{ remoteJid: jid(ada), lid }]);
  expect(await search(world, 'findMessages', { key: { remoteJid: ada } })).toMatchObject([
    { key: { fromMe: true, remoteJid: jid(ada) } },
    { key: { remoteJid: jid(ada), remoteJidAlt: lid }, message: { conversation: 'hidden' } },
  ]);
});

it('the hidden number of a group member becomes known, and earlier messages of the member are found under it', async () => {
  const world = await hiddenWorld();
  const { lid, sandbox } = world;
  const group = createAdasGroup(world.world);
  await world.receiveText('hidden', group.id);
  sandbox.world.account(ada).hidesNumber = false;
  expect(await world.receiveText('shown', group.id)).toMatchObject({
    key: { participant: jid(ada), participantAlt: lid },
  });
  await world.next('contacts.update', isRevealed);
  const found = await search(world, 'findMessages', { key: { remoteJid: group.id, participant: ada } });
  expect(found).toMatchObject([
    { key: { participant: jid(ada), participantAlt: lid }, message: { conversation: 'shown' } },
    { key: { participant: jid(ada), participantAlt: lid }, message: { conversation: 'hidden' } },
  ]);
});
