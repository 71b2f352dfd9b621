import { describe, expect, it } from 'vitest';
import type { EventBatch } from '../../src/events/event-batch.ts';
import { type SaveSettings, withoutExcludedData } from '../../src/events/retention-settings.ts';
import { change, event, message, recording } from '../storage/samples.ts';

const all: SaveSettings = {
  databaseSaveDataNewMessage: true,
  databaseSaveMessageUpdate: true,
  databaseSaveDataContacts: true,
  databaseSaveDataChats: true,
  databaseSaveDataHistoric: true,
};

const batch: EventBatch = recording({
  messages: [
    { message: message('new'), events: [event('new')] },
    { message: message('past'), events: [], isHistory: true },
  ],
  statuses: [{ change: change('new', 'READ'), events: [event('read')] }],
  contacts: [{ jid: '49@s.whatsapp.net', pushName: 'Ada' }],
  chats: [{ chat: { jid: '49@s.whatsapp.net' } }],
  events: [event('other')],
});

/** What is stored of the batch, by ids. */
function stored(change_: Partial<SaveSettings>) {
  const { messages, statuses, contacts, chats = [], events } = withoutExcludedData(batch, { ...all, ...change_ });
  return {
    messages: messages.map((one) => one.message.key.id),
    passing: statuses.map(({ isTransient = false }) => isTransient),
    others: contacts.length + chats.length,
    events: [...messages.flatMap((one) => one.events), ...statuses.flatMap((one) => one.events), ...events]
      .map(({ id }) => id)
      .sort(),
  };
}

describe('toStoredPart', () => {
  const whole = { messages: ['new', 'past'], passing: [false], others: 2, events: ['new', 'other', 'read'] };

  it.each([
    ['everything', {}, {}],
    [
      'no messages but those of the past',
      { databaseSaveDataNewMessage: false },
      { messages: ['past'], passing: [true] },
    ],
    ['no past', { databaseSaveDataHistoric: false }, { messages: ['new'] }],
    ['no history of statuses', { databaseSaveMessageUpdate: false }, { passing: [true] }],
    ['no contacts', { databaseSaveDataContacts: false }, { others: 1 }],
    ['no chats', { databaseSaveDataChats: false }, { others: 1 }],
  ])('stores %s, and keeps all events', (_what, keeps, difference) => {
    expect(stored(keeps)).toEqual({ ...whole, ...difference });
  });
});
