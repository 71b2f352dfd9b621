// Edits, deletions, votes and stars on stored messages. Rare, so each reads the document, changes it and writes it back.
import type { JsonObject, Message, MessageKey, Vote } from '../events.ts';
import { parseJson } from './columns.ts';
import { type Database, rows, type Work } from './database.ts';
import { rankOf } from './status.ts';
import type { Edit, Recording, StatusChange } from './storage.ts';

/** Every address under which the chat of a key may be stored. */
export const chatsOf = (key: MessageKey): string[] =>
  key.remoteJidAlt ? [key.remoteJid, key.remoteJidAlt] : [key.remoteJid];

/** Kinds whose text is a caption. */
const captioned = ['imageMessage', 'videoMessage', 'documentMessage'];

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The content with another text, also inside wrappers (`ephemeralMessage.message`); undefined when it has no place for one. */
export function withText(content: JsonObject, text: string): JsonObject | undefined {
  if (typeof content.conversation === 'string') return { ...content, conversation: text };
  for (const [name, body] of Object.entries(content)) {
    if (!isObject(body)) continue;
    if (name === 'extendedTextMessage') return { ...content, [name]: { ...body, text } };
    if (captioned.includes(name)) return { ...content, [name]: { ...body, caption: text } };
    const inner = isObject(body.message) ? withText(body.message, text) : undefined;
    if (inner) return { ...content, [name]: { ...body, message: inner } };
  }
  return undefined;
}

/** Takes the content out: whoever deleted the message for everyone expects it gone. */
export const withoutContent = ({ votes: _, starred: __, ...message }: Message): Message => ({
  ...message,
  message: {},
});

function isAuthor(message: MessageKey, editor: MessageKey): boolean {
  if (message.fromMe !== editor.fromMe) return false;
  if (message.fromMe || message.participant === undefined) return true;
  return [editor.participant, editor.participantAlt].includes(message.participant);
}

/** Rewrites the stored messages a key names, for which `change` gives another one. */
export function* rewrite(
  { build }: Database,
  instance: string,
  key: MessageKey,
  change: (message: Message) => Message | undefined,
): Work<void> {
  const stored = build.selectFrom('message').select(['seq', 'doc']).where('instance', '=', instance);
  for (const { seq, doc } of yield* rows(stored.where('id', '=', key.id))) {
    const message = parseJson<Message>(doc);
    if (!chatsOf(message.key).some((chat) => chatsOf(key).includes(chat))) continue;
    const changed = change(message);
    if (!changed) continue;
    yield* rows(
      build
        .updateTable('message')
        .set({ doc: JSON.stringify(changed), ...(changed.status ? { status: rankOf(changed.status) } : {}) })
        .where('seq', '=', seq),
    );
  }
}

export function* applyEdits(database: Database, instance: string, edits: readonly Edit[]): Work<void> {
  for (const { key, text, at } of edits) {
    yield* rewrite(database, instance, key, (message) => {
      if (!isAuthor(message.key, key) || at < (message.editedAt ?? 0)) return undefined;
      const content = withText(message.message, text);
      return content && { ...message, message: content, editedAt: at };
    });
  }
}

/** Where messages stand now, for those whose history is not kept. */
export function* applyStatuses(database: Database, instance: string, changes: readonly StatusChange[]): Work<void> {
  for (const { key, status } of changes) yield* rewrite(database, instance, key, (message) => ({ ...message, status }));
}

export function* eraseContents(database: Database, instance: string, keys: readonly MessageKey[]): Work<void> {
  for (const key of keys) yield* rewrite(database, instance, key, withoutContent);
}

/** A vote takes the place of the one that its voter cast before. */
export function* applyVotes(database: Database, instance: string, votes: NonNullable<Recording['votes']>): Work<void> {
  for (const { key, vote } of votes) {
    const isOther = ({ voter }: Vote) => voter !== vote.voter && voter !== vote.voterAlt;
    yield* rewrite(database, instance, key, (message) => ({
      ...message,
      votes: [...(message.votes ?? []).filter(isOther), vote],
    }));
  }
}

export function* applyStars(database: Database, instance: string, stars: NonNullable<Recording['stars']>): Work<void> {
  for (const { key, starred } of stars) {
    yield* rewrite(database, instance, key, ({ starred: _, ...message }) =>
      starred ? { ...message, starred } : message,
    );
  }
}
