import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { descriptorOf, EVENT_TYPES, findDescriptor } from '../../src/events/event-descriptors.ts';
import { SUBSCRIPTION_NAMES, toSubscriptionName } from '../../src/events/event-names.ts';
import type { DomainEvent, EventType, Message } from '../../src/events/events.ts';
import { MESSAGE_EVENTS } from '../../src/events/message-events.ts';
import { spec } from '../support/openapi-document.ts';

/** Every event type once. A missing type and an unknown type are compile errors. */
const TYPES: Record<EventType, true> = {
  'application.startup': true,
  'qrcode.updated': true,
  'connection.update': true,
  'status.instance': true,
  'history.progress': true,
  'instance.create': true,
  'instance.delete': true,
  'instance.restricted': true,
  'remove.instance': true,
  'logout.instance': true,
  'messages.set': true,
  'messages.upsert': true,
  'messages.edited': true,
  'messages.update': true,
  'messages.delete': true,
  'messages.undecryptable': true,
  'send.message': true,
  'send.message.update': true,
  'contacts.upsert': true,
  'contacts.update': true,
  'presence.update': true,
  'chats.set': true,
  'chats.upsert': true,
  'chats.update': true,
  'chats.delete': true,
  'labels.edit': true,
  'labels.association': true,
  call: true,
  'groups.upsert': true,
  'groups.update': true,
  'group-participants.update': true,
  'group.join-request': true,
};

/** Reads the subscription names that the manager page offers from its source. */
function readPageNames(): string[] {
  const folder = new URL('../../packages/manager/src/', import.meta.url);
  const texts = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(js|ts)$/.test(path))
    .map((path) => readFileSync(new URL(path, folder), 'utf8'));
  const lists = texts.flatMap((text) => /\bEVENTS = \[([^;]*)\];/.exec(text)?.[1] ?? []);
  return lists.flatMap((list) => Array.from(list.matchAll(/'([A-Z_]+)'/g), ([, name = '']) => name));
}

describe('event descriptors', () => {
  const names = EVENT_TYPES.map(toSubscriptionName).sort();

  it('the event descriptors cover exactly the types of DomainEvent', () => {
    expect([...EVENT_TYPES].sort()).toEqual(Object.keys(TYPES).sort());
  });

  it('the event descriptors cover exactly the webhooks of the contract, besides the test delivery', () => {
    expect([...EVENT_TYPES, 'webhook.test'].sort()).toEqual(Object.keys(spec.webhooks).sort());
  });

  it('the event descriptors have names that can be subscribed to, in the gateway and in the contract', () => {
    expect(SUBSCRIPTION_NAMES).toEqual(expect.arrayContaining(names));
    expect(spec.components.schemas.EventName?.enum).toEqual(expect.arrayContaining(names));
  });

  it('the manager page offers exactly the subscription names of the event descriptors', () => {
    expect(readPageNames().sort()).toEqual(names);
  });

  it('findDescriptor() finds a descriptor by the name of a stored event', () => {
    const event: DomainEvent = { type: 'logout.instance' };
    expect(findDescriptor('logout.instance')).toBe(descriptorOf(event));
    expect(findDescriptor('of.another-version')).toBeUndefined();
    expect(findDescriptor('toString')).toBeUndefined();
  });
});

describe('descriptors of message events', () => {
  const message: Message = {
    key: { remoteJid: '15550002@s.whatsapp.net', fromMe: true, id: 'A1' },
    message: { conversation: 'hi' },
    messageType: 'conversation',
    messageTimestamp: 1,
    source: 'android',
  };
  const { key } = message;
  const edited = { key, message: { conversation: 'bye' }, at: 5 };
  const events: DomainEvent[] = [
    { type: 'messages.upsert', message },
    { type: 'messages.update', key, status: 'READ', at: 5 },
    { type: 'messages.edited', ...edited },
    { type: 'messages.delete', key, at: 5 },
    { type: 'messages.undecryptable', key, messageTimestamp: 1, reason: 'no session' },
    { type: 'send.message', message },
    { type: 'send.message.update', message, edited },
  ];

  it.each([
    'messages.upsert',
    'messages.undecryptable',
    'messages.delete',
  ] as const)('%s has different identities for messages of different authors with the same id', (type) => {
    const keys = [
      { fromMe: false, participant: '1@lid' },
      { fromMe: false, participant: '2@lid' },
      { fromMe: true, participant: '3@lid' },
    ].map((author) => ({ remoteJid: '1@g.us', id: 'A1', ...author }));
    const content = { message: {}, messageType: 'conversation', messageTimestamp: 1, source: 'web' as const };
    const identities = keys.map((key) => {
      if (type === 'messages.upsert') return MESSAGE_EVENTS[type].identity({ type, message: { key, ...content } });
      if (type === 'messages.delete') return MESSAGE_EVENTS[type].identity({ type, key, at: 1 });
      return MESSAGE_EVENTS[type].identity({ type, key, messageTimestamp: 1, reason: '' });
    });
    expect(new Set(identities.map((identity) => JSON.stringify(identity))).size).toBe(3);
  });

  it.each(events)('$type has the chat as its lane, and the same identity in a second report', (event) => {
    const descriptor = descriptorOf(event);
    expect(descriptor.lane?.(event)).toBe(key.remoteJid);
    expect(descriptor.identity?.(event)).toEqual(descriptor.identity?.(structuredClone(event)));
    expect(descriptor.identity?.(event)).toContain('A1');
  });
});
