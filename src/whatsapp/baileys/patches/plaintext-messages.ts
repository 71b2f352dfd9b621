// Removes unencrypted content from messages of people and groups.
// Why: Baileys reads `<plaintext>`, and `<enc type="plaintext">`, in every message as if it had been decrypted. The
//   server, or an intermediary, can therefore forge messages of any person, and of this account's phone, from which
//   Baileys accepts app state keys, histories and mappings of numbers. Only messages of channels are not encrypted.
// Upstream: docs/internals/upstream-security.md, "Unencrypted messages are accepted from people".
// Applies to: Baileys 7.0.0-rc14.
// Remove when: `decryptMessageNode` reads `plaintext` of channels only, and no `enc` of the type `plaintext`.
import { type BinaryNode, isJidNewsletter, type WASocket } from '../library.ts';

/**
 * Removes the unencrypted elements before Baileys reads a message. A message without other content is then reported as
 * undecryptable, and requested from the phone. Elements `enc` of unknown types remain, because Baileys refuses them.
 */
export function patchPlaintextMessages({ ws }: Pick<WASocket, 'ws'>): void {
  ws.prependListener('CB:message', (stanza: BinaryNode) => {
    if (!Array.isArray(stanza.content) || isJidNewsletter(stanza.attrs.from)) return;
    stanza.content = stanza.content.filter(
      ({ tag, attrs }) => tag !== 'plaintext' && !(tag === 'enc' && attrs.type === 'plaintext'),
    );
  });
}
