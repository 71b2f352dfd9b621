import { describe, expect, it } from 'vitest';
import type { DomainEvent } from '../../src/events.ts';
import type { WebhookRow } from '../../src/storage/storage.ts';
import { complete } from '../../src/webhooks/envelope.ts';
import { createPublisher, type PublisherOptions } from '../../src/webhooks/publisher.ts';
import { ManualClock, textMessage } from './world.ts';

const webhook: WebhookRow = {
  id: 'w',
  instanceId: 'i',
  enabled: true,
  url: 'http://hooks.test/',
  events: [],
  headers: {},
  byEvents: false,
  base64: false,
  secret: 'whsec_AAAA',
  createdAt: 0,
  updatedAt: 0,
};

function publisher(more: Partial<PublisherOptions> = {}) {
  return createPublisher({
    subscriptions: { matching: () => [webhook] },
    describe: (id) => ({ id, name: 'shop', token: 'TOKEN', ownerJid: '15550001@s.whatsapp.net' }),
    serverUrl: 'http://gateway.test',
    includeApikey: false,
    clock: new ManualClock(),
    ...more,
  });
}

const message = textMessage('15550002', 'hi');
const upsert: DomainEvent = { type: 'messages.upsert', message };
const update = (status: 'READ' | 'DELIVERY_ACK'): DomainEvent => ({
  type: 'messages.update',
  key: message.key,
  status,
  at: 1,
});
const idOf = (event: DomainEvent, instance = 'i') => publisher()(instance, event)[0]?.id;

describe('a published event', () => {
  it('costs nothing when nobody subscribed', () => {
    const publish = publisher({
      subscriptions: { matching: () => [] },
      describe: () => {
        throw new Error('was asked');
      },
    });
    expect(publish('i', upsert)).toEqual([]);
  });

  it('of an instance that is gone is dropped', () => {
    expect(publisher({ describe: () => undefined })('i', upsert)).toEqual([]);
  });

  it('carries the envelope in true UTC, without the key of the instance', () => {
    const [event] = publisher()('i', upsert);
    const body = JSON.parse(complete(event?.body ?? '', webhook.url));
    expect(Object.keys(body).sort()).toEqual([
      'data',
      'date_time',
      'destination',
      'event',
      'instance',
      'sender',
      'server_url',
    ]);
    expect(Math.abs(Date.parse(body.date_time) - Date.now())).toBeLessThan(60_000);
    expect(event).toMatchObject({ type: 'messages.upsert', webhooks: ['w'], lane: message.key.remoteJid });
  });

  it('carries the key only when the operator wants it', () => {
    const [event] = publisher({ includeApikey: true })('i', upsert);
    expect(JSON.parse(event?.body ?? '').apikey).toBe('TOKEN');
  });

  it('has no sender before the first login', () => {
    const publish = publisher({ describe: (id) => ({ id, name: 'shop', token: 'T', ownerJid: null }) });
    expect(JSON.parse(publish('i', upsert)[0]?.body ?? '')).not.toHaveProperty('sender');
  });

  it('has the same id whenever the same thing is reported, and another one for anything else', () => {
    expect(idOf(upsert)).toBe(idOf({ type: 'messages.upsert', message: { ...message, pushName: 'Renamed' } }));
    const others = [
      idOf(upsert),
      idOf(upsert, 'j'),
      idOf({ type: 'send.message', message }),
      idOf({ type: 'messages.upsert', message: textMessage('15550002', 'hi') }),
      idOf({ type: 'messages.upsert', message: { ...message, key: { ...message.key, remoteJid: 'x@g.us' } } }),
      idOf(update('DELIVERY_ACK')),
      idOf(update('READ')),
      idOf({ type: 'messages.undecryptable', key: message.key, messageTimestamp: 1, reason: 'r' }),
    ];
    expect(new Set(others).size).toBe(others.length);
    for (const id of others) expect(id).toMatch(/^evt_[0-9a-f]{32}$/);
  });

  it('that can happen twice the same way gets a new id each time', () => {
    const state: DomainEvent = { type: 'connection.update', state: 'open', statusReason: 200 };
    expect(idOf(state)).not.toBe(idOf(state));
  });

  it('shares the lane of its chat; those of the instance share theirs', () => {
    const lanes = [
      upsert,
      update('READ'),
      { type: 'presence.update', id: message.key.remoteJid, presences: {} },
      { type: 'logout.instance' },
      { type: 'contacts.update', contacts: [] },
    ] satisfies DomainEvent[];
    const chat = message.key.remoteJid;
    expect(lanes.map((event) => publisher()('i', event)[0]?.lane)).toEqual([chat, chat, chat, '', '']);
  });
});

describe('the stored body', () => {
  it('is completed to the same bytes every time', () => {
    const [event] = publisher()('i', upsert);
    const first = complete(event?.body ?? '', 'http://a.test/"quoted"');
    expect(complete(event?.body ?? '', 'http://a.test/"quoted"')).toBe(first);
    expect(JSON.parse(first).destination).toBe('http://a.test/"quoted"');
  });
});
