// User names in place of numbers: sends and checks accept them, and an unknown user name is refused before a message is
// sent.
import { expect, it } from 'vitest';
import { at, textAt } from '../support/api.ts';
import { ada, bob, ownNumber } from '../support/group.ts';
import { hiddenWorld, username } from '../support/hidden-number.ts';

it('a message to a user name arrives, and the events and searches have the name', async () => {
  const world = await hiddenWorld();
  const { lid, api, sandbox } = world;
  const sent = await api('POST', '/message/sendText/sales', { number: `@${username}`, text: 'hello' });
  expect(sent.status, JSON.stringify(sent.body)).toBe(201);
  expect(sent.body).toMatchObject({ key: { remoteJid: lid, fromMe: true } });
  const phone = sandbox.phones.phone(ada);
  await phone.waitFor(() =>
    phone.messages().some(({ id, text }) => id === at(sent.body, 'key.id') && text === 'hello'),
  );
  expect(await world.next('send.message')).toMatchObject({ key: { remoteJid: lid, remoteJidUsername: username } });
  await world.next('messages.update', (data) => at(data, 'status') === 'DELIVERY_ACK');
  const chats = await api('POST', '/chat/findChats/sales', { where: { id: `@${username}` } });
  expect(chats.body).toMatchObject([{ remoteJid: lid, username }]);
  for (const [path, body] of [
    ['message/sendPoll', { name: 'Tea?', selectableCount: 1, values: ['yes', 'no'] }],
    ['message/sendLocation', { latitude: 1, longitude: 2, name: 'Here', address: 'There' }],
    ['chat/sendPresence', { options: { delay: 1, presence: 'composing' } }],
    ['chat/fetchProfile', {}],
    ['chat/fetchProfilePictureUrl', {}],
    ['chat/updateBlockStatus', { status: 'block' }],
    ['chat/updateBlockStatus', { status: 'unblock' }],
  ] as const)
    expect((await api('POST', `/${path}/sales`, { number: `@${username}`, ...body })).status, path).toBeLessThan(300);
  world.expectNoNumber();
});

it('an unknown user name is refused, and nothing is sent', async () => {
  const world = await hiddenWorld();
  const { api } = world;
  const send = (number: string) => api('POST', '/message/sendText/sales', { number, text: 'hello' });
  const refused = { status: 400, body: { code: 'USERNAME_NOT_FOUND', certain: true } };
  expect(await send('@nobody.here')).toMatchObject(refused);
  expect(await send('@no body')).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST', certain: true } });
  const blocked = await api('POST', '/chat/updateBlockStatus/sales', { number: '@nobody.here', status: 'block' });
  expect(blocked).toMatchObject(refused);
  expect(
    world.sandbox.phones
      .phone(ownNumber)
      .messages()
      .filter(({ fromMe }) => fromMe),
  ).toEqual([]);
});

it('a message to a user name with a key requires the key', async () => {
  const world = await hiddenWorld();
  const { api, sandbox, lid } = world;
  sandbox.world.account(ada).usernameKey = '1234';
  const send = (number: string) => api('POST', '/message/sendText/sales', { number, text: 'hello' });
  expect(await send(`@${username}`)).toMatchObject({ status: 400, body: { code: 'USERNAME_NOT_FOUND' } });
  expect(await send(`@${username}:1234`)).toMatchObject({ status: 201, body: { key: { remoteJid: lid } } });
});

it('whatsappNumbers checks user names like numbers, and caches the results', async () => {
  const world = await hiddenWorld();
  const { api, lid } = world;
  const check = () => api('POST', '/chat/whatsappNumbers/sales', { numbers: [`@${username}`, '@nobody.here', bob] });
  expect((await check()).body).toMatchObject([
    { exists: true, jid: lid, lid, number: `@${username}`, username, cached: false },
    { exists: false, jid: '@nobody.here', number: '@nobody.here', cached: false },
    { exists: true, jid: `${bob}@s.whatsapp.net` },
  ]);
  expect((await check()).body).toMatchObject([{ cached: true, username }, { cached: true }, { cached: true }]);
});

it('sendContact requires a phone number, and rejects a contact with a hidden number', async () => {
  const world = await hiddenWorld();
  const { api, lid, sandbox } = world;
  const send = (contact: object) =>
    api('POST', '/message/sendContact/sales', { number: bob, contact: [{ fullName: 'Ada', ...contact }] });
  const named = { phoneNumber: 'hidden number', wuid: `@${username}` };
  for (const contact of [{ phoneNumber: lid }, named]) {
    const answer = await send(contact);
    expect(answer).toMatchObject({ status: 400, body: { code: 'NUMBER_HIDDEN', certain: true } });
  }
  Object.assign(sandbox.world.account(ada), { hidesNumber: false });
  await world.receiveText('now you know');
  const cards = [await send({ phoneNumber: lid }), await send({ ...named, phoneNumber: '+1 555 000' })];
  const [first, second] = cards.map(({ body }) => textAt(body, 'message.contactMessage.vcard'));
  expect(first).toContain(`TEL;waid=${ada}:+${ada}`);
  expect(second).toContain(`TEL;waid=${ada}:+1 555 000`);
});
