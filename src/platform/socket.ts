// Prepares this process for sockets and opens them: one call of the result is one socket generation of one instance.
import { AsyncLocalStorage } from 'node:async_hooks';
import makeWASocket, { type SignalKeyStore } from '@whiskeysockets/baileys';
import type { Logger } from 'pino';
import type { Storage } from '../storage/storage.ts';
import { AuthState } from './auth-state.ts';
import { createCaches } from './caches.ts';
import { type Endpoint, pinRootKey, trustOf } from './endpoint.ts';
import { serviceUnavailable } from './events/connection.ts';
import { GroupCache } from './group/cache.ts';
import { fetchGroup } from './group/read.ts';
import { OpenSocket } from './open-socket.ts';
import type { Preview } from './preview.ts';
import { silenceLibsignal } from './quiet.ts';
import type { OpenSession } from './session.ts';
import { installSignatures, type VerifyMode } from './signature.ts';
import { failUnanswered } from './silence.ts';
import { type SocketTuning, socketOptions } from './socket-options.ts';

export interface OpenSessionDeps {
  endpoint: Endpoint;
  storage: Storage;
  preview: Preview;
  log: Logger;
  options: SocketTuning & {
    /** ms a send may take after its delay. */
    sendTimeout: number;
    /** Longest `delay` of a send, ms. */
    maxDelay: number;
    /** What to do about a wrong signature (PLATFORM_VERIFY). */
    verify: VerifyMode;
  };
}

/**
 * Makes the trusted root, real signature checks and a silent libsignal the process's own, and returns the way to open a session.
 * Throws Error when the process already trusts another root.
 */
export function createOpenSession(deps: OpenSessionDeps): OpenSession {
  const { endpoint, storage, options: tuning } = deps;
  pinRootKey(endpoint);
  const trust = trustOf(endpoint);
  installSignatures({ verify: tuning.verify, log: deps.log });
  silenceLibsignal();
  const caches = createCaches();
  let generation = 0;
  return async (options) => {
    generation += 1;
    const { instanceId, settings } = options;
    const log = deps.log.child({ instance: options.instanceName });
    const auth = await AuthState.open({
      keys: storage.authKeys,
      instanceId,
      onFailure: (err) => {
        log.error({ err }, 'session.storage.failed');
        session.fail(serviceUnavailable, 'storage failed');
      },
    });
    // The generation before this one has settled all of its own: whatever is found was left by a process that was killed.
    const left = await storage.messages.unsettled(instanceId);
    const groups = new GroupCache({
      fetch: (jid) => fetchGroup(session, jid),
      isMe: (jid) => [session.me()?.jid, session.me()?.lid].includes(jid),
      log,
    });
    const config = socketOptions({
      endpoint,
      trust,
      tuning,
      settings,
      auth,
      messages: storage.messages,
      instanceId,
      // A view per generation: what a cache learnt under one account must not serve the next.
      caches: caches(`${instanceId}#${generation}`),
      groups,
      log,
    });
    const socket = makeWASocket(config);
    keepTokens(socket.authState.keys);
    const { queryTimeout, sendTimeout, maxDelay } = tuning;
    groups.follow(socket.ws);
    failUnanswered(socket.ws, queryTimeout);
    const session: OpenSocket = new OpenSocket({
      options,
      storage,
      auth,
      groups,
      preview: deps.preview,
      log,
      socket,
      left,
      queryTimeout,
      sendTimeout,
      maxDelay,
    });
    return session;
  };
}

/**
 * rc14 records that it gave a contact its privacy token after the transaction of the send has committed but still inside its
 * context, where the record is lost: it gives the token again with every message. Here these records leave the context.
 */
function keepTokens(keys: SignalKeyStore): void {
  const outside = AsyncLocalStorage.snapshot();
  const { set } = keys;
  keys.set = (data) => ('tctoken' in data ? outside(set, data) : set(data));
}
