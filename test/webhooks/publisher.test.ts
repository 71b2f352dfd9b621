import { describe, expect, it } from 'vitest';
import { toPostedBody } from '../../src/events/envelope.ts';
import type { DomainEvent } from '../../src/events/events.ts';
import type { WebhookRow } from '../../src/storage/webhook-stores.ts';
import { createPublisher, type PublisherOptions } from '../../src/webhooks/publisher.ts';
import { ManualClock, textMessage } from '../support/dispatcher-world.ts';

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

function publisher(options: Partial<PublisherOptions> = {}) {
  return createPublisher({
    subscriptions: { findSubscribed: () => [webhook] },
    findInstance: (id) => ({ id, name: 'shop', ownerJid: '15550001@s.whatsapp.net' }),
    serverUrl: { current: 'http://gateway.test' },
    clock: new ManualClock(),
    ...options,
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

describe('published events', () => {
  it('an event without a subscriber is not published, and its instance is not looked up', () => {
    const publish = publisher({
      subscriptions: { findSubscribed: () => [] },
      findInstance: () => {
        throw new Error('was asked');
      },
    });
    expect(publish('i', upsert)).toEqual([]);
  });

  it('an event of a deleted instance is dropped', () => {
    expect(publisher({ findInstance: () => undefined })('i', upsert)).toEqual([]);
  });

  it('a published event has the envelope in UTC, without the key of the instance', () => {
    const [event] = publisher()('i', upsert);
    const body = JSON.parse(toPostedBody(event?.body ?? '', webhook.url));
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
    expect(event).toMatchObject({ type: 'messages.upsert', webhookIds: ['w'], lane: message.key.remoteJid });
  });

  it('an event is not queued for a webhook whose filter excludes its chats', () => {
    const groups: WebhookRow = { ...webhook, id: 'groups', chats: { only: ['group'], except: [] } };
    const subscriptions = { findSubscribed: () => [webhook, groups] };
    expect(publisher({ subscriptions })('i', upsert)).toMatchObject([{ webhookIds: ['w'] }]);
    expect(publisher({ subscriptions: { findSubscribed: () => [groups] } })('i', upsert)).toEqual([]);
    expect(
      publisher({ subscriptions: { findSubscribed: () => [groups] }, isWanted: () => true })('i', upsert),
    ).toHaveLength(1);
    const startup: DomainEvent = { type: 'application.startup', startedAt: 0 };
    expect(publisher({ subscriptions })('i', startup)).toMatchObject([{ webhookIds: ['w', 'groups'] }]);
  });

  it('an event before the first login has no sender', () => {
    const publish = publisher({ findInstance: (id) => ({ id, name: 'shop', ownerJid: null }) });
    expect(JSON.parse(publish('i', upsert)[0]?.body ?? '')).not.toHaveProperty('sender');
  });

  it('an event has the same id in every report, and no other event has it', () => {
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

  it('history messages that the phone sends twice are one event', () => {
    const past = (...texts: string[]): DomainEvent => ({
      type: 'messages.set',
      messages: texts.map((text) => ({ ...message, key: { ...message.key, id: text } })),
    });
    expect(idOf(past('a', 'b'))).toBe(idOf(past('a', 'b')));
    expect(idOf(past('a', 'b'))).not.toBe(idOf(past('a')));
  });

  it('the id of a vote event depends on the vote, and the id of a deletion event on its scope', () => {
    const { key } = message;
    const vote = (id: string): DomainEvent => ({
      type: 'messages.update',
      ...{ key, at: 1, pollUpdates: [], vote: { id, voter: key.remoteJid, options: [], at: 1 } },
    });
    const deleted: DomainEvent = { type: 'messages.delete', key, at: 1 };
    const ids = [vote('1'), vote('2'), update('READ'), deleted, { ...deleted, scope: 'me' as const }].map((one) =>
      idOf(one),
    );
    expect(new Set(ids).size).toBe(ids.length);
    expect(idOf(vote('1'))).toBe(ids[0]);
  });

  it('an event without identity gets a new id each time', () => {
    const state: DomainEvent = { type: 'connection.update', state: 'open', statusReason: 200 };
    expect(idOf(state)).not.toBe(idOf(state));
  });

  it('events of a chat share a lane, and events of the instance share another', () => {
    const lanes = [
      upsert,
      update('READ'),
      { type: 'presence.update', id: message.key.remoteJid, presences: {} },
      { type: 'chats.update', chats: [{ jid: message.key.remoteJid, archived: true }] },
      { type: 'labels.association', action: 'add', labelId: '7', jid: message.key.remoteJid },
      { type: 'groups.update', group: { id: message.key.remoteJid, subject: 'S' } },
      { type: 'group-participants.update', id: message.key.remoteJid, action: 'add', participants: [] },
      { type: 'group.join-request', id: message.key.remoteJid, action: 'created', participant: { jid: '1@lid' } },
      {
        ...{ type: 'call', id: 'C', chatId: message.key.remoteJid, from: message.key.remoteJid, at: 0 },
        ...{ status: 'offer', offline: false },
      },
      { type: 'instance.create' },
      { type: 'logout.instance' },
      { type: 'contacts.update', contacts: [] },
      { type: 'messages.set', messages: [message] },
      { type: 'chats.set', chats: [{ jid: message.key.remoteJid }] },
    ] satisfies DomainEvent[];
    const chat = message.key.remoteJid;
    expect(lanes.map((event) => publisher()('i', event)[0]?.lane)).toEqual([
      ...Array(9).fill(chat),
      ...['', '', '', '', ''],
    ]);
  });
});

describe('stored bodies', () => {
  it('a stored body becomes the same bytes in every attempt', () => {
    const [event] = publisher()('i', upsert);
    const first = toPostedBody(event?.body ?? '', 'http://a.test/"quoted"');
    expect(toPostedBody(event?.body ?? '', 'http://a.test/"quoted"')).toBe(first);
    expect(JSON.parse(first).destination).toBe('http://a.test/"quoted"');
  });
});
