// Runs the jobs of libsignal in the asynchronous context of their callers.
// Why: libsignal has one queue of jobs per address of a contact's device, which all accounts of the process share. All
//   jobs of a queue run in the context of the caller whose job started the queue. Baileys finds the transaction of a
//   job by the context. A job of another caller therefore reads and writes outside of its transaction, or in the
//   transaction of the first caller. A new Signal session is then lost, and its device gets no message.
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

/** Makes libsignal run each job in the context of its caller. Applies to the whole process. Idempotent. */
export function installSessionQueue(): void {
  cipher.queueJob = function (job) {
    return queueJob.call(this, AsyncLocalStorage.bind(job));
  };
  // The job of initOutgoing() cannot be wrapped, because initOutgoing() does not call queueJob() of SessionCipher. The
  // job needs the context only when it calls the storage, so the storage is wrapped.
  builder.initOutgoing = function (keyBundle) {
    const storage = { value: bindStorage(this.storage) };
    return initOutgoing.call(Object.create(this, { storage }), keyBundle);
  };
}

/** Returns a proxy of `storage`. The methods of the proxy run in the context in which bindStorage() was called. */
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
