// Finds instance keys that are too short. Unless WEAK_TOKENS is true, a new instance cannot have such a key, and a
// startup warning lists the existing ones. Decision D-113.
import type { Instance } from './instance.ts';

/** Minimum number of characters of an instance key. The global key has the same minimum. */
export const MIN_TOKEN_LENGTH = 16;
/** Maximum number of instance names in one log line. */
const MAX_NAMES = 20;

/**
 * Whether an instance key is too short. The empty key is not weak: it means that the stored key cannot be decrypted,
 * and gives no access.
 */
export const isWeakToken = (token: string): boolean => token !== '' && token.length < MIN_TOKEN_LENGTH;

/** The number of instances with a weak key and the names of the first 20; undefined when there are none. */
export function findWeakTokens(
  instances: readonly Pick<Instance, 'name' | 'row'>[],
): { count: number; instances: string[] } | undefined {
  const weak = instances.filter(({ row }) => isWeakToken(row.token));
  if (weak.length === 0) return undefined;
  return { count: weak.length, instances: weak.slice(0, MAX_NAMES).map(({ name }) => name) };
}
