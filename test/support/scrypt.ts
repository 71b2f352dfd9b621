// Saves time in tests that derive keys from passphrases.
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { beforeAll, vi } from 'vitest';

/** A low cost parameter of scrypt. One derivation takes 0.3 ms instead of 0.3 s. */
const LOW_COST = 128;

interface DerivedKeysOptions {
  /** True derives each key with LOW_COST, for tests that do not depend on the cost. */
  hasLowCost?: boolean;
}

/**
 * Makes scrypt of this process remember its results during the tests of the file that calls it. By default, each key is
 * derived once with the full cost.
 */
export function rememberDerivedKeys({ hasLowCost = false }: DerivedKeysOptions = {}): void {
  beforeAll(() => {
    const { scrypt } = crypto;
    const results = new Map<string, Promise<Buffer<ArrayBuffer>>>();
    const spy = vi.spyOn(crypto, 'scrypt').mockImplementation((password, salt, length, options, callback) => {
      const id = JSON.stringify([password, salt, length, options]);
      const { promise, resolve, reject } = Promise.withResolvers<Buffer<ArrayBuffer>>();
      if (!results.has(id)) {
        results.set(id, promise);
        const cost = hasLowCost ? { ...options, N: LOW_COST } : options;
        scrypt(password, salt, length, cost, (error, derived) => (error ? reject(error) : resolve(derived)));
      }
      results.get(id)?.then(
        (derived) => callback(null, derived),
        (error) => callback(error, Buffer.alloc(0)),
      );
    });
    // Updates the imports of `scrypt` by name.
    syncBuiltinESMExports();
    return () => {
      spy.mockRestore();
      syncBuiltinESMExports();
    };
  });
}
