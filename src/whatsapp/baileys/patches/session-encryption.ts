// Encrypts messages to devices with auth/session-encryption.ts.
// Why: libsignal takes four times as long. Inside a transaction, it also reads a session, waits, and later writes the
//   session back. If a received message changes the session during the wait, this change is lost. If another message is
//   encrypted during the wait, one key encrypts two messages.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14, libsignal 6.0.0.
// Remove when: libsignal changes sessions in place, and Baileys locks a session until it is written.

import type { DeviceSessions } from '../auth/device-sessions.ts';
import type { SignalRepositoryWithLIDStore, SocketConfig } from '../library.ts';

type CreateRepository = SocketConfig['makeSignalRepository'];

/** Wraps a factory of Signal repositories. The repositories encrypt with `sessions`, which writes to the same keys. */
export function withSessionEncryption(create: CreateRepository, sessions: DeviceSessions): CreateRepository {
  return (auth, logger, pnToLid): SignalRepositoryWithLIDStore => {
    const repository = create(auth, logger, pnToLid);
    const { keys } = auth;
    const { encryptMessage } = repository;
    repository.encryptMessage = async (options) => {
      const { jid, data } = options;
      const address = await sessions.readAddress(jid);
      if (address !== undefined) {
        // Inside a transaction, get() also returns the uncommitted changes of the transaction.
        const { [address]: visibleRecord } = await keys.get('session', [address]);
        const encrypted = await sessions.encryptIfStored(address, visibleRecord, data);
        // Undefined without a stored session, and when the transaction has created another one, which is stored only at
        // the commit.
        if (encrypted) return encrypted;
      }
      return encryptMessage.call(repository, options);
    };
    return repository;
  };
}
