// Stores the record that a contact has received the account's privacy token (`tctoken`).
// Why: Baileys writes this record after the transaction of the send has committed, but inside its async context. The
//   transaction drops the write, so that Baileys sends the token again with every message.
// Upstream: not reported. The feature is Baileys pull request #2446.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: `relayMessage` writes `tctoken` keys inside its transaction or outside of its async context.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { SignalKeyStore } from '../library.ts';

/** Makes writes of `tctoken` keys leave the async context of a transaction. */
export function patchPrivacyTokens(keys: SignalKeyStore): void {
  const runOutside = AsyncLocalStorage.snapshot();
  const { set } = keys;
  keys.set = (data) => ('tctoken' in data ? runOutside(set, data) : set(data));
}
