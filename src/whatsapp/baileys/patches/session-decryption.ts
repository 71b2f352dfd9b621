// Decrypts most received messages with auth/session-decryption.ts.
// Why: libsignal decodes and encodes all sessions with a device, and all their keys, for each message.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14, libsignal 6.0.0.
// Remove when: libsignal decrypts without a copy of all sessions.
import { generateSignalPubKey, type SignalRepositoryWithLIDStore, type SocketConfig } from '@whiskeysockets/baileys';
import {
  type Decrypted,
  decryptNext,
  decryptNextPreKeyMessage,
  parsePreKeyMessage,
} from '../auth/session-decryption.ts';

type CreateRepository = SocketConfig['makeSignalRepository'];
type Message = Parameters<SignalRepositoryWithLIDStore['decryptMessage']>[0];

/** Signal addresses of LIDs (ids of people that hide the number). The session of a number can be stored under its LID. */
const LID_ADDRESS = /_1\.\d+$/;

/**
 * Wraps a factory of Signal repositories. The repositories decrypt the next message of a session themselves, and leave
 * other messages to the original: the first message of a session, those out of order, and those that are damaged.
 */
export function withSessionDecryption(create: CreateRepository): CreateRepository {
  return (auth, logger, pnToLid) => {
    const repository = create(auth, logger, pnToLid);
    const { keys, creds } = auth;
    if (!('transaction' in keys)) throw new TypeError('keys without transactions');
    const { decryptMessage } = repository;
    const decrypt = async (address: string, { type, ciphertext }: Message): Promise<Decrypted | undefined> => {
      const { [address]: record } = await keys.get('session', [address]);
      const context = { ownIdentityKey: generateSignalPubKey(creds.signedIdentityKey.public), now: Date.now() };
      if (!record || type === 'msg') return decryptNext(record, ciphertext, context);
      const message = parsePreKeyMessage(ciphertext);
      const { [address]: identityKey } = message ? await keys.get('identity-key', [address]) : {};
      // Baileys ends the sessions of a device that has another identity key than before.
      if (!message || !identityKey || !message.identityKey.equals(identityKey)) return undefined;
      return decryptNextPreKeyMessage(record, message, context);
    };
    repository.decryptMessage = (options) => {
      const { jid } = options;
      const address = repository.jidToSignalProtocolAddress(jid);
      if (!LID_ADDRESS.test(address)) return decryptMessage.call(repository, options);
      return keys.transaction(async () => {
        const decrypted = await decrypt(address, options);
        if (!decrypted) return decryptMessage.call(repository, options);
        const write: object = { session: { [address]: decrypted.record } };
        await keys.set(write);
        return decrypted.plaintext;
      }, jid);
    };
    return repository;
  };
}
