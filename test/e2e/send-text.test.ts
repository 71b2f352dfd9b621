import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { at, textAt } from '../support/api.ts';
import { isEvent, isTransition, KEY, startWorld, type World } from '../support/gateway.ts';

const mine = '15550002001';
const contact = '15550002002';

async function startLinked(env?: Record<string, string>): Promise<World> {
  const world = await startWorld({ env });
  await world.link('sales', mine);
  return world;
}

/** Whether a post reports this status of a message. */
const hasStatus = (id: string, status: string) => (post: { body: unknown }) =>
  isEvent(post.body, 'messages.update') &&
  at(post.body, 'data.keyId') === id &&
  at(post.body, 'data.status') === status;

describe('POST /message/sendText', () => {
  it('sendText answers the sent message, and the phone receives the text', async () => {
    const world = await startLinked();
    const sent = await world.api('POST', '/message/sendText/sales', {
      number: contact,
      textMessage: { text: 'hello' },
    });
    expect(sent.status).toBe(201);
    expect(sent.body).toEqual({
      key: { remoteJid: `${contact}@s.whatsapp.net`, fromMe: true, id: expect.stringMatching(/^[0-9A-Z]{16,}$/) },
      message: { extendedTextMessage: { text: 'hello' } },
      messageTimestamp: expect.stringMatching(/^\d{10}$/),
      status: 'PENDING',
    });
    await world.receiver.next(hasStatus(textAt(sent.body, 'key.id'), 'DELIVERY_ACK'));
    expect(world.sandbox.phones.phone(contact).messages()).toMatchObject([
      { from: mine, text: 'hello', fromMe: false },
    ]);
  });

  it('webhooks report SERVER_ACK, DELIVERY_ACK and READ of a sent text in that order', async () => {
    const world = await startLinked();
    const sent = await world.api('POST', '/message/sendText/sales', {
      number: contact,
      textMessage: { text: 'hello' },
    });
    const id = textAt(sent.body, 'key.id');
    await world.receiver.next(hasStatus(id, 'DELIVERY_ACK'));
    await world.sandbox.phones.phone(contact).read(mine);
    await world.receiver.next(hasStatus(id, 'READ'));
    const statuses = world.receiver.posts
      .filter((post) => isEvent(post.body, 'messages.update') && at(post.body, 'data.keyId') === id)
      .map((post) => at(post.body, 'data.status'));
    expect(statuses).toEqual(['SERVER_ACK', 'DELIVERY_ACK', 'READ']);
  });

  it('a text that the platform refuses ends in ERROR with a code and a reason', async () => {
    const world = await startLinked();
    world.sandbox.faults.add({ kind: 'nack', number: mine, code: 479 });
    const sent = await world.api('POST', '/message/sendText/sales', {
      number: contact,
      textMessage: { text: 'hello' },
    });
    expect(sent.status).toBe(201);
    const update = await world.receiver.next(hasStatus(textAt(sent.body, 'key.id'), 'ERROR'));
    expect(at(update.body, 'data')).toMatchObject({ code: '479', reason: expect.any(String) });
  });

  it('sendText accepts a flat body and answers in the flat form', async () => {
    const world = await startLinked();
    const sent = await world.api('POST', '/message/sendText/sales', { number: contact, text: 'flat' });
    expect(sent.status).toBe(201);
    expect(sent.body).toMatchObject({
      key: { remoteJid: `${contact}@s.whatsapp.net`, fromMe: true },
      message: { conversation: 'flat' },
      messageType: 'conversation',
      messageTimestamp: expect.any(Number),
      status: 'PENDING',
    });
  });

  it('sendText quotes a message by its id alone, and a message given in full', async () => {
    const world = await startLinked();
    const phone = world.sandbox.phones.phone(contact);
    const question = await phone.send(mine, { text: 'how much?' });
    await world.receiver.next(
      (post) => isEvent(post.body, 'messages.upsert') && at(post.body, 'data.key.id') === question,
    );
    const byId = await world.api('POST', '/message/sendText/sales', {
      number: contact,
      textMessage: { text: 'ten' },
      options: { quoted: { key: { id: question } } },
    });
    expect(at(byId.body, 'message.extendedTextMessage.contextInfo')).toMatchObject({ stanzaId: question });
    const withFullQuote = await world.api('POST', '/message/sendText/sales', {
      number: contact,
      textMessage: { text: 'twelve' },
      options: { quoted: { key: { id: 'OLD1', fromMe: false }, message: { conversation: 'and this?' } } },
    });
    await world.receiver.next(hasStatus(textAt(withFullQuote.body, 'key.id'), 'DELIVERY_ACK'));
    expect(phone.messages().filter((message) => !message.fromMe)).toMatchObject([
      { text: 'ten', quoted: question },
      { text: 'twelve', quoted: 'OLD1' },
    ]);
  });

  it('sendText warns that an unknown message was not quoted, and names the field of the request', async () => {
    const world = await startLinked();
    const phone = world.sandbox.phones.phone(contact);
    const warning = (field: string) => [{ code: 'QUOTE_NOT_FOUND', field, message: expect.stringContaining('quote') }];
    const send = async (body: object) => {
      const { status, body: answer } = await world.api('POST', '/message/sendText/sales', {
        number: contact,
        ...body,
      });
      expect(status).toBe(201);
      return answer;
    };
    const quoted = { key: { id: 'NEVER' } };
    const nested = await send({ textMessage: { text: 'nested' }, options: { quoted } });
    expect(at(nested, 'warnings')).toEqual(warning('options.quoted'));
    expect(at(await send({ text: 'flat', quoted }), 'warnings')).toEqual(warning('quoted'));
    const fullQuote = { ...quoted, message: { conversation: 'given' } };
    expect(await send({ text: 'quoting', quoted: fullQuote })).not.toHaveProperty('warnings');
    expect(await send({ text: 'plain' })).not.toHaveProperty('warnings');
    // Only the answer contains the warning.
    const found = await world.api('POST', '/chat/findMessages/sales', { where: { key: { fromMe: true } } });
    expect(JSON.stringify(found.body)).not.toContain('QUOTE_NOT_FOUND');
    await phone.waitFor(() => phone.messages().some(({ text }) => text === 'plain'));
    expect(phone.messages().map(({ text, quoted: id }) => [text, id])).toEqual([
      ['nested', undefined],
      ['flat', undefined],
      ['quoting', 'NEVER'],
      ['plain', undefined],
    ]);
  });

  it('sendText warns that a deleted message was not quoted', async () => {
    const world = await startLinked();
    const phone = world.sandbox.phones.phone(contact);
    const id = await phone.send(mine, { text: 'gone' });
    await phone.send(mine, { delete: { id } });
    await world.receiver.next(({ body }) => isEvent(body, 'messages.delete'));
    const body = { number: contact, text: 'what?', quoted: { key: { id } } };
    const { body: answer } = await world.api('POST', '/message/sendText/sales', body);
    expect(at(answer, 'warnings')).toMatchObject([{ code: 'QUOTE_NOT_FOUND' }]);
  });

  it('sendText adds a preview of a link unless linkPreview is false, and never of a private address', async () => {
    const site = createServer((_request, response) => {
      response
        .setHeader('content-type', 'text/html')
        .end('<title>Shop</title><meta name="description" content="Open">');
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void site.close());
    await once(site, 'listening');
    const { port } = site.address() as AddressInfo;
    const text = `see http://127.0.0.1:${port}/`;
    const send = (world: World, options: object) =>
      world.api('POST', '/message/sendText/sales', { number: contact, textMessage: { text }, options });
    const world = await startLinked({ EGRESS_ALLOW: '127.0.0.0/8' });
    const withPreview = (await send(world, {})).body;
    expect(at(withPreview, 'message.extendedTextMessage')).toMatchObject({ text, title: 'Shop', description: 'Open' });
    const withoutPreview = (await send(world, { linkPreview: false })).body;
    expect(at(withoutPreview, 'message.extendedTextMessage')).toEqual({ text });
    // The instance can be open before restart() resolves.
    const linesBefore = world.log.length;
    await world.restart({ EGRESS_ALLOW: '' });
    await world.logged((line) => isTransition(line, 'open'), linesBefore);
    const withPrivateAddress = (await send(world, {})).body;
    expect(at(withPrivateAddress, 'message.extendedTextMessage')).toEqual({ text });
  });

  it('sendText shows typing for the delay and then sends', async () => {
    const world = await startLinked();
    const phone = world.sandbox.phones.phone(contact);
    const presences: (string | undefined)[] = [];
    void phone
      .waitFor(() => phone.typingAccounts.get(mine))
      .then((state) => {
        presences.push(state);
        return phone
          .waitFor(() => !phone.typingAccounts.has(mine))
          .then(() => presences.push(phone.typingAccounts.get(mine)));
      });
    const sent = await world.api('POST', '/message/sendText/sales', {
      number: contact,
      textMessage: { text: 'slowly' },
      options: { delay: 50, presence: 'composing' },
    });
    expect(sent.status).toBe(201);
    await world.receiver.next(hasStatus(textAt(sent.body, 'key.id'), 'DELIVERY_ACK'));
    expect(presences).toEqual(['composing', undefined]);
  });

  it('sendText keeps the order of requests within a chat', async () => {
    const world = await startLinked();
    const texts = Array.from({ length: 20 }, (_, n) => `number ${n}`);
    // One connection pipelines the requests, so they arrive in this order.
    const client = new Client(world.api.url, { pipelining: texts.length });
    onTestFinished(() => client.close());
    const answers = texts.map((text) =>
      client.request({
        method: 'POST',
        path: '/message/sendText/sales',
        headers: { apikey: KEY, 'content-type': 'application/json' },
        body: JSON.stringify({ number: contact, textMessage: { text } }),
      }),
    );
    const last = await (await Promise.all(answers)).at(-1)?.body.json();
    await world.receiver.next(hasStatus(textAt(last, 'key.id'), 'DELIVERY_ACK'));
    expect(
      world.sandbox.phones
        .phone(contact)
        .messages()
        .map((message) => message.text),
    ).toEqual(texts);
  });

  it('sendText answers 400 with the number when it is not on the platform', async () => {
    const world = await startLinked();
    const sent = await world.api('POST', '/message/sendText/sales', {
      number: '15550000000',
      textMessage: { text: 'x' },
    });
    expect(sent.status).toBe(400);
    expect(sent.body).toMatchObject({
      status: 400,
      error: 'Bad Request',
      response: { message: [{ exists: false, jid: '15550000000@s.whatsapp.net', number: '15550000000' }] },
      code: 'NUMBER_NOT_ON_PLATFORM',
      certain: true,
    });
  });

  it('sendText answers 400 Connection Closed while the instance is not open', async () => {
    const world = await startWorld();
    await world.api('POST', '/instance/create', { instanceName: 'closed' });
    const sent = await world.api('POST', '/message/sendText/closed', { number: contact, textMessage: { text: 'x' } });
    expect(sent.status).toBe(400);
    expect(JSON.stringify(sent.body)).toContain('Connection Closed');
    expect(sent.body).toMatchObject({ code: 'INSTANCE_NOT_OPEN', certain: true });
  });

  it('sendText answers 504 with the field certain when the platform stops answering', async () => {
    const world = await startLinked({ SEND_TIMEOUT: '300', QUERY_TIMEOUT: '200' });
    await world.api('POST', '/message/sendText/sales', { number: contact, textMessage: { text: 'before' } });
    world.expectErrors(/./);
    world.sandbox.faults.add({ kind: 'stall', number: mine });
    const sent = await world.api('POST', '/message/sendText/sales', {
      number: '15550002003',
      textMessage: { text: 'x' },
    });
    expect(sent.status).toBe(504);
    expect(sent.body).toMatchObject({ certain: true });
  });
});
