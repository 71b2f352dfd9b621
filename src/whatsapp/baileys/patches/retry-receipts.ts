// Answers requests for messages that a device could not decrypt (receipts of the type `retry`) in place of Baileys.
// Decision D-188.
// Why: Baileys sends a message that a phone asks for to all devices of the chat. In a group, members who joined later
//   get it as a new message. A status post that a phone asks for reaches no device, or appears in the private chat.
//   With requests for random message ids, any contact can cause queries for keys and new sender keys. Phones hide pins,
//   and view-once sounds and videos, that are sent again, because attributes of the first stanza are missing.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: `sendMessagesAgain` looks for the message first, limits the requests of a person, sends only to the
//   device that asks, also for statuses, and keeps the attributes and elements of the first stanza.

import { BoundedMap } from '../../../lib/bounded-map.ts';
import { systemClock } from '../../../lib/clock.ts';
import { KeyedQueue } from '../../../lib/keyed-queue.ts';
import { createLimiter } from '../../../lib/limiter.ts';
import { createTokenBucket } from '../../../lib/token-bucket.ts';
import { toWholeNumber } from '../../../lib/whole-number.ts';
import {
  type BinaryNode,
  buildAckStanza,
  extractE2ESessionFromRetryReceipt,
  isJidGroup,
  jidNormalizedUser,
} from '../library.ts';
import { type ResendableMessage, resendMessage } from '../message-resend.ts';
import { requireAnswers } from '../required-answers.ts';
import { childOf, STATUS_JID } from '../stanza.ts';
import { takeListener } from '../stanza-listener.ts';
import { writeStanza } from '../stanza-query.ts';
import type { GroupMetadata, Socket } from '../types.ts';
import { messageIdsIn } from './message-receipts.ts';
import { type AccountAddresses, isOwnReceipt } from './receipt-recipients.ts';

const RECEIPT_EVENT = 'CB:receipt';
/**
 * Maximum number of requests of one person within `REQUEST_WINDOW` ms. Other clients keep about as many sent messages
 * for such requests.
 */
const MAX_REQUESTS = 250;
const REQUEST_WINDOW = 3_600_000;
/** Maximum number of answers to one device for one message. Other clients ask as many times. */
const MAX_ANSWERS = 5;
/**
 * Maximum number of answers at the same time. When a group cannot decrypt a message, all of its devices ask at once,
 * and each answer can need a query.
 */
const MAX_ANSWERS_AT_ONCE = 8;
/** Maximum number of pairs of message and device whose answers are counted. The oldest counts are removed. */
const MAX_COUNTS = 1_000;

export interface RetryReceiptHooks {
  /** Returns the linked account; undefined before pairing. */
  account: () => AccountAddresses | undefined;
  /**
   * Resolves with the message `id` that this device has sent to the chat `remoteJid` (a JID that can have a device
   * part). Undefined for a message that must not be sent again. After a rejection, the receipt is not acknowledged, so
   * that WhatsApp sends the receipt again.
   */
  findSent: (key: {
    remoteJid: string;
    id: string;
    fromMe: true;
  }) => Promise<Omit<ResendableMessage, 'id' | 'chat'> | undefined>;
  /** Returns a group. Rejects when it cannot be fetched. */
  group: (jid: string) => Promise<Pick<GroupMetadata, 'addressingMode'>>;
  /** Called when a request could not be answered or acknowledged. */
  onRetryFailure: (error: unknown) => void;
}

type RetrySocket = Parameters<typeof resendMessage>[0] & Pick<Socket, 'assertSessions' | 'ws'>;

/**
 * Sends each requested message again to the device that asks, and acknowledges the request afterwards. An own device of
 * the account gets a new session even when no message is found: such a device also asks for messages that are not
 * stored, such as the gateway's requests for history.
 */
export function patchRetryReceipts(
  socket: RetrySocket,
  { account, findSent, group, onRetryFailure }: RetryReceiptHooks,
): void {
  const { ws } = socket;
  const requestBudget = createTokenBucket({ limit: MAX_REQUESTS, window: REQUEST_WINDOW, clock: systemClock });
  /** Number of answers by message id and device. */
  const answers = new BoundedMap<string, number>(MAX_COUNTS);
  /** Answers the requests of a device one at a time, because each answer replaces the session with the device. */
  const queue = new KeyedQueue();
  const limiter = createLimiter(MAX_ANSWERS_AT_ONCE);

  /** Counts a request. Returns false when the request exceeds a limit. */
  const countRequest = (device: string, id: string, isOwn: boolean): boolean => {
    // take() returns 0 when the person has requests left.
    if (!isOwn && requestBudget.take(jidNormalizedUser(device), 1) > 0) return false;
    const key = `${id} ${device}`;
    const count = (answers.get(key) ?? 0) + 1;
    answers.set(key, count);
    return count <= MAX_ANSWERS;
  };

  const answer = async (stanza: BinaryNode, device: string): Promise<void> => {
    const isOwn = isOwnReceipt(stanza.attrs, account());
    const [id = '', ...otherIds] = messageIdsIn(stanza);
    // Clients ask for one message at a time.
    if (id === '' || otherIds.length > 0 || !countRequest(device, id, isOwn)) return;
    const chat = chatOf(stanza.attrs, isOwn);
    const sent = chat === undefined ? undefined : await findSent({ remoteJid: chat, id, fromMe: true });
    if (!sent && !isOwn) return;
    try {
      await renewSession(socket, device, stanza);
      const count = toWholeNumber(childOf(stanza, 'retry')?.attrs.count) || 1;
      if (sent && chat !== undefined)
        await resendMessage(socket, { device, isOwn, count }, { ...sent, id, chat: jidNormalizedUser(chat) }, group);
    } catch (error) {
      onRetryFailure(error);
    }
  };

  const baileysListener = takeListener(ws, RECEIPT_EVENT);
  ws.on(RECEIPT_EVENT, (stanza: BinaryNode) => {
    const { type, from = '', participant = from } = stanza.attrs;
    if (type !== 'retry') return baileysListener(stanza);
    return queue
      .run(participant, () => limiter.run(() => answer(stanza, participant)))
      .then(() => writeStanza(socket, buildAckStanza(stanza)))
      .catch(onRetryFailure);
  });
}

/** Returns the chat of a request. Undefined for a message of the account to its own devices only. */
function chatOf({ from = '', recipient }: BinaryNode['attrs'], isOwn: boolean): string | undefined {
  return isOwn && !isJidGroup(from) && from !== STATUS_JID ? recipient : from;
}

/**
 * Starts a new session with the device that has sent `receipt`, a retry receipt. Takes the keys from the receipt.
 * Queries the keys when the receipt has none. Unusable keys start no session. Rejects when WhatsApp does not answer the
 * query.
 */
async function renewSession(
  { assertSessions, logger, signalRepository }: RetrySocket,
  device: string,
  receipt: BinaryNode,
): Promise<void> {
  const session = extractE2ESessionFromRetryReceipt(receipt);
  if (session) {
    try {
      return await signalRepository.injectE2ESession({ jid: device, session });
    } catch (error) {
      logger.warn({ error }, 'failed to inject session from retry receipt');
    }
  }
  await requireAnswers(() => assertSessions([device], true));
}
