// Removes the `recipient` attribute from receipts of other accounts.
// Why: Baileys takes every receipt with a `recipient` for a receipt of one of the account's own devices. Any contact
//   can send such a receipt and so mark the chat with this contact as read.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: `handleReceipt` compares the author of the receipt with the account.
import { type BinaryNode, jidNormalizedUser, type WASocket } from '../library.ts';

/** Addresses of the linked account without device part. */
export interface AccountAddresses {
  jid: string;
  lid: string | null;
}

/**
 * Removes the attribute before Baileys handles a receipt. `account` returns the linked account, undefined before
 * pairing.
 */
export function patchReceiptRecipients(
  { ws }: Pick<WASocket, 'ws'>,
  account: () => AccountAddresses | undefined,
): void {
  ws.prependListener('CB:receipt', ({ attrs }: BinaryNode) => {
    if (!isOwnReceipt(attrs, account())) delete attrs.recipient;
  });
}

/** Whether a device of `account` sent the receipt. */
export function isOwnReceipt(attrs: BinaryNode['attrs'], account: AccountAddresses | undefined): boolean {
  const author = jidNormalizedUser(attrs.participant ?? attrs.from ?? '');
  return author === account?.jid || author === account?.lid;
}
