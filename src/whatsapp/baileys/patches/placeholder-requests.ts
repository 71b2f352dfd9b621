// Asks the account's own phone for messages that could not be decrypted, without holding up the messages behind them.
// rc14 does so inside its one turn for messages and waits 2 s before it asks: five unreadable messages would delay all others by 10 s.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Socket, UserFacingSocketConfig, WireMessageKey } from '../types.ts';

type Caches = Required<Pick<UserFacingSocketConfig, 'msgRetryCounterCache' | 'placeholderResendCache'>>;

/** A turn of rc14's mutex for messages. */
interface Turn {
  /** Whether rc14 is sending a retry request for the turn's message. */
  isRetrying: boolean;
}

/** Messages that wait until the phone is asked for them, one every 2 s. Their senders are asked for the others as well. */
const MAX_WAITING = 50;
/** Ids kept until rc14 has reported their messages. */
const MAX_POSTPONED = 1_000;

export class PlaceholderRequests {
  readonly #turns = new AsyncLocalStorage<Turn>();
  /** Ids of messages that rc14 was about to ask for in their turn. */
  readonly #postponed = new Set<string>();
  #asked: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /**
   * The caches for a socket that follow() is given. To a turn that sends a retry request they answer that the phone was asked already, so that
   * it does not wait; the counter of retries is written before that question and by nothing else in a turn.
   */
  wrap<Given extends Caches>(caches: Given): Given {
    const { msgRetryCounterCache: retries, placeholderResendCache: requests } = caches;
    return {
      ...caches,
      msgRetryCounterCache: {
        ...retries,
        set: <T>(key: string, value: T) => {
          const turn = this.#turns.getStore();
          if (turn) turn.isRetrying = true;
          return retries.set(key, value);
        },
      },
      placeholderResendCache: {
        ...requests,
        // The type of a value is its caller's, as CacheStore has it; rc14 asks only whether there is one.
        get: <T>(key: string) => (this.#postpones(key) ? (true as T) : requests.get<T>(key)),
      },
    };
  }

  #postpones(id: string): boolean {
    if (!this.#turns.getStore()?.isRetrying) return false;
    if (this.#postponed.size >= MAX_POSTPONED) this.#postponed.clear();
    this.#postponed.add(id);
    return true;
  }

  /** Watches the turns of `socket` and asks between them. `onFailure` hears why a request could not be sent. */
  follow(
    { ev, messageMutex, requestPlaceholderResend }: Pick<Socket, 'ev' | 'messageMutex' | 'requestPlaceholderResend'>,
    ended: AbortSignal,
    onFailure: (err: unknown) => void,
  ): void {
    const { mutex } = messageMutex;
    messageMutex.mutex = <T>(handle: () => Promise<T> | T): Promise<T> =>
      mutex(() => this.#turns.run({ isRetrying: false }, handle));
    const ask = async (key: WireMessageKey): Promise<void> => {
      if (!ended.aborted) await requestPlaceholderResend(key);
    };
    ev.on('messages.upsert', ({ messages }) => {
      for (const { key } of messages) {
        if (!this.#postponed.delete(key.id ?? '') || this.#waiting >= MAX_WAITING) continue;
        this.#waiting++;
        // rc14 may report in the turn, whose answer this request must not get.
        this.#asked = this.#turns.exit(() =>
          this.#asked
            .then(() => ask(key))
            .catch(onFailure)
            .finally(() => this.#waiting--),
        );
      }
    });
  }
}
