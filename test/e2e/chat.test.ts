import { describe, expect, it } from 'vitest';
import { at, textAt } from '../support/api.ts';
import { isEvent, startWorld, type World } from '../support/gateway.ts';

const mine = '15550003001';
const contact = '15550003002';
const chat = `${contact}@s.whatsapp.net`;

async function startLinked(env?: Record<string, string>): Promise<World> {
  const world = await startWorld({ env });
  await world.link('sales', mine);
  return world;
}

const phoneOf = (world: World, number = contact) => world.sandbox.phones.phone(number);

/** Sends a text by the API and resolves with its id. */
async function sendText(world: World, text: string, number: string = contact): Promise<string> {
  const sent = await world.api('POST', '/message/sendText/sales', { number, textMessage: { text } });
  expect(sent.status, JSON.stringify(sent.body)).toBe(201);
  return textAt(sent.body, 'key.id');
}

const findMessages = async (world: World, body: unknown) => world.api('POST', '/chat/findMessages/sales', body);

describe('POST /chat/sendPresence', () => {
  it.each([
    ['a body with options', { number: contact, options: { delay: 40, presence: 'recording' } }, 'recording'],
    ['a flat body', { number: contact, delay: '40', presence: 'composing' }, 'composing'],
    ['a number inside the options', { options: { number: contact, delay: 40 } }, 'composing'],
  ])('sendPresence shows the presence on the phone, ends it after the delay and then answers: %s', async (_, body, presence) => {
    const world = await startLinked();
    const phone = phoneOf(world);
    const shownPresence = phone.waitFor(() => phone.typingAccounts.get(mine));
    const answer = await world.api('POST', '/chat/sendPresence/sales', body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    expect(answer.body).toEqual({ presence });
    expect(await shownPresence).toBe(presence);
    await phone.waitFor(() => !phone.typingAccounts.has(mine));
  });

  it.each([
    { number: contact, options: {} },
    { number: contact },
  ])('sendPresence keeps a presence without a delay: %j', async (body) => {
    const world = await startLinked();
    const answer = await world.api('POST', '/chat/sendPresence/sales', body);
    expect(answer).toMatchObject({ status: 201, body: { presence: 'composing' } });
    expect(await phoneOf(world).waitFor(() => phoneOf(world).typingAccounts.get(mine))).toBe('composing');
  });

  it('sendPresence rejects a presence of the whole account while the account has no name', async () => {
    const world = await startWorld();
    world.sandbox.world.account(mine).name = '';
    await world.link('sales', mine);
    for (const presence of ['available', 'unavailable']) {
      const answer = await world.api('POST', '/chat/sendPresence/sales', { number: contact, options: { presence } });
      expect(answer.body, presence).toMatchObject({ status: 400, code: 'PLATFORM_REFUSED', certain: true });
    }
  });

  it('sendPresence rejects unknown numbers, long delays, invalid bodies and closed instances', async () => {
    const world = await startLinked({ MAX_DELAY: '1000' });
    const sendPresence = (body: unknown) => world.api('POST', '/chat/sendPresence/sales', body);
    expect((await sendPresence({ number: '15550000000', options: {} })).body).toMatchObject({
      code: 'NUMBER_NOT_ON_PLATFORM',
    });
    expect((await sendPresence({ number: contact, options: { delay: 1001 } })).body).toMatchObject({
      code: 'INVALID_REQUEST',
    });
    expect((await sendPresence({ number: contact, options: { presence: 'dancing' } })).status).toBe(400);
    expect((await sendPresence({ options: { delay: 1 } })).status).toBe(400);
    await world.api('POST', '/instance/create', { instanceName: 'closed' });
    const closed = await world.api('POST', '/chat/sendPresence/closed', { number: contact, options: {} });
    expect(closed.body).toMatchObject({ status: 400, code: 'INSTANCE_NOT_OPEN' });
  });
});

describe('PUT and POST /chat/updateMessage', () => {
  it.each([
    'PUT',
    'POST',
  ])('%s /chat/updateMessage edits the message on the phone and in the store, and posts to the webhook', async (method) => {
    const world = await startLinked();
    const id = await sendText(world, 'at nine');
    const body = { number: Number(contact), text: 'at ten', key: { remoteJid: chat, fromMe: true, id } };
    const edited = await world.api(method, '/chat/updateMessage/sales', body);
    expect(edited.status, JSON.stringify(edited.body)).toBe(200);
    expect(edited.body).toMatchObject({
      key: { remoteJid: chat, fromMe: true, id: expect.not.stringMatching(id) },
      message: {
        protocolMessage: {
          key: { id },
          type: 'MESSAGE_EDIT',
          editedMessage: { extendedTextMessage: { text: 'at ten' } },
        },
      },
      messageTimestamp: expect.stringMatching(/^\d{10}$/),
      status: 'PENDING',
    });
    const phone = phoneOf(world);
    await phone.waitFor(() => phone.messages().some(({ text }) => text === 'at ten'));
    const post = await world.receiver.next(({ body }) => isEvent(body, 'send.message.update', 'sales'));
    expect(at(post.body, 'data')).toMatchObject({ keyId: id, type: 'MESSAGE_EDIT', editId: at(edited.body, 'key.id') });
    const found = await findMessages(world, { where: { key: { remoteJid: contact } } });
    expect(found.body).toMatchObject([
      { key: { id }, message: { extendedTextMessage: { text: 'at ten' } }, editedAt: expect.any(Number) },
    ]);
  });

  it('updateMessage rejects a message that WhatsApp has refused', async () => {
    const world = await startLinked();
    world.sandbox.faults.add({ kind: 'nack', number: mine, code: 479 });
    const body = { number: contact, textMessage: { text: 'hello' } };
    const sent = await world.api('POST', '/message/sendText/sales?wait=ack', body);
    expect(sent.body).toMatchObject({ status: 'ERROR' });
    const key = { id: textAt(sent.body, 'key.id') };
    const edited = await world.api('PUT', '/chat/updateMessage/sales', { text: 'x', key });
    expect(edited.body).toMatchObject({ status: 400, code: 'MESSAGE_NOT_EDITABLE' });
  });

  it('updateMessage rejects messages that are unknown, of another person, or of another chat', async () => {
    const world = await startLinked();
    const id = await sendText(world, 'mine');
    const received = await phoneOf(world).send(mine, { text: 'theirs' });
    await world.receiver.next(({ body }) => isEvent(body, 'messages.upsert') && at(body, 'data.key.id') === received);
    const edit = (key: object) => world.api('PUT', '/chat/updateMessage/sales', { text: 'x', key });
    expect((await edit({ id: 'NOSUCH' })).body).toMatchObject({ status: 404, code: 'MESSAGE_NOT_FOUND' });
    expect((await edit({ id: received })).body).toMatchObject({ status: 400, code: 'MESSAGE_NOT_EDITABLE' });
    const inOtherChat = await edit({ id, remoteJid: '15550003003@s.whatsapp.net' });
    expect(inOtherChat.body).toMatchObject({
      code: 'MESSAGE_NOT_EDITABLE',
      response: { message: ['RemoteJid does not match'] },
    });
    expect((await edit({ fromMe: true })).status).toBe(400);
    expect((await world.api('PUT', '/chat/updateMessage/sales', { key: { id } })).status).toBe(400);
  });
});

describe('edits and deletions by others', () => {
  it('edits and deletions by a contact appear in the store and are posted to the webhook', async () => {
    const world = await startLinked();
    const phone = phoneOf(world);
    const first = await phone.send(mine, { text: 'one' });
    const second = await phone.send(mine, { text: 'two' });
    await phone.send(mine, { edit: { id: first, text: 'ONE' } });
    await phone.send(mine, { delete: { id: second } });
    const edited = await world.receiver.next(({ body }) => isEvent(body, 'messages.edited', 'sales'));
    expect(at(edited.body, 'data')).toMatchObject({ keyId: first, editedMessage: { conversation: 'ONE' } });
    const deleted = await world.receiver.next(({ body }) => isEvent(body, 'messages.delete', 'sales'));
    expect(at(deleted.body, 'data')).toMatchObject({ id: second, remoteJid: chat, fromMe: false, status: 'DELETED' });
    const found = await findMessages(world, { where: { key: { remoteJid: chat } } });
    expect(found.body).toMatchObject([
      { key: { id: second }, status: 'DELETED', message: {} },
      { key: { id: first }, message: { conversation: 'ONE' } },
    ]);
    expect(JSON.stringify(found.body)).not.toContain('two');
  });
});

describe('POST /chat/findMessages and /chat/findStatusMessage', () => {
  it('findMessages and findStatusMessage filter by chat, id, sender and status, also while the instance is closed', async () => {
    const world = await startLinked();
    const id = await sendText(world, 'hello');
    await world.receiver.next(
      ({ body }) => isEvent(body, 'messages.update') && at(body, 'data.status') === 'DELIVERY_ACK',
    );
    const received = await phoneOf(world).send(mine, { text: 'hi' });
    await world.receiver.next(({ body }) => isEvent(body, 'messages.upsert') && at(body, 'data.key.id') === received);
    await sendText(world, 'other chat', '15550003003');
    await world.api('DELETE', '/instance/logout/sales');
    const ids = async (where: object) =>
      ((await findMessages(world, { where })).body as { key: { id: string } }[]).map(({ key }) => key.id);
    for (const remoteJid of [contact, chat, `+1 555 000 3002`]) {
      expect(await ids({ key: { remoteJid } })).toEqual([received, id]);
      expect(await ids({ remoteJid })).toEqual([received, id]);
    }
    expect(await ids({ key: { id } })).toEqual([id]);
    expect(await ids({ _id: id })).toEqual([id]);
    expect(await ids({ key: { remoteJid: chat, fromMe: false } })).toEqual([received]);
    expect(await ids({ key: { remoteJid: '15550009999' } })).toEqual([]);
    const paged = await findMessages(world, { where: { key: { remoteJid: chat } }, page: 2, offset: 1 });
    expect(paged.body).toMatchObject({
      messages: { total: 2, pages: 2, currentPage: 2, records: [{ key: { id }, message: { conversation: 'hello' } }] },
    });
    const statuses = async (where: object, limit?: number) =>
      (await world.api('POST', '/chat/findStatusMessage/sales', { where, limit })).body;
    const expectedStatuses = [{ status: 'DELIVERY_ACK' }, { status: 'SERVER_ACK' }].map((one) => ({
      ...one,
      id,
      remoteJid: chat,
    }));
    expect(await statuses({ remoteJid: contact })).toMatchObject(expectedStatuses);
    expect(await statuses({ _id: id })).toMatchObject(expectedStatuses);
    expect(await statuses({ id, fromMe: true }, 1)).toMatchObject(expectedStatuses.slice(0, 1));
    expect(await statuses({ id, status: 'SERVER_ACK' })).toMatchObject(expectedStatuses.slice(1));
    expect(await statuses({ id, fromMe: false })).toEqual([]);
  });

  it('findMessages with messageType conversation finds all texts, and extendedTextMessage finds only extended texts', async () => {
    const world = await startLinked();
    const phone = phoneOf(world);
    const sent = await sendText(world, 'hello');
    await phone.waitFor(() => phone.messages().find(({ id }) => id === sent));
    const plain = await phone.send(mine, { text: 'hi' });
    const reply = await phone.send(mine, { text: 'hello to you', quoted: sent });
    await world.receiver.next(({ body }) => isEvent(body, 'messages.upsert') && at(body, 'data.key.id') === reply);
    const texts = await findMessages(world, { where: { messageType: 'conversation' } });
    const records = [reply, plain, sent].map((id) => ({ key: { id }, messageType: 'conversation' }));
    expect(texts.body).toMatchObject({ messages: { total: 3, records } });
    const extended = await findMessages(world, { where: { messageType: 'extendedTextMessage' } });
    expect(extended.body).toMatchObject({
      messages: { total: 2, records: [{ key: { id: reply } }, { key: { id: sent } }] },
    });
  });

  it('findMessages finds a chat by LID or number, and sendText sends to both', async () => {
    const world = await startLinked();
    const phone = phoneOf(world);
    const received = await phone.send(mine, { text: 'by LID' }, { addressing: 'lid' });
    await world.receiver.next(({ body }) => isEvent(body, 'messages.upsert') && at(body, 'data.key.id') === received);
    const lid = `${phone.account.lid}@lid`;
    const sent: string[] = [];
    for (const number of [lid, chat, contact]) sent.unshift(await sendText(world, `to ${number}`, number));
    await phone.waitFor(() => phone.messages().filter(({ fromMe }) => !fromMe).length === 3);
    for (const remoteJid of [lid, chat, contact]) {
      const found = await findMessages(world, { where: { key: { remoteJid } } });
      expect(found.body).toMatchObject([...sent, received].map((id) => ({ key: { id, remoteJid: chat } })));
    }
  });
});
