// Instance keys that could be guessed: refused for new instances, reported at the start for those that have one.
import type { Instance } from './instance.ts';

/** As many characters as the global key must have. */
export const MIN_TOKEN_LENGTH = 16;
/** Names in one log line. */
const MAX_NAMES = 20;

/** Whether an instance key is shorter than new ones must be. '' is none: a key that cannot be read opens nothing. */
export const isWeakToken = (token: string): boolean => token !== '' && token.length < MIN_TOKEN_LENGTH;

/** How many of the instances have a weak key, and the names of the first; undefined when none has. */
export function findWeakTokens(
  instances: readonly Pick<Instance, 'name' | 'row'>[],
): { count: number; instances: string[] } | undefined {
  const weak = instances.filter(({ row }) => isWeakToken(row.token));
  if (weak.length === 0) return undefined;
  return { count: weak.length, instances: weak.slice(0, MAX_NAMES).map(({ name }) => name) };
}
