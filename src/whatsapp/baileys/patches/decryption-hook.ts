// Lets the inbound buffer (inbound/inbound-buffer.ts) store a message in the same transaction as its ratchet step (the
// change of the keys by the decryption), and decrypt it without libsignal.
// Why: Baileys decrypts a message, acknowledges it and reports it afterwards. A crash in between loses the message: the
//   ratchet (the chain of Signal keys) has advanced, so that the message cannot be decrypted again, and WhatsApp does
//   not send it again. And libsignal decodes and encodes all sessions with a device, and all their keys, for each
//   message.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14, libsignal 6.0.0.
// Remove when: Baileys acknowledges a message after its event handlers have finished, and libsignal decrypts without a
//   copy of all sessions.

import type { DeviceMessage } from '../auth/stored-session-decryption.ts';
import type { SignalKeyStoreWithTransaction, SignalRepositoryWithLIDStore, SocketConfig } from '../library.ts';
import { unwrapDeviceSent } from './device-sent-context.ts';

type CreateRepository = SocketConfig['makeSignalRepository'];

/** One ciphertext that Baileys wants to decrypt. */
export interface Decryption {
  /** The key store of the account. */
  keys: SignalKeyStoreWithTransaction;
  /**
   * Name of the transaction that decrypt() opens. When the caller has opened a transaction of this name, decrypt()
   * joins that transaction, and the changes of both are one write.
   */
  transaction: string;
  ciphertext: Uint8Array;
  /**
   * The message of a device. Undefined for a message that is encrypted with a sender key (a member's key of a group).
   */
  message?: DeviceMessage;
  decrypt: () => Promise<Uint8Array>;
}

/**
 * Wraps a factory of Signal repositories. The repositories pass each decryption to `onDecrypt` and return the plaintext
 * that it resolves with. The plaintext of a message of a device then passes through unwrapDeviceSent(), which unwraps
 * the messages that other devices of this account have sent.
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
    repository.decryptMessage = async (options) => {
      const { jid, type, ciphertext } = options;
      const plaintext = await onDecrypt({
        keys,
        transaction: jid,
        ciphertext,
        message: { address: repository.jidToSignalProtocolAddress(jid), type, ciphertext },
        decrypt: () => decryptMessage.call(repository, options),
      });
      return unwrapDeviceSent(plaintext);
    };
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
