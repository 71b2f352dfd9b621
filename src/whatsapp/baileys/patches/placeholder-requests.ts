// Requests undecryptable messages from the account's own phone (a placeholder resend in Baileys) without delaying the
// messages behind them. Decision D-030.
// Why: while Baileys handles an undecryptable message in its message mutex, it waits 2 s and then sends the request to
//   the phone. Five undecryptable messages delay the messages behind them by 10 s. Baileys also requests a message that
//   its sender has sent again in the meantime, and loses the sender's name. With the option `enableRecentMessageCache`,
//   each request has a timer of 3 s outside of the mutex, and the number of requests at the same time has no limit.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: `sendRetryRequest` calls `requestPlaceholderResend` outside of the message mutex, passes the message to
//   it, and the request ends when the message is decrypted.
import { AsyncLocalStorage } from 'node:async_hooks';
import { BoundedMap } from '../../../lib/bounded-map.ts';
import { proto, type UserFacingSocketConfig, type WAMessage, type WASocket } from '../library.ts';

type PlaceholderCaches = Required<Pick<UserFacingSocketConfig, 'msgRetryCounterCache' | 'placeholderResendCache'>>;

type PlaceholderSocket = Pick<WASocket, 'ev' | 'messageMutex' | 'messageRetryManager' | 'requestPlaceholderResend'>;

/** The processing of one message in Baileys' message mutex. */
interface Turn {
  /** True after Baileys started to send a retry request, which asks the sender to send the message again. */
  isRetrying: boolean;
}

/**
 * Maximum number of requests that wait to be sent, one every 2 s. A message beyond this number is requested from its
 * sender only.
 */
const MAX_WAITING = 50;
/** Maximum number of ids in #postponed. The oldest is dropped when there are more. */
const MAX_POSTPONED = 1_000;
/** The stub type of an undecryptable message. */
const { CIPHERTEXT } = proto.WebMessageInfo.StubType;

export class PlaceholderRequests {
  readonly #turns = new AsyncLocalStorage<Turn>();
  /** Ids of messages whose request is postponed until Baileys emits the undecryptable message. */
  readonly #postponed = new BoundedMap<string, true>(MAX_POSTPONED);
  /** Keys (messageKeyOf) of messages whose request waits for earlier requests or for Baileys' delay of 2 s. */
  readonly #waiting = new Set<string>();
  /** Cancels the request for a message: after its delay, Baileys sends a request only if the cache still has the id. */
  #cancel: (id: string) => void = () => undefined;
  /** Resolves when all requests so far were sent, failed or canceled. */
  #lastRequest: Promise<unknown> = Promise.resolve();
  /** Number of requests in the queue, including canceled requests. */
  #waitingCount = 0;

  /**
   * Wraps the caches for the configuration of the socket that patch() gets. Baileys reads the cache of placeholder
   * requests before it waits 2 s. While Baileys sends a retry request, this cache reports that the phone was already
   * asked, so Baileys does not wait. A retry request starts with a write to the retry counter.
   */
  wrapCaches<T extends PlaceholderCaches>(caches: T): T {
    const { msgRetryCounterCache: retries, placeholderResendCache: requests } = caches;
    this.#cancel = (id) => {
      requests.del(id);
    };
    return {
      ...caches,
      msgRetryCounterCache: {
        ...retries,
        set: <V>(key: string, value: V) => {
          const turn = this.#turns.getStore();
          if (turn) turn.isRetrying = true;
          return retries.set(key, value);
        },
      },
      placeholderResendCache: {
        ...requests,
        // CacheStore lets the caller choose the type of a value. Baileys only checks whether there is one.
        get: <V>(key: string) => (this.#postpone(key) ? (true as V) : requests.get<V>(key)),
      },
    };
  }

  /** Postpones the request for a message. Returns false when Baileys sends no retry request now. */
  #postpone(id: string): boolean {
    if (!this.#turns.getStore()?.isRetrying) return false;
    this.#postponed.set(id, true);
    return true;
  }

  /**
   * Sends the postponed requests of `socket` one after another when Baileys emits their messages, until `ended` aborts.
   * Calls `onFailure` when a request could not be sent.
   */
  patch(
    { ev, messageMutex, messageRetryManager, requestPlaceholderResend }: PlaceholderSocket,
    ended: AbortSignal,
    onFailure: (err: unknown) => void,
  ): void {
    const { mutex } = messageMutex;
    messageMutex.mutex = <T>(handle: () => Promise<T> | T): Promise<T> =>
      mutex(() => this.#turns.run({ isRetrying: false }, handle));
    // With the cache of recent messages, Baileys starts a timer for each request. Calling the request immediately keeps
    // it in the turn of the message, where it is postponed like any other request.
    if (messageRetryManager) messageRetryManager.schedulePhoneRequest = (_id, request) => request();
    const request = async (message: WAMessage): Promise<void> => {
      if (ended.aborted || !this.#waiting.has(messageKeyOf(message))) return;
      const { key, messageTimestamp, pushName, participant, verifiedBizName } = message;
      // Baileys caches this object and later adds the content of the phone's answer to it.
      const fields = { key: { ...key }, messageTimestamp, pushName, participant, verifiedBizName };
      await requestPlaceholderResend(key, fields);
    };
    ev.on('messages.upsert', ({ messages }) => {
      for (const message of messages) {
        const id = message.key.id ?? '';
        const isPostponed = this.#postponed.delete(id);
        if (message.messageStubType !== CIPHERTEXT) {
          // The message is decrypted or comes from the phone. Its request is canceled if it still waits.
          if (this.#waiting.delete(messageKeyOf(message))) this.#cancel(id);
          continue;
        }
        if (!isPostponed || this.#waitingCount >= MAX_WAITING) continue;
        this.#waitingCount += 1;
        this.#waiting.add(messageKeyOf(message));
        // This event can be emitted inside the turn of the message. Inside the turn, the cache would postpone the
        // request again, so exit() leaves the turn.
        this.#lastRequest = this.#turns.exit(() =>
          this.#lastRequest
            .then(() => request(message))
            .catch(onFailure)
            .finally(() => {
              this.#waitingCount -= 1;
              this.#waiting.delete(messageKeyOf(message));
            }),
        );
      }
    });
  }
}

const messageKeyOf = ({ key }: WAMessage) => `${key.remoteJid},${key.participant},${key.id}`;
