// Takes one-time pre-keys from the stock that a client has uploaded. With a pre-key of a client, another device opens a
// Signal session with this client. Each key is used only once.
import { element, SERVER } from '../lib/binary-node.ts';
import type { Companion, PreKey, World } from './model.ts';
import { deliverNotification } from './world.ts';

/** When a client has fewer one-time pre-keys left, the server asks the client for more. */
const MIN_PRE_KEYS = 5;

/** Removes and returns a one-time pre-key of a client. Notifies the client when few are left. */
export function takePreKey(world: World, companion: Companion): PreKey | undefined {
  const preKey = companion.preKeys.shift();
  const remaining = companion.preKeys.length;
  if (preKey && remaining < MIN_PRE_KEYS) {
    const count = element('count', { value: String(remaining) });
    deliverNotification(world, companion, SERVER, 'encrypt', [count]);
  }
  return preKey;
}
