// Caches decoded keys of the types that every message reads: Signal sessions, identity keys of devices, privacy tokens
// and LIDs (ids that hide the number of a person). Callers must not change the returned values. libsignal changes only
// its own copies of sessions.
import { BoundedMap } from '../../../lib/bounded-map.ts';
import { copyBytes, copyBytesIn } from '../../../lib/copy-bytes.ts';

/** Maximum number of cached values by key type. The least recently cached values are evicted. */
const LIMITS = { session: 128, 'identity-key': 128, tctoken: 128, 'lid-mapping': 256 } as const;

export type CachedKeyType = keyof typeof LIMITS;

const isCachedType = (type: string): type is CachedKeyType => Object.hasOwn(LIMITS, type);

export class DecodedKeys {
  readonly #values: Record<CachedKeyType, BoundedMap<string, unknown>> = {
    session: new BoundedMap(LIMITS.session),
    'identity-key': new BoundedMap(LIMITS['identity-key']),
    tctoken: new BoundedMap(LIMITS.tctoken),
    'lid-mapping': new BoundedMap(LIMITS['lid-mapping']),
  };

  /** Returns a cached value. Null means that the key does not exist, and undefined that it is not cached. */
  get(type: string, id: string): unknown {
    return isCachedType(type) ? this.#values[type].get(id) : undefined;
  }

  /** Caches a value that was written or read. Null and undefined mean that the key does not exist (unlike in get()). */
  set(type: string, id: string, value: unknown): void {
    if (!isCachedType(type)) return;
    const values = this.#values[type];
    // BoundedMap evicts its oldest entry. Only an entry that is deleted and set again becomes the newest.
    values.delete(id);
    // Bytes are copied, because they can be a view that keeps a larger block in memory. A session contains no bytes.
    if (value instanceof Uint8Array) values.set(id, copyBytes(value));
    else if (typeof value === 'object' && value !== null)
      values.set(id, type === 'tctoken' ? copyBytesIn({ ...value }) : value);
    else if (typeof value === 'string') values.set(id, value);
    // The absence of a session or an identity key is not cached: a message to a large group would add so many entries
    // that the keys in use would be evicted.
    else if (type === 'tctoken' || type === 'lid-mapping') values.set(id, null);
  }
}
