// Searches chats and contacts in the database, also while the instance has no connection. A chat that is stored under
// both its phone number and its LID (id that hides the number) is listed once. Decisions D-107 and D-109.
import { type ClientContent, toBothForms } from '../../events/both-forms.ts';
import type { Chat, Contact } from '../../events/events.ts';
import { createLimiter } from '../../lib/limiter.ts';
import type { Chats, PageRange } from '../../storage/storage.ts';
import { isLid, STATUS_JID } from '../address/jid.ts';
import { lookupLidPairs } from '../address/lid-map.ts';
import type { LidMappingReader } from '../baileys/auth/lid-mappings.ts';
import {
  type FoundMessage,
  lidMappingReaderOf,
  loadMessages,
  type MessageArchive,
  storedAddressesOf,
} from '../message/find.ts';

/** The instance to search, and the stores that contain its data. */
export interface ChatDirectory extends MessageArchive {
  chats: Chats;
}

/**
 * A search. `remoteJid`, `id` and `_id` are alternative names of one filter. The first of them that is set applies.
 * Pages are given by `page` and `offset` (results per page), or by `skip` and `take`. `limit` is the page size when
 * neither `offset` nor `take` is set.
 */
export interface ChatListInput {
  where?: {
    /** Number, JID or LID; '' means no filter. */
    remoteJid?: string;
    id?: string;
    _id?: string;
    /** Exact name, for contacts only. */
    pushName?: string;
    /** Range of the time of the last message, for chats only. ISO 8601, both inclusive. */
    messageTimestamp?: { gte?: string; lte?: string };
  };
  limit?: number;
  page?: number;
  offset?: number;
  take?: number;
  skip?: number;
}

/**
 * A chat in a search result. `lastMsgTimestamp` is in epoch seconds and `updatedAt` is the same time in ISO 8601.
 * `createdAt` is the time of the oldest stored message in ISO 8601. `muteEndTime` is in epoch ms. `owner` is the name
 * of the instance. `profilePicUrl` is always null, because pictures are not stored.
 */
export interface ListedChat {
  id: string;
  remoteJid: string;
  lid?: string;
  name: string | null;
  pushName: string | null;
  username?: string;
  profilePicUrl: null;
  unreadCount: number;
  archived: boolean;
  pinned: boolean;
  muteEndTime: number | null;
  ephemeralExpiration?: number;
  lastMsgTimestamp: number | null;
  createdAt: string | null;
  updatedAt: string | null;
  lastMessage: (Omit<FoundMessage, keyof ClientContent> & ClientContent) | null;
  owner: string;
  instanceId: string;
}

export interface ListedContact {
  id: string;
  remoteJid: string;
  lid?: string;
  pushName: string | null;
  username?: string;
  profilePictureUrl: null;
  profilePicUrl: null;
  isGroup: false;
  type: 'contact';
  owner: string;
  instanceId: string;
}

/** Maximum number of results of one search. It is also the default. */
const MAX_RESULTS = 1_000;
/** Maximum number of newest chats that pageOfNewest() reads. For a page further back, the whole list is read. */
const MAX_NEWEST_CHATS = 250;
/** Number of chats that pageOfNewest() reads beyond the end of the page, because it leaves some of them out. */
const SPARE_CHATS = 20;
/**
 * Number of chats that are converted at the same time. SQLite runs the queries of these chats without a pause and
 * blocks the event loop meanwhile.
 */
const MAX_CONCURRENT_CHATS = 16;

/**
 * Searches chats. The chat with the newest message comes first. The address of statuses is not listed. Throws
 * INVALID_REQUEST for an invalid address.
 */
