import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { at, textAt } from '../support/api.ts';
import { isEvent, isTransition, KEY, startWorld, type World } from '../support/gateway.ts';

const mine = '15550002001';
const theirs = '15550002002';

async function linked(env?: Record<string, string>): Promise<World> {
  const world = await startWorld({ env });
  await world.link('sales', mine);
  return world;
}

/** The status event for a sent message, as the webhook receives it. */
const statusOf = (id: string, status: string) => (post: { body: unknown }) =>
  isEvent(post.body, 'messages.update') &&
  at(post.body, 'data.keyId') === id &&
  at(post.body, 'data.status') === status;

describe('POST /message/sendText', () => {
  it('answers the interface’s result and the phone receives the text', async () => {
    const world = await linked();
    const sent = await world.api('POST', '/message/sendText/sales', { number: theirs, textMessage: { text: 'hello' } });
    expect(sent.status).toBe(201);
    expect(sent.body).toEqual({
      key: { remoteJid: `${theirs}@s.whatsapp.net`, fromMe: true, id: expect.stringMatching(/^[0-9A-Z]{16,}$/) },
      message: { extendedTextMessage: { text: 'hello' } },
      messageTimestamp: expect.stringMatching(/^\d{10}$/),
      status: 'PENDING',
    });
    await world.receiver.next(statusOf(textAt(sent.body, 'key.id'), 'DELIVERY_ACK'));
    expect(world.sandbox.phones.phone(theirs).messages()).toMatchObject([{ from: mine, text: 'hello', fromMe: false }]);
  });

  it('reports SERVER_ACK, DELIVERY_ACK and READ in that order', async () => {
    const world = await linked();
    const sent = await world.api('POST', '/message/sendText/sales', { number: theirs, textMessage: { text: 'hello' } });
    const id = textAt(sent.body, 'key.id');
    await world.receiver.next(statusOf(id, 'DELIVERY_ACK'));
    await world.sandbox.phones.phone(theirs).read(mine);
    await world.receiver.next(statusOf(id, 'READ'));
    const statuses = world.receiver.posts
      .filter((post) => isEvent(post.body, 'messages.update') && at(post.body, 'data.keyId') === id)
      .map((post) => at(post.body, 'data.status'));
    expect(statuses).toEqual(['SERVER_ACK', 'DELIVERY_ACK', 'READ']);
  });

  it('turns a refusal of the platform into ERROR with code and reason', async () => {
    const world = await linked();
    world.sandbox.faults.add({ kind: 'nack', number: mine, code: 479 });
    const sent = await world.api('POST', '/message/sendText/sales', { number: theirs, textMessage: { text: 'hello' } });
    expect(sent.status).toBe(201);
    const update = await world.receiver.next(statusOf(textAt(sent.body, 'key.id'), 'ERROR'));
    expect(at(update.body, 'data')).toMatchObject({ code: '479', reason: expect.any(String) });
  });

  it('speaks the flat dialect', async () => {
    const world = await linked();
    const sent = await world.api('POST', '/message/sendText/sales', { number: theirs, text: 'flat' });
    expect(sent.status).toBe(201);
    expect(sent.body).toMatchObject({
      key: { remoteJid: `${theirs}@s.whatsapp.net`, fromMe: true },
      message: { conversation: 'flat' },
      messageType: 'conversation',
      messageTimestamp: expect.any(Number),
      status: 'PENDING',
    });
  });

  it('quotes a message by its id alone and a message given in full', async () => {
    const world = await linked();
    const phone = world.sandbox.phones.phone(theirs);
    const asked = await phone.send(mine, { text: 'how much?' });
    await world.receiver.next(
      (post) => isEvent(post.body, 'messages.upsert') && at(post.body, 'data.key.id') === asked,
    );
    const byId = await world.api('POST', '/message/sendText/sales', {
      number: theirs,
      textMessage: { text: 'ten' },
      options: { quoted: { key: { id: asked } } },
    });
    expect(at(byId.body, 'message.extendedTextMessage.contextInfo')).toMatchObject({ stanzaId: asked });
    const given = await world.api('POST', '/message/sendText/sales', {
      number: theirs,
      textMessage: { text: 'twelve' },
      options: { quoted: { key: { id: 'OLD1', fromMe: false }, message: { conversation: 'and this?' } } },
    });
    await world.receiver.next(statusOf(textAt(given.body, 'key.id'), 'DELIVERY_ACK'));
    expect(phone.messages().filter((message) => !message.fromMe)).toMatchObject([
      { text: 'ten', quoted: asked },
      { text: 'twelve', quoted: 'OLD1' },
    ]);
  });

  it('says when a message that is not known was not quoted, in the words of the caller', async () => {
    const world = await linked();
    const phone = world.sandbox.phones.phone(theirs);
    const warning = (field: string) => [{ code: 'QUOTE_NOT_FOUND', field, message: expect.stringContaining('quote') }];
    const send = async (body: object) => {
      const { status, body: answered } = await world.api('POST', '/message/sendText/sales', {
        number: theirs,
        ...body,
      });
      expect(status).toBe(201);
      return answered;
    };
    const quoted = { key: { id: 'NEVER' } };
    const nested = await send({ textMessage: { text: 'nested' }, options: { quoted } });
    expect(at(nested, 'warnings')).toEqual(warning('options.quoted'));
    expect(at(await send({ text: 'flat', quoted }), 'warnings')).toEqual(warning('quoted'));
    const given = { ...quoted, message: { conversation: 'given' } };
    expect(await send({ text: 'quoting', quoted: given })).not.toHaveProperty('warnings');
    expect(await send({ text: 'plain' })).not.toHaveProperty('warnings');
    // The warning is of the answer alone.
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

  it('says when a deleted message was not quoted', async () => {
    const world = await linked();
    const phone = world.sandbox.phones.phone(theirs);
    const id = await phone.send(mine, { text: 'gone' });
    await phone.send(mine, { delete: { id } });
    await world.receiver.next(({ body }) => isEvent(body, 'messages.delete'));
    const body = { number: theirs, text: 'what?', quoted: { key: { id } } };
    const { body: answered } = await world.api('POST', '/message/sendText/sales', body);
    expect(at(answered, 'warnings')).toMatchObject([{ code: 'QUOTE_NOT_FOUND' }]);
  });

  it('shows a preview of the page an address names, unless it is switched off, and never of a private address', async () => {
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
      world.api('POST', '/message/sendText/sales', { number: theirs, textMessage: { text }, options });
    const world = await linked({ EGRESS_ALLOW: '127.0.0.0/8' });
    const shown = (await send(world, {})).body;
    expect(at(shown, 'message.extendedTextMessage')).toMatchObject({ text, title: 'Shop', description: 'Open' });
    const bare = (await send(world, { linkPreview: false })).body;
    expect(at(bare, 'message.extendedTextMessage')).toEqual({ text });
    await world.restart({ EGRESS_ALLOW: '' });
    await world.logged((line) => isTransition(line, 'open'), world.log.length);
    const guarded = (await send(world, {})).body;
    expect(at(guarded, 'message.extendedTextMessage')).toEqual({ text });
  });

  it('shows typing for the delay, then sends', async () => {
    const world = await linked();
    const phone = world.sandbox.phones.phone(theirs);
    const seen: (string | undefined)[] = [];
    void phone
      .waitFor(() => phone.typingAccounts.get(mine))
      .then((state) => {
        seen.push(state);
        return phone
          .waitFor(() => !phone.typingAccounts.has(mine))
          .then(() => seen.push(phone.typingAccounts.get(mine)));
      });
    const sent = await world.api('POST', '/message/sendText/sales', {
      number: theirs,
      textMessage: { text: 'slowly' },
      options: { delay: 50, presence: 'composing' },
    });
    expect(sent.status).toBe(201);
    await world.receiver.next(statusOf(textAt(sent.body, 'key.id'), 'DELIVERY_ACK'));
    expect(seen).toEqual(['composing', undefined]);
  });

  it('keeps the order of requests within a chat', async () => {
    const world = await linked();
    const texts = Array.from({ length: 20 }, (_, n) => `number ${n}`);
    // One connection, requests sent without waiting for answers: they arrive in this order.
    const client = new Client(world.api.url, { pipelining: texts.length });
    onTestFinished(() => client.close());
    const answers = texts.map((text) =>
      client.request({
        method: 'POST',
        path: '/message/sendText/sales',
        headers: { apikey: KEY, 'content-type': 'application/json' },
        body: JSON.stringify({ number: theirs, textMessage: { text } }),
      }),
    );
    const last = await (await Promise.all(answers)).at(-1)?.body.json();
    await world.receiver.next(statusOf(textAt(last, 'key.id'), 'DELIVERY_ACK'));
    expect(
      world.sandbox.phones
        .phone(theirs)
        .messages()
        .map((message) => message.text),
    ).toEqual(texts);
  });

  it('answers 400 with the number when it is not on the platform', async () => {
    const world = await linked();
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

  it('answers 400 Connection Closed when the instance is not open', async () => {
    const world = await startWorld();
    await world.api('POST', '/instance/create', { instanceName: 'closed' });
    const sent = await world.api('POST', '/message/sendText/closed', { number: theirs, textMessage: { text: 'x' } });
    expect(sent.status).toBe(400);
    expect(JSON.stringify(sent.body)).toContain('Connection Closed');
    expect(sent.body).toMatchObject({ code: 'INSTANCE_NOT_OPEN', certain: true });
  });

  it('answers 504 with certain false and the message id when the platform stops answering in the middle', async () => {
    const world = await linked({ SEND_TIMEOUT: '300', QUERY_TIMEOUT: '200' });
    await world.api('POST', '/message/sendText/sales', { number: theirs, textMessage: { text: 'before' } });
    world.expectErrors(/./);
    world.sandbox.faults.add({ kind: 'stall', number: mine });
    const sent = await world.api('POST', '/message/sendText/sales', {
      number: '15550002003',
      textMessage: { text: 'x' },
    });
    expect(sent.status).toBe(504);
    expect(sent.body).toMatchObject({ certain: expect.any(Boolean) });
  });
});
