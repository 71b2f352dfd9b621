// Maps one batch of Baileys events to domain events. Reports to the caller the types of events that have no mapping,
// and messages that are left out. Does not report a message update that has no corresponding domain event. No I/O.

import type { Chat, Contact, DomainEvent, Message, MessageKey } from '../../events/events.ts';
import type { InstanceSettings } from '../../storage/instance-row.ts';
import { isChannelJid, isGroup, isLid, isPersonJid, STATUS_JID } from '../address/jid.ts';
import { type KnownJids, toJidAndAlt, toMessageKey } from '../address/message-key.ts';
import type { ChatUpdate, SocketEvents, WireMessage, WireMessageUpdate } from '../baileys/types.ts';
import { fromAddOn } from '../content/add-on-event.ts';
import { editOrDeletionIn, fromEditOrDeletion, fromPostEditOrDeletion } from '../content/edit.ts';
import { encryptedAddOnIn, isDecryptable } from '../content/encrypted-add-on.ts';
import { fromMessage, type MapResult } from '../content/message.ts';
import { fromVote, pollIdOf } from '../content/poll.ts';
import { type TargetMessages, targetKey } from '../content/target-messages.ts';
import type { Batch } from './batch.ts';
import { fromCall } from './call.ts';
import { type ArchivedChats, fromChat, fromChatUpdate, fromHistoryChat, readOnOtherDevices } from './chat.ts';
import { contactsNamedIn, fromContact, mergeContacts } from './contact.ts';
import {
  fromGroupChange,
  fromJoinRequest,
  fromNewGroup,
  fromParticipantsUpdate,
  groupChanges,
  groupEventAddressPairs,
} from './group.ts';
import { fromHistory, type History } from './history.ts';
import { fromLabel, fromLabelAssociation } from './label.ts';
import { fromReceipt, fromStatusUpdate } from './message-status.ts';
import { fromPresence } from './presence.ts';
import { needsPermissions, type PermissionsByMessage, rejectionReason } from './sender-permissions.ts';
import { fromStar } from './star.ts';

export interface MapContext extends KnownJids {
  settings: Pick<InstanceSettings, 'groupsIgnore' | 'readStatus' | 'readChannels'>;
  /** Epoch ms, for events without a time. */
  now: number;
  /**
   * The messages that votes and encrypted add-ons (such as edits and reactions) in the batch refer to. The caller finds
   * them with referencesIn().
   */
  targets: TargetMessages;
  /** The group permissions of senders, for the messages in messagesNeedingPermissions(). */
  permissions: PermissionsByMessage;
  /** The archived chats among the results of jidsToUnarchive(). A message can take these chats out of the archive. */
  archivedChats: ArchivedChats;
  /** Records that a contact is reported. Returns false when the contact was already reported with the same values. */
  recordIfNew: (contact: Contact) => boolean;
  /**
   * Called with the name of a Baileys event that was not mapped, or was mapped only in part, and with the reason. The
   * reason contains no content of a message.
   */
  onSkipped: (what: string, why: string) => void;
}

/** Events that need no mapping: the session or Baileys handles them, or another event of the batch says the same. */
const HANDLED_ELSEWHERE = new Set([
  'connection.update',
  'creds.update',
  'lid-mapping.update',
  'messages.reaction',
  'message-capping.update',
  'messaging-history.status',
]);

/**
 * Returns the domain events of a batch in the order in which they are stored. Calls `onSkipped` for an item that the
 * gateway leaves out on purpose. Throws for a malformed item.
 */
export function mapEvents(batch: Batch, context: MapContext): DomainEvent[] {
  const events: DomainEvent[] = [];
  for (const name of Object.keys(batch)) {
    if (!HANDLED_ELSEWHERE.has(name) && !(name in MAPPERS)) context.onSkipped(name, 'not mapped');
  }
  for (const map of Object.values(MAPPERS)) events.push(...map(batch, context));
  return events;
}

/**
 * The functions that map a batch, in the order in which their results are stored: a message before its status. Each
 * name is the Baileys event that the function maps, except `chats.read`, which Baileys does not have.
 */
