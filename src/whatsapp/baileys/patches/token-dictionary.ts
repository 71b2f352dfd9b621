// Makes texts such as `constructor` and `toString` encodable in stanzas.
// Why: Baileys looks each text of a stanza up in a plain object of tokens. There it also finds names that every object
//   inherits, such as `constructor`, and sends an empty text for them. A message with such an id is never acknowledged.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: `TOKEN_MAP` is a Map or an object without prototype.
import { TOKEN_MAP } from '@whiskeysockets/baileys/lib/WABinary/constants.js';

/** Removes the prototype of the token dictionary. Applies to the whole process. Idempotent. */
export function installTokenDictionary(): void {
  Object.setPrototypeOf(TOKEN_MAP, null);
}
