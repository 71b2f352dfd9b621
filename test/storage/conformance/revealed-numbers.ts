// People whose phone number is hidden at first. When it becomes known, data under the LID belongs to the number.
import { expect, it } from 'vitest';
import type { EventBatch } from '../../../src/events/event-batch.ts';
import type { MessageKey } from '../../../src/events/events.ts';
import type { Storage } from '../../../src/storage/storage.ts';
import { event, message, toEventBatch } from '../../support/sample-rows.ts';
import { beforeAndAfterRestart, type OpenFixture } from './fixture.ts';

const pn = '1@s.whatsapp.net';
const lid = '9@lid';
const all = { offset: 0, limit: 10 };

const record = ({ messages }: Storage, part: Partial<EventBatch>) => messages.record('a', toEventBatch(part));
const received = (id: string, key: Partial<MessageKey>) => ({
  message: message(id, { key: { remoteJid: lid, fromMe: false, id, ...key }, messageTimestamp: 100 }),
  events: [event(`${id} ${key.remoteJid}`)],
});

export function revealedNumberTests(open: OpenFixture): void {
  it('a contact keeps its username when a later update has none', async () => {
    const fixture = await open();
    await record(fixture.storage, {
      contacts: [
        { jid: lid, username: 'ana' },
        { jid: lid, pushName: 'Ana' },
      ],
    });
    await record(fixture.storage, { contacts: [{ jid: lid, pushName: 'Ana B' }] });
    for await (const { contacts } of beforeAndAfterRestart(fixture)) {
      expect(await contacts.find('a', {}, all)).toEqual([{ jid: lid, pushName: 'Ana B', username: 'ana' }]);
      expect(await contacts.find('a', { username: 'ana' }, all)).toHaveLength(1);
      expect(await contacts.find('a', { username: 'bo' }, all)).toEqual([]);
    }
  });

  it('contacts.findStoredLids() returns the LIDs under which a contact, a chat or a message is stored', async () => {
    const fixture = await open();
    const { storage } = fixture;
    await record(storage, { contacts: [{ jid: '1@lid' }, { jid: pn, lid: '2@lid' }] });
    await record(storage, { chats: [{ chat: { jid: '3@lid', pinned: true } }] });
    await record(storage, { messages: [received('1', { remoteJid: '4@lid' })] });
    const lids = ['1@lid', '2@lid', '3@lid', '4@lid', '5@lid'];
    for await (const { contacts } of beforeAndAfterRestart(fixture)) {
      expect((await contacts.findStoredLids('a', lids)).sort()).toEqual(['1@lid', '3@lid', '4@lid']);
      expect(await contacts.findStoredLids('b', lids)).toEqual([]);
      expect(await contacts.findStoredLids('a', [])).toEqual([]);
    }
  });

  it('the contacts of a LID and of its phone number become one contact with the names of both', async () => {
    const fixture = await open();
    await record(fixture.storage, { contacts: [{ jid: lid, pushName: 'Ana', username: 'ana' }, { jid: '8@lid' }] });
    await record(fixture.storage, { contacts: [{ jid: pn, lid, pushName: 'Ana B' }] });
    for await (const { contacts } of beforeAndAfterRestart(fixture)) {
      expect(await contacts.find('a', {}, all)).toEqual([
        { jid: pn, lid, pushName: 'Ana B', username: 'ana' },
        { jid: '8@lid' },
      ]);
      expect(await contacts.find('b', {}, all)).toEqual([]);
    }
  });

  it('a chat keeps its settings and unread count when the phone number of its LID becomes known', async () => {
    const fixture = await open();
    const { storage } = fixture;
    await record(storage, {
      messages: [received('1', {}), received('2', {})],
      chats: [{ chat: { jid: lid, ephemeral: 86_400, pinned: true, unread: 1, readTo: '1' } }],
    });
    await record(storage, { contacts: [{ jid: pn, lid }] });
    for await (const { chats } of beforeAndAfterRestart(fixture)) {
      expect(await chats.disappearingTimer('a', pn)).toBe(86_400);
      expect(await chats.list('a', [pn])).toMatchObject([{ jid: pn, lid, pinned: true }]);
      expect(await chats.countUnread('a', [pn, lid])).toBe(1);
    }
  });

  it('the settings of a chat under the phone number take precedence over those under the LID', async () => {
    const { storage } = await open();
    await record(storage, { chats: [{ chat: { jid: lid, ephemeral: 1, pinned: true } }] });
    await record(storage, { chats: [{ chat: { jid: pn, ephemeral: 2 } }] });
    await record(storage, { chats: [{ chat: { jid: pn, lid, archived: true } }] });
    expect(await storage.chats.list('a')).toEqual([{ jid: pn, lid, ephemeral: 2, pinned: true, archived: true }]);
  });

  it('messages that were read under the LID stay read when the phone number becomes known', async () => {
    const fixture = await open();
    const messageAt = (id: string, remoteJid: string, messageTimestamp: number) => {
      const { message: one } = received(id, { remoteJid });
      return { message: { ...one, messageTimestamp }, events: [] };
    };
    await record(fixture.storage, { messages: [messageAt('1', pn, 10)], chats: [{ chat: { jid: pn, unread: 0 } }] });
    await record(fixture.storage, { messages: [messageAt('2', lid, 20), messageAt('3', lid, 30)] });
    await record(fixture.storage, { chats: [{ chat: { jid: lid, unread: 0 } }] });
    await record(fixture.storage, { contacts: [{ jid: pn, lid }] });
    for await (const { chats } of beforeAndAfterRestart(fixture))
      expect(await chats.countUnread('a', [pn, lid])).toBe(0);
  });

  it.each([
    ['number', 'contact', pn],
    ['LID', 'contact', lid],
    ['number', 'chat', pn],
  ])('a chat that is deleted by %s is hidden under both addresses of the %s', async (_, source, deletedJid) => {
    const fixture = await open();
    const { storage } = fixture;
    const recordMessage = (store: Storage, id: string, remoteJid: string, messageTimestamp: number) => {
      const { message: one } = received(id, { remoteJid });
      return record(store, { messages: [{ message: { ...one, messageTimestamp }, events: [] }] });
    };
    const person = { jid: pn, lid };
    await recordMessage(storage, '1', lid, 100);
    await record(storage, source === 'contact' ? { contacts: [person] } : { chats: [{ chat: person }] });
    await recordMessage(storage, '2', pn, 200);
    await record(storage, { chats: [{ chat: { jid: pn, pinned: true } }] });
    await record(storage, { chats: [{ deletedJid, atSeconds: 300 }] });
    // WhatsApp reports the contact again.
    await record(storage, { contacts: [person] });
    for await (const { chats } of beforeAndAfterRestart(fixture)) {
      expect(await chats.list('a')).toEqual([]);
      expect(await chats.list('a', [lid])).toEqual([]);
      expect(await chats.listNewest('a', 1)).toEqual([]);
    }
    const reopened = await fixture.reopen();
    await recordMessage(reopened, '3', lid, 400);
    expect(await reopened.chats.list('a')).toMatchObject([
      { jid: lid, lastMessageAt: 400 },
      { jid: pn, lid, pinned: true },
    ]);
    await record(reopened, { chats: [{ deletedJid, atSeconds: 500 }] });
    expect(await reopened.chats.list('a')).toEqual([]);
    await recordMessage(reopened, '4', pn, 600);
    expect(await reopened.chats.list('a')).toEqual([{ jid: pn, lid, pinned: true, lastMessageAt: 600 }]);
  });

  it('a chat that was deleted under the LID stays hidden when the phone number becomes known', async () => {
    const { storage } = await open();
    await record(storage, { messages: [received('1', {})] });
    await record(storage, { chats: [{ deletedJid: lid, atSeconds: 300 }] });
    await record(storage, { contacts: [{ jid: pn, lid }] });
    await record(storage, { contacts: [{ jid: pn, lid }] });
    expect(await storage.chats.list('a')).toEqual([]);
  });

  it.each([
    ['the contact becomes known', { contacts: [{ jid: pn, lid }] }, {}],
    ['another change has the LID', { chats: [{ chat: { jid: pn, lid, pinned: true } }] }, { pinned: true }],
  ])('a chat that was deleted under the number stays hidden under the LID when %s', async (_, later, settings) => {
    const fixture = await open();
    const { storage } = fixture;
    await record(storage, { messages: [received('1', {}), received('2', { remoteJid: pn })] });
    await record(storage, { chats: [{ deletedJid: pn, atSeconds: 300 }] });
    await record(storage, later);
    await record(storage, { contacts: [{ jid: pn, lid }] });
    for await (const { chats } of beforeAndAfterRestart(fixture)) expect(await chats.list('a')).toEqual([]);
    const reopened = await fixture.reopen();
    const { message: next } = received('3', {});
    await record(reopened, { messages: [{ message: { ...next, messageTimestamp: 400 }, events: [] }] });
    expect(await reopened.chats.list('a')).toMatchObject([
      { jid: lid, lastMessageAt: 400 },
      { jid: pn, lid, ...settings },
    ]);
  });

  it('a chat deletion that names the LID hides the messages under both addresses', async () => {
    const { storage } = await open();
    await record(storage, { messages: [received('1', {}), received('2', { remoteJid: pn })] });
    await record(storage, { chats: [{ deletedJid: pn, lid, atSeconds: 300 }] });
    expect(await storage.chats.list('a')).toEqual([]);
  });

  it('a message that arrives again under the phone number is neither stored nor reported again', async () => {
    const { storage } = await open();
    await record(storage, { messages: [received('1', {})] });
    const repeated = await record(storage, { messages: [received('1', { remoteJid: pn, remoteJidAlt: lid })] });
    expect(repeated.events).toEqual([]);
    // Senders choose the ids of their messages. The same id in a chat with another person is another message.
    await record(storage, { messages: [received('1', { remoteJid: '2@s.whatsapp.net', remoteJidAlt: '7@lid' })] });
    const found = await storage.messages.find('a', {}, all);
    expect(found.map(({ message: { key } }) => key.remoteJid).sort()).toEqual(['2@s.whatsapp.net', lid]);
  });

  it('a message that occurs in one batch under the LID and the number is stored once, with its first event', async () => {
    const { storage } = await open();
    const { events } = await record(storage, {
      messages: [received('1', {}), received('1', { remoteJid: pn, remoteJidAlt: lid })],
    });
    expect(events).toMatchObject([{ id: '1 undefined' }]);
    const found = await storage.messages.find('a', {}, all);
    expect(found.map(({ message: { key } }) => key.remoteJid)).toEqual([lid]);
  });

  it('messages.record() stores an address book with more contacts than one statement can have parameters', async () => {
    const { storage } = await open();
    await record(storage, { contacts: [{ jid: '32999@lid', username: 'last' }] });
    const contacts = Array.from({ length: 33_000 }, (_, n) => ({ jid: `${n}@s.whatsapp.net`, lid: `${n}@lid` }));
    await record(storage, { contacts });
    const found = await storage.contacts.find('a', { username: 'last' }, all);
    expect(found).toEqual([{ jid: '32999@s.whatsapp.net', lid: '32999@lid', username: 'last' }]);
  });

  it('the chats of two LIDs become one chat when both LIDs belong to one phone number', async () => {
    const { storage } = await open();
    const lids = [lid, '8@lid'];
    await record(storage, {
      chats: [{ chat: { jid: lid, pinned: true } }, { chat: { jid: '8@lid', archived: true } }],
    });
    await record(storage, { contacts: lids.map((eachLid) => ({ jid: pn, lid: eachLid })) });
    expect(await storage.chats.list('a')).toEqual([{ jid: pn, lid: expect.any(String), pinned: true, archived: true }]);
  });

  it('a status under the phone number applies to the message that was sent to the LID', async () => {
    const { storage } = await open();
    await record(storage, { messages: [received('1', { fromMe: true })] });
    const key = { remoteJid: pn, remoteJidAlt: lid, fromMe: true, id: '1' };
    await record(storage, { statuses: [{ change: { key, status: 'READ', at: 1 }, events: [] }] });
    expect(await storage.messages.find('a', {}, all)).toMatchObject([{ message: { status: 'READ' } }]);
  });
}
