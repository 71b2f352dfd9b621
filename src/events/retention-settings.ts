// Applies the settings that limit what is stored (DATABASE_SAVE_…). Data that is not stored is still posted to
// webhooks. Decision D-130.
import type { EventBatch } from './event-batch.ts';

/** What to store: new messages, their status history, contacts, chats, and messages of the history sync. */
export interface SaveSettings {
  databaseSaveDataNewMessage: boolean;
  databaseSaveMessageUpdate: boolean;
  databaseSaveDataContacts: boolean;
  databaseSaveDataChats: boolean;
  databaseSaveDataHistoric: boolean;
}

/** Whether all data is stored. */
export function savesEverything(settings: SaveSettings): boolean {
  return (
    settings.databaseSaveDataNewMessage &&
    settings.databaseSaveMessageUpdate &&
    settings.databaseSaveDataContacts &&
    settings.databaseSaveDataChats &&
    settings.databaseSaveDataHistoric
  );
}

/**
 * Returns the batch without the data that the settings exclude. The events of an excluded message stay in the batch, so
 * that webhooks receive them. If the message arrives twice, webhooks still receive each event once: the events have the
 * same ids both times, and each id is stored once. Excluded delivery statuses stay in the batch with `isTransient`: the
 * message gets the status, but the status history does not.
 */
export function withoutExcludedData(batch: EventBatch, settings: SaveSettings): EventBatch {
  const isStored = ({ isHistory }: EventBatch['messages'][number]) =>
    isHistory ? settings.databaseSaveDataHistoric : settings.databaseSaveDataNewMessage;
  const excluded = batch.messages.filter((message) => !isStored(message));
  // Statuses are live changes, so the setting of live messages decides whether their history is stored.
  const keepsStatusHistory = settings.databaseSaveMessageUpdate && settings.databaseSaveDataNewMessage;
  return {
    ...batch,
    messages: batch.messages.filter(isStored),
    statuses: keepsStatusHistory ? batch.statuses : batch.statuses.map((status) => ({ ...status, isTransient: true })),
    contacts: settings.databaseSaveDataContacts ? batch.contacts : [],
    chats: settings.databaseSaveDataChats ? (batch.chats ?? []) : [],
    events: [...excluded.flatMap(({ events }) => events), ...batch.events],
  };
}