export async function findChats(directory: ChatDirectory, input: ChatListInput): Promise<ListedChat[]> {
  const { where = {} } = input;
  const { gte, lte } = where.messageTimestamp ?? {};
  const jids = await findRequestedJids(directory, where);
  const sinceSeconds = gte === undefined ? Number.NEGATIVE_INFINITY : Date.parse(gte) / 1000;
  const untilSeconds = lte === undefined ? Number.POSITIVE_INFINITY : Date.parse(lte) / 1000;
  const hasTimeFilter = gte !== undefined || lte !== undefined;
  const isInTimeRange = ({ lastMessageAt = 0 }: Chat) =>
    !hasTimeFilter || (lastMessageAt >= sinceSeconds && lastMessageAt <= untilSeconds);
  const range = toPageRange(input);
  const pageOf = (chats: readonly Chat[]) => chats.slice(range.offset, range.offset + range.limit);
  const isFiltered = jids !== undefined || hasTimeFilter;
  const newest = isFiltered ? undefined : await pageOfNewest(directory, range);
  const chats = newest ?? pageOf((await listMergedChats(directory, jids)).filter(isInTimeRange));
  const page = await withLids(directory, chats);
  const people = await contactsOf(directory, page);
  // The queries of chats that are converted together share transactions.
  const limiter = createLimiter(MAX_CONCURRENT_CHATS);
  return Promise.all(page.map((chat) => limiter.run(() => toListedChat(directory, chat, people.get(chat.jid)))));
}

/**
 * Returns a page of the list of all chats, or undefined when the whole list has to be read for the page. The cost of
 * this function does not depend on the number of chats.
 */
async function pageOfNewest(directory: ChatDirectory, { offset, limit }: PageRange): Promise<Chat[] | undefined> {
  const { instance, chats } = directory;
  const end = offset + limit;
  // chats.listNewest() leaves out deleted chats. mergeChats() leaves out the address of statuses and joins the two
  // chats of one person. When too few chats remain, the next round reads more.
  for (let count = end + SPARE_CHATS; count <= MAX_NEWEST_CHATS; count *= 2) {
    const stored = await chats.listNewest(instance.id, count);
    if (!stored) return undefined;
    const merged = await mergeChats(directory, stored);
    if (merged.length < end) continue;
    const page = await withLids(directory, merged.slice(offset, end));
    // A person's chat can be stored a second time, under the other address. That entry can have settings even if it is
    // not among the newest chats.
    const jids = page.flatMap(({ jid, lid }) => (lid ? [jid, lid] : [jid]));
    const completed = await mergeChats(directory, await chats.list(instance.id, jids));
    const byJid = new Map(completed.map((chat) => [chat.jid, chat]));
    return page.map((chat) => byJid.get(chat.jid) ?? chat);
  }
  return undefined;
}

/** Returns the chat, or null when it is not stored. Throws the errors of findChats(). */
export async function findChat(directory: ChatDirectory, remoteJid: string): Promise<ListedChat | null> {
  const [chat = null] = await findChats(directory, { where: { remoteJid }, limit: 1 });
  return chat;
}

/** Searches contacts, ordered by JID. Throws INVALID_REQUEST for an invalid address. */
export async function findContacts(directory: ChatDirectory, input: ChatListInput): Promise<ListedContact[]> {
  const { instance, contacts } = directory;
  const jids = await findRequestedJids(directory, input.where ?? {});
  const pushName = input.where?.pushName || undefined;
  const filter = { ...(jids ? { jids } : {}), ...(pushName ? { pushName } : {}) };
  const found = await contacts.find(instance.id, filter, toPageRange(input));
  return found.map(({ jid, lid, pushName: name = null, username }) => ({
    id: jid,
    remoteJid: jid,
    ...lidField(jid, lid),
    pushName: name,
    ...(username ? { username } : {}),
    profilePictureUrl: null,
    profilePicUrl: null,
    isGroup: false,
    type: 'contact',
    owner: instance.name,
    instanceId: instance.id,
  }));
}

/** Returns all JIDs of the requested chat or contact, or undefined when the request names none. */
async function findRequestedJids(
  directory: ChatDirectory,
  { remoteJid, id, _id }: NonNullable<ChatListInput['where']>,
) {
  const address = remoteJid || id || _id;
  const field = (remoteJid && 'remoteJid') || (id && 'id') || '_id';
  return address ? storedAddressesOf(directory, address, `where.${field}`) : undefined;
}

/** Converts the paging of a request: `page` with `offset` (results per page), or `skip` with `take`. */
function toPageRange({ limit, page, offset: pageSize, take, skip }: ChatListInput): PageRange {
  const size = Math.min(take ?? pageSize ?? (limit || MAX_RESULTS), MAX_RESULTS);
  return { limit: size, offset: skip ?? ((page ?? 1) - 1) * size };
}

