// The conversation as the page builds it from events and stored messages.
import { expect, it } from 'vitest';
import type { Feed, MessageKey, MessageRecord, StreamEvent } from '../types.d.ts';
import { installPage, loadModule } from './page.ts';

interface FeedState {
  createFeed(): Feed;
  reduce(feed: Feed, event: StreamEvent): void;
  addStored(feed: Feed, records: MessageRecord[]): void;
  rowKeyOf(row: { chat: string; id: string }): string;
}

const ANA = '15550001101@s.whatsapp.net';
const BO = '15550001102@s.whatsapp.net';
const BO_LID = '99@lid';

const record = (key: MessageKey, text: string, part: Partial<MessageRecord> = {}): MessageRecord => ({
  ...{ key, messageTimestamp: 1, messageType: 'conversation', message: { conversation: text }, ...part },
});

async function open() {
  installPage();
  const state = await loadModule<FeedState>('feed-state.js');
  const feed = state.createFeed();
  return {
    feed,
    load: (records: MessageRecord[]) => state.addStored(feed, records),
    receive: (event: string, data: object) => state.reduce(feed, { event, data, date_time: '' }),
    /** Text and status by chat. */
    shown: () => [...feed.messages.values()].map(({ chat, text, status }) => [chat, text, status]),
    keys: () => new Set([...feed.messages.values()].map(state.rowKeyOf)),
  };
}

const toBo = { id: 'X', remoteJid: BO, fromMe: true };
const fromAna = { id: 'X', remoteJid: ANA, fromMe: false };

it('shows messages of two chats with the same id as two messages, each with its own changes', async () => {
  const { receive, shown, keys } = await open();
  receive('send.message', record(toBo, 'Offer'));
  receive('messages.upsert', record(fromAna, 'Hello'));
  expect(keys().size).toBe(2);
  receive('messages.edited', { key: fromAna, keyId: 'X', editedMessage: { conversation: 'Hello!' } });
  receive('messages.update', { key: toBo, keyId: 'X', status: 'READ' });
  expect(shown()).toEqual([
    [BO, 'Offer', 'READ'],
    [ANA, 'Hello!', 'PENDING'],
  ]);
  receive('messages.delete', { key: fromAna, keyId: 'X' });
  expect(shown()).toEqual([
    [BO, 'Offer', 'READ'],
    [ANA, 'Hello!', 'DELETED'],
  ]);
});

it('keeps a message of the account when the other person sends one with its id', async () => {
  const { receive, shown } = await open();
  receive('send.message', record(toBo, 'Offer'));
  receive('messages.upsert', record({ ...toBo, fromMe: false }, 'Another offer'));
  expect(shown()).toEqual([[BO, 'Offer', 'PENDING']]);
});

it('adds stored messages of every chat, and later statuses of those that it shows', async () => {
  const { receive, load, shown } = await open();
  receive('messages.upsert', record(fromAna, 'Edited by the stream'));
  receive('messages.update', { key: { ...toBo, id: 'EARLY' }, status: 'READ' });
  load([
    record(fromAna, 'Stored', { status: 'READ' }),
    record(toBo, 'Offer', { MessageUpdate: [{ status: 'SERVER_ACK' }] }),
    record({ ...toBo, id: 'EARLY' }, 'Read before it was loaded'),
  ]);
  expect(shown()).toEqual([
    [ANA, 'Edited by the stream', 'READ'],
    [BO, 'Offer', 'SERVER_ACK'],
    [BO, 'Read before it was loaded', 'READ'],
  ]);
});

it('moves a chat to the phone number, in order, and finds its messages by both addresses', async () => {
  const { receive, shown } = await open();
  const byLid = { id: '1', remoteJid: BO_LID, fromMe: true };
  receive('messages.update', { key: { ...byLid, id: '2' }, status: 'READ' });
  receive('messages.upsert', record(byLid, 'One'));
  receive('messages.upsert', record(fromAna, 'Hello'));
  receive('send.message', record({ ...byLid, id: '2', remoteJid: BO, remoteJidAlt: BO_LID }, 'Two'));
  receive('messages.update', { key: byLid, status: 'DELIVERY_ACK' });
  receive('messages.edited', { key: { ...byLid, remoteJid: BO }, editedMessage: { conversation: 'One!' } });
  expect(shown()).toEqual([
    [BO, 'One!', 'DELIVERY_ACK'],
    [ANA, 'Hello', 'PENDING'],
    [BO, 'Two', 'READ'],
  ]);
});
