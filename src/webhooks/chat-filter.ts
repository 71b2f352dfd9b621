// Which chats a webhook wants: a filter of addresses and kinds, and the chats that the `data` of an event is about. Judges what is posted,
// so that what is published, replayed and waiting since before a change is judged alike. Events about no chat pass every filter.

import type { Data } from '../events/payload/shape.ts';
import type { ChatFilter } from '../storage/webhook-stores.ts';
import {
  channelOf,
  isGroup,
  isLid,
  isUser,
  jidSpellingsOf,
  STATUS_JID,
  toJid,
  userOf,
} from '../whatsapp/address/jid.ts';

type Item = Record<string, unknown> | string;

const kinds: Record<string, (jid: string) => boolean> = {
  direct: (jid) => isUser(jid) || isLid(jid),
  group: isGroup,
  status: (jid) => jid === STATUS_JID,
};

/** By event, the members of each item in `data` that name its chat. */
const members = new Map<string, readonly string[]>();
const name = (types: string, ...names: string[]) => {
  for (const type of types.split(' ')) members.set(type, names);
};
name('messages.upsert messages.set messages.update messages.edited messages.delete messages.undecryptable', 'key');
name('send.message send.message.update', 'key');
name('contacts.upsert contacts.update chats.set chats.upsert chats.update chats.delete', 'remoteJid', 'lid');
name('groups.upsert groups.update group-participants.update group.join-request', 'id');
name('presence.update', 'id', 'lid');
name('labels.association', 'chatId', 'lid');
name('call', 'chatId', 'fromAlt');

/**
 * The filter as it is stored: kinds by their names, everything else as an address without a device. Throws GatewayError INVALID_REQUEST
 * naming the entry that is neither.
 */
export function toChatFilter({ only = [], except = [] }: Partial<ChatFilter>): ChatFilter {
  const parsed = (list: readonly string[], name: string) => [
    ...new Set(list.map((entry, index) => toEntry(entry, `chats.${name}[${index}]`))),
  ];
  return { only: parsed(only, 'only'), except: parsed(except, 'except') };
}

function toEntry(text: string, field: string): string {
  const entry = text.trim();
  if (Object.hasOwn(kinds, entry)) return entry;
  return entry === STATUS_JID ? 'status' : (channelOf(entry) ?? toJid(entry, field));
}

/** What of `data` the filter lets through: the same object when all of it, undefined when nothing. */
export function narrow(filter: ChatFilter | undefined, type: string, data: Data): Data | undefined {
  const names = members.get(type);
  if (filter === undefined || names === undefined || data === null) return data;
  const isWanted = (item: Item) => admits(filter, addressesOf(item, names));
  if (!isList(data)) return isWanted(data) ? data : undefined;
  const kept = data.filter(isWanted);
  if (kept.length === data.length) return data;
  return kept.length > 0 ? kept : undefined;
}

/** The same for a stored body (envelope.ts): its text, shorter where items were left out, or undefined. */
export function narrowBody(filter: ChatFilter | undefined, type: string, body: string): string | undefined {
  if (filter === undefined || !members.has(type)) return body;
  const envelope: { data: Data } = JSON.parse(body);
  const data = narrow(filter, type, envelope.data);
  if (data === undefined || data === envelope.data) return data === undefined ? undefined : body;
  return JSON.stringify({ ...envelope, data });
}

const isList = (data: Exclude<Data, null>): data is readonly (Record<string, unknown> | string)[] =>
  Array.isArray(data);

/** Every known address of the item's chat: the phone-number form and the LID name the same one. */
function addressesOf(item: Item, names: readonly string[]): string[] {
  if (typeof item === 'string') return [item];
  // A call in a group is the group's, whoever rings.
  if (typeof item.groupJid === 'string') return [item.groupJid];
  const places = names[0] === 'key' ? ['remoteJid', 'remoteJidAlt'] : names;
  const source: object = names[0] === 'key' ? Object(item.key) : item;
  return places.flatMap((name) => {
    const value: unknown = Reflect.get(source, name);
    return typeof value === 'string' ? [value] : [];
  });
}

function admits({ only, except }: ChatFilter, addresses: readonly string[]): boolean {
  const isAmong = (entries: readonly string[]) => entries.some((entry) => addresses.some((jid) => isSame(entry, jid)));
  return (only.length === 0 || isAmong(only)) && !isAmong(except);
}

function isSame(entry: string, jid: string): boolean {
  const kind = Object.hasOwn(kinds, entry) ? kinds[entry] : undefined;
  if (kind) return kind(jid);
  if (entry === jid) return true;
  return isUser(entry) && isUser(jid) && jidSpellingsOf(userOf(entry)).includes(userOf(jid));
}
