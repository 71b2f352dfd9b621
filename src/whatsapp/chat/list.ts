// Searches chats and contacts in the database. It needs no connection. A chat stored under both number
// and LID is listed once.
import type { Chat, Contact } from '../../events/events.ts';
import type { Chats, Contacts, PageRange } from '../../storage/storage.ts';
import { isLid, STATUS_JID } from '../address/jid.ts';
import { type LidMappingReader, lookupLids } from '../address/lid-map.ts';
import { type FoundMessage, findMessages, lidKeysOf, type MessageArchive, storedAddressesOf } from '../message/find.ts';

export interface Directory extends MessageArchive {
  chats: Chats;
  contacts: Pick<Contacts, 'find'>;
}

export interface ListInput {
  where?: {
    /** Number, JID or LID; '' means no filter. */
    remoteJid?: string;
    id?: string;
    _id?: string;
    pushName?: string;
    /** Time of the last message, ISO 8601. */
    messageTimestamp?: { gte?: string; lte?: string };
  };
  limit?: number;
  page?: number;
  offset?: number;
  take?: number;
  skip?: number;
}

/**
 * A chat in a search result. `lastMsgTimestamp` is in seconds; `updatedAt` is the same time and `createdAt` the time of
 * the oldest stored message, both ISO 8601.
 */
export interface ListedChat {
  id: string;
  remoteJid: string;
  lid?: string;
  name: string | null;
  pushName: string | null;
  profilePicUrl: null;
  unreadCount: number;
  archived: boolean;
  pinned: boolean;
  muteEndTime: number | null;
  ephemeralExpiration?: number;
  lastMsgTimestamp: number | null;
  createdAt: string | null;
  updatedAt: string | null;
  lastMessage: FoundMessage | null;
  owner: string;
  instanceId: string;
}

export interface ListedContact {
  id: string;
  remoteJid: string;
  lid?: string;
  pushName: string | null;
  profilePictureUrl: null;
  profilePicUrl: null;
  isGroup: false;
  type: 'contact';
  owner: string;
  instanceId: string;
}

/** Maximum results of one search, and the default limit. */
const MAX_RESULTS = 1_000;

/**
 * Lists chats by last message, newest first, without the status address. Throws INVALID_REQUEST for an invalid address.
 */
export async function findChats(directory: Directory, input: ListInput): Promise<ListedChat[]> {
  const { where = {} } = input;
  const { gte, lte } = where.messageTimestamp ?? {};
  const jids = await addressesIn(directory, where);
  const since = gte === undefined ? Number.NEGATIVE_INFINITY : Date.parse(gte) / 1000;
  const until = lte === undefined ? Number.POSITIVE_INFINITY : Date.parse(lte) / 1000;
  const isTimed = gte !== undefined || lte !== undefined;
  const chats = (await listMergedChats(directory, jids)).filter(
    ({ jid, lastMessageAt = 0 }) =>
      jid !== STATUS_JID && (!isTimed || (lastMessageAt >= since && lastMessageAt <= until)),
  );
  const { offset, limit } = toSlice(input);
  const page = await withLids(directory, chats.slice(offset, offset + limit));
  const names = await namesOf(directory, page);
  const listed: ListedChat[] = [];
  for (const chat of page) listed.push(await toListedChat(directory, chat, names.get(chat.jid) ?? null));
  return listed;
}

/** Returns null when the chat does not exist. Throws as findChats(). */
export async function findChat(directory: Directory, remoteJid: string): Promise<ListedChat | null> {
  const [chat = null] = await findChats(directory, { where: { remoteJid }, limit: 1 });
  return chat;
}

/** Lists contacts by address. Throws as findChats(). */
export async function findContacts(directory: Directory, input: ListInput): Promise<ListedContact[]> {
  const { instance, contacts } = directory;
  const jids = await addressesIn(directory, input.where ?? {});
  const pushName = input.where?.pushName || undefined;
  const filter = { ...(jids ? { jids } : {}), ...(pushName ? { pushName } : {}) };
  const found = await contacts.find(instance.id, filter, toSlice(input));
  return found.map(({ jid, lid, pushName: name = null }) => ({
    id: jid,
    remoteJid: jid,
    ...(lid ? { lid } : {}),
    pushName: name,
    profilePictureUrl: null,
    profilePicUrl: null,
    isGroup: false,
    type: 'contact',
    owner: instance.name,
    instanceId: instance.id,
  }));
}

