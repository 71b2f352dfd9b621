import { describe, expect, it } from 'vitest';
import { toStoredBody } from '../../src/events/envelope.ts';
import { descriptorOf } from '../../src/events/event-descriptors.ts';
import type { Chat, DomainEvent, Message } from '../../src/events/events.ts';
import { filterBody, filterData, toChatFilter } from '../../src/webhooks/chat-filter.ts';

const ana = '5511987654321@s.whatsapp.net';
const anaLid = '1500@lid';
const bob = '15550002@s.whatsapp.net';
const group = '120363025246125486@g.us';

const message = (remoteJid: string, remoteJidAlt?: string): Message => ({
  key: { remoteJid, fromMe: false, id: 'M', ...(remoteJidAlt ? { remoteJidAlt } : {}), participant: bob },
  message: { conversation: 'hi' },
  messageType: 'conversation',
  messageTimestamp: 1,
  source: 'android',
});
const upsert = (remoteJid: string, alt?: string): DomainEvent => ({
  type: 'messages.upsert',
  message: message(remoteJid, alt),
});
const dataOf = (event: DomainEvent) => descriptorOf(event).toData(event, { id: 'i', name: 'shop' });
type Lists = { only?: string[]; except?: string[] };
const filterEvent = (lists: Lists, event: DomainEvent) => filterData(toChatFilter(lists), event.type, dataOf(event));
const passes = (lists: Lists, event: DomainEvent) => filterEvent(lists, event) !== undefined;

const events = {
  direct: upsert(ana, anaLid),
  group: upsert(group),
  status: upsert('status@broadcast'),
};
const passingChats = (lists: Lists) =>
  Object.entries(events).flatMap(([name, event]) => (passes(lists, event) ? [name] : []));