const MAPPERS: Record<string, (batch: Batch, context: MapContext) => DomainEvent[]> = {
  'messaging-history.set': (batch, context) => mapHistory(batch['messaging-history.set'], context),
  'contacts.upsert': (batch, context) => mapContacts('contacts.upsert', batch['contacts.upsert'], context),
  'contacts.update': (batch, context) => {
    const named = contactsNamedIn(batch['messages.upsert']?.messages ?? [], context);
    return mapContacts('contacts.update', batch['contacts.update'], context, named);
  },
  'chats.upsert': (batch, context) => mapChats('chats.upsert', batch['chats.upsert'], fromChat, context),
  // `append` messages arrived while the session was offline. They are mapped like `notify` messages.
  'messages.upsert': (batch, context) =>
    (batch['messages.upsert']?.messages ?? []).flatMap((message) => mapMessage(message, context)),
  'messages.update': (batch, context) =>
    mapAll(batch['messages.update'], (update) => mapMessageUpdate(update, context)),
  'message-receipt.update': (batch, context) =>
    mapAll(batch['message-receipt.update'], (update) => fromReceipt(update, context, context.now)),
  'chats.read': (batch, context) => {
    const readChats = readOnOtherDevices(batch, context).filter(({ jid }) => isWantedChat(jid, context));
    return readChats.length > 0 ? [{ type: 'chats.update', chats: readChats }] : [];
  },
  'messages.delete': (batch, context) => mapDeletedForMe(batch['messages.delete'], context),
  'chats.update': (batch, context) => {
    const map = (update: ChatUpdate) => fromChatUpdate(update, context, context.archivedChats);
    return mapChats('chats.update', batch['chats.update'], map, context);
  },
  'chats.delete': (batch, context) => mapDeletedChats(batch['chats.delete'], context),
  'labels.edit': (batch) => mapAll(toList(batch['labels.edit']), fromLabel),
  'labels.association': (batch, context) =>
    mapAll(toList(batch['labels.association']), (change) =>
      isWantedChat(change.association.chatId, context) ? fromLabelAssociation(change, context) : undefined,
    ),
  'groups.upsert': (batch, context) => mapGroups(batch['groups.upsert'], context, fromNewGroup),
  'groups.update': (batch, context) => mapGroups(groupChanges(batch), context, fromGroupChange),
  'group-participants.update': (batch, context) =>
    mapGroups(toList(batch['group-participants.update']), context, fromParticipantsUpdate),
  'group.join-request': (batch, context) => mapGroups(toList(batch['group.join-request']), context, fromJoinRequest),
  call: (batch, context) =>
    mapAll(batch.call, (call) => {
      const isIgnored = context.settings.groupsIgnore && (call.isGroup || call.groupJid);
      return isIgnored ? undefined : fromCall(call, context, context.now);
    }),
  'presence.update': (batch, context) =>
    mapAll(toList(batch['presence.update']), (update) =>
      isWantedChat(update.id, context) ? fromPresence(update, context) : undefined,
    ),
};

const toList = <T>(item: T | undefined): T[] => (item === undefined ? [] : [item]);

function mapAll<T>(items: readonly T[] | undefined, map: (item: T) => DomainEvent | undefined): DomainEvent[] {
  return (items ?? []).map(map).filter((event) => event !== undefined);
}

const mapGroups = <T extends { id: string }>(
  items: readonly T[] | undefined,
  context: MapContext,
  map: (item: T, knownJids: KnownJids) => DomainEvent | undefined,
): DomainEvent[] => mapAll(items, (item) => (isWantedChat(item.id, context) ? map(item, context) : undefined));

/** Maps a new delivery status of a sent message, a star, or a change of a channel post. */
function mapMessageUpdate(update: WireMessageUpdate, context: MapContext): DomainEvent | undefined {
  // The settings never exclude delivery statuses.
  const status = fromStatusUpdate(update, context, context.now);
  if (status || !isWantedMessage(update.key, context)) return status;
  return fromStar(update, context, context.now) ?? fromPostEditOrDeletion(update, context, context.now);
}

/** Maps contacts. `namedInMessages`: the people whose user names are in the message keys of the batch. */
function mapContacts(
  type: 'contacts.upsert' | 'contacts.update',
  list: SocketEvents['contacts.update'] | undefined,
  context: MapContext,
  namedInMessages: readonly Contact[] = [],
): DomainEvent[] {
  const contacts = (list ?? [])
    .map((contact) => fromContact(contact, context))
    .filter((contact) => contact !== undefined);
  const mapped = mergeContacts([...contacts, ...namedInMessages]).filter(context.recordIfNew);
  return mapped.length > 0 ? [{ type, contacts: mapped }] : [];
}

