// Opens sessions: creates and patches the Baileys socket of an instance, and connects it with the other parts of the
// session. "Session" means the connection of an instance to WhatsApp, and "device session" the Signal encryption state
// for one device of a contact.
import type { Logger } from 'pino';
import type { Clock } from '../../lib/clock.ts';
import type { ProxySettings } from '../../storage/instance-row.ts';
import type { Storage } from '../../storage/storage.ts';
import { ChatAddresses } from '../address/chat-addresses.ts';
import { LidCache } from '../address/lid-map.ts';
import { withLateVersions } from '../baileys/auth/app-state-versions.ts';
import { AuthState } from '../baileys/auth/auth-state.ts';
import { DeviceSessions } from '../baileys/auth/device-sessions.ts';
import { withPrivacyTokenIndex } from '../baileys/auth/privacy-token-index.ts';
import { withSenderKeyMemory } from '../baileys/auth/sender-key-memory.ts';
import { SessionSetup } from '../baileys/auth/session-setup.ts';
import { createCaches } from '../baileys/caches.ts';
import { SERVICE_UNAVAILABLE } from '../baileys/connection-update.ts';
import { acceptsHistory, type SocketParts, type SocketTuning, socketOptions } from '../baileys/options.ts';
import {
  type ConfigHooks,
  createPatchedSocket,
  installPatches,
  patchSocket,
  type SocketHooks,
} from '../baileys/patches/install.ts';
import { KnownPairs } from '../baileys/patches/lid-mapping.ts';
import { PlaceholderRequests } from '../baileys/patches/placeholder-requests.ts';
import type { VerifyMode } from '../baileys/patches/signature-verification.ts';
import { createProxyTrust, createTrust, type PlatformEndpoint, type Tunnel } from '../baileys/platform-endpoint.ts';
import { StanzaQueries } from '../baileys/stanza-query.ts';
import type { Socket } from '../baileys/types.ts';
import { installAutoRead } from '../behaviors/auto-read.ts';
import { installCallRejection } from '../behaviors/call-rejection.ts';
import { installImportFollowUp, loadImportTasks } from '../behaviors/import-follow-up.ts';
import { installOnlinePresence } from '../behaviors/online-presence.ts';
import { installProfileSync } from '../behaviors/profile-sync.ts';
import { editOrDeletionIn } from '../content/edit.ts';
import { encryptedAddOnIn } from '../content/encrypted-add-on.ts';
import { GroupCache } from '../group/cache.ts';
import { GroupPermissions } from '../group/permissions.ts';
import { fetchGroup } from '../group/read.ts';
import { groupAddressPairs } from '../group/record.ts';
import { ReceiptFilter } from '../inbound/group-receipts.ts';
import { HistoryNotices } from '../inbound/history-notices.ts';
import { InboundBuffer } from '../inbound/inbound-buffer.ts';
import { copySenderUsername } from '../inbound/sender-username.ts';
import { installLabelStore } from '../label/store.ts';
import { AccountRestrictions } from '../outbound/account-restrictions.ts';
import { DevicePrefetch } from '../outbound/device-prefetch.ts';
import { FirstContactTokens } from '../outbound/first-contact.ts';
import { createRetrySource, createSentMessageFinder } from '../outbound/retry-source.ts';
import type { AddressForm, FetchPreview, OpenSession, Session, SessionObserver, SessionOptions } from '../session.ts';
import { createSessionErrors } from './session-errors.ts';
import { SocketSession } from './socket-session.ts';

export interface OpenSessionDeps {
  /** The server that sessions connect to: WhatsApp or a sandbox. */
  endpoint: PlatformEndpoint;
  storage: Storage;
  /** Fetches the preview of a link in a text. */
  preview: FetchPreview;
  clock: Clock;
  log: Logger;
  observer?: SessionObserver | undefined;
  /** Returns a function that opens connections through a proxy. */
  tunnel: (proxy: ProxySettings) => Tunnel;
  /** Default proxy, for instances without a proxy of their own. */
  proxy?: ProxySettings | undefined;
  options: SocketTuning & {
    /** ms until an unanswered query fails. An unanswered query blocks every send of its account. */
    queryTimeout: number;
    /** Maximum duration of a send after its delay, ms. */
    sendTimeout: number;
    /** Maximum value of a send's `delay`, ms. */
    maxDelay: number;
    /** ms for which the result of a number lookup is valid. */
    numberLookupTtl: number;
    /** True when the labels of the account are stored (DATABASE_SAVE_DATA_LABELS). */
    storesLabels: boolean;
    /** True when messages to new chats are refused while WhatsApp restricts the account (RESTRICTION_GUARD). */
    restrictionGuard: boolean;
    /** The form of addresses in chats with one person (PLATFORM_ADDRESSING). */
    addressForm: AddressForm;
    /** True when instances can be linked to accounts that require a passkey (PASSKEY_LINKING). */
    passkeyLinking: boolean;
    /** The handling of invalid signatures (PLATFORM_VERIFY). */
    verifyMode: VerifyMode;
  };
}

