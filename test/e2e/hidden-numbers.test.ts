// Contacts who hide their phone number: reports about them carry the LID and the user name, and answers to the LID
// arrive.
import { describe, expect, it } from 'vitest';
import { at, textAt } from '../support/api.ts';
import { startWorld } from '../support/gateway.ts';
import { ada, bob, createAdasGroup, jid, ownNumber } from '../support/group.ts';
import { type HiddenWorld, hiddenWorld, username } from '../support/hidden-number.ts';
import { tone } from '../support/sounds.ts';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** The messages of the instance on the phone of Ada. */
const receivedByAda = ({ sandbox }: HiddenWorld) =>
  sandbox.phones
    .phone(ada)
    .messages()
    .filter(({ fromMe }) => !fromMe);

/** Calls the gateway, expects success and resolves with the body. */
async function callApi(world: HiddenWorld, path: string, body: object, method = 'POST'): Promise<unknown> {
  const answer = await world.api(method, path, body);
  expect(answer.status, `${path} ${JSON.stringify(answer.body)}`).toBeLessThan(300);
  return answer.body;
}

describe('events of contacts with a hidden number', () => {
  it('messages, contacts, chats and searches have the LID and the user name of a contact with a hidden number', async () => {
    const world = await hiddenWorld();
    const { lid } = world;
    const inbound = await world.receiveText('hello');
    expect(inbound).toMatchObject({
      key: { remoteJid: lid, fromMe: false, remoteJidUsername: username },
      pushName: 'Ada',
    });
    expect(at(inbound, 'key')).not.toHaveProperty('remoteJidAlt');
    const [contact] = [await world.next('contacts.update', (data) => JSON.stringify(data).includes(lid))].flat();
    expect(contact).toMatchObject({ id: lid, remoteJid: lid, pushName: 'Ada', username });
    for (const where of [{ key: { remoteJid: lid } }, { key: { remoteJid: `@${username}` } }])
      expect(await callApi(world, '/chat/findMessages/sales', { where })).toMatchObject([{ key: at(inbound, 'key') }]);
    for (const where of [{}, { id: lid }, { remoteJid: `@${username}` }, { pushName: 'Ada' }]) {
      const contacts = [await callApi(world, '/chat/findContacts/sales', { where })].flat();
      const [found, ...others] = contacts.filter((candidate) => at(candidate, 'pushName') === 'Ada');
      expect(found).toMatchObject({ id: lid, remoteJid: lid, pushName: 'Ada', username });
      expect(others).toEqual([]);
    }
    const chat = { id: lid, remoteJid: lid, name: 'Ada', pushName: 'Ada', username, unreadCount: 1 };
    expect(await callApi(world, '/chat/findChats/sales', { where: { id: lid } })).toMatchObject([chat]);
    expect(await callApi(world, '/chat/findMessages/sales', { where: { key: { remoteJid: '@nobody' } } })).toEqual([]);
    world.expectNoNumber();
  });

  it('events of typing, receipts, calls and deletions have the LID of a contact with a hidden number', async () => {
    const world = await hiddenWorld();
    const { lid, sandbox } = world;
    const phone = sandbox.phones.phone(ada);
    const inbound = await world.receiveText('hello');
    await callApi(world, '/chat/sendPresence/sales', { number: lid, options: { delay: 1, presence: 'composing' } });
    phone.setTyping(ownNumber, 'composing');
    expect(await world.next('presence.update')).toMatchObject({ id: lid, presences: { [lid]: {} } });
    const sent = await callApi(world, '/message/sendText/sales', { number: lid, textMessage: { text: 'hi' } });
    const id = textAt(sent, 'key.id');
    await phone.waitFor(() => receivedByAda(world).some((message) => message.id === id));
    phone.read(ownNumber);
    const isRead = (data: unknown) => at(data, 'keyId') === id && at(data, 'status') === 'READ';
    expect(await world.next('messages.update', isRead)).toMatchObject({ remoteJid: lid, key: { remoteJid: lid } });
    const statuses = await callApi(world, '/chat/findStatusMessage/sales', { where: { id } });
    expect(new Set([statuses].flat().map((status) => at(status, 'remoteJid')))).toEqual(new Set([lid]));
    const call = sandbox.phones.calls.ring(ada, ownNumber);
    expect(await world.next('call', (data) => at(data, 'status') === 'offer')).toMatchObject({
      from: lid,
      chatId: lid,
    });
    sandbox.phones.calls.end(call.id);
    await phone.send(ownNumber, { delete: { id: textAt(inbound, 'key.id') } });
    expect(await world.next('messages.delete')).toMatchObject({ remoteJid: lid });
    world.expectNoNumber();
  });

  it('the history of the phone has the LID and the user name of a contact with a hidden number', async () => {
    const world = await startWorld();
    const account = world.sandbox.world.account(ada);
    Object.assign(account, { hidesNumber: true, username });
    await world.sandbox.phones.phone(ada).send(ownNumber, { text: 'before you were linked' });
    await world.link('sales', ownNumber);
    const { body } = await world.receiver.next((post) => at(post.body, 'event') === 'messages.set');
    expect(at(body, 'data.0.key')).toMatchObject({ remoteJid: `${account.lid}@lid` });
    const contacts = await world.api('POST', '/chat/findContacts/sales', { where: { id: `@${username}` } });
    expect(contacts.body).toMatchObject([{ id: `${account.lid}@lid`, username }]);
    expect(JSON.stringify(world.receiver.posts.map((post) => post.body))).not.toContain(ada);
  });
});

