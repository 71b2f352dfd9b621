// Requests undecryptable messages from the account's own phone (a placeholder resend in Baileys) without delaying the
// messages behind them. Decision D-030.
// Why: Baileys sends this request inside its message mutex, after a delay of 2 s. Five undecryptable messages delay all
//   others by 10 s. It also requests messages that their sender has sent again, and loses the sender's name. With the
//   cache of recent messages, it sends any number of requests at once, each with a timer of 3 s.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: `requestPlaceholderResend` runs outside of the message mutex, gets the message from `sendRetryRequest`,
//   and ends when the message is decrypted.
import { AsyncLocalStorage } from 'node:async_hooks';
import { proto, type UserFacingSocketConfig, type WAMessage, type WASocket } from '../library.ts';

type Caches = Required<Pick<UserFacingSocketConfig, 'msgRetryCounterCache' | 'placeholderResendCache'>>;

type PlaceholderSocket = Pick<WASocket, 'ev' | 'messageMutex' | 'messageRetryManager' | 'requestPlaceholderResend'>;

/** The processing of one message in Baileys' message mutex. */
interface Turn {
  /** True after Baileys started to send a retry request for the message. */
  isRetrying: boolean;
}

/**
 * Maximum number of waiting requests. Baileys sends one every 2 s. Further messages are requested from their senders
 * only.
 */
const MAX_WAITING = 50;
const { CIPHERTEXT } = proto.WebMessageInfo.StubType;

/** Number of postponed ids at which all of them are dropped. An id is kept until Baileys emits its message. */
const MAX_POSTPONED = 1_000;

export class PlaceholderRequests {
  readonly #turns = new AsyncLocalStorage<Turn>();
  /** Ids of messages whose request was postponed until Baileys emits the message. */
  readonly #postponed = new Set<string>();
  /** Keys (messageKeyOf) of messages whose request waits for earlier requests or for Baileys' delay. */
  readonly #requested = new Set<string>();
  /**
   * Removes an id from the cache of requests. If its request waits for Baileys' delay, Baileys then does not send it.
   */
  #cancel: (id: string) => void = () => undefined;
  #lastRequest: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /**
   * Returns `caches` for the configuration of the socket that patch() gets. While Baileys sends a retry request, the
   * cache of requests claims that the phone was already asked, so that Baileys does not wait. The write to the retry
   * counter, which comes first, shows that Baileys sends a retry request.
   */
  wrapCaches<T extends Caches>(caches: T): T {
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

  /** Postpones the request for a message until Baileys emits it. Returns false when no retry is in progress. */
  #postpone(id: string): boolean {
    if (!this.#turns.getStore()?.isRetrying) return false;
    if (this.#postponed.size >= MAX_POSTPONED) this.#postponed.clear();
    this.#postponed.add(id);
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
    // With its cache of recent messages, Baileys delays the request by a timer. Without the timer, the request is made
    // in the turn of the message and postponed like all others.
    if (messageRetryManager) messageRetryManager.schedulePhoneRequest = (_id, request) => request();
    const request = async (message: WAMessage): Promise<void> => {
      if (ended.aborted || !this.#requested.has(messageKeyOf(message))) return;
      const { key, messageTimestamp, pushName, participant, verifiedBizName } = message;
      // Baileys completes the phone's answer with these fields, and changes this object.
      const fields = { key: { ...key }, messageTimestamp, pushName, participant, verifiedBizName };
      await requestPlaceholderResend(key, fields);
    };
    ev.on('messages.upsert', ({ messages }) => {
      for (const message of messages) {
        const id = message.key.id ?? '';
        const isPostponed = this.#postponed.delete(id);
        if (message.messageStubType !== CIPHERTEXT) {
          if (this.#requested.delete(messageKeyOf(message))) this.#cancel(id);
          continue;
        }
        if (!isPostponed || this.#waiting >= MAX_WAITING) continue;
        this.#waiting += 1;
        this.#requested.add(messageKeyOf(message));
        // This event can be emitted inside the turn, in whose context the cache would postpone the request again.
        this.#lastRequest = this.#turns.exit(() =>
          this.#lastRequest
            .then(() => request(message))
            .catch(onFailure)
            .finally(() => {
              this.#waiting -= 1;
              this.#requested.delete(messageKeyOf(message));
            }),
        );
      }
    });
  }
}

const messageKeyOf = ({ key }: WAMessage) => `${key.remoteJid},${key.participant},${key.id}`;
