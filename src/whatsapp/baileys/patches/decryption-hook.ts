// Lets the inbound buffer store a message in the same transaction as its ratchet step.
// Why: Baileys decrypts a message, acknowledges it and reports it afterwards. A crash in between loses the message: the
//   ratchet (the chain of Signal keys) has advanced, so that the message cannot be decrypted again, and WhatsApp does
//   not send it again.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: Baileys acknowledges a message after its event handlers have finished.
import type {
  SignalKeyStoreWithTransaction,
  SignalRepositoryWithLIDStore,
  SocketConfig,
} from '@whiskeysockets/baileys';

type CreateRepository = SocketConfig['makeSignalRepository'];

/** One ciphertext that Baileys wants to decrypt. */
export interface Decryption {
  keys: SignalKeyStoreWithTransaction;
  /**
   * Name of the transaction that decrypt() opens. Inside a transaction of this name, decrypt() joins it: both are one
   * write.
   */
  transaction: string;
  ciphertext: Uint8Array;
  decrypt: () => Promise<Uint8Array>;
}

/**
 * Wraps a factory of Signal repositories. The repositories pass each decryption to `onDecrypt` and return the plaintext
 * that it resolves with.
 */
export function hookDecryption(
  create: CreateRepository,
  onDecrypt: (decryption: Decryption) => Promise<Uint8Array>,
): CreateRepository {
  return (auth, logger, pnToLid): SignalRepositoryWithLIDStore => {
    const repository = create(auth, logger, pnToLid);
    const { keys } = auth;
    if (!('transaction' in keys)) throw new TypeError('keys without transactions');
    const { decryptMessage, decryptGroupMessage } = repository;
    repository.decryptMessage = (options) =>
      onDecrypt({
        keys,
        transaction: options.jid,
        ciphertext: options.ciphertext,
        decrypt: () => decryptMessage.call(repository, options),
      });
    repository.decryptGroupMessage = (options) =>
      onDecrypt({
        keys,
        transaction: options.group,
        ciphertext: options.msg,
        decrypt: () => decryptGroupMessage.call(repository, options),
      });
    return repository;
  };
}
