// The conversation of the manager page, built from events and stored messages.
import { expect, it } from 'vitest';
import type { Feed, MessageKey, MessageRecord, StreamEvent } from '../src/types.d.ts';
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

async function openFeed() {
  installPage();
  const state = await loadModule<FeedState>('feed-state.js');
  const feed = state.createFeed();
  return {
    feed,
    load: (records: MessageRecord[]) => state.addStored(feed, records),
    receive: (event: string, data: object) => state.reduce(feed, { event, data, date_time: '' }),
    /** Chat, text and status of each message. */
    shown: () => [...feed.messages.values()].map(({ chat, text, status }) => [chat, text, status]),
    keys: () => new Set([...feed.messages.values()].map(state.rowKeyOf)),
  };
}

const keyToBo = { id: 'X', remoteJid: BO, fromMe: true };
const keyFromAna = { id: 'X', remoteJid: ANA, fromMe: false };

it('the feed shows two messages with the same id in two chats, each with its own changes', async () => {
  const { receive, shown, keys } = await openFeed();
  receive('send.message', record(keyToBo, 'Offer'));
  receive('messages.upsert', record(keyFromAna, 'Hello'));
  expect(keys().size).toBe(2);
  receive('messages.edited', { key: keyFromAna, keyId: 'X', editedMessage: { conversation: 'Hello!' } });
  receive('messages.update', { key: keyToBo, keyId: 'X', status: 'READ' });
  expect(shown()).toEqual([
    [BO, 'Offer', 'READ'],
    [ANA, 'Hello!', 'PENDING'],
  ]);
  receive('messages.delete', { key: keyFromAna, keyId: 'X' });
  expect(shown()).toEqual([
    [BO, 'Offer', 'READ'],
    [ANA, 'Hello!', 'DELETED'],
  ]);
});

it('the feed keeps a message of the account when the contact sends a message with the same id', async () => {
  const { receive, shown } = await openFeed();
  receive('send.message', record(keyToBo, 'Offer'));
  receive('messages.upsert', record({ ...keyToBo, fromMe: false }, 'Another offer'));
  expect(shown()).toEqual([[BO, 'Offer', 'PENDING']]);
});

it('addStored() adds messages of every chat and later statuses of messages in the feed', async () => {
  const { receive, load, shown } = await openFeed();
  receive('messages.upsert', record(keyFromAna, 'Edited by the stream'));
  receive('messages.update', { key: { ...keyToBo, id: 'EARLY' }, status: 'READ' });
  load([
    record(keyFromAna, 'Stored', { status: 'READ' }),
    record(keyToBo, 'Offer', { MessageUpdate: [{ status: 'SERVER_ACK' }] }),
    record({ ...keyToBo, id: 'EARLY' }, 'Read before it was loaded'),
  ]);
  expect(shown()).toEqual([
    [ANA, 'Edited by the stream', 'READ'],
    [BO, 'Offer', 'SERVER_ACK'],
    [BO, 'Read before it was loaded', 'READ'],
  ]);
});

it('the feed moves a chat from its LID to the phone number and finds its messages by both addresses', async () => {
  const { receive, shown } = await openFeed();
  const byLid = { id: '1', remoteJid: BO_LID, fromMe: true };
  receive('messages.update', { key: { ...byLid, id: '2' }, status: 'READ' });
  receive('messages.upsert', record(byLid, 'One'));
  receive('messages.upsert', record(keyFromAna, 'Hello'));
  receive('send.message', record({ ...byLid, id: '2', remoteJid: BO, remoteJidAlt: BO_LID }, 'Two'));
  receive('messages.update', { key: byLid, status: 'DELIVERY_ACK' });
  receive('messages.edited', { key: { ...byLid, remoteJid: BO }, editedMessage: { conversation: 'One!' } });
  expect(shown()).toEqual([
    [BO, 'One!', 'DELIVERY_ACK'],
    [ANA, 'Hello', 'PENDING'],
    [BO, 'Two', 'READ'],
  ]);
});
