// Takes the one-time pre-keys of clients, with which other devices open Signal sessions. Each key is used only once.
import { element, SERVER } from '../lib/binary-node.ts';
import type { Companion, PreKey } from './model.ts';

/** Number of remaining one-time pre-keys below which the server asks the client for more. */
const MIN_PRE_KEYS = 5;

/** Removes and returns a one-time pre-key of a client. Notifies the client when few are left. */
export function takePreKey(companion: Companion, nextId: () => string): PreKey | undefined {
  const preKey = companion.preKeys.shift();
  const remaining = companion.preKeys.length;
  if (preKey && remaining < MIN_PRE_KEYS) {
    const attrs = { from: SERVER, type: 'encrypt', id: nextId() };
    companion.connection?.send(element('notification', attrs, [element('count', { value: String(remaining) })]));
  }
  return preKey;
}
