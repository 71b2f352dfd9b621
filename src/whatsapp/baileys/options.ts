// Builds the configuration of a Baileys socket, and explains the values that differ from Baileys' defaults.

import type { LevelWithSilent, Logger } from 'pino';
import type { InstanceSettings } from '../../storage/instance-row.ts';
import type { createCaches } from './caches.ts';
import {
  type AuthenticationCreds,
  proto,
  type SignalKeyStore,
  type UserFacingSocketConfig,
  type WABrowserDescription,
  type WAVersion,
} from './library.ts';
import { createBaileysLog } from './logger.ts';
import type { PlatformEndpoint, TlsTrust } from './platform-endpoint.ts';

/** Settings that all sockets of the process share. */
export interface SocketTuning {
  /** Name that the phone's list of linked devices shows: system, browser, version. */
  browser: WABrowserDescription;
  /** Returns the client version to present to WhatsApp; undefined means Baileys' default. */
  version: () => WAVersion | undefined;
  /** True when sent messages are stored. Retry requests are then answered from the store. */
  storesMessages: boolean;
  /** Lowest level of Baileys' log lines that are written to the gateway's log. */
  logBaileys: LevelWithSilent;
}

/** The input of socketOptions(). */
export interface SocketParts extends Required<Pick<UserFacingSocketConfig, 'cachedGroupMetadata' | 'getMessage'>> {
  endpoint: Pick<PlatformEndpoint, 'url'>;
  /** Agents and options of connections. They contain the trusted TLS certificates and the proxy. */
  trust: TlsTrust;
  tuning: SocketTuning;
  settings: InstanceSettings;
  creds: AuthenticationCreds;
  keys: SignalKeyStore;
  /** The caches of this socket. createCaches() returns the function that creates them. */
  caches: ReturnType<ReturnType<typeof createCaches>>;
  log: Logger;
}

/**
 * True when the session downloads the history that a notice of the phone announces. Only the full history is optional:
 * the other types contain names and the LID mappings (phone numbers to ids that hide them).
 */
export const acceptsHistory = (
  { syncFullHistory }: Pick<InstanceSettings, 'syncFullHistory'>,
  { syncType }: proto.Message.IHistorySyncNotification,
): boolean => syncFullHistory || syncType !== proto.HistorySync.HistorySyncType.FULL;

/** Returns the configuration of one socket. */
export function socketOptions(parts: SocketParts): UserFacingSocketConfig & SocketParts['caches'] {
  const { endpoint, trust, tuning, settings, log } = parts;
  const version = tuning.version();
  return {
    ...(endpoint.url ? { waWebSocketUrl: endpoint.url } : {}),
    // A member with the value undefined would replace Baileys' default.
    ...(trust.agent ? { agent: trust.agent } : {}),
    ...(trust.fetchAgent ? { fetchAgent: trust.fetchAgent } : {}),
    options: trust.options,
    ...(version ? { version } : {}),
    ...parts.caches,
    auth: { creds: parts.creds, keys: parts.keys },
    browser: tuning.browser,
    logger: createBaileysLog(log, tuning.logBaileys),
    // The gateway reports the messages that it sends. Baileys' events for these messages would take a third of the send
    // time.
    emitOwnEvents: false,
    cachedGroupMetadata: parts.cachedGroupMetadata,
    // Baileys' cache of sent messages has a timer per message. Retry requests need this cache only when the gateway
    // does not store sent messages.
    enableRecentMessageCache: !tuning.storesMessages,
    markOnlineOnConnect: settings.alwaysOnline,
    syncFullHistory: settings.syncFullHistory,
    shouldSyncHistoryMessage: (notice) => acceptsHistory(settings, notice),
    // Baileys must not fetch the URLs in texts. media/link-preview.ts fetches them with a client that refuses internal
    // addresses.
    generateHighQualityLinkPreview: false,
    // During a delay, Baileys would handle no other message, because it waits inside the message mutex.
    retryRequestDelayMs: 0,
    // 0 disables this timeout, for which Baileys creates two stack traces and a timer per frame (7 % of the CPU time of
    // a send). The instance lifecycle limits the time to connect, and outbound/send.ts the time to send.
    connectTimeoutMs: 0,
    // patches/query-timeout.ts limits the time of queries, with one timer and without stack traces.
    defaultQueryTimeoutMs: undefined,
    // The gateway's key store repeats a commit itself. A commit that still fails ends the socket (auth/auth-state.ts).
    transactionOpts: { maxCommitRetries: 1, delayBetweenTriesMs: 0 },
    getMessage: parts.getMessage,
  };
}
