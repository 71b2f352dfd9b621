// The message store, which keeps no more than the operator wants of what happens (DATABASE_SAVE_…). What is not kept is told all the same.

import type { Storage } from '../storage/storage.ts';
import type { EventBatch } from './event-batch.ts';

export interface StoredKinds {
  databaseSaveDataNewMessage: boolean;
  databaseSaveMessageUpdate: boolean;
  databaseSaveDataContacts: boolean;
  databaseSaveDataChats: boolean;
  databaseSaveDataHistoric: boolean;
}

/** `record` as the settings want it. */
export function withRetentionSettings(
  messages: Pick<Storage['messages'], 'record'>,
  keeps: StoredKinds,
): Pick<Storage['messages'], 'record'> {
  const all = ['NewMessage', 'Contacts', 'Chats', 'Historic'] as const;
  if (keeps.databaseSaveMessageUpdate && all.every((kind) => keeps[`databaseSaveData${kind}`])) return messages;
  return { record: (instance, batch) => messages.record(instance, storedPartOf(batch, keeps)) };
}

/** The batch without what is not to be stored. Whoever drops a message loses no event: its id says whether it was told before. */
export function storedPartOf(batch: EventBatch, keeps: StoredKinds): EventBatch {
  const isKept = ({ isPast }: EventBatch['messages'][number]) =>
    isPast ? keeps.databaseSaveDataHistoric : keeps.databaseSaveDataNewMessage;
  const dropped = batch.messages.filter((one) => !isKept(one));
  const hasHistory = keeps.databaseSaveMessageUpdate && keeps.databaseSaveDataNewMessage;
  return {
    ...batch,
    messages: batch.messages.filter(isKept),
    statuses: hasHistory ? batch.statuses : batch.statuses.map((one) => ({ ...one, isPassing: true })),
    contacts: keeps.databaseSaveDataContacts ? batch.contacts : [],
    chats: keeps.databaseSaveDataChats ? (batch.chats ?? []) : [],
    events: [...dropped.flatMap(({ events }) => events), ...batch.events],
  };
}
