// Starts Signal sessions outside of key transactions.
// Why: Baileys opens a transaction for each device, in which it reads the LID and the session several times. The
//   transaction takes as much time as the cryptography of the new session. When one device has keys of low order (weak
//   public keys), or a signature of a wrong length, the message to all devices fails.
// Upstream: docs/internals/upstream-security.md, "One device with unusable keys blocks messages to a group".
// Applies to: Baileys 7.0.0-rc14, libsignal 6.0.0.
// Remove when: `injectE2ESession` stores a session without a transaction, and `parseAndInjectE2ESessions` skips a
//   device whose session cannot be created.
import { createRequire } from 'node:module';
import type { DeviceSessions } from '../auth/device-sessions.ts';
import { identityKeyOf } from '../auth/identity-key.ts';
import { isSessionRecord, type SessionRecord } from '../auth/session-record.ts';
import type { SignalRepositoryWithLIDStore, SocketConfig } from '../library.ts';
import { UnusableKeysError } from './signature-verification.ts';

type CreateRepository = SocketConfig['makeSignalRepository'];
type OwnKeys = Parameters<CreateRepository>[0]['creds'];
type KeyBundle = Parameters<SignalRepositoryWithLIDStore['injectE2ESession']>[0]['session'];

/** What libsignal reads and writes to start a session. */
interface Storage {
  loadSession(): Promise<undefined>;
  storeSession(address: string, record: { serialize(): unknown }): Promise<void>;
  isTrustedIdentity(): boolean;
  getOurIdentity(): { privKey: Buffer; pubKey: Buffer };
}

interface Libsignal {
  SessionBuilder: new (storage: Storage, address: object) => { initOutgoing(bundle: KeyBundle): Promise<void> };
  ProtocolAddress: new (name: string, device: number) => object;
}

const requireFromBaileys = createRequire(import.meta.resolve('@whiskeysockets/baileys'));
const libsignal: Libsignal = requireFromBaileys('libsignal');

/**
 * Wraps a factory of Signal repositories. The repositories store new sessions with `sessions`, which must use the same
 * key store as the repositories.
 */
export function withNewSessions(create: CreateRepository, sessions: DeviceSessions): CreateRepository {
  return (auth, logger, pnToLid): SignalRepositoryWithLIDStore => {
    const repository = create(auth, logger, pnToLid);
    const { creds, keys } = auth;
    const { injectE2ESession } = repository;
    const isInTransaction = () => 'isInTransaction' in keys && keys.isInTransaction();
    repository.injectE2ESession = async (options) => {
      const { jid, session: bundle } = options;
      const address = sessions.addressOf(jid);
      // Also called when Baileys then creates the session itself (see below), because createSession() rejects unusable
      // keys with UnusableKeysError.
      const created = await createSession(address ?? repository.jidToSignalProtocolAddress(jid), bundle, creds);
      // Baileys creates the session when addressOf() does not know the address, and in a transaction: a running
      // transaction keeps the keys that it has read, so it would not see a session that is stored outside of it.
      if (address === undefined || isInTransaction()) return injectE2ESession.call(repository, options);
      await sessions.add(address, created);
    };
    return repository;
  };
}

/**
 * Returns a record with a new session. Rejects with UnusableKeysError when the keys are unusable. In the mode `strict`
 * (VerifyMode), keys with a wrong signature are unusable too: libsignal checks the signature with the function that
 * signature-verification.ts installs.
 */
async function createSession(address: string, bundle: KeyBundle, creds: OwnKeys): Promise<SessionRecord> {
  let created: unknown;
  const { signedIdentityKey } = creds;
  const storage: Storage = {
    loadSession: async () => undefined,
    storeSession: async (_, record) => {
      created = record.serialize();
    },
    isTrustedIdentity: () => true,
    getOurIdentity: () => ({
      privKey: Buffer.from(signedIdentityKey.private),
      pubKey: Buffer.from(identityKeyOf(creds)),
    }),
  };
  const [name = '', device] = address.split('.');
  const builder = new libsignal.SessionBuilder(storage, new libsignal.ProtocolAddress(name, Number(device)));
  try {
    await builder.initOutgoing(bundle);
  } catch (cause) {
    // `storage` neither reads nor writes the store, so only the keys can be the cause.
    throw new UnusableKeysError(cause);
  }
  if (!isSessionRecord(created)) throw new Error('libsignal created no session');
  return created;
}
