// Prepares this process for sockets and opens them: one call of the result is one socket generation of one instance.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Agent } from 'node:https';
import type { Logger } from 'pino';
import type { InstanceSettings, ProxySettings } from '../../storage/instance-row.ts';
import type { Storage } from '../../storage/storage.ts';
import { LidCache } from '../address/lid-map.ts';
import { AuthState } from '../baileys/auth/auth-state.ts';
import { createCaches } from '../baileys/caches.ts';
import { SERVICE_UNAVAILABLE } from '../baileys/connection-update.ts';
import { type SocketTuning, socketOptions, wantsHistory } from '../baileys/options.ts';
import { patchEditsAndDeletions } from '../baileys/patches/edits-and-deletions.ts';
import { containSocketErrors } from '../baileys/patches/error-containment.ts';
import { patchEventBuffer } from '../baileys/patches/event-buffer.ts';
import { installInflateLimit } from '../baileys/patches/inflate-limit.ts';
import { installLibsignalConsole } from '../baileys/patches/libsignal-console.ts';
import { patchNewsletterMessages } from '../baileys/patches/newsletter-messages.ts';
import { patchPairingAfterLogin } from '../baileys/patches/pairing-after-login.ts';
import { PlaceholderRequests } from '../baileys/patches/placeholder-requests.ts';
import { patchQueryTimeout } from '../baileys/patches/query-timeout.ts';
import { patchReceiptRecipients } from '../baileys/patches/receipt-order.ts';
import { restoreSessionOnFailure } from '../baileys/patches/session-rollback.ts';
import { installSignatureVerification, type VerifyMode } from '../baileys/patches/signature-verification.ts';
import { installTokenDictionary } from '../baileys/patches/token-dictionary.ts';
import { type PlatformEndpoint, pinRootKey, type Tunnel, trustOf, trustThrough } from '../baileys/platform-endpoint.ts';
import { createSocket } from '../baileys/socket.ts';
import type { Stanza } from '../baileys/stanza.ts';
import type { SignalKeyStore, Socket } from '../baileys/types.ts';
import { installAutoRead } from '../behaviors/auto-read.ts';
import { installCallRejection } from '../behaviors/call-rejection.ts';
import { installProfileSync } from '../behaviors/profile-sync.ts';
import { GroupCache } from '../group/cache.ts';
import { GroupPermissions } from '../group/permissions.ts';
import { fetchGroup } from '../group/read.ts';
import { peopleOf } from '../group/record.ts';
import { HistoryNotices } from '../inbound/history-notices.ts';
import { InboundBuffer } from '../inbound/inbound-buffer.ts';
import { installLabelStore } from '../label/store.ts';
import { AccountRestrictions } from '../outbound/account-restrictions.ts';
import { patchAppStateAnswers } from '../outbound/app-state.ts';
import { DevicePrefetch } from '../outbound/device-prefetch.ts';
import type { FetchPreview, OpenSession, SendObserver, Session } from '../session.ts';
import { createSessionErrors } from './session-errors.ts';
import { SocketSession } from './socket-session.ts';

