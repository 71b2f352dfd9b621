// Replaces the addresses in the content of a message to one person by those that its stanza uses. Stored content has
// phone numbers. In a chat that is addressed by LID (WhatsApp's id of a person, which hides the phone number), the
// message keys and quotes name the chat and its members by LID. Decision D-167.
import type { proto } from '../baileys/proto.ts';
import type { Account, ChatAddress } from '../session.ts';

/** The new addresses by the addresses that they replace. */
export type Replacements = ReadonlyMap<string, string>;

/** Fields of message keys and of contextInfo that contain an address. */
const ADDRESS_FIELDS = ['remoteJid', 'participant'];
/** Maximum nesting that is searched. Real content nests less: two wrappers, the content of an edit, its contextInfo. */
const MAX_DEPTH = 8;

/**
 * Returns the replacements for a message to the chat that is stored under `chat` and addressed as `jid`. The result is
 * empty when `jid` is not the LID of a person (`form` is not `lid`). `me` is this account.
 */
export function wireAddresses(
  { chat, jid, form }: Pick<ChatAddress, 'chat' | 'jid' | 'form'>,
  me: Pick<Account, 'jid' | 'lid'> | undefined,
): Replacements {
  if (form !== 'lid') return new Map();
  return new Map([[chat, jid], ...(me?.lid ? [[me.jid, me.lid] as const] : [])]);
}

/**
 * Returns a copy of `content` with the addresses in ADDRESS_FIELDS replaced, or `content` itself when nothing is to be
 * replaced. Lists are not searched.
 */
export function replaceAddresses(content: proto.IMessage, replacements: Replacements): proto.IMessage {
  return replacements.size === 0 ? content : replaceIn(content, replacements, MAX_DEPTH);
}

function replaceIn<T extends object>(value: T, replacements: Replacements, depth: number): T {
  const changes: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const replaced = replaceMember(name, member, replacements, depth);
    if (replaced !== member) changes[name] = replaced;
  }
  if (Object.keys(changes).length === 0) return value;
  // The prototype is kept, because view-once content inherits fields that must not be sent (content/view-once.ts).
  return Object.assign(Object.create(Object.getPrototypeOf(value)), value, changes);
}

function replaceMember(name: string, member: unknown, replacements: Replacements, depth: number): unknown {
  if (typeof member === 'string') return ADDRESS_FIELDS.includes(name) ? (replacements.get(member) ?? member) : member;
  const isSearched =
    depth > 0 &&
    typeof member === 'object' &&
    member !== null &&
    !Array.isArray(member) &&
    !(member instanceof Uint8Array);
  return isSearched ? replaceIn(member, replacements, depth - 1) : member;
}
