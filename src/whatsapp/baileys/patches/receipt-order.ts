// Receipts of our messages: each is an event of its own, and none is acknowledged before it is stored. Those of others say nothing about what
// this account has read.
// rc14 folds the statuses of one moment into the last of them, or into the message that they are about, and acknowledges at once.
import type { BinaryNode, WASocket } from '@whiskeysockets/baileys';
import { toBareJid } from '../../address/jid.ts';
import type { Account } from '../../session.ts';

/**
 * Stands between rc14 and its turns for receipts, in which it reports them; it acknowledges a receipt when its turn has resolved. `stored`
 * resolves when what the socket has reported so far is stored, and never when it cannot be: that receipt comes again.
 */
export function patchReceiptOrder(
  { ev, receiptMutex }: Pick<WASocket, 'ev' | 'receiptMutex'>,
  stored: () => Promise<void>,
): void {
  const { mutex } = receiptMutex;
  receiptMutex.mutex = async <T>(handle: () => Promise<T> | T): Promise<T> => {
    const handled = await mutex(() => {
      // Ends buffering, and rc14 reports before it waits for anything: at once, and after the message itself if that was held back.
      ev.flush();
      return handle();
    });
    await stored();
    return handled;
  };
}

/**
 * From now on only receipts of this account's own devices name a recipient. rc14 takes every receipt that names one for the account's own,
 * so that any contact could mark its chat as read.
 */
export function patchReceiptRecipients({ ws }: Pick<WASocket, 'ws'>, me: () => Account | undefined): void {
  ws.prependListener('CB:receipt', ({ attrs }: BinaryNode) => {
    const own = me();
    const author = toBareJid(attrs.participant ?? attrs.from ?? '');
    if (author !== own?.jid && author !== own?.lid) delete attrs.recipient;
  });
}