describe('answers to contacts with a hidden number', () => {
  it('messages of every kind go to the LID of a contact with a hidden number', async () => {
    const world = await hiddenWorld();
    const { lid } = world;
    const inbound = await world.receiveText('hello');
    const remoteJid = textAt(inbound, 'key.remoteJid');
    const number = remoteJid;
    const quoted = { key: at(inbound, 'key') };
    const buttons = [{ type: 'reply', displayText: 'Yes', id: 'y' }];
    const rows = [{ title: 'Soup', description: '', rowId: '1' }];
    const sends: [kind: string, body: object][] = [
      ['sendText', { number, options: { quoted }, textMessage: { text: 'one' } }],
      ['sendText', { number, text: 'two' }],
      ['sendMedia', { number, mediatype: 'image', media: PIXEL, fileName: 'a.png' }],
      ['sendMedia', { number, mediatype: 'document', media: 'aGk=', fileName: 'a.txt' }],
      ['sendSticker', { number, sticker: PIXEL }],
      ['sendPlatformAudio', { number, audio: tone(0.2).toString('base64') }],
      ['sendLocation', { number, latitude: 1, longitude: 2, name: 'Here', address: 'There' }],
      ['sendContact', { number, contact: [{ fullName: 'Bob', phoneNumber: bob }] }],
      ['sendReaction', { key: at(inbound, 'key'), reaction: '👍' }],
      ['sendPoll', { number, name: 'Tea?', selectableCount: 1, values: ['yes', 'no'] }],
      ['sendButtons', { number, title: 'Keep it?', buttons }],
      ['sendList', { number, title: 'Lunch', buttonText: 'Menu', sections: [{ title: 'Today', rows }] }],
    ];
    const ids: string[] = [];
    for (const [kind, body] of sends) {
      const sent = await callApi(world, `/message/${kind}/sales`, body);
      expect(at(sent, 'key.remoteJid'), kind).toBe(lid);
      ids.push(textAt(sent, 'key.id'));
    }
    const phone = world.sandbox.phones.phone(ada);
    await phone.waitFor(() => receivedByAda(world).length >= sends.length);
    expect(receivedByAda(world).map(({ id, addressing }) => [id, addressing])).toEqual(ids.map((id) => [id, 'lid']));
    expect(receivedByAda(world)[0]).toMatchObject({ text: 'one', quoted: at(inbound, 'key.id') });
    for (const id of ids)
      await world.next('messages.update', (data) => at(data, 'keyId') === id && at(data, 'status') === 'DELIVERY_ACK');
    world.expectNoNumber();
  });

  it('a message to a contact with a hidden number can be edited, pinned, starred, forwarded and deleted', async () => {
    const world = await hiddenWorld();
    const { lid } = world;
    await world.receiveText('hello');
    const phone = world.sandbox.phones.phone(ada);
    const key = at(await callApi(world, '/message/sendText/sales', { number: lid, text: 'one' }), 'key');
    const id = textAt(key, 'id');
    await callApi(world, '/chat/updateMessage/sales', { number: lid, text: 'two', key });
    await phone.waitFor(() => receivedByAda(world).some((message) => message.edited === 'two'));
    await callApi(world, '/message/pin/sales', { key, duration: 86_400 });
    await callApi(world, '/chat/starMessage/sales', { key, star: true });
    await callApi(world, '/message/forward/sales', { number: lid, key });
    await callApi(world, '/chat/deleteMessageForEveryone/sales', { id, fromMe: true, remoteJid: lid }, 'DELETE');
    await phone.waitFor(() => receivedByAda(world).some((message) => message.id === id && message.deleted));
    world.expectNoNumber();
  });

  it('chat, profile and block operations take the LID of a contact with a hidden number', async () => {
    const world = await hiddenWorld();
    const { lid, sandbox } = world;
    const inbound = await world.receiveText('hello');
    const state = () => sandbox.phones.phoneAppState.read(sandbox.world.account(ownNumber));
    await callApi(world, '/chat/markMessageAsRead/sales', { readMessages: [at(inbound, 'key')] });
    const findInbound = () =>
      sandbox.phones
        .phone(ada)
        .messages()
        .find(({ id }) => id === at(inbound, 'key.id'));
    await sandbox.phones.phone(ada).waitFor(() => findInbound()?.receipts.some(({ type }) => type === 'read') ?? false);
    expect(await callApi(world, '/chat/findChats/sales', { where: { id: lid } })).toMatchObject([{ unreadCount: 0 }]);
    for (const chat of [lid, `@${username}`]) {
      await callApi(world, '/chat/archiveChat/sales', { chat, archive: true });
      await callApi(world, '/chat/markChatUnread/sales', { chat });
      await callApi(world, '/chat/pinChat/sales', { chat, pin: true });
      await callApi(world, '/chat/muteChat/sales', { chat, mute: true });
    }
    expect(JSON.stringify(await state())).toContain(lid);
    await callApi(world, '/chat/toggleEphemeral/sales', { number: lid, expiration: 86_400 });
    await callApi(world, '/message/sendText/sales', { number: lid, text: 'short' });
    await sandbox.phones.phone(ada).waitFor(() => receivedByAda(world).some(({ expiration }) => expiration === 86_400));
    expect(await callApi(world, '/chat/fetchProfile/sales', { number: lid })).toMatchObject({ wuid: lid, name: 'Ada' });
    expect(await callApi(world, '/chat/fetchProfilePictureUrl/sales', { number: lid })).toMatchObject({ wuid: lid });
    expect(await callApi(world, '/chat/fetchBusinessProfile/sales', { number: lid })).toMatchObject({
      isBusiness: false,
    });
    const { blocked } = sandbox.world.account(ownNumber);
    await callApi(world, '/chat/updateBlockStatus/sales', { number: lid, status: 'block' });
    expect([...blocked]).toEqual([ada]);
    await callApi(world, '/chat/updateBlockStatus/sales', { number: lid, status: 'unblock' });
    expect([...blocked]).toEqual([]);
    world.expectNoNumber();
  });

  it('the settings readMessages and msgCall reach a contact with a hidden number at the LID', async () => {
    const world = await hiddenWorld();
    const { lid, sandbox } = world;
    const settings = { rejectCall: true, msgCall: 'Please write.', readMessages: true };
    await callApi(world, '/settings/set/sales', settings);
    const inbound = await world.receiveText('hello');
    const findInbound = () =>
      sandbox.phones
        .phone(ada)
        .messages()
        .find(({ id }) => id === at(inbound, 'key.id'));
    await sandbox.phones.phone(ada).waitFor(() => findInbound()?.receipts.some(({ type }) => type === 'read') ?? false);
    sandbox.phones.calls.ring(ada, ownNumber);
    expect(await world.next('send.message')).toMatchObject({ key: { remoteJid: lid } });
    await sandbox.phones.phone(ada).waitFor(() => receivedByAda(world).some(({ text }) => text === 'Please write.'));
    world.expectNoNumber();
  });
});

