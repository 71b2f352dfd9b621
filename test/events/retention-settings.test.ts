import { describe, expect, it } from 'vitest';
import type { EventBatch } from '../../src/events/event-batch.ts';
import { type SaveSettings, withoutExcludedData } from '../../src/events/retention-settings.ts';
import { change, event, message, toEventBatch } from '../support/sample-rows.ts';

const all: SaveSettings = {
  databaseSaveDataNewMessage: true,
  databaseSaveMessageUpdate: true,
  databaseSaveDataContacts: true,
  databaseSaveDataChats: true,
  databaseSaveDataHistoric: true,
};

const batch: EventBatch = toEventBatch({
  messages: [
    { message: message('new'), events: [event('new')] },
    { message: message('past'), events: [], isHistory: true },
  ],
  statuses: [{ change: change('new', 'READ'), events: [event('read')] }],
  contacts: [{ jid: '49@s.whatsapp.net', pushName: 'Ada' }],
  chats: [{ chat: { jid: '49@s.whatsapp.net' } }],
  events: [event('other')],
});

/** Summarizes the data that is stored of the batch with these settings. */
function summaryOfStored(settings: Partial<SaveSettings>) {
  const { messages, statuses, contacts, chats = [], events } = withoutExcludedData(batch, { ...all, ...settings });
  return {
    messages: messages.map((one) => one.message.key.id),
    transient: statuses.map(({ isTransient = false }) => isTransient),
    others: contacts.length + chats.length,
    events: [...messages.flatMap((one) => one.events), ...statuses.flatMap((one) => one.events), ...events]
      .map(({ id }) => id)
      .sort(),
  };
}

describe('withoutExcludedData', () => {
  const complete = { messages: ['new', 'past'], transient: [false], others: 2, events: ['new', 'other', 'read'] };

  it.each([
    ['everything', {}, {}],
    [
      'only messages of the history sync',
      { databaseSaveDataNewMessage: false },
      { messages: ['past'], transient: [true] },
    ],
    ['no messages of the history sync', { databaseSaveDataHistoric: false }, { messages: ['new'] }],
    ['no history of statuses', { databaseSaveMessageUpdate: false }, { transient: [true] }],
    ['no contacts', { databaseSaveDataContacts: false }, { others: 1 }],
    ['no chats', { databaseSaveDataChats: false }, { others: 1 }],
  ])('withoutExcludedData() stores %s, and keeps all events', (_name, settings, difference) => {
    expect(summaryOfStored(settings)).toEqual({ ...complete, ...difference });
  });
});