function mapChats<T extends { id?: string | null }>(
  type: 'chats.set' | 'chats.upsert' | 'chats.update',
  list: readonly T[] | undefined,
  map: (chat: T, knownJids: KnownJids) => Chat | undefined,
  context: MapContext,
): DomainEvent[] {
  const mapped = (list ?? [])
    .filter(({ id }) => isWantedChat(id, context))
    .map((chat) => map(chat, context))
    .filter((chat) => chat !== undefined);
  return mapped.length > 0 ? [{ type, chats: mapped }] : [];
}

function mapDeletedChats(jids: SocketEvents['chats.delete'] | undefined, context: MapContext): DomainEvent[] {
  const wanted = (jids ?? []).filter((jid) => isWantedChat(jid, context)).map((jid) => toJidAndAlt(jid, context));
  if (wanted.length === 0) return [];
  const lids = new Map(wanted.flatMap(({ jid, alt }) => (alt ? [[jid, alt]] : [])));
  return [{ type: 'chats.delete', jids: wanted.map(({ jid }) => jid), lids }];
}

/** Maps messages that the account deleted for itself only (D-069). */
function mapDeletedForMe(deleted: SocketEvents['messages.delete'] | undefined, context: MapContext): DomainEvent[] {
  if (!deleted) return [];
  // Baileys rc14 declares the form `all` but never emits it.
  if ('all' in deleted) context.onSkipped('messages.delete', 'all of a chat');
  return mapAll('keys' in deleted ? deleted.keys : [], (item) => {
    const key = isWantedMessage(item, context) ? toMessageKey(item, context) : undefined;
    return key && { type: 'messages.delete', key, at: context.now, scope: 'me' };
  });
}

function mapHistory(history: History | undefined, context: MapContext): DomainEvent[] {
  if (!history) return [];
  const messages = history.messages.flatMap((item) => {
    const mapped = isWantedMessage(item.key, context)
      ? fromHistory(item, context)
      : { skipped: 'not wanted by the settings' };
    if ('message' in mapped) return [mapped.message];
    context.onSkipped('messaging-history.set', mapped.skipped);
    return [];
  });
  return [
    ...mapContacts('contacts.upsert', history.contacts, context),
    ...mapChats('chats.set', history.chats, fromHistoryChat, context),
    ...(messages.length > 0 ? [{ type: 'messages.set' as const, messages }] : []),
  ];
}

/**
 * True when the settings do not exclude the chat of a message with this key. A status (story) of a channel needs two
 * settings: readStatus, and readChannels for its author (D-169).
 */
const isWantedMessage = ({ remoteJid, participant }: WireMessage['key'], context: MapContext): boolean =>
  isWantedChat(remoteJid, context) && (!isChannelJid(participant ?? '') || isWantedChat(participant, context));

/** True when the settings do not exclude the chat (D-070). */
function isWantedChat(jid: string | null | undefined, { settings }: MapContext): boolean {
  const chat = jid ?? '';
  if (isChannelJid(chat)) return settings.readChannels === true;
  if (chat === STATUS_JID) return settings.readStatus;
  return !isGroup(chat) || !settings.groupsIgnore;
}

function mapMessage(message: WireMessage, context: MapContext): DomainEvent[] {
  const mapped = toMapResult(message, context);
  if ('event' in mapped) {
    if (mapped.event.type === 'messages.upsert') addTarget(mapped.event.message, context.targets);
    return [mapped.event];
  }
  context.onSkipped('messages.upsert', mapped.skipped);
  return [];
}

function toMapResult(message: WireMessage, context: MapContext): MapResult {
  if (!isWantedMessage(message.key, context)) return { skipped: 'not wanted by the settings' };
  const { now, permissions, targets } = context;
  if (editOrDeletionIn(message)) {
    return fromEditOrDeletion(message, context, { now, mayModerate: permissions.get(message)?.isAdmin === true });
  }
  if (pollIdOf(message) !== undefined) return fromVote(message, targets, context);
  const refusal = rejectionReason(message, context, permissions);
  if (refusal !== undefined) return { skipped: refusal };
  const addOn = encryptedAddOnIn(message);
  return addOn ? fromAddOn(message, addOn, context) : fromMessage(message, context);
}

