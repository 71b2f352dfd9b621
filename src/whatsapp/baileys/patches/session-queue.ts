// Runs the jobs of libsignal in the asynchronous context of their callers.
// Why: libsignal runs all jobs with one address in turn, also those of different accounts, and in the context of the
//   caller of the first job. Baileys finds the transaction of a job by its context: a job that waited reads and writes
//   outside of its transaction, or in a wrong one. A new session is then lost, and its device gets no message.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14, libsignal 6.0.0.
// Remove when: `queueJob` of libsignal runs jobs in the context of their callers.
import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire } from 'node:module';

type Job = () => Promise<unknown>;

interface SessionCipher {
  queueJob(job: Job): Promise<unknown>;
}

interface SessionBuilder {
  storage: object;
  initOutgoing(keyBundle: object): Promise<void>;
}

const requireFromBaileys = createRequire(import.meta.resolve('@whiskeysockets/baileys'));
const { prototype: cipher }: { prototype: SessionCipher } = requireFromBaileys('libsignal/src/session_cipher.js');
const { prototype: builder }: { prototype: SessionBuilder } = requireFromBaileys('libsignal/src/session_builder.js');
const { queueJob } = cipher;
const { initOutgoing } = builder;

/** Makes libsignal use keys in the context of its callers. Applies to the whole process. Idempotent. */
export function installSessionQueue(): void {
  cipher.queueJob = function (job) {
    return queueJob.call(this, AsyncLocalStorage.bind(job));
  };
  // initOutgoing() does not pass its job to queueJob() of SessionCipher, but the job uses keys only through the
  // storage.
  builder.initOutgoing = function (keyBundle) {
    const storage = { value: bindStorage(this.storage) };
    return initOutgoing.call(Object.create(this, { storage }), keyBundle);
  };
}

/** Returns an object with the methods of `storage`, which run in the current context. */
function bindStorage(storage: object): object {
  const runInContext = AsyncLocalStorage.snapshot();
  return new Proxy(storage, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...parameters: unknown[]) => runInContext(() => Reflect.apply(member, target, parameters));
    },
  });
}
