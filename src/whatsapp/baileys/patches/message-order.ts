// Keeps new messages behind the messages that WhatsApp held while the device was offline.
// Why: Baileys processes offline messages one by one and new messages at once. A new message can overtake an older one
//   of its chat.
// Upstream: not reported. The patch relies on Baileys treating `offline="0"` as offline, which issue #2810 (open) wants
//   to change.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: Baileys processes message stanzas in the order in which they arrive.
import type { Stanza } from '../stanza.ts';

/**
 * Marks new messages as offline messages until the last offline message has been decrypted, so that Baileys puts them
 * into the same queue.
 */
export class MessageOrder {
  /** First ciphertext of each message that is marked as offline and not decrypted yet, in arrival order. */
  readonly #waiting: Uint8Array[] = [];

  /**
   * Must be called for each message stanza before Baileys handles the stanza. `ciphertext` is the first ciphertext of
   * the stanza. Sets `attrs.offline` while offline messages are not decrypted yet.
   */
  onStanza(attrs: Stanza['attrs'], ciphertext: unknown): void {
    if (this.#waiting.length > 0) attrs.offline ??= '0';
    if (attrs.offline !== undefined && ciphertext instanceof Uint8Array) this.#waiting.push(ciphertext);
  }

  /**
   * Must be called for each ciphertext before its decryption. Stops waiting for its message and for all earlier
   * messages: Baileys decrypts in order, so that earlier messages were decrypted or dropped.
   */
  onDecrypt(ciphertext: Uint8Array): void {
    this.#waiting.splice(0, this.#waiting.indexOf(ciphertext) + 1);
  }
}
