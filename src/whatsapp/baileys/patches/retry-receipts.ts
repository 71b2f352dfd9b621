// Refuses requests of other people for messages that this device did not send (receipts of the type `retry`), and
// limits the number of requests per person. Decision D-190.
// Why: before Baileys looks for the message, it queries the keys of the device that asks and, in a group, forgets who
//   has the sender key. Any contact can cause this with random ids, as often as it likes, and the next message to the
//   group is then encrypted for every device.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: `sendMessagesAgain` looks for the message first, and limits the requests of a person.

import { BoundedMap } from '../../../lib/bounded-map.ts';
import { systemClock } from '../../../lib/clock.ts';
import { createTokenBucket } from '../../../lib/token-bucket.ts';
import { type BinaryNode, buildAckStanza, jidNormalizedUser } from '../library.ts';
import { takeListener } from '../stanza-listener.ts';
import { writeStanza } from '../stanza-query.ts';
import type { Socket } from '../types.ts';
import { messageIdsIn } from './message-receipts.ts';
import { type AccountAddresses, isOwnReceipt } from './receipt-recipients.ts';

const RECEIPT_EVENT = 'CB:receipt';
/** Maximum number of requests of one person within `REQUEST_WINDOW` ms. Other clients keep about as many messages. */
const MAX_REQUESTS = 250;
const REQUEST_WINDOW = 3_600_000;
/** Maximum number of messages that are remembered as sent. The oldest are looked up again. */
const MAX_SENT = 1_000;

export interface RetryReceiptHooks {
  /** Returns the linked account; undefined before pairing. */
  account: () => AccountAddresses | undefined;
  /**
   * Resolves with true when this device has sent the message `id` to the chat `remoteJid`, which can have a device
   * part. A rejection leaves the receipt without an acknowledgment, so that WhatsApp sends it again.
   */
  isSent: (key: { remoteJid: string; id: string; fromMe: true }) => Promise<boolean>;
}

/**
 * Acknowledges the requests that are refused, and passes all other receipts to Baileys. Requests of the account's own
 * devices are never refused: they also concern messages that are not stored, such as requests for history.
 */
export function patchRetryReceipts(
  socket: Pick<Socket, 'logger' | 'sendNode' | 'sendRawMessage' | 'ws'>,
  { account, isSent }: RetryReceiptHooks,
): void {
  const { ws } = socket;
  const requests = createTokenBucket({ limit: MAX_REQUESTS, window: REQUEST_WINDOW, clock: systemClock });
  /** Messages that isSent() has found, by chat and id. Baileys removes a message that it finds from its own cache. */
  const sent = new BoundedMap<string, true>(MAX_SENT);

  const isAnswerable = async (stanza: BinaryNode): Promise<boolean> => {
    const { from = '', participant = from } = stanza.attrs;
    const [id = '', ...otherIds] = messageIdsIn(stanza);
    // Clients ask for one message at a time.
    if (id === '' || otherIds.length > 0) return false;
    if (requests.take(jidNormalizedUser(participant), 1) > 0) return false;
    const key = `${jidNormalizedUser(from)} ${id}`;
    if (!sent.has(key) && (await isSent({ remoteJid: from, id, fromMe: true }))) sent.set(key, true);
    return sent.has(key);
  };

  const baileysListener = takeListener(ws, RECEIPT_EVENT);
  const handle = async (stanza: BinaryNode): Promise<void> => {
    if (isOwnReceipt(stanza.attrs, account()) || (await isAnswerable(stanza))) await baileysListener(stanza);
    else await writeStanza(socket, buildAckStanza(stanza));
  };
  ws.on(RECEIPT_EVENT, (stanza: BinaryNode) =>
    stanza.attrs.type === 'retry' ? handle(stanza) : baileysListener(stanza),
  );
}
