// The caches Baileys wants per socket (retry counts, device lists, calls, placeholders), on bounded maps shared by all sockets.
// Baileys' own would cost each socket four timers and have no bound.
import type { PossiblyExtendedCacheStore, UserFacingSocketConfig } from '@whiskeysockets/baileys';

const minute = 60_000;

type View = PossiblyExtendedCacheStore & Required<Pick<PossiblyExtendedCacheStore, 'mget'>>;

/** Answers to questions for many keys that are kept per owner. */
const answersMax = 16;

/** What was found for `keys`, all of them; good for the same keys until one expires or any is written. */
interface Answer {
  keys: readonly string[];
  found: Record<string, unknown>;
  until: number;
}

/** Least recently written entries go first when `max` is reached; entries older than `ttl` ms are absent. */
class ExpiringMap {
  readonly #entries = new Map<string, { value: unknown; until: number }>();
  readonly #max: number;
  readonly #ttl: number;

  constructor(max: number, ttl: number) {
    this.#max = max;
    this.#ttl = ttl;
  }

  #get(key: string, now: number) {
    const entry = this.#entries.get(key);
    if (entry && entry.until > now) return entry;
    if (entry) this.#entries.delete(key);
    return undefined;
  }

  #answer(prefix: string, keys: readonly string[], now: number): Answer {
    const answer: Answer = { keys, found: {}, until: now + this.#ttl };
    for (const key of keys) {
      const entry = this.#get(prefix + key, now);
      if (entry) answer.found[key] = entry.value;
      // What is missing now may be there the next time.
      answer.until = Math.min(answer.until, entry?.until ?? 0);
    }
    return answer;
  }

  /** The part of the map whose keys belong to `owner`. The type of a value is its caller's, as CacheStore has it. */
  view(owner: string): View {
    const entries = this.#entries;
    const prefix = `${owner}|`;
    const answers = new Map<string, Answer>();
    return {
      get: <T>(key: string) => this.#get(prefix + key, Date.now())?.value as T | undefined,
      // Every send to a group asks for all members: one by one each would be a turn of its own, and one answer serves many sends.
      mget: async <T>(keys: string[]) => {
        const now = Date.now();
        const name = `${keys.length}|${keys[0]}`;
        const known = answers.get(name);
        const isSame = known && known.until > now && known.keys.every((key, n) => key === keys[n]);
        const answer = isSame ? known : this.#answer(prefix, keys, now);
        if (!isSame && answers.size >= answersMax) answers.clear();
        answers.set(name, answer);
        return answer.found as Record<string, T | undefined>;
      },
      set: (key, value) => {
        answers.clear();
        entries.delete(prefix + key);
        entries.set(prefix + key, { value, until: Date.now() + this.#ttl });
        const oldest = entries.size > this.#max ? entries.keys().next().value : undefined;
        if (oldest !== undefined) entries.delete(oldest);
      },
      del: (key) => {
        answers.clear();
        entries.delete(prefix + key);
      },
      flushAll: () => {
        answers.clear();
        for (const key of entries.keys()) if (key.startsWith(prefix)) entries.delete(key);
      },
    };
  }
}

type SocketCaches = Required<
  Pick<
    UserFacingSocketConfig,
    'msgRetryCounterCache' | 'userDevicesCache' | 'callOfferCache' | 'placeholderResendCache'
  >
>;

/** Makes one set of shared caches; the result gives a socket its view. Owners must differ between accounts: device lists leave out the own device. */
export function createCaches(): (owner: string) => SocketCaches {
  const retries = new ExpiringMap(50_000, 60 * minute);
  const devices = new ExpiringMap(100_000, 5 * minute);
  const calls = new ExpiringMap(10_000, 5 * minute);
  const placeholders = new ExpiringMap(10_000, 60 * minute);
  return (owner) => ({
    msgRetryCounterCache: retries.view(owner),
    userDevicesCache: devices.view(owner),
    callOfferCache: calls.view(owner),
    placeholderResendCache: placeholders.view(owner),
  });
}
