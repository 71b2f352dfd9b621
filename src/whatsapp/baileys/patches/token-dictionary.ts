// Makes attributes such as `constructor` and `toString` encodable.
// Why: Baileys looks strings up in a plain object of tokens. A name that every object inherits is found there, and the
//   string is sent as an empty one. A message with such an id is never acknowledged.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: `TOKEN_MAP` is a Map or an object without prototype.
import { TOKEN_MAP } from '@whiskeysockets/baileys/lib/WABinary/constants.js';

/** Removes the prototype of the token dictionary. Applies to the whole process. Idempotent. */
export function installTokenDictionary(): void {
  Object.setPrototypeOf(TOKEN_MAP, null);
}