describe('chat filters', () => {
  it.each<[Lists, string[]]>([
    [{}, ['direct', 'group', 'status']],
    [{ except: ['group'] }, ['direct', 'status']],
    [{ only: ['direct'] }, ['direct']],
    [{ only: ['group', 'status'] }, ['group', 'status']],
    [{ only: ['group'], except: [group] }, []],
    [{ only: ['120363025246125486'] }, ['group']],
    [{ except: ['status@broadcast'] }, ['direct', 'group']],
    [{ only: ['constructor@lid'] }, []],
  ])('the chat filter %j passes the chats %j', (lists, expected) => {
    expect(passingChats(lists)).toEqual(expected);
  });

  it.each([
    ana,
    anaLid,
    '5511987654321',
    '+55 (11) 98765-4321',
    '5511987654321@c.us',
    '5511987654321:7@s.whatsapp.net',
    '551187654321',
  ])('a chat filter matches a contact by %s', (name) => {
    expect(passes({ only: [name] }, upsert(ana, anaLid))).toBe(true);
    expect(passes({ except: [name] }, upsert(ana, anaLid))).toBe(false);
    expect(passes({ only: [name] }, upsert(bob, '1501@lid'))).toBe(false);
  });

  it('a chat filter compares the chat, not the sender in it', () => {
    expect(passes({ only: [bob] }, upsert(group))).toBe(false);
  });

  it.each([
    '',
    'everyone',
    '1555000, 1555001',
    'Direct',
    'x@newsletter',
  ])('toChatFilter() refuses the entry "%s" and names its position', (entry) => {
    expect(() => toChatFilter({ except: ['group', entry] })).toThrow(
      expect.objectContaining({
        code: 'INVALID_REQUEST',
        responseMessage: [[expect.stringContaining('chats.except[1]')]],
      }),
    );
  });

  it('a chat filter accepts channels by their JIDs', () => {
    const channel = '120363025246125486@newsletter';
    expect(toChatFilter({ only: [` ${channel} `] })).toEqual({ only: [channel], except: [] });
    expect(passes({ except: [channel] }, upsert(channel))).toBe(false);
    expect(passes({ only: ['direct'] }, upsert(channel))).toBe(false);
  });

  it.each(['13135550002@bot', '5511987654321@hosted', '1500@hosted.lid'])('a chat filter accepts %s', (jid) => {
    expect(passes({ except: [jid] }, upsert(jid))).toBe(false);
    expect(passes({ except: [jid] }, upsert(ana))).toBe(true);
  });

  it('an event without a chat passes every chat filter', () => {
    for (const event of [
      { type: 'connection.update', state: 'open', statusReason: 200 },
      { type: 'labels.edit', id: ana, name: 'x', color: 1, deleted: false },
      { type: 'logout.instance' },
    ] satisfies DomainEvent[]) {
      expect(filterEvent({ only: ['group'] }, event)).toEqual(dataOf(event));
    }
  });

  it.each<DomainEvent>([
    { type: 'messages.update', key: message(ana, anaLid).key, status: 'READ', at: 1 },
    { type: 'messages.delete', key: message(ana, anaLid).key, at: 1 },
    { type: 'messages.edited', key: message(ana, anaLid).key, message: {}, at: 1 },
    { type: 'messages.undecryptable', key: message(ana, anaLid).key, messageTimestamp: 1, reason: 'x' },
    { type: 'messages.set', messages: [message(ana, anaLid)] },
    { type: 'send.message', message: message(ana, anaLid) },
    { type: 'presence.update', id: ana, lid: anaLid, presences: {} },
    { type: 'contacts.upsert', contacts: [{ jid: ana, lid: anaLid }] },
    { type: 'chats.upsert', chats: [{ jid: ana, lid: anaLid }] },
    { type: 'labels.association', action: 'add', labelId: '1', jid: ana, lid: anaLid },
    {
      ...{ type: 'call', id: 'C', chatId: ana, from: ana, fromAlt: anaLid, at: 0, status: 'offer', offline: false },
    },
  ])('a chat filter applies to $type', (event) => {
    for (const name of [ana, anaLid, 'direct']) {
      expect(passes({ only: [name] }, event), name).toBe(true);
      expect(passes({ except: [name] }, event), name).toBe(false);
    }
    expect(passes({ except: ['group', bob] }, event)).toBe(true);
  });

  it.each<DomainEvent>([
    { type: 'groups.update', group: { id: group } },
    { type: 'group-participants.update', id: group, action: 'add', participants: [{ jid: ana }] },
    { type: 'group.join-request', id: group, action: 'created', participant: { jid: ana } },
    {
      ...{ type: 'call', id: 'C', chatId: ana, from: ana, fromAlt: anaLid, at: 0, status: 'offer', offline: false },
      groupJid: group,
    },
  ])('a chat filter treats $type in a group as an event of the group', (event) => {
    expect(passes({ only: [group] }, event)).toBe(true);
    expect(passes({ only: ['group'], except: ['direct', ana] }, event)).toBe(true);
    expect(passes({ except: ['group'] }, event)).toBe(false);
  });

  it('a chat filter treats a group call without the JID of the group as a call in a group', () => {
    const event: DomainEvent = {
      ...{ type: 'call', id: 'C', chatId: ana, from: ana, fromAlt: anaLid, at: 0, status: 'terminate', offline: false },
      isGroup: true,
    };
    expect(passes({ only: ['group'], except: [ana] }, event)).toBe(true);
    expect(passes({ except: ['group'] }, event)).toBe(false);
    expect(passes({ only: ['direct'] }, event)).toBe(false);
    expect(passes({ only: [group] }, event)).toBe(false);
  });

  it('a chat filter removes items from a list, and a list without items left is not delivered', () => {
    const chats: Chat[] = [{ jid: ana }, { jid: group }, { jid: bob }];
    const event: DomainEvent = { type: 'chats.set', chats };
    expect(filterEvent({ except: ['group'] }, event)).toMatchObject([{ id: ana }, { id: bob }]);
    expect(filterEvent({ only: ['status'] }, event)).toBeUndefined();
    expect(filterEvent({ except: [ana] }, { type: 'chats.delete', jids: [ana, bob] })).toEqual([bob]);
  });

  it('a chat filter treats a stored body like an event, and keeps a body that passes completely unchanged', () => {
    const stored = (event: DomainEvent) =>
      toStoredBody({ event: event.type, instance: 'shop', data: dataOf(event), date_time: 'd', server_url: 's' });
    const set: DomainEvent = { type: 'messages.set', messages: [message(ana), message(group)] };
    const filter = toChatFilter({ except: ['group'] });
    expect(filterBody(filter, 'messages.upsert', stored(events.group))).toBeUndefined();
    expect(filterBody(filter, 'messages.upsert', stored(events.direct))).toBe(stored(events.direct));
    expect(filterBody(undefined, 'messages.set', stored(set))).toBe(stored(set));
    expect(JSON.parse(filterBody(filter, 'messages.set', stored(set)) ?? '')).toMatchObject({
      ...{ event: 'messages.set', instance: 'shop', server_url: 's' },
      data: [{ key: { remoteJid: ana } }],
    });
  });
});
