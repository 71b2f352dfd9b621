// Sets the root key that Baileys trusts in the Noise handshake.
// Why: Baileys has one root key for the process and no option for another. The sandbox, a simulated WhatsApp, signs its
//   certificates with a root key of its own.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: the socket configuration has an option for the root key.
import { WA_CERT_DETAILS } from '@whiskeysockets/baileys/lib/Defaults/index.js';

const WHATSAPP_ROOT_KEY = Buffer.from(WA_CERT_DETAILS.PUBLIC_KEY);
let installedKey: Buffer | undefined;

/**
 * Makes every socket of the process trust `rootKey` (32 bytes; undefined means WhatsApp's key). Throws Error for
 * another length, and when the process already trusts another key: one process connects either to WhatsApp or to a
 * sandbox.
 */
export function installRootKey(rootKey: Uint8Array | undefined): void {
  const key = Buffer.from(rootKey ?? WHATSAPP_ROOT_KEY);
  if (key.length !== 32) throw new Error(`root key must be 32 bytes, got ${key.length}`);
  if (installedKey && !installedKey.equals(key))
    throw new Error('this process already trusts another platform root key');
  installedKey = key;
  WA_CERT_DETAILS.PUBLIC_KEY = key;
}
