// How the page names chats and people. A person whose phone number is hidden has a LID only, whose digits are no number.
import { t } from './i18n.js';

/** @typedef {import('../types.d.ts').MessageKey} MessageKey */
/** @typedef {import('../types.d.ts').MessageRow} MessageRow */

/**
 * The phone number, the user name, or "hidden number"; any other JID unchanged.
 * @param {string} jid
 * @param {string} [username]
 */
export function addressOf(jid, username) {
  if (jid.endsWith('@lid')) return username ? `@${username}` : t('messages.hiddenNumber');
  return jid.replace(/@s\.whatsapp\.net$/, '');
}

/**
 * The name of who wrote a message: the name they chose, else their address.
 * @param {MessageKey} key
 * @param {string | null | undefined} pushName
 */
export function senderOf({ participant, participantUsername }, pushName) {
  return pushName || (participant ? addressOf(participant, participantUsername) : '');
}

/**
 * The labels of chats, by JID. A chat with a hidden number has the name of the person too.
 * @param {Iterable<MessageRow>} rows oldest first
 * @returns {Map<string, string>}
 */
export function chatLabelsOf(rows) {
  /** @type {Map<string, { name?: string, username?: string }>} */
  const people = new Map();
  for (const { chat, fromMe, name, username } of rows) {
    const known = people.get(chat);
    people.set(chat, { name: (!fromMe && name) || known?.name, username: username ?? known?.username });
  }
  return new Map(
    Array.from(people, ([jid, { name, username }]) => {
      const address = addressOf(jid, username);
      return [jid, jid.endsWith('@lid') && name ? `${name}, ${address}` : address];
    }),
  );
}
