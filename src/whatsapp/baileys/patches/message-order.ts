// Keeps new messages behind the messages that WhatsApp held while the device was offline.
// Why: Baileys processes offline messages one by one and new messages at once. A new message can overtake an older one
//   of its chat.
// Upstream: not reported. The patch relies on Baileys treating `offline="0"` as offline, which issue #2810 (open) wants
//   to change.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: Baileys processes message stanzas in the order in which they arrive.
import type { Stanza } from '../stanza.ts';

/**
 * Marks new messages as offline messages until Baileys decrypts the last offline message. Baileys therefore adds the
 * new messages to its queue of offline messages.
 */
export class MessageOrder {
  /** First ciphertexts, in arrival order, of the messages that are marked as offline and wait for their decryption. */
  readonly #waiting: Uint8Array[] = [];

  /**
   * Must be called for each message stanza before Baileys handles the stanza. `ciphertext` is the first ciphertext of
   * the stanza. Sets `attrs.offline` while offline messages wait for their decryption.
   */
  onStanza(attrs: Stanza['attrs'], ciphertext: unknown): void {
    if (this.#waiting.length > 0) attrs.offline ??= '0';
    if (attrs.offline !== undefined && ciphertext instanceof Uint8Array) this.#waiting.push(ciphertext);
  }

  /**
   * Must be called before each decryption of a ciphertext. Removes the message of this ciphertext and all earlier
   * messages from `#waiting`: Baileys decrypts in order, so that the earlier messages were decrypted or dropped.
   */
  onDecrypt(ciphertext: Uint8Array): void {
    this.#waiting.splice(0, this.#waiting.indexOf(ciphertext) + 1);
  }
}