/**
 * Adds a message to `targets` for references that follow in the same batch. Of several messages with one key, the first
 * one stays in `targets`, as in the store.
 */
function addTarget(message: Message, targets: TargetMessages): void {
  const key = targetKey(message.key);
  if (!targets.has(key)) targets.set(key, message);
}

/**
 * Returns the votes and decryptable add-ons in the batch: the mapped key of each, and the id of the message to which it
 * refers.
 */
export function referencesIn(batch: Batch, knownJids: KnownJids): { key: MessageKey; targetId: string }[] {
  return (batch['messages.upsert']?.messages ?? []).flatMap((message) => {
    const addOn = encryptedAddOnIn(message);
    const targetId = pollIdOf(message) ?? (addOn && isDecryptable(addOn) ? addOn.target?.id : undefined);
    const key = targetId ? toMessageKey(message.key, knownJids) : undefined;
    return key && targetId ? [{ key, targetId }] : [];
  });
}

/** Returns the messages that only some group members are allowed to send, with their mapped keys. */
export function messagesNeedingPermissions(
  batch: Batch,
  knownJids: KnownJids,
): { message: WireMessage; key: MessageKey }[] {
  return (batch['messages.upsert']?.messages ?? []).flatMap((message) => {
    const key = needsPermissions(message, knownJids) ? toMessageKey(message.key, knownJids) : undefined;
    return key ? [{ message, key }] : [];
  });
}

/**
 * Returns the JIDs of the people whose other address the batch does not contain. The other address of a number is its
 * LID (id that hides the number); the other address of a LID is its number.
 */
export function jidsMissingAlt(batch: Batch): Set<string> {
  const jids = new Set<string>();
  const add = (jid: string | null | undefined, alt?: string | null) => {
    if (jid && (!alt || alt === jid) && isPersonJid(jid)) jids.add(jid);
  };
  const addKey = (key: WireMessage['key']) => {
    // In own messages, remoteJidAlt can be the account's own address instead of the chat's (address/message-key.ts).
    add(key.remoteJid, key.fromMe ? undefined : key.remoteJidAlt);
    add(key.participant, key.participantAlt);
  };
  const history = batch['messaging-history.set'];
  for (const { key } of [...(batch['messages.upsert']?.messages ?? []), ...(history?.messages ?? [])]) addKey(key);
  for (const { key } of batch['messages.update'] ?? []) addKey(key);
  const deleted = batch['messages.delete'];
  for (const key of deleted && 'keys' in deleted ? deleted.keys : []) addKey(key);
  for (const { key, receipt } of batch['message-receipt.update'] ?? []) {
    addKey(key);
    add(receipt.userJid);
  }
  const people = [batch['contacts.upsert'], batch['contacts.update'], history?.contacts];
  for (const contact of people.flatMap((list) => list ?? [])) {
    add(contact.id, isLid(contact.id ?? '') ? contact.phoneNumber : contact.lid);
  }
  for (const jid of Object.keys(batch['presence.update']?.presences ?? {})) add(jid);
  add(batch['presence.update']?.id);
  for (const chat of [batch['chats.upsert'], batch['chats.update'], history?.chats].flatMap((list) => list ?? [])) {
    add(chat.id, isLid(chat.id ?? '') ? chat.pnJid : chat.lidJid);
  }
  for (const jid of batch['chats.delete'] ?? []) add(jid);
  add(batch['labels.association']?.association.chatId);
  for (const [jid, alternate] of groupEventAddressPairs(batch)) add(jid, alternate);
  for (const { from, callerPn } of batch.call ?? []) add(from, callerPn);
  return jids;
}

/**
 * Removes stubs from a batch of an ending session. A stub is a notice, which is not mapped, or it stands for a message
 * that could not be decrypted. In an ending session the decryption fails because the key store is already closed.
 * WhatsApp sends the undecrypted messages again. Decrypted messages and statuses stay in the batch: WhatsApp may
 * already have their receipts, and then does not send them again.
 */
export function withoutStubs(batch: Batch): Batch {
  const upsert = batch['messages.upsert'];
  if (!upsert) return batch;
  const messages = upsert.messages.filter(({ messageStubType }) => !messageStubType);
  return { ...batch, 'messages.upsert': { ...upsert, messages } };
}
