// Mends the library's dictionary for what it sends: it looks texts up in a plain object, which also "has" the names that every object
// inherits. An attribute `constructor` or `toString` was sent as an empty one, so a message with such an id was never acknowledged.
import { TOKEN_MAP } from '@whiskeysockets/baileys/lib/WABinary/constants.js';

/** From now on the dictionary has its own words alone. Calling it again changes nothing. */
export function installTokenDictionary(): void {
  Object.setPrototypeOf(TOKEN_MAP, null);
}