/** Maximum wait for the server in each step of closing, ms. */
const CLOSE_STEP_TIMEOUT = 2_000;

/**
 * Patches Baileys in this process and returns the function that opens a session. Throws Error when Baileys was already
 * patched in this process with another root key (the key of the server's Noise certificates).
 */
export function createOpenSession(deps: OpenSessionDeps): OpenSession {
  const { endpoint, storage, observer, options: tuning } = deps;
  const { queryTimeout, sendTimeout, maxDelay, numberLookupTtl } = tuning;
  installPatches({ rootKey: endpoint.rootKey, verify: tuning.verifyMode, log: deps.log });
  // The agents and trusted certificates for connections without a proxy, which all sessions share.
  const directTrust = createTrust(endpoint);
  const cachesFor = createCaches();
  let sessionCount = 0;
  return async (options) => {
    const { instanceId, settings } = options;
    const proxy = options.proxy ?? deps.proxy;
    const trust = proxy ? createProxyTrust(endpoint, deps.tunnel(proxy)) : directTrust;
    const log = deps.log.child({ instance: options.instanceName });
    const slot = new SessionSlot();
    // Each session has its own cache entries, because the instance can be linked to another account in the next
    // session.
    const cacheOwner = `${instanceId}#${++sessionCount}`;
    const parts = await openParts(options, { slot, storage, tuning, log });
    const { auth, groups, lidCache, addresses, restrictions, inbound, unsettled } = parts;
    const caches = cachesFor(cacheOwner);
    const config = createConfig(parts, { endpoint, trust, tuning, settings, caches, log });
    const errors = createSessionErrors({ log, observer, session: () => slot.session });
    const socket = createPatchedSocket(config, createConfigHooks(parts, log), errors);
    slot.recentMessages = socket.messageRetryManager;
    groups.listen(socket.ws);
    const queries = new StanzaQueries(socket);
    const sessionSetup = new SessionSetup({ socket, queries, sessions: parts.deviceSessions });
    const deviceLists = caches.userDevicesCache;
    const devices = new DevicePrefetch({ socket, queries, sessionSetup, deviceLists, groups });
    devices.listen(socket, (jid) => addresses.alternateOf(jid));
    lidCache.listen(socket, (err) => log.debug({ err }, 'lid_map.write.failed'));

    const session = new SocketSession({
      options,
      storage,
      auth,
      groups,
      lidCache,
      restrictions,
      firstContacts: parts.firstContacts,
      permissions: new GroupPermissions(groups, whenLoggedIn(socket)),
      devices,
      addresses,
      inbound,
      errors,
      preview: deps.preview,
      observer,
      log,
      socket,
      unsettled,
      // The second element of `tuning.browser` is the name of the browser.
      passkey: { browser: tuning.browser[1], isEnabled: tuning.passkeyLinking, clock: deps.clock },
      queryTimeout,
      sendTimeout,
      maxDelay,
      numberLookupTtl,
      closeStepTimeout: CLOSE_STEP_TIMEOUT,
    });
    slot.session = session;
    session.state.mediaAgent = proxy ? trust.fetchAgent : undefined;
    patchSocket(socket, createHooks(session, parts, { tuning, deviceLists, queries, sessionSetup }));
    restrictions.listen(socket, session);
    if (tuning.storesLabels) installLabelStore(socket, session, storage.authKeys);
    installBehaviors(socket, session, options);
    installImportFollowUp(socket, session, { auth, tasks: parts.importTasks });
    return session;
  };
}

/** Starts the automatic behavior of a session, which follows the settings of the instance. */
function installBehaviors(
  socket: Socket,
  session: SocketSession,
  { settings, isProfileUnknown = false }: SessionOptions,
): void {
  installCallRejection(socket, session, settings);
  installAutoRead(socket, session, settings);
  installOnlinePresence(socket, session, settings);
  installProfileSync(socket, session, { isProfileUnknown });
}

