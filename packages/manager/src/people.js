// How the page names chats and people. A person who hides the phone number has only a LID: WhatsApp's second address
// for a user, whose digits are not a phone number.
import { t } from './current-language.js';

/** @typedef {import('./types.d.ts').MessageKey} MessageKey */
/** @typedef {import('./types.d.ts').MessageRow} MessageRow */

/**
 * The text for an address: the phone number, or for a LID the user name or "hidden number". Other JIDs are unchanged.
 * @param {string} jid
 * @param {string} [username]
 */
export function addressOf(jid, username) {
  if (jid.endsWith('@lid')) return username ? `@${username}` : t('messages.hiddenNumber');
  return jid.replace(/@s\.whatsapp\.net$/, '');
}

/**
 * The author of a message: the name that the author chose, else the address. Empty when neither is known.
 * @param {MessageKey} key
 * @param {string | null | undefined} pushName
 */
export function senderOf({ participant, participantUsername }, pushName) {
  return pushName || (participant ? addressOf(participant, participantUsername) : '');
}

/**
 * The labels of chats, by JID. The label of a chat with a hidden number begins with the name of the person.
 * @param {Iterable<MessageRow>} rows oldest first
 * @returns {Map<string, string>}
 */
export function chatLabelsOf(rows) {
  /** @type {Map<string, { name?: string, username?: string }>} */
  const people = new Map();
  for (const { chat, fromMe, name, username } of rows) {
    const known = people.get(chat);
    // In a message of the account itself, `name` is the name of the account.
    people.set(chat, { name: (!fromMe && name) || known?.name, username: username ?? known?.username });
  }
  return new Map(
    Array.from(people, ([jid, { name, username }]) => {
      const address = addressOf(jid, username);
      return [jid, jid.endsWith('@lid') && name ? `${name}, ${address}` : address];
    }),
  );
}
