// Converts addresses and JIDs between whatsmeow and libsignal, the Signal library of Baileys. An address of whatsmeow
// is "<user>[_<domain>]:<device>". An address of libsignal has a dot before the device. Without <domain>, <user> is a
// phone number. With the domain 1, <user> is a LID (id that hides the number).

/** Matches the addresses of whatsmeow and of libsignal. The second group is the separator. */
const ADDRESS = /^(\d{1,20}(?:_\d{1,3})?)([.:])(\d{1,5})$/;
const JID = /^(\d{1,20})(?:\.\d{1,3})?(?::(\d{1,5}))?@(s\.whatsapp\.net|lid)$/;
const SENDER_KEY_ID = /^(.{1,128}?)::(\d{1,20}(?:_\d{1,3})?)::(\d{1,5})$/;
const CHAT = /^[\w.:-]{1,96}@[a-z.]{1,24}$/;

/** Converts an address of whatsmeow to one of libsignal. Returns undefined when it is invalid. */
export function fromWhatsmeowAddress(address: string): string | undefined {
  const [, user, separator, device] = ADDRESS.exec(address) ?? [];
  return separator === ':' ? `${user}.${device}` : undefined;
}

/** Converts an address of libsignal to one of whatsmeow. Returns undefined when it is invalid. */
export function toWhatsmeowAddress(address: string): string | undefined {
  const [, user, separator, device] = ADDRESS.exec(address) ?? [];
  return separator === '.' ? `${user}:${device}` : undefined;
}

/**
 * Returns the id of a sender key in Baileys, "<chat>::<user>[_<domain>]::<device>". `sender` is an address of
 * whatsmeow. Returns undefined for an invalid chat or address.
 */
export function toSenderKeyId(chat: string, sender: string): string | undefined {
  const [, user, separator, device] = ADDRESS.exec(sender) ?? [];
  return separator === ':' && CHAT.test(chat) ? `${chat}::${user}::${device}` : undefined;
}

/** Returns the chat and the sender (an address of whatsmeow) of a sender key; undefined when the id is invalid. */
export function fromSenderKeyId(id: string): { chat: string; sender: string } | undefined {
  const [, chat, user, device] = SENDER_KEY_ID.exec(id) ?? [];
  return chat !== undefined && CHAT.test(chat) ? { chat, sender: `${user}:${device}` } : undefined;
}

export interface ParsedJid {
  user: string;
  device: number;
  server: string;
  /**
   * "<user>[:<device>]@<server>". Old versions of whatsmeow wrote another number, the agent, after the user
   * ("<user>.0"). `jid` lacks the agent.
   */
  jid: string;
}

/** Parses the JID of an account, with or without a device. Returns undefined for all other texts. */
export function parseJid(text: string): ParsedJid | undefined {
  const [, user, device, server] = JID.exec(text) ?? [];
  if (user === undefined || server === undefined) return undefined;
  const deviceSuffix = device ? `:${device}` : '';
  return { user, device: Number(device ?? 0), server, jid: `${user}${deviceSuffix}@${server}` };
}

/** The user of an address of libsignal: "<user>[_<domain>]". */
export const userOfAddress = (address: string): string => address.slice(0, address.lastIndexOf('.'));
/** The device of an address of libsignal. */
export const deviceOfAddress = (address: string): string => address.slice(address.lastIndexOf('.') + 1);
