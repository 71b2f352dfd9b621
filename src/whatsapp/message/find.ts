// Searches messages and their statuses in the database, also while the instance has no connection. A chat is found by
// its phone number and by its LID (id that hides the number). Decision D-052.
import { storedTypesOf } from '../../events/both-forms.ts';
import type { Message, MessageKey, MessageStatus } from '../../events/events.ts';
import type { AuthKeys, Contacts, MessageFilter, Messages, PageRange } from '../../storage/storage.ts';
import { isLid, toChatJid } from '../address/jid.ts';
import { lookupLidPairs } from '../address/lid-map.ts';
import { type KnownJids, toMessageKey } from '../address/message-key.ts';
import { storedJidsOf } from '../address/stored-jids.ts';
import { toUsername } from '../address/username.ts';
import { looksLikeUsername } from '../address/username-lookup.ts';
import { decodeKey } from '../baileys/auth/codec.ts';
import type { LidMappingReader } from '../baileys/auth/lid-mappings.ts';

/** The instance to search, and the stores that contain its data. */
export interface MessageArchive {
  instance: { id: string; name: string };
  messages: Pick<Messages, 'find' | 'count' | 'findStatuses'>;
  authKeys: Pick<AuthKeys, 'get'>;
  contacts: Pick<Contacts, 'find'>;
  /** Returns the URL of the message's file, or undefined when the message has none. */
  linkTo?: (message: Message) => string | undefined;
}

export interface Paging {
  limit?: number | undefined;
  /** Number of the page, from 1. */
  page?: number | undefined;
  /** Number of results per page: the API gives it the name `offset`. Takes precedence over `limit`. */
  offset?: number | undefined;
}

export interface FindMessagesInput extends Paging {
  where?: {
    key?: { remoteJid?: string; fromMe?: boolean; id?: string; participant?: string };
    messageType?: string;
    source?: Message['source'];
    /** ISO 8601 times, both inclusive. */
    messageTimestamp?: { gte?: string; lte?: string };
  };
}

export interface FindStatusInput extends Paging {
  where?: { id?: string; remoteJid?: string; fromMe?: boolean; participant?: string; status?: MessageStatus };
}

/** A message in a search result. `owner` is the name of the instance. */
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

/** A status in a search result. `id`, `keyId` and `messageId` are all the id of the message. */
export interface FoundStatus {
  remoteJid: string;
  id: string;
  keyId: string;
  messageId: string;
  fromMe: boolean;
  participant?: string;
  status: MessageStatus;
  /** Time of the status in epoch ms. */
  datetime: number;
  code?: string;
  reason?: string;
  owner: string;
  instanceId: string;
}

/** Number of results when the request has neither a limit nor a page. */
const UNPAGED_RESULTS = 1_000;
/**
 * Maximum number of contacts that a search by user name covers. Several stored contacts have the same user name after
 * another person has taken it over.
 */
const MAX_CONTACTS_PER_USERNAME = 10;
/** Number of results per page when the request has a page but no limit. */
const DEFAULT_PAGE_SIZE = 50;

/**
 * Searches messages, newest first. With `isCounted: true`, `total` is the number of all matching messages, and an input
 * without paging returns the first page. With `isCounted: false`, `total` is the number of returned records, and an
 * input without paging returns up to UNPAGED_RESULTS records. Throws INVALID_REQUEST for an invalid address.
 */
export async function findMessages(
  archive: MessageArchive,
  input: FindMessagesInput,
  { isCounted }: { isCounted: boolean },
): Promise<FoundPage> {
  const filter = await toFilter(archive, input);
  const range = toPageRange(isCounted ? { page: 1, ...input } : input);
  const records = await loadMessages(archive, filter, range);
  const total = isCounted ? await archive.messages.count(archive.instance.id, filter) : records.length;
  return { messages: { total, pages: Math.ceil(total / range.limit), currentPage: input.page ?? 1, records } };
}

/** Returns the messages that match the filter, newest first. */
export async function loadMessages(
  archive: MessageArchive,
  filter: MessageFilter,
  range: PageRange,
): Promise<FoundMessage[]> {
  const { instance, messages } = archive;
  const results = await messages.find(instance.id, filter, range);
  const knownJids = await lookupNumbers(
    archive,
    results.map(({ message }) => message.key),
  );
  return results.map(({ message, statuses }) => ({
    ...withLink(message, archive),
    key: withNumbers(message.key, knownJids),
    id: message.key.id,
    owner: instance.name,
    instanceId: instance.id,
    MessageUpdate: statuses.map(({ status }) => ({ status })),
  }));
}

/**
 * Searches statuses. The statuses of the newest message come first, and the statuses of one message start with the
 * highest. Throws the errors of findMessages().
 */
