// Checks the privacy tokens of direct messages: `tctoken`, which the recipient gave to the sender, and `cstoken`, which
// the sender computes for a first contact.
import { type BinaryNode, getBinaryNodeChild } from '@whiskeysockets/baileys';
import { firstContactToken } from '../crypto/first-contact.ts';
import { childBytes } from '../lib/binary-node.ts';
import type { Faults } from '../world/faults.ts';
import type { Account, World } from '../world/model.ts';
import { lidJid } from '../world/world.ts';

/** WhatsApp's error code for a message to a person who does not know the sender. */
const UNTRUSTED = '463';

/**
 * Whether a request of a client to its own phone (`category="peer"`) contains a token. WhatsApp rejects such a request
 * as malformed.
 */
export const isPeerMessageWithToken = (node: BinaryNode): boolean =>
  node.attrs.category === 'peer' && ['tctoken', 'cstoken'].some((tag) => getBinaryNodeChild(node, tag) !== undefined);

/**
 * Returns the error code with which WhatsApp rejects a direct message of `sender`; undefined for an accepted message. A
 * message with a wrong `cstoken` is rejected. A message without a token is rejected only while the fault `noToken` (an
 * error that a test has requested) is pending, and uses up this fault. The bytes of a `tctoken` are not checked.
 */
export function tokenRejection(world: World, faults: Faults, sender: Account, node: BinaryNode): string | undefined {
  // A message that is sent again to a device of the sender's own account has the chat in `recipient`.
  const person = world.byJid(node.attrs.recipient ?? node.attrs.to ?? '');
  if (!person || person === sender) return undefined;
  const token = childBytes(node, 'cstoken');
  if (token) {
    // Without a salt (`nctSalt`), the sender cannot have computed a valid token.
    const isValid = sender.nctSalt && firstContactToken(sender.nctSalt, lidJid(person)).equals(token);
    return isValid ? undefined : UNTRUSTED;
  }
  // A stanza without `participants` sends an earlier message again to one device. It needs no token.
  const isResent = getBinaryNodeChild(node, 'participants') === undefined;
  if (isResent || getBinaryNodeChild(node, 'tctoken')) return undefined;
  const fault = faults.take('noToken', sender.number);
  return fault && (fault.code?.toString() ?? UNTRUSTED);
}
