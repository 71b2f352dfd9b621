import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import {
  addTransactionCapability,
  Curve,
  DEFAULT_CONNECTION_CONFIG,
  generateSignalPubKey,
  initAuthCreds,
  type SignalDataSet,
  type SignalDataTypeMap,
  signedKeyPair,
} from '@whiskeysockets/baileys';
import { ProtocolAddress, SessionBuilder, SessionCipher, SessionRecord, type SignalStorage } from 'libsignal';
import { beforeAll, expect, it } from 'vitest';
import { installSessionQueue } from '../../../../src/whatsapp/baileys/patches/session-queue.ts';
import { silent } from '../../../support/session-fakes.ts';

const JID = '100000000000001:1@lid';

const publicKeyOf = (pair: { public: Uint8Array }) => Buffer.from(generateSignalPubKey(pair.public));

/** Creates the keys that WhatsApp stores for a device. */
function createBundle() {
  const identity = Curve.generateKeyPair();
  const signed = signedKeyPair(identity, 1);
  return {
    registrationId: 1,
    identityKey: publicKeyOf(identity),
    signedPreKey: { keyId: 1, publicKey: publicKeyOf(signed.keyPair), signature: Buffer.from(signed.signature) },
    preKey: { keyId: 1, publicKey: publicKeyOf(Curve.generateKeyPair()) },
  };
}

/** Creates an account as in Baileys: keys with transactions, in memory, and a Signal repository. */
function createAccount() {
  const stored = new Map<string, unknown>();
  /** Reads of keys wait for this promise. */
  let pause = Promise.resolve();
  let onRead = () => {};
  const store = {
    async get<T extends keyof SignalDataTypeMap>(type: T, ids: string[]) {
      onRead();
      await pause;
      // As useMultiFileAuthState() of Baileys: null for a key that does not exist.
      const found: { [id: string]: SignalDataTypeMap[T] } = {};
      for (const id of ids) Object.assign(found, { [id]: stored.get(`${type} ${id}`) ?? null });
      return found;
    },
    async set(data: SignalDataSet) {
      for (const [type, values] of Object.entries(data)) {
        for (const [id, value] of Object.entries(values)) stored.set(`${type} ${id}`, value);
      }
    },
  };
  const keys = addTransactionCapability(store, silent, { maxCommitRetries: 1, delayBetweenTriesMs: 1 });
  const auth = { creds: initAuthCreds(), keys };
  return {
    keys,
    repository: DEFAULT_CONNECTION_CONFIG.makeSignalRepository(auth, silent),
    /** Delays reads until `resume` is called. `firstRead` resolves when the first read waits. */
    pauseReads() {
      const paused = Promise.withResolvers<void>();
      const waiting = Promise.withResolvers<void>();
      pause = paused.promise;
      onRead = waiting.resolve;
      return { resume: paused.resolve, firstRead: waiting.promise };
    },
  };
}

type Account = ReturnType<typeof createAccount>;
type Bundle = ReturnType<typeof createBundle>;

/**
 * Encrypts the first message for a device as relayMessage() of Baileys does, and resolves with its type. Calls
 * `fetchKeys` between the search for a session and the start of one, where Baileys fetches the keys of the device.
 */
const encryptFirst = ({ keys, repository }: Account, bundle: Bundle, fetchKeys = async () => {}): Promise<string> =>
  keys.transaction(async () => {
    if ((await repository.validateSession(JID)).exists) throw new Error('the session exists');
    await fetchKeys();
    await repository.injectE2ESession({ jid: JID, session: bundle });
    return (await repository.encryptMessage({ jid: JID, data: Buffer.from('text') })).type;
  }, 'me');

/** Creates a storage without sessions. `contexts` contains the context of each read and write of a session. */
function recordingStorage(context: AsyncLocalStorage<string>): { storage: SignalStorage; contexts: unknown[] } {
  const identity = Curve.generateKeyPair();
  const pair = { privKey: Buffer.from(identity.private), pubKey: publicKeyOf(identity) };
  const contexts: unknown[] = [];
  const record = async () => {
    contexts.push(context.getStore());
    return undefined;
  };
  const storage: SignalStorage = {
    loadSession: record,
    storeSession: record,
    isTrustedIdentity: () => true,
    loadPreKey: async () => pair,
    removePreKey: () => undefined,
    loadSignedPreKey: () => pair,
    getOurRegistrationId: () => 1,
    getOurIdentity: () => pair,
  };
  return { storage, contexts };
}

beforeAll(() => installSessionQueue());

it.each([
  'this',
  'another',
])('installSessionQueue() keeps the new session of a first message while %s account decrypts from the device', async (which) => {
  const sender = createAccount();
  const receiver = which === 'this' ? sender : createAccount();
  const [sessionSearch, keyFetch] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const messageType = encryptFirst(sender, createBundle(), () => {
    sessionSearch.resolve();
    return keyFetch.promise;
  });
  await sessionSearch.promise;
  const { resume, firstRead } = receiver.pauseReads();
  const decryption = receiver.repository.decryptMessage({ jid: JID, type: 'msg', ciphertext: Buffer.from('damaged') });
  await firstRead;
  keyFetch.resolve();
  // The start of the session waits for the end of the decryption.
  await setImmediate();
  resume();
  await expect(decryption).rejects.toThrow('No session record');
  expect(await messageType).toBe('pkmsg');
});

const operations: [name: string, run: (storage: SignalStorage, address: ProtocolAddress) => Promise<unknown>][] = [
  ['starting a session', (storage, address) => new SessionBuilder(storage, address).initOutgoing(createBundle())],
  ['encrypting', (storage, address) => new SessionCipher(storage, address).encrypt(Buffer.from('text'))],
  ['decrypting', (storage, address) => new SessionCipher(storage, address).decryptWhisperMessage(Buffer.from('text'))],
];

it.each(
  operations,
)('installSessionQueue() runs the job for %s in the context of its caller, also after another job', async (_, run) => {
  const context = new AsyncLocalStorage<string>();
  const address = new ProtocolAddress('100000000000001_1', 1);
  const [first, second] = [recordingStorage(context), recordingStorage(context)];
  await Promise.allSettled([
    context.run('first', () => run(first.storage, address)),
    context.run('second', () => run(second.storage, address)),
  ]);
  expect(new Set(first.contexts)).toEqual(new Set(['first']));
  expect(new Set(second.contexts)).toEqual(new Set(['second']));
});

it('installSessionQueue() lets initOutgoing() store the new session', async () => {
  const { storage } = recordingStorage(new AsyncLocalStorage());
  const storedSessions: SessionRecord[] = [];
  storage.storeSession = async (_id, session) => void storedSessions.push(session);
  await new SessionBuilder(storage, new ProtocolAddress('100000000000001_1', 1)).initOutgoing(createBundle());
  expect(storedSessions.map((session) => session instanceof SessionRecord && session.haveOpenSession())).toEqual([
    true,
  ]);
});