it('a status for all contacts reaches contacts with a hidden number', async () => {
  const world = await hiddenWorld();
  await world.receiveText('hello');
  await world.next('contacts.update');
  const statusMessage = { type: 'text', content: 'Open today', allContacts: true };
  await callApi(world, '/message/sendStatus/sales', { statusMessage });
  const phone = world.sandbox.phones.phone(ada);
  await phone.waitFor(() => phone.messages().some(({ text }) => text === 'Open today'));
  world.expectNoNumber();
});

it('a poll sent to a hidden number is reported under the number once it is known, with one vote per person', async () => {
  const world = await hiddenWorld();
  const { lid, sandbox } = world;
  await world.receiveText('hello');
  const poll = { number: lid, name: 'Tea?', selectableCount: 1, values: ['yes', 'no'] };
  const id = textAt(await callApi(world, '/message/sendPoll/sales', poll), 'key.id');
  const phone = sandbox.phones.phone(ada);
  await phone.waitFor(() => receivedByAda(world).some((message) => message.id === id));
  const vote = (option: string) => phone.send(ownNumber, { vote: { id, options: [option] } });
  const hasVote = (option: string) => (data: unknown) =>
    at(data, 'keyId') === id && JSON.stringify(data).includes(`"options":["${option}"]`);
  await vote('yes');
  expect(await world.next('messages.update', hasVote('yes'))).toMatchObject({ remoteJid: lid, vote: { voter: lid } });
  sandbox.world.account(ada).hidesNumber = false;
  await vote('no');
  expect(await world.next('messages.update', hasVote('no'))).toMatchObject({
    remoteJid: jid(ada),
    key: { remoteJid: jid(ada), remoteJidAlt: lid },
    vote: { voter: jid(ada), lid },
    pollUpdates: [
      { name: 'yes', voters: [] },
      { name: 'no', voters: [jid(ada)] },
    ],
  });
});

