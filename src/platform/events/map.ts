// One batch of Baileys events → domain events, one line per kind. Pure; what has no meaning here is named in a debug line.
// Connection and credential events are not in here: socket.ts handles them.
import type { BaileysEventMap, WAMessage } from '@whiskeysockets/baileys';
import type { Contact, DomainEvent } from '../../events.ts';
import type { InstanceSettings } from '../../storage/storage.ts';
import { isGroup, isLid, isNewsletter, isUser } from '../jid.ts';
import { fromContact } from './contact.ts';
import { fromCorrection } from './correction.ts';
import type { Names } from './key.ts';
import { fromMessage } from './message.ts';
import { fromPresence } from './presence.ts';
import { fromReceipt, fromUpdate } from './status.ts';

export type Batch = Partial<BaileysEventMap>;

export interface MapContext extends Names {
  settings: Pick<InstanceSettings, 'groupsIgnore' | 'readStatus'>;
  /** Epoch ms, for events that carry no time. */
  now: number;
  /** False for a contact that was already reported like this. */
  isNews: (contact: Contact) => boolean;
  /** Told what was left out and why; never content. */
  onSkipped: (what: string, why: string) => void;
}

const handledElsewhere = new Set(['connection.update', 'creds.update']);

export function mapEvents(batch: Batch, context: MapContext): DomainEvent[] {
  const events: DomainEvent[] = [];
  for (const name of Object.keys(batch)) {
    if (!handledElsewhere.has(name) && !(name in mappers)) context.onSkipped(name, 'not mapped');
  }
  for (const map of Object.values(mappers)) events.push(...map(batch, context));
  return events;
}

/** By Baileys' event name, in the order in which their results are stored: a message before its status. */
const mappers: Record<string, (batch: Batch, context: MapContext) => DomainEvent[]> = {
  'contacts.upsert': (batch, context) => contacts('contacts.upsert', batch['contacts.upsert'], context),
  'contacts.update': (batch, context) => contacts('contacts.update', batch['contacts.update'], context),
  // `append` is the offline backlog: as real as `notify` (Baileys only tells whether we were online).
  'messages.upsert': (batch, context) =>
    (batch['messages.upsert']?.messages ?? []).flatMap((message) => upsert(message, context)),
  'messages.update': (batch, context) =>
    keep(
      batch['messages.update'],
      (update) =>
        fromUpdate(update, context, context.now) ??
        (isWanted(update.key, context) ? fromCorrection(update, context, context.now) : undefined),
    ),
  'message-receipt.update': (batch, context) =>
    keep(batch['message-receipt.update'], (update) => fromReceipt(update, context, context.now)),
  'presence.update': (batch, context) =>
    keep(batch['presence.update'] && [batch['presence.update']], (seen) => fromPresence(seen, context)),
};

function keep<T>(items: readonly T[] | undefined, map: (item: T) => DomainEvent | undefined): DomainEvent[] {
  return (items ?? []).map(map).filter((event) => event !== undefined);
}

function contacts(
  type: 'contacts.upsert' | 'contacts.update',
  list: BaileysEventMap['contacts.update'] | undefined,
  context: MapContext,
): DomainEvent[] {
  const known = (list ?? [])
    .map((contact) => fromContact(contact, context))
    .filter((contact) => contact !== undefined)
    .filter(context.isNews);
  return known.length > 0 ? [{ type, contacts: known }] : [];
}

function isWanted({ remoteJid }: WAMessage['key'], { settings }: MapContext): boolean {
  const chat = remoteJid ?? '';
  if (isNewsletter(chat)) return false;
  return chat === 'status@broadcast' ? settings.readStatus : !(isGroup(chat) && settings.groupsIgnore);
}

function upsert(message: WAMessage, context: MapContext): DomainEvent[] {
  const isSkipped = !isWanted(message.key, context);
  const mapped = isSkipped ? { skipped: 'not wanted by the settings' } : fromMessage(message, context);
  if ('event' in mapped) return [mapped.event];
  context.onSkipped('messages.upsert', mapped.skipped);
  return [];
}

/** JIDs whose other form mapEvents would like to know: those that came without it. */
export function unpaired(batch: Batch): Set<string> {
  const jids = new Set<string>();
  const add = (jid: string | null | undefined, alt?: string | null) => {
    if (jid && !alt && (isUser(jid) || isLid(jid))) jids.add(jid);
  };
  const addKey = (key: WAMessage['key']) => {
    // The hint of an own message may be ourselves (key.ts), so it does not count.
    add(key.remoteJid, key.fromMe ? undefined : key.remoteJidAlt);
    add(key.participant, key.participantAlt);
  };
  for (const { key } of batch['messages.upsert']?.messages ?? []) addKey(key);
  for (const { key } of batch['messages.update'] ?? []) addKey(key);
  for (const { key, receipt } of batch['message-receipt.update'] ?? []) {
    addKey(key);
    add(receipt.userJid);
  }
  for (const contact of [...(batch['contacts.upsert'] ?? []), ...(batch['contacts.update'] ?? [])]) {
    add(contact.id, contact.lid ?? contact.phoneNumber);
  }
  for (const jid of Object.keys(batch['presence.update']?.presences ?? {})) add(jid);
  add(batch['presence.update']?.id);
  return jids;
}

/**
 * What remains true of a session that is being ended: what was decrypted before, and what the platform says of our messages; it has
 * been told that we have both. "Could not be decrypted" only means that the keys were out of reach: that message comes again.
 */
export function withoutStubs(batch: Batch): Batch {
  const upsert = batch['messages.upsert'];
  if (!upsert) return batch;
  const messages = upsert.messages.filter(({ messageStubType }) => !messageStubType);
  return { ...batch, 'messages.upsert': { ...upsert, messages } };
}
