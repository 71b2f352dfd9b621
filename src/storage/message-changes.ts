// Applies edits, deletions, votes, stars and statuses to stored messages. These changes are rare, so each one reads,
// changes and rewrites the JSON document of the message. Decisions D-051 and D-152.

import type { Edit, EventBatch, EventRow } from '../events/event-batch.ts';
import type { JsonObject, Message, MessageKey, Vote } from '../events/events.ts';
import { isObject } from '../lib/json-object.ts';
import { overlaps } from '../lib/overlaps.ts';
import {
  isCertainlyOtherAuthor,
  isSameChat,
  mayChange,
  mayChangeById,
  messagesToDelete,
} from './change-permissions.ts';
import { parseJson } from './columns.ts';
import { type Database, runQuery, type Work } from './database.ts';
import { rowIdsOf } from './reused-ids.ts';
import { rankOf } from './status-rank.ts';

/** Message types whose text is a caption. */
const CAPTIONED_TYPES = ['imageMessage', 'videoMessage', 'documentMessage'];

/**
 * Returns the content with its text replaced, or undefined when the content has no text. Also finds a text inside a
 * wrapper (`ephemeralMessage.message`).
 */
export function withText(content: JsonObject, text: string): JsonObject | undefined {
  if (typeof content.conversation === 'string') return { ...content, conversation: text };
  for (const [name, body] of Object.entries(content)) {
    if (!isObject(body)) continue;
    if (name === 'extendedTextMessage') return { ...content, [name]: { ...body, text } };
    if (CAPTIONED_TYPES.includes(name)) return { ...content, [name]: { ...body, caption: text } };
    const inner = isObject(body.message) ? withText(body.message, text) : undefined;
    if (inner) return { ...content, [name]: { ...body, message: inner } };
  }
  return undefined;
}

/** The message without its content, votes and star, as it is stored after a deletion for everyone. */
export const withoutContent = ({ votes: _, starred: __, ...message }: Message): Message => ({
  ...message,
  message: {},
});

export interface StoredMessage {
  seq: number;
  message: Message;
  /** Whether another person used the message id in the chat before. The row then has a random id (reused-ids.ts). */
  isReused: boolean;
}

/** Returns the stored messages that have the id of the key, in any chat. */
export function* messagesWithId(database: Database, instance: string, { id }: MessageKey): Work<StoredMessage[]> {
  const stored = database.build.selectFrom('message').select(['seq', 'id', 'doc']).where('instance', '=', instance);
  const found = yield* runQuery(stored.where('id', 'in', yield* rowIdsOf(database, instance, id)));
  return found.map((row) => ({ seq: row.seq, message: parseJson<Message>(row.doc), isReused: row.id !== id }));
}

/**
 * Rewrites the stored messages that have the id and the chat of `key`. `change` returns the new message, or undefined
 * for no change.
 */
export function* rewriteMessages(
  database: Database,
  instance: string,
  key: MessageKey,
  change: (message: Message) => Message | undefined,
): Work<void> {
  for (const { seq, message } of yield* messagesWithId(database, instance, key)) {
    const changed = isSameChat(message.key, key) ? change(message) : undefined;
    if (changed) yield* rewrite(database, seq, changed);
  }
}

function* rewrite({ build }: Database, seq: number, message: Message): Work<void> {
  const status = message.status ? { status: rankOf(message.status) } : {};
  const row = { doc: JSON.stringify(message), ...status };
  yield* runQuery(build.updateTable('message').set(row).where('seq', '=', seq));
}

/**
 * Applies the edits that their authors are allowed to make and adds the events of these edits to `events`. Returns the
 * number of refused edits.
 */
export function* applyEdits(
  database: Database,
  instance: string,
  edits: readonly Edit[],
  events: EventRow[],
): Work<number> {
  let refused = 0;
  for (const { key, text, at, authority, events: eventsOfEdit = [] } of edits) {
    const storedKeys = (yield* messagesWithId(database, instance, key)).map(({ message }) => message.key);
    if (!mayChangeById(storedKeys, key, authority)) {
      refused += 1;
      continue;
    }
    events.push(...eventsOfEdit);
    // An edit without a text does not change the stored message. Only its events are stored.
    if (text === undefined) continue;
    yield* rewriteMessages(database, instance, key, (message) => {
      if (!mayChange(message.key, key, authority) || at < (message.editedAt ?? 0)) return undefined;
      const content = withText(message.message, text);
      return content && { ...message, message: content, editedAt: at };
    });
  }
  return refused;
}

/** A change of a status, with its events and, for a deletion, the permissions of the person who deletes. */
type StatusEntry = EventBatch['statuses'][number];

/** Writes statuses into the messages themselves, for changes that the status history does not store. */
export function* applyStatuses(database: Database, instance: string, changes: readonly StatusEntry[]): Work<void> {
  for (const { change, authority } of changes) {
    const { key, status } = change;
    if (status === 'DELETED') {
      const stored = yield* messagesWithId(database, instance, key);
      for (const { seq, message } of messagesToDelete(stored, key, authority))
        yield* rewrite(database, seq, { ...message, status });
      continue;
    }
    yield* rewriteMessages(database, instance, key, (message) =>
      isCertainlyOtherAuthor(message.key, key) ? undefined : { ...message, status },
    );
  }
}

/**
 * Removes the content of deleted messages. A message that reuses the id of another message has no status history, so
 * the status DELETED is stored in the message itself.
 */
export function* eraseContents(database: Database, instance: string, deletions: readonly StatusEntry[]): Work<void> {
  for (const { change, authority } of deletions) {
    const stored = yield* messagesWithId(database, instance, change.key);
    for (const { seq, message, isReused } of messagesToDelete(stored, change.key, authority)) {
      const erased = withoutContent(message);
      yield* rewrite(database, seq, isReused ? { ...erased, status: 'DELETED' } : erased);
    }
  }
}

/** Adds votes to their polls. A vote replaces the earlier vote of the same voter. */
export function* applyVotes(database: Database, instance: string, votes: NonNullable<EventBatch['votes']>): Work<void> {
  for (const { key, vote } of votes) {
    yield* rewriteMessages(database, instance, key, (message) => {
      if (isCertainlyOtherAuthor(message.key, key)) return undefined;
      return { ...message, votes: [...(message.votes ?? []).filter((earlier) => !isSameVoter(earlier, vote)), vote] };
    });
  }
}

/** Whether two votes are from one person, whose phone number, LID or both are known. */
const isSameVoter = (one: Vote, other: Vote): boolean =>
  overlaps([one.voter, one.voterAlt], [other.voter, other.voterAlt]);

/** Sets and removes stars. */
export function* applyStars(database: Database, instance: string, stars: NonNullable<EventBatch['stars']>): Work<void> {
  for (const { key, starred } of stars) {
    yield* rewriteMessages(database, instance, key, ({ starred: _, ...message }) => {
      if (isCertainlyOtherAuthor(message.key, key)) return undefined;
      return starred ? { ...message, starred } : message;
    });
  }
}
