// Applies the settings that limit what is stored (DATABASE_SAVE_…). Data that is not stored is still posted to
// webhooks. Decision D-070.
import type { EventBatch } from './event-batch.ts';

/** The settings. */
export interface StoredKinds {
  databaseSaveDataNewMessage: boolean;
  databaseSaveMessageUpdate: boolean;
  databaseSaveDataContacts: boolean;
  databaseSaveDataChats: boolean;
  databaseSaveDataHistoric: boolean;
}

/** Whether the settings keep everything, so that batches need no filter. */
export function isEverythingStored(kinds: StoredKinds): boolean {
  return (
    kinds.databaseSaveDataNewMessage &&
    kinds.databaseSaveMessageUpdate &&
    kinds.databaseSaveDataContacts &&
    kinds.databaseSaveDataChats &&
    kinds.databaseSaveDataHistoric
  );
}

/**
 * Returns the batch without the data that the settings exclude. The events of an excluded message are kept: their ids
 * are derived from the message, so that a message received twice is still posted once.
 */
export function toStoredPart(batch: EventBatch, kinds: StoredKinds): EventBatch {
  const isStored = ({ isPast }: EventBatch['messages'][number]) =>
    isPast ? kinds.databaseSaveDataHistoric : kinds.databaseSaveDataNewMessage;
  const excluded = batch.messages.filter((one) => !isStored(one));
  const hasStatusHistory = kinds.databaseSaveMessageUpdate && kinds.databaseSaveDataNewMessage;
  return {
    ...batch,
    messages: batch.messages.filter(isStored),
    statuses: hasStatusHistory ? batch.statuses : batch.statuses.map((one) => ({ ...one, isPassing: true })),
    contacts: kinds.databaseSaveDataContacts ? batch.contacts : [],
    chats: kinds.databaseSaveDataChats ? (batch.chats ?? []) : [],
    events: [...excluded.flatMap(({ events }) => events), ...batch.events],
  };
}