/** Lists the stored chats, merged. */
async function listMergedChats(directory: ChatDirectory, jids: readonly string[] | undefined): Promise<Chat[]> {
  return mergeChats(directory, await directory.chats.list(directory.instance.id, jids));
}

/**
 * Merges chats in the order of Chats.list(): a chat that is stored under both a phone number and its LID is listed
 * under the number. Leaves out the address of statuses.
 */
async function mergeChats({ instance, authKeys }: ChatDirectory, stored: readonly Chat[]): Promise<Chat[]> {
  const all = stored.filter(({ jid }) => jid !== STATUS_JID);
  const keys: LidMappingReader = lidMappingReaderOf({ instance, authKeys });
  const lidPairs = await lookupLidPairs(keys, all.map(({ jid }) => jid).filter(isLid));
  const byJid = new Map<string, Chat>();
  for (const chat of all) {
    const numberOfLid = isLid(chat.jid) ? lidPairs.get(chat.jid) : undefined;
    const jid = numberOfLid ?? chat.jid;
    const lid = numberOfLid ? chat.jid : chat.lid;
    const earlierEntry = byJid.get(jid);
    // Chats.list() returns the chat with the newest message first. The entry that came first has the newer values.
    byJid.set(jid, { ...chat, ...earlierEntry, jid, ...(lid ? { lid } : {}) });
  }
  return [...byJid.values()];
}

/** Adds the LIDs that are known from the stored pairs of phone number and LID. */
async function withLids(directory: ChatDirectory, chats: readonly Chat[]): Promise<Chat[]> {
  const jids = chats.map(({ jid }) => jid);
  const lidPairs = await lookupLidPairs(lidMappingReaderOf(directory), jids);
  return chats.map((chat) => {
    const lid = chat.lid ?? lidPairs.get(chat.jid);
    return lid && !isLid(chat.jid) ? { ...chat, lid } : chat;
  });
}

/** Returns the stored contacts of the chats, by JID. */
async function contactsOf(
  { instance, contacts }: ChatDirectory,
  chats: readonly Chat[],
): Promise<Map<string, Contact>> {
  const jids = chats.map(({ jid }) => jid);
  const found = await contacts.find(instance.id, { jids });
  return new Map(found.map((contact) => [contact.jid, contact]));
}

async function toListedChat(directory: ChatDirectory, chat: Chat, contact: Contact | undefined): Promise<ListedChat> {
  const { instance, chats } = directory;
  const { pushName = null, username } = contact ?? {};
  const { jid, lid, name = null, archived = false, pinned = false, mutedUntil = null, ephemeral, lastMessageAt } = chat;
  const jids = lid ? [jid, lid] : [jid];
  const firstMessageAt = (await chats.firstMessageAt(instance.id, jids)) ?? lastMessageAt;
  const [lastMessage = null] = await loadMessages(directory, { chatAddresses: jids }, { offset: 0, limit: 1 });
  return {
    id: jid,
    remoteJid: jid,
    ...lidField(jid, lid),
    name: name ?? pushName,
    pushName,
    ...(username ? { username } : {}),
    profilePicUrl: null,
    unreadCount: await chats.countUnread(instance.id, jids),
    archived,
    pinned,
    muteEndTime: mutedUntil,
    ...(ephemeral === undefined ? {} : { ephemeralExpiration: ephemeral }),
    lastMsgTimestamp: lastMessageAt ?? null,
    createdAt: toIso(firstMessageAt),
    updatedAt: toIso(lastMessageAt),
    lastMessage: lastMessage && { ...lastMessage, ...toBothForms(lastMessage) },
    owner: instance.name,
    instanceId: instance.id,
  };
}

/** Returns the field `lid` of a result: `lid`, or `jid` when it is a LID (the number is not known). */
function lidField(jid: string, lid: string | undefined): { lid?: string } {
  const known = lid ?? (isLid(jid) ? jid : undefined);
  return known ? { lid: known } : {};
}

const toIso = (seconds: number | undefined): string | null => (seconds ? new Date(seconds * 1000).toISOString() : null);