export async function findStatuses(archive: MessageArchive, input: FindStatusInput): Promise<FoundStatus[]> {
  const { instance } = archive;
  const { id, remoteJid, fromMe, participant, status } = input.where ?? {};
  const filter = {
    ...(remoteJid === undefined
      ? {}
      : { chatAddresses: await storedAddressesOf(archive, remoteJid, 'where.remoteJid') }),
    ...(participant === undefined
      ? {}
      : { participants: await storedAddressesOf(archive, participant, 'where.participant') }),
    ...withoutUndefined({ id, fromMe, status }),
  };
  const results = await archive.messages.findStatuses(instance.id, filter, toPageRange(input));
  const knownJids = await lookupNumbers(
    archive,
    results.map(({ key }) => key),
  );
  return results.map(({ key, status: reachedStatus, at, code, reason }) => ({
    remoteJid: withNumbers(key, knownJids).remoteJid,
    id: key.id,
    keyId: key.id,
    messageId: key.id,
    fromMe: key.fromMe,
    ...withoutUndefined({ participant: withNumbers(key, knownJids).participant, code, reason }),
    status: reachedStatus,
    datetime: at,
    owner: instance.name,
    instanceId: instance.id,
  }));
}

/** Looks up the phone numbers of the LIDs in `keys`: a number can become known after a message is stored. */
async function lookupNumbers(archive: MessageArchive, keys: readonly MessageKey[]): Promise<KnownJids> {
  const jids = keys.flatMap(({ remoteJid, participant = '' }) => [remoteJid, participant]).filter(isLid);
  return { me: undefined, lidPairs: await lookupLidPairs(lidMappingReaderOf(archive), jids) };
}

/** Returns the key as events contain it: phone numbers in the main fields and LIDs in the Alt fields. */
const withNumbers = (key: MessageKey, knownJids: KnownJids): MessageKey => toMessageKey(key, knownJids) ?? key;

async function toFilter(archive: MessageArchive, { where = {} }: FindMessagesInput): Promise<MessageFilter> {
  const { key = {}, messageType, source, messageTimestamp: { gte, lte } = {} } = where;
  const { remoteJid, participant, id, fromMe } = key;
  return {
    ...(remoteJid === undefined
      ? {}
      : { chatAddresses: await storedAddressesOf(archive, remoteJid, 'where.key.remoteJid') }),
    ...(participant === undefined
      ? {}
      : { participants: await storedAddressesOf(archive, participant, 'where.key.participant') }),
    ...withoutUndefined({
      id,
      fromMe,
      types: messageType === undefined ? undefined : storedTypesOf(messageType),
      source,
      since: toSeconds(gte, Math.ceil),
      until: toSeconds(lte, Math.floor),
    }),
  };
}

function withLink(message: Message, { linkTo }: MessageArchive): Message {
  const mediaUrl = linkTo?.(message);
  return mediaUrl === undefined ? message : { ...message, message: { ...message.message, mediaUrl } };
}

/** Converts the paging of a request. A `limit` of 0 counts as absent. */
function toPageRange({ limit, page, offset: pageSize }: Paging): PageRange {
  const size = pageSize ?? (limit || (page === undefined ? UNPAGED_RESULTS : DEFAULT_PAGE_SIZE));
  return { offset: ((page ?? 1) - 1) * size, limit: size };
}

/**
 * Returns all JIDs under which a chat or person can be stored. For a user name (`@name`), these are the JIDs of the
 * stored contacts with this name. For any other address, these are its JID and, for a person, the other known JID.
 * `field` is the name of the request field in error texts. Throws INVALID_REQUEST for an invalid address.
 */
export async function storedAddressesOf(
  archive: Pick<MessageArchive, 'instance' | 'authKeys' | 'contacts'>,
  address: string,
  field: string,
): Promise<string[]> {
  if (looksLikeUsername(address)) return storedJidsOfUsername(archive, address);
  const searchedJid = toChatJid(address, field);
  return storedJidsOf(lidMappingReaderOf(archive), searchedJid);
}

/** Returns all JIDs of the stored contacts that have the user name. */
async function storedJidsOfUsername(
  { instance, contacts }: Pick<MessageArchive, 'instance' | 'contacts'>,
  address: string,
): Promise<string[]> {
  // `address` can also have the form `@name:key`. Contacts are stored with the name only.
  const username = toUsername(address.trim().split(':', 1)[0])?.toLowerCase();
  const page = { offset: 0, limit: MAX_CONTACTS_PER_USERNAME };
  const found = username ? await contacts.find(instance.id, { username }, page) : [];
  return found.flatMap(({ jid, lid }) => (lid ? [jid, lid] : [jid]));
}

/** Provides the stored pairs of phone number and LID of an instance, also while the instance has no connection. */
export const lidMappingReaderOf = ({
  instance,
  authKeys,
}: Pick<MessageArchive, 'instance' | 'authKeys'>): LidMappingReader => ({
  async get(type, ids) {
    const values = await authKeys.get(instance.id, type, ids);
    return Object.fromEntries([...values].map(([id, bytes]) => [id, String(decodeKey(type, bytes))]));
  },
});

const toSeconds = (time: string | undefined, round: (seconds: number) => number): number | undefined =>
  time === undefined ? undefined : round(Date.parse(time) / 1000);

/** Returns the object without members whose value is undefined. */
function withoutUndefined<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
