// Makes Baileys report the user names of senders. Message stanzas have the name in the attribute `username`, which
// Baileys rc14 does not read.
import { isGroup } from '../address/jid.ts';

/**
 * Copies the sender's user name to the attribute that Baileys reads: `participant_username` in groups, and
 * `recipient_username` (the other person of the chat) in direct chats. Changes `attrs`. Call it before Baileys handles
 * the stanza.
 */
export function copySenderUsername(attrs: Record<string, string>): void {
  const { from = '', recipient, username } = attrs;
  // A message with a recipient is from another device of the account, so the recipient is the other person. The stanza
  // already has the user name of the recipient in an attribute that Baileys reads.
  if (!username || recipient) return;
  if (isGroup(from) || attrs.participant) {
    attrs.participant_username ??= username;
    return;
  }
  attrs.recipient_username = username;
  // Baileys would prefer this attribute to `recipient_username`.
  delete attrs.peer_recipient_username;
}