describe('groups with a member who hides the number', () => {
  it('a group with a member who hides the number is created and changed with LIDs and user names', async () => {
    const world = await hiddenWorld();
    const { lid } = world;
    const participants = [`@${username}`, bob, '@nobody'];
    const created = await callApi(world, '/group/create/sales', { subject: 'Ours', participants });
    const groupJid = textAt(created, 'id');
    expect(at(created, 'updateParticipants')).toMatchObject([
      { status: '200', jid: lid },
      { status: '200', jid: jid(bob) },
      { status: '404', jid: '@nobody' },
    ]);
    const member = { id: lid, lid, username };
    const members = async () =>
      at((await world.api('GET', `/group/findGroupInfos/sales?groupJid=${groupJid}`)).body, 'participants');
    expect(await members()).toContainEqual({ ...member, admin: null });
    const listed = await world.api('GET', `/group/participants/sales?groupJid=${groupJid}`);
    expect(at(listed.body, 'participants')).toContainEqual(expect.objectContaining(member));
    const change = (action: string, number: string) =>
      callApi(world, `/group/updateParticipant/sales?groupJid=${groupJid}`, { action, participants: [number] }, 'PUT');
    for (const [action, number] of [
      ['promote', lid],
      ['demote', `@${username}`],
      ['remove', lid],
      ['add', lid],
    ] as const)
      expect(at(await change(action, number), 'updateParticipants'), action).toMatchObject([
        { status: '200', jid: lid },
      ]);
    expect(await members()).toContainEqual({ ...member, admin: null });
    const promoted = await world.next('group-participants.update', (data) => at(data, 'action') === 'promote');
    expect(promoted).toMatchObject({ participants: [lid], participantsData: [{ jid: lid, lid, username }] });
    expect(at(promoted, 'participantsData.0')).not.toHaveProperty('phoneNumber');
    world.expectNoNumber();
  });

  it('a group message of a member who hides the number has the LID, and can be answered, read and reacted to', async () => {
    const world = await hiddenWorld();
    const { lid, sandbox } = world;
    const group = createAdasGroup(world.world);
    const inbound = await world.receiveText('hello all', group.id);
    expect(inbound).toMatchObject({ key: { remoteJid: group.id, participant: lid, participantUsername: username } });
    await callApi(world, '/message/sendText/sales', {
      number: group.id,
      text: `@${username} yes`,
      quoted: { key: at(inbound, 'key') },
      mentioned: [`@${username}`],
    });
    await callApi(world, '/message/sendReaction/sales', { key: at(inbound, 'key'), reaction: '👍' });
    await callApi(world, '/chat/markMessageAsRead/sales', { readMessages: [at(inbound, 'key')] });
    const phone = sandbox.phones.phone(ada);
    await phone.waitFor(() => receivedByAda(world).some(({ kind }) => kind === 'reaction'));
    expect(receivedByAda(world)[0]).toMatchObject({ quoted: at(inbound, 'key.id'), mentions: [lid] });
    const found = await callApi(world, '/chat/findMessages/sales', { where: { key: { participant: lid } } });
    expect(found).toMatchObject([{ key: at(inbound, 'key') }]);
    world.expectNoNumber();
  });
});
