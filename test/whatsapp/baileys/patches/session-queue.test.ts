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
import { silent } from '../../fakes.ts';

const JID = '100000000000001:1@lid';

const publicKeyOf = (pair: { public: Uint8Array }) => Buffer.from(generateSignalPubKey(pair.public));

/** The keys that the server has of a device. */
function keyBundle() {
  const identity = Curve.generateKeyPair();
  const signed = signedKeyPair(identity, 1);
  return {
    registrationId: 1,
    identityKey: publicKeyOf(identity),
    signedPreKey: { keyId: 1, publicKey: publicKeyOf(signed.keyPair), signature: Buffer.from(signed.signature) },
    preKey: { keyId: 1, publicKey: publicKeyOf(Curve.generateKeyPair()) },
  };
}

/** An account as Baileys runs it: keys with transactions, in memory, and a Signal repository. */
function account() {
  const stored = new Map<string, unknown>();
  /** Awaited by the reads of keys. */
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
    /** Lets reads wait until `resume` is called; `isWaiting` resolves with the first of them. */
    pauseReads() {
      const paused = Promise.withResolvers<void>();
      const waiting = Promise.withResolvers<void>();
      pause = paused.promise;
      onRead = waiting.resolve;
      return { resume: paused.resolve, isWaiting: waiting.promise };
    },
  };
}

type Account = ReturnType<typeof account>;
type Bundle = ReturnType<typeof keyBundle>;

/**
 * Encrypts the first message for a device as relayMessage() of Baileys does, and resolves with its type. `fetched` is
 * awaited between the search for a session and the start of one, where Baileys fetches the keys of the device.
 */
const writeFirst = ({ keys, repository }: Account, bundle: Bundle, fetched = async () => {}): Promise<string> =>
  keys.transaction(async () => {
    if ((await repository.validateSession(JID)).exists) throw new Error('the session exists');
    await fetched();
    await repository.injectE2ESession({ jid: JID, session: bundle });
    return (await repository.encryptMessage({ jid: JID, data: Buffer.from('text') })).type;
  }, 'me');

/** A storage without sessions that records in which context it is asked for one. */
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
])('the first message for a device does not miss it while %s account decrypts one of it', async (which) => {
  const we = account();
  const receiver = which === 'this' ? we : account();
  const [hasLooked, hasKeys] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const written = writeFirst(we, keyBundle(), () => {
    hasLooked.resolve();
    return hasKeys.promise;
  });
  await hasLooked.promise;
  const { resume, isWaiting } = receiver.pauseReads();
  const decrypted = receiver.repository.decryptMessage({ jid: JID, type: 'msg', ciphertext: Buffer.from('damaged') });
  await isWaiting;
  hasKeys.resolve();
  // The start of the session waits for the end of the decryption.
  await setImmediate();
  resume();
  await expect(decrypted).rejects.toThrow('No session record');
  expect(await written).toBe('pkmsg');
});

const operations: [name: string, run: (storage: SignalStorage, address: ProtocolAddress) => Promise<unknown>][] = [
  ['starting a session', (storage, address) => new SessionBuilder(storage, address).initOutgoing(keyBundle())],
  ['encrypting', (storage, address) => new SessionCipher(storage, address).encrypt(Buffer.from('text'))],
  ['decrypting', (storage, address) => new SessionCipher(storage, address).decryptWhisperMessage(Buffer.from('text'))],
];

it.each(
  operations,
)('%s uses the keys in the context of its caller, also when it waited for another one', async (_, run) => {
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

it('a session that is started is stored', async () => {
  const { storage } = recordingStorage(new AsyncLocalStorage());
  const saved: SessionRecord[] = [];
  storage.storeSession = async (_id, session) => void saved.push(session);
  await new SessionBuilder(storage, new ProtocolAddress('100000000000001_1', 1)).initOutgoing(keyBundle());
  expect(saved.map((session) => session instanceof SessionRecord && session.haveOpenSession())).toEqual([true]);
});
