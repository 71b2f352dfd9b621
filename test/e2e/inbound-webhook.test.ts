import { describe, expect, it } from 'vitest';
import { at } from '../support/api.ts';
import { isEvent, isState, startWorld } from '../support/gateway.ts';

const mine = '15550005001';
const contact = '15550005002';

const textOf = (body: unknown) => at(body, 'data.message.conversation');

describe('inbound messages', () => {
  it('an inbound message is posted with a signature, in the envelope of messages.upsert', async () => {
    const world = await startWorld();
    await world.link('shop', mine);
    const sent = await world.sandbox.phones.phone(contact).send(mine, { text: 'hello gateway' });
    const post = await world.receiver.next((p) => isEvent(p.body, 'messages.upsert'));
    expect(post.body).toEqual({
      event: 'messages.upsert',
      instance: 'shop',
      data: {
        key: {
          remoteJid: `${contact}@s.whatsapp.net`,
          fromMe: false,
          id: sent,
          remoteJidAlt: expect.stringMatching(/^\d+@lid$/),
        },
        pushName: expect.any(String),
        message: expect.objectContaining({ conversation: 'hello gateway' }),
        messageType: 'conversation',
        messageTimestamp: expect.any(Number),
        instanceId: expect.any(String),
        owner: 'shop',
        source: expect.any(String),
      },
      destination: world.receiver.url,
      date_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      sender: `${mine}@s.whatsapp.net`,
      server_url: expect.any(String),
    });
    const config = await world.api('GET', '/webhook/find/shop');
    expect(() => post.verify(String(at(config.body, 'secret')))).not.toThrow();
  });

  it('inbound messages of a downtime are posted in order and completely after the restart', async () => {
    const world = await startWorld();
    await world.link('shop', mine);
    const phone = world.sandbox.phones.phone(contact);
    await phone.send(mine, { text: 'first' });
    await world.receiver.next((p) => isEvent(p.body, 'messages.upsert'));
    await world.gateway.stop();
    const missed = Array.from({ length: 30 }, (_, n) => `missed ${n}`);
    for (const text of missed) await phone.send(mine, { text });
    await world.restart();
    await world.receiver.next((p) => isEvent(p.body, 'messages.upsert') && textOf(p.body) === 'missed 29');
    const texts = world.receiver.posts.filter((p) => isEvent(p.body, 'messages.upsert')).map((p) => textOf(p.body));
    expect(texts).toEqual(['first', ...missed]);
  });

  it('inbound messages are posted in order and completely when the gateway restarts while they arrive', async () => {
    const world = await startWorld();
    await world.link('shop', mine);
    const phone = world.sandbox.phones.phone(contact);
    const texts = Array.from({ length: 120 }, (_, n) => `number ${n}`);
    const sending = Promise.all(texts.map((text) => phone.send(mine, { text })));
    for (const stop of [10, 40]) {
      await world.receiver.next((p) => isEvent(p.body, 'messages.upsert') && textOf(p.body) === `number ${stop}`);
      await world.restart();
    }
    await sending;
    await world.receiver.next((p) => isEvent(p.body, 'messages.upsert') && textOf(p.body) === 'number 119');
    const deliveredTexts = world.receiver.posts
      .filter((p) => isEvent(p.body, 'messages.upsert'))
      .map((p) => textOf(p.body));
    expect(deliveredTexts).toEqual(texts);
  });

  it('an inbound message is posted again with the same webhook-id until the receiver accepts it', async () => {
    const world = await startWorld();
    await world.link('shop', mine);
    world.receiver.answer((post) => (isEvent(post.body, 'messages.upsert') && post.attempt < 3 ? 500 : 200));
    await world.sandbox.phones.phone(contact).send(mine, { text: 'retry me' });
    const third = await world.receiver.next((p) => isEvent(p.body, 'messages.upsert') && p.attempt === 3);
    const ids = world.receiver.posts
      .filter((p) => isEvent(p.body, 'messages.upsert'))
      .map((p) => p.headers['webhook-id']);
    expect(new Set(ids).size).toBe(1);
    expect(ids).toHaveLength(3);
    expect(third.headers['webhook-id']).toBe(ids[0]);
  });

  it('an inbound message that the receiver refused is posted again after a restart of the gateway', async () => {
    const world = await startWorld({ env: { WEBHOOK_RETRY_SCHEDULE: '1' } });
    await world.link('shop', mine);
    world.receiver.answer(() => 503);
    await world.sandbox.phones.phone(contact).send(mine, { text: 'kept' });
    const refused = await world.receiver.next((p) => isEvent(p.body, 'messages.upsert'));
    await world.gateway.stop();
    world.receiver.answer(() => 200);
    await world.restart();
    const delivered = await world.receiver.next((p) => isEvent(p.body, 'messages.upsert') && p.status === 200);
    expect(delivered.headers['webhook-id']).toBe(refused.headers['webhook-id']);
  });

  it('a webhook receives only the events to which it is subscribed', async () => {
    const world = await startWorld();
    await world.link('shop', mine);
    const set = await world.api('POST', '/webhook/set/shop', {
      url: world.receiver.url,
      enabled: true,
      events: ['CONNECTION_UPDATE'],
    });
    expect(set.status).toBe(201);
    const before = world.receiver.posts.length;
    const since = Date.now();
    await world.sandbox.phones.phone(contact).send(mine, { text: 'not asked for' });
    await world.api('DELETE', '/instance/logout/shop');
    await world.receiver.next((p) => isState(p.body, 'shop', 'close'), { after: before });
    // Posts of events before the subscription may still arrive.
    const recentPosts = world.receiver.posts.filter((p) => Date.parse(String(at(p.body, 'date_time'))) >= since);
    const events = new Set(recentPosts.map((p) => at(p.body, 'event')));
    expect([...events]).toEqual(['connection.update']);
  });

  it('presence.update shows the contact who is typing', async () => {
    const world = await startWorld();
    await world.link('shop', mine);
    await world.sandbox.phones.phone(contact).setTyping(mine, 'composing');
    const post = await world.receiver.next((p) => isEvent(p.body, 'presence.update'));
    expect(at(post.body, 'data.presences')).toMatchObject({
      [`${contact}@s.whatsapp.net`]: { lastKnownPresence: 'composing' },
    });
  });
});
