// Addresses and JIDs. whatsmeow writes an address "<user>[_<domain>]:<device>", libsignal with a dot.

const ADDRESS = /^(\d{1,20}(?:_\d{1,3})?)([.:])(\d{1,5})$/;
const JID = /^(\d{1,20})(?:\.\d{1,3})?(?::(\d{1,5}))?@(s\.whatsapp\.net|lid)$/;
const SENDER_KEY_ID = /^(.{1,128}?)::(\d{1,20}(?:_\d{1,3})?)::(\d{1,5})$/;
const CHAT = /^[\w.:-]{1,96}@[a-z.]{1,24}$/;

/** An address of whatsmeow as libsignal has it; undefined when it is none. */
export function fromWhatsmeowAddress(address: string): string | undefined {
  const [, user, separator, device] = ADDRESS.exec(address) ?? [];
  return separator === ':' ? `${user}.${device}` : undefined;
}

/** An address of libsignal as whatsmeow has it; undefined when it is none. */
export function toWhatsmeowAddress(address: string): string | undefined {
  const [, user, separator, device] = ADDRESS.exec(address) ?? [];
  return separator === '.' ? `${user}:${device}` : undefined;
}

/** The id of a sender key: "<group>::<user>[_<domain>]::<device>"; undefined for an invalid chat or address. */
export function toSenderKeyId(chat: string, sender: string): string | undefined {
  const [, user, separator, device] = ADDRESS.exec(sender) ?? [];
  return separator === ':' && CHAT.test(chat) ? `${chat}::${user}::${device}` : undefined;
}

/** The chat and the sender of a sender key, as whatsmeow has them; undefined when the id is invalid. */
export function fromSenderKeyId(id: string): { chat: string; sender: string } | undefined {
  const [, chat, user, device] = SENDER_KEY_ID.exec(id) ?? [];
  return chat !== undefined && CHAT.test(chat) ? { chat, sender: `${user}:${device}` } : undefined;
}

export interface ParsedJid {
  user: string;
  device: number;
  server: string;
  /** "<user>:<device>@<server>", without the agent that old versions of whatsmeow wrote ("<user>.0:<device>"). */
  jid: string;
}

/** A JID of a person, with or without a device; undefined when it is none. */
export function parseJid(text: string): ParsedJid | undefined {
  const [, user, device, server] = JID.exec(text) ?? [];
  if (user === undefined || server === undefined) return undefined;
  return { user, device: Number(device ?? 0), server, jid: `${user}${device ? `:${device}` : ''}@${server}` };
}

/** The user of an address of libsignal: "<user>[_<domain>]". */
export const userOfAddress = (address: string): string => address.slice(0, address.lastIndexOf('.'));
export const deviceOfAddress = (address: string): string => address.slice(address.lastIndexOf('.') + 1);
