// Limits the pre-keys that a person can make this device create.
// Why: with a retry receipt, Baileys asks the sender of an undecryptable message to send it again. The second and each
//   later receipt for a message contains a new pre-key, which is stored until a message uses it. A contact who sends
//   messages that cannot be decrypted fills the key store.
// Upstream: docs/internals/upstream-security.md, "Undecryptable messages fill the key store".
// Applies to: Baileys 7.0.0-rc14.
// Remove when: `sendRetryRequest` limits its pre-keys, or reuses one of them.
import { systemClock } from '../../../lib/clock.ts';
import { createTokenBucket } from '../../../lib/token-bucket.ts';
import { jidNormalizedUser, type UserFacingSocketConfig } from '../library.ts';
import type { MessageTurn, MessageTurns } from './message-turns.ts';

type RetryCaches = Required<Pick<UserFacingSocketConfig, 'msgRetryCounterCache'>>;

/**
 * Maximum number of pre-keys for one person within `KEY_WINDOW` ms. Each device of a person needs only one: with it,
 * the device starts a new session for all further messages.
 */
const MAX_KEYS = 10;
const KEY_WINDOW = 3_600_000;

/**
 * Returns `caches` with a limit for pre-keys, for the configuration of a socket. `turns` contains the message that this
 * socket is processing. For each receipt, Baileys stores the number of receipts for the message, and reads the number
 * again before it writes the receipt. Above the limit, the cache returns 1. Baileys then takes the receipt for the
 * first one of its message, and adds no pre-key.
 */
export function limitRetryKeys<T extends RetryCaches>(caches: T, turns: Pick<MessageTurns, 'current'>): T {
  const { msgRetryCounterCache: counts } = caches;
  const keyBudget = createTokenBucket({ limit: MAX_KEYS, window: KEY_WINDOW, clock: systemClock });
  /** The turn in which Baileys has last counted a receipt. */
  let counted: MessageTurn | undefined;
  /** Takes a pre-key from the budget of the sender. Returns false when none is left. */
  const takeKey = ({ stanza }: MessageTurn): boolean =>
    keyBudget.take(jidNormalizedUser(stanza?.participant ?? stanza?.from), 1) === 0;
  return {
    ...caches,
    msgRetryCounterCache: {
      ...counts,
      set: <V>(key: string, value: V) => {
        counted = turns.current;
        return counts.set(key, value);
      },
      get: <V>(key: string) => {
        const count = counts.get<V>(key);
        const { current } = turns;
        const wouldContainKeys = current !== undefined && current === counted && typeof count === 'number' && count > 1;
        // CacheStore lets the caller choose the type of a value. Baileys stores numbers.
        return wouldContainKeys && !takeKey(current) ? (1 as V) : count;
      },
    },
  };
}