export interface OpenSessionDeps {
  endpoint: PlatformEndpoint;
  storage: Storage;
  preview: FetchPreview;
  log: Logger;
  observer?: SendObserver | undefined;
  /** Connections through a proxy. */
  tunnel: (proxy: ProxySettings) => Tunnel;
  /** For instances without one of their own. */
  proxy?: ProxySettings | undefined;
  options: SocketTuning & {
    /** ms a send may take after its delay. */
    sendTimeout: number;
    /** Longest `delay` of a send, ms. */
    maxDelay: number;
    /** ms for which an answer that a number is on the platform is good. */
    numberLookupTtl: number;
    /** Whether labels are stored. */
    keepsLabels: boolean;
    /** Whether messages to strangers are refused while the platform would refuse them (RESTRICTION_GUARD). */
    restrictionGuard: boolean;
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
  const direct = trustOf(endpoint);
  installSignatureVerification({ verify: tuning.verify, log: deps.log });
  installLibsignalConsole();
  restoreSessionOnFailure();
  installInflateLimit();
  installTokenDictionary();
  const caches = createCaches();
  const done = keyedSets();
  let generation = 0;
  return async (options) => {
    const { instanceId, settings } = options;
    const proxy = options.proxy ?? deps.proxy;
    const trust = proxy ? trustThrough(endpoint, deps.tunnel(proxy)) : direct;
    const log = deps.log.child({ instance: options.instanceName });
    const auth = await AuthState.open({
      keys: storage.authKeys,
      instanceId,
      onFailure: (err) => {
        log.error({ err }, 'session.storage.failed');
        session.fail(SERVICE_UNAVAILABLE, 'storage failed');
      },
      onDamaged: (err) => log.warn({ err }, 'session.key.damaged'),
    });
    const announced = new HistoryNotices((notice) => wantsHistory(settings, notice));
    const inbound = await InboundBuffer.open(auth, announced, done(instanceId));
    const standing = await AccountRestrictions.open(auth, tuning.restrictionGuard);
    // The generation before this one has settled all of its own: whatever is found was left by a process that was killed.
    const left = await storage.messages.unsettled(instanceId);
    const heard = new LidCache();
    const groups = groupsOf(() => session, heard, log);
    // A view per generation: what a cache learnt under one account must not serve the next.
    const phoneRequests = new PlaceholderRequests();
    const own = phoneRequests.wrap(caches(`${instanceId}#${++generation}`));
    const config = socketOptions({
      endpoint,
      trust,
      tuning,
      settings,
      auth,
      messages: storage.messages,
      instanceId,
      caches: own,
      groups,
      inbound,
      log,
    });
    const incidents = createSessionErrors({ log, observer: deps.observer, session: () => session });
    const socket = containSocketErrors(() => createSocket(config), incidents);
    keepTokens(socket.authState.keys);
    const { queryTimeout, sendTimeout, maxDelay, numberLookupTtl } = tuning;
    groups.follow(socket.ws);
    heard.follow(socket, (err) => log.debug({ err }, 'twins.unstored'));
    socket.ws.prependListener('CB:message', (node: Stanza) => inbound.notice(node));
    patchQueryTimeout(socket.ws, queryTimeout);
    patchAppStateAnswers(socket.ws);
    const session: SocketSession = new SocketSession({
      ...{ options, storage, auth, groups, heard, standing, rights: new GroupPermissions(groups, loginOf(socket)) },
      devices: new DevicePrefetch({ socket, lists: own.userDevicesCache, groups }),
      ...{ inbound, incidents },
      ...{ preview: deps.preview, observer: deps.observer },
      log,
      socket,
      left,
      ...{ queryTimeout, sendTimeout, maxDelay, numberLookupTtl },
    });
    phoneRequests.follow(socket, session.ended, (err) => log.debug({ err }, 'message.phone_request.failed'));
    standing.follow(socket, session);
    if (tuning.keepsLabels) installLabelStore(socket, session, storage.authKeys);
    obey(socket, session, settings, proxy ? trust.fetchAgent : undefined);
    installProfileSync(socket, session, { isUnknown: options.isProfileUnknown === true });
    return session;
  };
}

/** A set by key, made when it is asked for first. */
function keyedSets(): (key: string) => Set<string> {
  const sets = new Map<string, Set<string>>();
  return (key) => {
    const known = sets.get(key) ?? new Set();
    sets.set(key, known);
    return known;
  };
}

/** What `session` knows about its groups; who is in them is learnt for `heard` as well. */
function groupsOf(session: () => Session, heard: LidCache, log: Logger): GroupCache {
  return new GroupCache({
    fetch: async (jid) => {
      const group = await fetchGroup(session(), jid);
      heard.learn(peopleOf(group));
      return group;
    },
    isMe: (jid) => [session().me()?.jid, session().me()?.lid].includes(jid),
    log,
  });
}

/** Resolves in the moment of the login. */
const loginOf = ({ ws }: Socket): Promise<void> => new Promise((resolve) => ws.once('CB:success', () => resolve()));

/** What happens by itself from now on, much of it if the settings say so; uploads go through `agent`, if there is one. */
function obey(socket: Socket, session: Session, settings: InstanceSettings, agent: Agent | undefined): void {
  session.state.mediaAgent = agent;
  patchPairingAfterLogin(socket);
  patchEventBuffer(socket);
  patchEditsAndDeletions(socket);
  patchReceiptRecipients(socket, () => session.me());
  patchNewsletterMessages(socket);
  installCallRejection(socket, session, settings);
  installAutoRead(socket, session, settings);
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
