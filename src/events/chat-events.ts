// Descriptors of the events about chats, contacts, labels, presence and calls. A descriptor (event-descriptor.ts) says
// how events of one type are posted, ordered and stored.
import type { ChatChange, EventRow } from './event-batch.ts';
import { addressesIn, type BatchDraft, type EventDescriptors, type EventOwner } from './event-descriptor.ts';
import type { Chat, Contact, Message } from './events.ts';
import { toPending } from './message-events.ts';

type ChatEventType =
  | 'contacts.upsert'
  | 'contacts.update'
  | 'presence.update'
  | 'chats.set'
  | 'chats.upsert'
  | 'chats.update'
  | 'chats.delete'
  | 'labels.edit'
  | 'labels.association'
  | 'call';

/**
 * Stands for the group of a group call when the group is unknown: WhatsApp names the group only in the offer (the first
 * status of a call), and the offer did not arrive. Chat filters recognize this text as a group.
 */
const UNKNOWN_GROUP = '@g.us';

interface ContactsEvent {
  contacts: Contact[];
}
interface ChatsEvent {
  chats: Chat[];
  /** The message with which this instance made the change, if there is one. */
  sent?: Message;
  /** Time at which the phone sent the history that contains the chats, seconds since the epoch. */
  historySentAt?: number;
}

const contactEvent = {
  toData: ({ contacts }: ContactsEvent, owner: EventOwner) => contacts.map((contact) => toContactData(contact, owner)),
  chatAddresses: addressesIn('remoteJid', 'lid'),
  addToBatch({ contacts }: ContactsEvent, published: readonly EventRow[], batch: BatchDraft): void {
    batch.contacts.push(...contacts);
    batch.events.push(...published);
  },
  split: <Event extends ContactsEvent>(event: Event) =>
    event.contacts.map((contact) => ({ ...event, contacts: [contact] })),
};

const chatEvent = {
  toData: ({ chats }: ChatsEvent, owner: EventOwner) => chats.map((chat) => toChatData(chat, owner)),
  chatAddresses: addressesIn('remoteJid', 'lid'),
  addToBatch({ chats, sent }: ChatsEvent, published: readonly EventRow[], batch: BatchDraft, now: number): void {
    batch.chats.push(...chats.map((chat): ChatChange => ({ chat, atSeconds: toSeconds(now) })));
    // The message in `sent` set the disappearing-messages timer. A device that cannot decrypt this message asks for it
    // again (retry receipt), so the message is stored.
    if (sent) batch.messages.push(toPending(sent, []));
    batch.events.push(...published);
  },
  split: <Event extends ChatsEvent>(event: Event) => event.chats.map((chat) => ({ ...event, chats: [chat] })),
};

/** Defaults in the data of `chats.set` for fields that the phone omits. They are not stored. */
const CHAT_DEFAULTS = { archived: false, pinned: false, mutedUntil: null, ephemeral: 0 };

const toSeconds = (ms: number): number => Math.floor(ms / 1000);

/**
 * Returns the lane, within which events are delivered in order: the JID of the only chat, or the lane of the instance
 * ('') for an event about several chats.
 */
const laneOfOnlyChat = ({ chats }: ChatsEvent): string => (chats.length === 1 ? (chats[0]?.jid ?? '') : '');

export const CHAT_EVENTS = {
  'contacts.upsert': contactEvent,
  'contacts.update': contactEvent,
  'presence.update': {
    toData: ({ id, lid, presences }) => ({ id, lid, presences }),
    lane: ({ id }) => id,
    chatAddresses: addressesIn('id', 'lid'),
    // A late presence is useless, so it is dropped first when too many deliveries wait.
    isSheddable: true,
  },
  'chats.set': {
    ...chatEvent,
    toData: ({ chats }, owner) => chats.map((chat) => toChatData({ ...CHAT_DEFAULTS, ...chat }, owner)),
    addToBatch({ chats, historySentAt }, published, batch) {
      batch.chats.push(...chats.map((chat): ChatChange => ({ chat, source: 'history', historySentAt })));
      batch.events.push(...published);
    },
  },
  'chats.upsert': {
    ...chatEvent,
    lane: laneOfOnlyChat,
    // WhatsApp announced the chat, for example a new group. A deleted chat appears in chat lists again.
    addToBatch({ chats }, published, batch, now) {
      const atSeconds = toSeconds(now);
      batch.chats.push(...chats.map((chat): ChatChange => ({ chat, source: 'announcement', atSeconds })));
      batch.events.push(...published);
    },
  },
  'chats.update': { ...chatEvent, lane: laneOfOnlyChat, messageId: ({ sent }) => sent?.key.id },
  'chats.delete': {
    toData: ({ jids }) => jids,
    // The items are JIDs themselves, so no field name is given.
    chatAddresses: addressesIn(),
    addToBatch({ jids, lids }, published, batch, now) {
      const atSeconds = toSeconds(now);
      batch.chats.push(
        ...jids.map((deletedJid): ChatChange => ({ deletedJid, lid: lids?.get(deletedJid), atSeconds })),
      );
      batch.events.push(...published);
    },
  },
  'labels.edit': {
    toData: ({ type: _, ...label }, owner) => ({ ...label, instance: owner.name, instanceId: owner.id }),
  },
  'labels.association': {
    toData({ action, jid, lid, labelId, messageId }, owner) {
      return { type: action, chatId: jid, lid, labelId, messageId, instance: owner.name, instanceId: owner.id };
    },
    lane: ({ jid }) => jid,
    chatAddresses: addressesIn('chatId', 'lid'),
  },
  call: {
    toData: ({ type: _, at, ...call }) => ({ ...call, date: new Date(at).toISOString() }),
    lane: ({ chatId }) => chatId,
    // A group call belongs to the chat of the group, not to the chat with the caller.
    chatAddresses(item) {
      const [group] = addressesIn('groupJid')(item);
      if (group !== undefined) return [group];
      return Reflect.get(Object(item), 'isGroup') === true ? [UNKNOWN_GROUP] : addressesIn('chatId', 'fromAlt')(item);
    },
  },
} satisfies EventDescriptors<ChatEventType>;

/** `remoteJid` and `id`, and the two picture fields, have equal values: v1 and v2 clients read different names. */
function toContactData({ jid, lid, pushName, username }: Contact, owner: EventOwner): Record<string, unknown> {
  return {
    remoteJid: jid,
    id: jid,
    lid: lid ?? lidIn(jid),
    pushName,
    username,
    profilePicUrl: null,
    profilePictureUrl: null,
    instanceId: owner.id,
    owner: owner.name,
  };
}

function toChatData(chat: Chat, owner: EventOwner): Record<string, unknown> {
  const { jid, lid, name, unread, lastMessageAt, archived, pinned, mutedUntil, ephemeral } = chat;
  return {
    remoteJid: jid,
    id: jid,
    lid: lid ?? lidIn(jid),
    name,
    unreadMessages: unread,
    lastMsgTimestamp: lastMessageAt,
    archived,
    pinned,
    muteEndTime: mutedUntil,
    ephemeralExpiration: ephemeral,
    instanceId: owner.id,
    owner: owner.name,
  };
}

/**
 * Returns `jid` if it is a LID (WhatsApp's opaque id of a person), which means that the phone number of the person is
 * not known.
 */
const lidIn = (jid: string): string | undefined => (jid.endsWith('@lid') ? jid : undefined);
