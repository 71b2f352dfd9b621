// Lists of chats and contacts, from the store (interface §4.4): they work without a connection, and somebody who is known by number and LID
// is one.
import type { Chat, Contact } from '../../events/events.ts';
import type { Chats, Contacts, Slice } from '../../storage/storage.ts';
import { isLid, STATUS_JID } from '../address/jid.ts';
import { type LidKeys, lookupLids } from '../address/lid-map.ts';
import { type FoundMessage, findMessages, lidKeysOf, type MessageArchive, storedAddressesOf } from '../message/find.ts';

export interface Directory extends MessageArchive {
  chats: Chats;
  contacts: Pick<Contacts, 'find'>;
}

export interface ListInput {
  where?: {
    /** Number, JID or LID; '' is none. */
    remoteJid?: string;
    id?: string;
    _id?: string;
    pushName?: string;
    /** ISO 8601, of the last message. */
    messageTimestamp?: { gte?: string; lte?: string };
  };
  limit?: number;
  page?: number;
  offset?: number;
  take?: number;
  skip?: number;
}

/**
 * A chat as searches answer it; `lastMsgTimestamp` is seconds, `updatedAt` the same as ISO 8601. `createdAt` is the time of the oldest
 * message that is known, as ISO 8601.
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

/** Most at once, and what a search without a limit gives. */
const MAX_RESULTS = 1_000;

/** The chat written in last first, without the address of statuses. Throws INVALID_REQUEST for an address that names nobody. */
export async function findChats(directory: Directory, input: ListInput): Promise<ListedChat[]> {
  const { where = {} } = input;
  const { gte, lte } = where.messageTimestamp ?? {};
  const wanted = await addressesIn(directory, where);
  const since = gte === undefined ? Number.NEGATIVE_INFINITY : Date.parse(gte) / 1000;
  const until = lte === undefined ? Number.POSITIVE_INFINITY : Date.parse(lte) / 1000;
  const isTimed = gte !== undefined || lte !== undefined;
  const chats = (await listMergedChats(directory, wanted)).filter(
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

/** Null when there is no such chat. Throws as findChats(). */
export async function findChat(directory: Directory, remoteJid: string): Promise<ListedChat | null> {
  const [chat = null] = await findChats(directory, { where: { remoteJid }, limit: 1 });
  return chat;
}

/** By address. Throws as findChats(). */
export async function findContacts(directory: Directory, input: ListInput): Promise<ListedContact[]> {
  const { instance, contacts } = directory;
  const jids = await addressesIn(directory, input.where ?? {});
  const pushName = input.where?.pushName || undefined;
  const filter = { ...(jids ? { jids } : {}), ...(pushName ? { pushName } : {}) };
  const found = await contacts.find(instance.id, filter, toSlice(input));
  return found.map(({ jid, lid, pushName: name = null }) => ({
    ...{ id: jid, remoteJid: jid, ...(lid ? { lid } : {}), pushName: name },
    ...{ profilePictureUrl: null, profilePicUrl: null, isGroup: false, type: 'contact' },
    ...{ owner: instance.name, instanceId: instance.id },
  }));
}

async function addressesIn(directory: Directory, { remoteJid, id, _id }: NonNullable<ListInput['where']>) {
  const given = remoteJid || id || _id;
  return given ? storedAddressesOf(directory, given) : undefined;
}

/** The pages of the newer clients are called now `page` and `offset`, now `skip` and `take`. */
function toSlice({ limit, page, offset, take, skip }: ListInput): Slice {
  const size = Math.min(take ?? offset ?? (limit || MAX_RESULTS), MAX_RESULTS);
  return { limit: size, offset: skip ?? ((page ?? 1) - 1) * size };
}

/** A chat that is stored under a number and its LID is one, under the number. */
async function listMergedChats(
  { instance, authKeys, chats }: Directory,
  wanted: readonly string[] | undefined,
): Promise<Chat[]> {
  const all = await chats.list(instance.id, wanted);
  const keys: LidKeys = lidKeysOf({ instance, authKeys });
  const lidPairs = await lookupLids(keys, all.map(({ jid }) => jid).filter(isLid));
  const byJid = new Map<string, Chat>();
  for (const chat of all) {
    const jid = lidPairs.get(chat.jid) ?? chat.jid;
    const lid = isLid(chat.jid) && jid !== chat.jid ? chat.jid : chat.lid;
    const known = byJid.get(jid);
    // What comes first was written in last.
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
    ...{ id: jid, remoteJid: jid, ...(lid ? { lid } : {}), name: name ?? pushName, pushName, profilePicUrl: null },
    unreadCount: await chats.unread(instance.id, jids),
    ...{ archived, pinned, muteEndTime: mutedUntil },
    ...(ephemeral === undefined ? {} : { ephemeralExpiration: ephemeral }),
    lastMsgTimestamp: lastMessageAt ?? null,
    createdAt: toIso(firstAt),
    updatedAt: toIso(lastMessageAt),
    lastMessage: newest.messages.records[0] ?? null,
    ...{ owner: instance.name, instanceId: instance.id },
  };
}

const toIso = (seconds: number | undefined): string | null => (seconds ? new Date(seconds * 1000).toISOString() : null);
