// Stores the record that a contact has received a privacy token (`tctoken`) from the account. The contact's messages to
// the account contain this token.
// Why: Baileys writes this record after the key transaction of the send has committed, but still in the async context
//   of this transaction. The ended transaction drops the write, so Baileys sends the token again with every message.
// Upstream: not reported. Baileys pull request #2446 added privacy tokens.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: `relayMessage` writes `tctoken` keys before the transaction commits or outside of its async context.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { SignalKeyStore } from '../library.ts';

/** Makes writes of `tctoken` keys leave the async context of a transaction. */
export function patchPrivacyTokens(keys: SignalKeyStore): void {
  // This function runs outside of transactions, and runOutside() restores its async context.
  const runOutside = AsyncLocalStorage.snapshot();
  const { set } = keys;
  keys.set = (data) => ('tctoken' in data ? runOutside(set, data) : set(data));
}