/** Gives the parts of a session access to the session, which is created after its parts. */
class SessionSlot {
  #session: SocketSession | undefined;
  /** Baileys' cache of recent messages; null when the storage keeps sent messages, so that no cache is needed. */
  recentMessages: Socket['messageRetryManager'] = null;

  get session(): SocketSession {
    if (!this.#session) throw new Error('the session is not open yet');
    return this.#session;
  }

  set session(session: SocketSession) {
    this.#session = session;
  }

  /** Emits what Baileys has buffered. Resolves like waitForEvents() of the session. */
  waitForEvents(): Promise<void> {
    this.session.socket.ev.flush();
    return this.session.waitForEvents();
  }
}

/** The parts of a session that are created before its socket. */
type Parts = Awaited<ReturnType<typeof openParts>>;

/**
 * Creates the parts of a session from the stored state of the instance: credentials, unfinished messages, restrictions.
 * Rejects when the state cannot be read.
 */
async function openParts(
  { instanceId, settings, storedInboundRowIds }: SessionOptions,
  deps: Pick<OpenSessionDeps, 'storage' | 'log'> & {
    slot: SessionSlot;
    tuning: OpenSessionDeps['options'];
  },
) {
  const { slot, storage, tuning, log } = deps;
  const auth = await AuthState.open({
    keys: storage.authKeys,
    instanceId,
    onFailure: (err) => {
      log.error({ err }, 'session.storage.failed');
      slot.session.fail(SERVICE_UNAVAILABLE, 'storage failed', err);
    },
    onDamagedKey: (err) => log.warn({ err }, 'session.key.damaged'),
    onNumbersLearned: (numberJidsByLid) => slot.session.onNumbersLearned(numberJidsByLid),
  });
  // Keys without credentials belong to an earlier account. Their removal was interrupted.
  if (!auth.hadStoredCreds) await storage.authKeys.wipe(instanceId);
  const historyNotices = new HistoryNotices((notice) => acceptsHistory(settings, notice));
  const inbound = await InboundBuffer.open(auth, historyNotices, storedInboundRowIds);
  const restrictions = await AccountRestrictions.open(auth, tuning.restrictionGuard);
  const firstContacts = await FirstContactTokens.open(auth);
  const importTasks = await loadImportTasks(auth);
  // A session that closes gives its messages a final status. Messages without one come from a process that was killed.
  const unsettled = await storage.messages.findPending(instanceId);
  const lidCache = new LidCache();
  const knownPairs = new KnownPairs();
  const deviceSessions = new DeviceSessions(auth);
  const groups = createGroupCache(() => slot.session, lidCache, log);
  const me = () => slot.session.me();
  const addresses = new ChatAddresses({ form: tuning.addressForm, keys: auth, lidCache, me });
  const placeholderRequests = new PlaceholderRequests();
  const findMessage = createRetrySource({
    messages: storage.messages,
    recentMessage: (chat, id) => slot.recentMessages?.getRecentMessage(chat, id)?.message,
    instanceId,
    keys: auth,
    me,
  });
  const signalKeys = withSenderKeyMemory(
    withLateVersions(
      withPrivacyTokenIndex(auth.state.keys, () => auth.readStoredIds('tctoken')),
      () => slot.waitForEvents(),
    ),
    {
      members: (group) => groups.members(group),
      ownJids: () => [auth.creds.me?.id, auth.creds.me?.lid],
    },
  );
  return {
    auth,
    inbound,
    restrictions,
    firstContacts,
    importTasks,
    unsettled,
    lidCache,
    knownPairs,
    deviceSessions,
    addresses,
    groups,
    placeholderRequests,
    findMessage,
    signalKeys,
  };
}

/** Returns the options of the Baileys socket. */
function createConfig(
  { auth, groups, signalKeys, findMessage }: Parts,
  input: Pick<SocketParts, 'endpoint' | 'trust' | 'tuning' | 'settings' | 'caches' | 'log'>,
): ReturnType<typeof socketOptions> {
  return socketOptions({
    ...input,
    creds: auth.creds,
    keys: signalKeys,
    getMessage: async (key) => (await findMessage(key))?.content,
    cachedGroupMetadata: (jid) => groups.get(jid),
  });
}

/** Returns the parts of the session that the patches of the socket's options use. */
function createConfigHooks(
  { auth, knownPairs, deviceSessions, placeholderRequests, inbound }: Parts,
  log: Logger,
): ConfigHooks {
  const { messageTurns } = inbound;
  const wrapRepository: ConfigHooks['wrapRepository'] = (create) => inbound.wrapRepository(create);
  return { auth, knownPairs, deviceSessions, placeholderRequests, messageTurns, wrapRepository, log };
}

/** What createHooks() needs besides the session and its parts. */
type HookInput = Omit<SocketHooks['directRelay'], 'auth' | 'sessions'> & {
  tuning: OpenSessionDeps['options'];
  deviceLists: SocketHooks['groupRelay']['deviceLists'];
};

/** Returns the values and callbacks of the session that the patches of the socket use. */
function createHooks(
  session: SocketSession,
  {
    auth,
    inbound,
    placeholderRequests,
    findMessage,
    firstContacts,
    deviceSessions,
    groups,
    knownPairs,
    signalKeys,
  }: Parts,
  { tuning, deviceLists, ...relay }: HookInput,
) {
  const { queryTimeout, browser, passkeyLinking } = tuning;
  const receiptFilter = new ReceiptFilter();
  return {
    queryTimeout,
    browser,
    stopsForPasskey: passkeyLinking,
    closeTimeout: CLOSE_STEP_TIMEOUT,
    ended: session.ended,
    placeholderRequests,
    onPlaceholderFailure: (err) => session.log.debug({ err }, 'message.phone_request.failed'),
    onReceipt: (messageIds) => session.onReceipt(messageIds),
    recordReceiptIfRelevant: (receipt) => receiptFilter.recordIfRelevant(receipt),
    onReceiptFailure: (err) => session.log.debug({ err }, 'receipt.ack.failed'),
    onStatusFailure: (err) => session.log.debug({ err }, 'message.status_ack.failed'),
    onNewsletterFailure: (err) => session.log.debug({ err }, 'message.channel_post.failed'),
    onGroupsChanged: () => groups.clear(),
    messageTurns: inbound.messageTurns,
    // The NCT salt is a secret of the phone. It is the input of tokens for first messages to a person.
    onNctSalt: (salt) => {
      firstContacts
        .setSalt(salt)
        .catch((err: unknown) => session.log.debug({ err }, 'first_contact.salt_write.failed'));
    },
    onMessageStanza: (stanza) => {
      copySenderUsername(stanza.attrs);
      inbound.onStanza(stanza);
    },
    onRefusedUpgrade: (reason) => session.fail(SERVICE_UNAVAILABLE, reason),
    waitForKeys: () => auth.waitForWrites(),
    waitForEvents: () => session.waitForEvents(),
    account: () => session.me(),
    findSent: createSentMessageFinder(findMessage, (id) => session.pendingMessages.storeAttemptOf(id)),
    onRetryFailure: (err) => session.log.debug({ err }, 'message.resend.failed'),
    onNameFailure: (err) => session.log.debug({ err }, 'profile.name_send.failed'),
    directMessages: {
      ended: session.ended,
      account: () => session.me(),
      loadSession: (message) => inbound.loadSession(message),
      decryptAndKeep: (message) => inbound.decryptAndKeep(message),
      isSettled: (sender) => knownPairs.isSettled(sender),
      onReceiptFailure: (err) => session.log.debug({ err }, 'message.receipt.failed'),
    },
    directRelay: { auth, sessions: deviceSessions, deviceLists, ...relay },
    groupRelay: {
      group: (jid) => groups.get(jid),
      senderKeyDevices: (group) => signalKeys.devicesOf(group),
      deviceLists,
    },
    isChange: (message) => (editOrDeletionIn(message) ?? encryptedAddOnIn(message)) !== undefined,
  } satisfies SocketHooks;
}

/** Creates the group cache of a session. The cache also adds the addresses in each fetched group to `lidCache`. */
function createGroupCache(session: () => Session, lidCache: LidCache, log: Logger): GroupCache {
  return new GroupCache({
    fetch: async (jid) => {
      const group = await fetchGroup(session(), jid);
      lidCache.add(groupAddressPairs(group));
      return group;
    },
    isMe: (jid) => [session().me()?.jid, session().me()?.lid].includes(jid),
    log,
  });
}

/** Resolves when WhatsApp accepts the login. */
const whenLoggedIn = ({ ws }: Socket): Promise<void> =>
  new Promise((resolve) => ws.once('CB:success', () => resolve()));
