// Where to connect and whom to trust. A process speaks to one network: the root key is a module singleton in Baileys.
import type { Agent } from 'node:https';
import { WA_CERT_DETAILS } from '@whiskeysockets/baileys/lib/Defaults/index.js';

/** `real` is the default; anything else (the sandbox, another test server) is `sandbox` and stamped so in the database. */
export type Network = 'whatsapp' | 'sandbox';

export interface Endpoint {
  network: Network;
  /** WebSocket URL; undefined is Baileys' own. */
  url?: string;
  /** Root of the server's certificate chain, 32 bytes; undefined is Baileys' own. */
  rootKey?: Uint8Array;
  /** TLS trust for uploads and `wss:` (sandbox media host). */
  agent?: Agent;
}

let pinned: Buffer | undefined;

/**
 * Trusts `endpoint.rootKey` for every socket of this process.
 * Throws Error when a different root was pinned before: a process is either sandbox or real.
 */
export function pinRootKey(endpoint: Endpoint): void {
  const wanted = endpoint.rootKey ? Buffer.from(endpoint.rootKey) : Buffer.from(WA_CERT_DETAILS.PUBLIC_KEY);
  if (wanted.length !== 32) throw new Error(`root key must be 32 bytes, got ${wanted.length}`);
  if (pinned && !pinned.equals(wanted)) throw new Error('this process already trusts another platform root key');
  pinned = wanted;
  WA_CERT_DETAILS.PUBLIC_KEY = wanted;
}
