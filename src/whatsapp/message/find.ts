// Searches messages and statuses in the database (interface §4.4). It needs no connection. A chat matches under each of
// its addresses.
import type { Message, MessageStatus } from '../../events/events.ts';
import type { AuthKeys, MessageFilter, Messages, Slice } from '../../storage/storage.ts';
import { channelJidOf, isPhoneNumberJid, numberSpellingsOf, toJid, userOf } from '../address/jid.ts';
import { type LidMappingReader, lookupLids } from '../address/lid-map.ts';
import { decodeKey } from '../baileys/auth/codec.ts';

/** The instance to search, and its stores. */
export interface MessageArchive {
  instance: { id: string; name: string };
  messages: Pick<Messages, 'find' | 'count' | 'findStatuses'>;
  authKeys: Pick<AuthKeys, 'get'>;
  /** Returns the URL of the message's file, or undefined. */
  linkTo?: (message: Message) => string | undefined;
}

export interface Paging {
  limit?: number | undefined;
  /** From 1. */
  page?: number | undefined;
  /** Results per page. */
  offset?: number | undefined;
}

export interface FindMessagesInput extends Paging {
  where?: {
    key?: { remoteJid?: string; fromMe?: boolean; id?: string; participant?: string };
    messageType?: string;
    /** ISO 8601. */
    messageTimestamp?: { gte?: string; lte?: string };
  };
}

export interface FindStatusInput extends Paging {
  where?: { id?: string; remoteJid?: string; fromMe?: boolean; participant?: string; status?: MessageStatus };
}

/** A stored message in a search result. */
export type FoundMessage = Message & {
  id: string;
  owner: string;
  instanceId: string;
  MessageUpdate: { status: MessageStatus }[];
};

/** One page of messages, newest first, with the total count. */
export interface FoundPage {
  messages: { total: number; pages: number; currentPage: number; records: FoundMessage[] };
}

export interface FoundStatus {
  remoteJid: string;
  id: string;
  keyId: string;
  messageId: string;
  fromMe: boolean;
  participant?: string;
  status: MessageStatus;
  /** Epoch ms. */
  datetime: number;
  code?: string;
  reason?: string;
  owner: string;
  instanceId: string;
}

/** Maximum results of one search, and the default limit. */
const MAX_RESULTS = 1_000;
const PAGE_SIZE = 50;

/**
 * Searches messages, newest first. `isCounted: false` skips the count; `total` is then the number of records. Throws
 * INVALID_REQUEST for an invalid address.
 */
export async function findMessages(
  archive: MessageArchive,
  input: FindMessagesInput,
  { isCounted }: { isCounted: boolean },
): Promise<FoundPage> {
  const { instance, messages } = archive;
  const filter = await toFilter(archive, input);
  const slice = toSlice(isCounted ? { page: 1, ...input } : input);
  const found = await messages.find(instance.id, filter, slice);
  const records = found.map(({ message, statuses }) => ({
    ...withLink(message, archive),
    id: message.key.id,
    owner: instance.name,
    instanceId: instance.id,
    MessageUpdate: statuses.map(({ status }) => ({ status })),
  }));
  const total = isCounted ? await messages.count(instance.id, filter) : records.length;
  return { messages: { total, pages: Math.ceil(total / slice.limit), currentPage: input.page ?? 1, records } };
}

/** Searches statuses: newest message first, its highest status first. Throws as findMessages(). */
export async function findStatuses(archive: MessageArchive, input: FindStatusInput): Promise<FoundStatus[]> {
  const { instance } = archive;
  const { id, remoteJid, fromMe, participant, status } = input.where ?? {};
  const filter = {
    ...(remoteJid === undefined ? {} : { chats: await storedAddressesOf(archive, remoteJid) }),
    ...(participant === undefined ? {} : { participants: await storedAddressesOf(archive, participant) }),
    ...withoutUndefined({ id, fromMe, status }),
  };
  const found = await archive.messages.findStatuses(instance.id, filter, toSlice(input));
  return found.map(({ key, status: reached, at, code, reason }) => ({
    remoteJid: key.remoteJid,
    id: key.id,
    keyId: key.id,
    messageId: key.id,
    fromMe: key.fromMe,
    ...withoutUndefined({ participant: key.participant, code, reason }),
    status: reached,
    datetime: at,
    owner: instance.name,
    instanceId: instance.id,
  }));
}

async function toFilter(archive: MessageArchive, { where = {} }: FindMessagesInput): Promise<MessageFilter> {
  const { key = {}, messageType, messageTimestamp: { gte, lte } = {} } = where;
  const { remoteJid, participant, id, fromMe } = key;
  return {
    ...(remoteJid === undefined ? {} : { chats: await storedAddressesOf(archive, remoteJid) }),
    ...(participant === undefined ? {} : { participants: await storedAddressesOf(archive, participant) }),
    ...withoutUndefined({
      id,
      fromMe,
      type: messageType,
      since: toSeconds(gte, Math.ceil),
      until: toSeconds(lte, Math.floor),
    }),
  };
}

function withLink(message: Message, { linkTo }: MessageArchive): Message {
  const mediaUrl = linkTo?.(message);
  return mediaUrl === undefined ? message : { ...message, message: { ...message.message, mediaUrl } };
}

/** A limit of 0 means MAX_RESULTS. */
function toSlice({ limit, page, offset }: Paging): Slice {
  const size = offset ?? (limit || (page === undefined ? MAX_RESULTS : PAGE_SIZE));
  return { offset: ((page ?? 1) - 1) * size, limit: size };
}

/**
 * Returns all addresses under which a chat or person may be stored: the address itself, other national spellings, and
 * the alternate of each.
 */
export async function storedAddressesOf(
  archive: Pick<MessageArchive, 'instance' | 'authKeys'>,
  name: string,
): Promise<string[]> {
  const jid = channelJidOf(name) ?? toJid(name);
  const known = isPhoneNumberJid(jid) ? numberSpellingsOf(userOf(jid)).map((digits) => `${digits}@s.whatsapp.net`) : [];
  const forms = [...new Set([jid, ...known])];
  const lidPairs = await lookupLids(lidKeysOf(archive), forms);
  return [...new Set([...forms, ...forms.flatMap((form) => lidPairs.get(form) ?? [])])];
}

/** Reads the stored LID mappings of an instance, also while it has no socket. */
export const lidKeysOf = ({ instance, authKeys }: Pick<MessageArchive, 'instance' | 'authKeys'>): LidMappingReader => ({
  async get(type, ids) {
    const found = await authKeys.get(instance.id, type, ids);
    return Object.fromEntries([...found].map(([id, bytes]) => [id, String(decodeKey(type, bytes))]));
  },
});

const toSeconds = (time: string | undefined, round: (seconds: number) => number): number | undefined =>
  time === undefined ? undefined : round(Date.parse(time) / 1000);

/** Removes undefined members. */
function withoutUndefined<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
