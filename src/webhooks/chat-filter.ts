// Chat filters of webhooks: parses a filter (chat addresses and kinds of chats) and applies it to the `data` of an
// event. The filter needs only the posted data, so it also applies to replayed and waiting deliveries. An event that is
// not about a chat passes every filter. Decision D-088.
import type { EventData, EventItem } from '../events/event-descriptor.ts';
import { findDescriptor } from '../events/event-descriptors.ts';
import type { ChatFilter } from '../storage/webhook-stores.ts';
import { isGroup, isLid, isPhoneNumberJid, STATUS_JID, toChatJid, userOf } from '../whatsapp/address/jid.ts';
import { numberSpellingsOf } from '../whatsapp/address/mobile-digit.ts';

/**
 * Kinds of chats, by the name that a filter can contain in place of an address. A direct chat has the JID of a phone
 * number or a LID (WhatsApp's id of a person, which hides the phone number). `status` is the chat of status posts.
 */
const CHAT_KINDS: Record<string, (jid: string) => boolean> = {
  direct: (jid) => isPhoneNumberJid(jid) || isLid(jid),
  group: isGroup,
  status: (jid) => jid === STATUS_JID,
};

/**
 * Returns the filter as it is stored: kinds by name, other entries as JIDs without a device. Throws GatewayError
 * INVALID_REQUEST for an entry that is neither a kind nor an address; the error names the entry.
 */
export function toChatFilter({ only = [], except = [] }: Partial<ChatFilter>): ChatFilter {
  const toEntries = (list: readonly string[], name: string) => [
    ...new Set(list.map((entry, index) => toEntry(entry, `chats.${name}[${index}]`))),
  ];
  return { only: toEntries(only, 'only'), except: toEntries(except, 'except') };
}

function toEntry(text: string, field: string): string {
  const entry = text.trim();
  if (Object.hasOwn(CHAT_KINDS, entry)) return entry;
  return entry === STATUS_JID ? 'status' : toChatJid(entry, field);
}

/** Returns the part of `data` that passes the filter: `data` itself when all of it passes, undefined when none does. */
export function filterData(filter: ChatFilter | undefined, type: string, data: EventData): EventData | undefined {
  const chatAddresses = findDescriptor(type)?.chatAddresses;
  if (filter === undefined || chatAddresses === undefined || data === null) return data;
  const passesFilter = (item: EventItem) => passes(filter, chatAddresses(item));
  if (!isList(data)) return passesFilter(data) ? data : undefined;
  const passing = data.filter(passesFilter);
  if (passing.length === data.length) return data;
  return passing.length > 0 ? passing : undefined;
}

/** Applies the filter to the `data` of a stored body. Returns the filtered body, or undefined when nothing passes. */
export function filterBody(filter: ChatFilter | undefined, type: string, body: string): string | undefined {
  if (filter === undefined || !findDescriptor(type)?.chatAddresses) return body;
  const envelope: { data: EventData } = JSON.parse(body);
  const data = filterData(filter, type, envelope.data);
  if (data === undefined) return undefined;
  return data === envelope.data ? body : JSON.stringify({ ...envelope, data });
}

const isList = (data: Exclude<EventData, null>): data is readonly EventItem[] => Array.isArray(data);

/**
 * Returns whether a chat passes the filter: `only` is empty or contains one of the chat's addresses, and `except`
 * contains none of them.
 */
function passes({ only, except }: ChatFilter, addresses: readonly string[]): boolean {
  const isListed = (entries: readonly string[]) =>
    entries.some((entry) => addresses.some((jid) => matches(entry, jid)));
  return (only.length === 0 || isListed(only)) && !isListed(except);
}

function matches(entry: string, jid: string): boolean {
  const testKind = Object.hasOwn(CHAT_KINDS, entry) ? CHAT_KINDS[entry] : undefined;
  if (testKind) return testKind(jid);
  if (entry === jid) return true;
  // In Brazil, Mexico and Argentina a mobile number can be written with or without an extra mobile digit.
  return isPhoneNumberJid(entry) && isPhoneNumberJid(jid) && numberSpellingsOf(userOf(entry)).includes(userOf(jid));
}