async function addressesIn(directory: Directory, { remoteJid, id, _id }: NonNullable<ListInput['where']>) {
  const address = remoteJid || id || _id;
  return address ? storedAddressesOf(directory, address) : undefined;
}

/** Clients page with `page` and `offset` or with `take` and `skip`. */
function toSlice({ limit, page, offset, take, skip }: ListInput): PageRange {
  const size = Math.min(take ?? offset ?? (limit || MAX_RESULTS), MAX_RESULTS);
  return { limit: size, offset: skip ?? ((page ?? 1) - 1) * size };
}

/** Lists chats and merges a chat stored under a number and its LID into one, under the number. */
async function listMergedChats(
  { instance, authKeys, chats }: Directory,
  jids: readonly string[] | undefined,
): Promise<Chat[]> {
  const all = await chats.list(instance.id, jids);
  const keys: LidMappingReader = lidKeysOf({ instance, authKeys });
  const lidPairs = await lookupLids(keys, all.map(({ jid }) => jid).filter(isLid));
  const byJid = new Map<string, Chat>();
  for (const chat of all) {
    const jid = lidPairs.get(chat.jid) ?? chat.jid;
    const lid = isLid(chat.jid) && jid !== chat.jid ? chat.jid : chat.lid;
    const known = byJid.get(jid);
    // The first entry has the newer message.
    byJid.set(jid, { ...chat, ...known, jid, ...(lid ? { lid } : {}) });
  }
  return [...byJid.values()];
}

async function withLids(directory: Directory, chats: readonly Chat[]): Promise<Chat[]> {
  const jids = chats.map(({ jid }) => jid);
  const lidPairs = await lookupLids(lidKeysOf(directory), jids);
  return chats.map((chat) => {
    const lid = chat.lid ?? lidPairs.get(chat.jid);
    return lid && !isLid(chat.jid) ? { ...chat, lid } : chat;
  });
}

async function namesOf({ instance, contacts }: Directory, chats: readonly Chat[]): Promise<Map<string, string>> {
  const slice = { offset: 0, limit: 2 * chats.length };
  const found: Contact[] = await contacts.find(instance.id, { jids: chats.map(({ jid }) => jid) }, slice);
  return new Map(found.flatMap(({ jid, pushName }) => (pushName ? [[jid, pushName] as const] : [])));
}

async function toListedChat(directory: Directory, chat: Chat, pushName: string | null): Promise<ListedChat> {
  const { instance, chats } = directory;
  const { jid, lid, name = null, archived = false, pinned = false, mutedUntil = null, ephemeral, lastMessageAt } = chat;
  const jids = lid ? [jid, lid] : [jid];
  const firstAt = (await chats.firstMessageAt(instance.id, jids)) ?? lastMessageAt;
  const newest = await findMessages(directory, { where: { key: { remoteJid: jid } }, limit: 1 }, { isCounted: false });
  return {
    id: jid,
    remoteJid: jid,
    ...(lid ? { lid } : {}),
    name: name ?? pushName,
    pushName,
    profilePicUrl: null,
    unreadCount: await chats.unread(instance.id, jids),
    archived,
    pinned,
    muteEndTime: mutedUntil,
    ...(ephemeral === undefined ? {} : { ephemeralExpiration: ephemeral }),
    lastMsgTimestamp: lastMessageAt ?? null,
    createdAt: toIso(firstAt),
    updatedAt: toIso(lastMessageAt),
    lastMessage: newest.messages.records[0] ?? null,
    owner: instance.name,
    instanceId: instance.id,
  };
}

const toIso = (seconds: number | undefined): string | null => (seconds ? new Date(seconds * 1000).toISOString() : null);
