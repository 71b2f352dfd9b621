// Sessions of a long conversation. They are large, because libsignal never removes the chains that it has closed.
import { randomBytes } from 'node:crypto';

/** Number of closed chains with which a session as JSON is larger than 1 MiB. */
export const MANY_CHAINS = 10_200;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/**
 * Adds `count` closed receiving chains to the first session of a record, in place. In a conversation, every change of
 * direction adds one. Throws when `record` is not a session record of libsignal.
 */
export function addClosedChains(record: unknown, count = MANY_CHAINS): void {
  const [state] = isObject(record) && isObject(record._sessions) ? Object.values(record._sessions) : [];
  if (!isObject(state) || !isObject(state._chains)) throw new Error('This is no session record.');
  for (let n = 0; n < count; n += 1) {
    const name = Buffer.concat([Buffer.from([5]), randomBytes(32)]).toString('base64');
    state._chains[name] = { chainKey: { counter: n % 7 }, chainType: 2, messageKeys: {} };
  }
}
