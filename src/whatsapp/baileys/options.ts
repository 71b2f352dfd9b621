// Builds the configuration of one Baileys socket, with the reason for each value that differs from Baileys' default.
import {
  type AuthenticationCreds,
  proto,
  type SignalKeyStore,
  type UserFacingSocketConfig,
  type WABrowserDescription,
  type WAVersion,
} from '@whiskeysockets/baileys';
import type { LevelWithSilent, Logger } from 'pino';
import type { InstanceSettings } from '../../storage/instance-row.ts';
import type { createCaches } from './caches.ts';
import { createBaileysLog } from './logger.ts';
import type { PlatformEndpoint, TlsTrust } from './platform-endpoint.ts';

/** Settings of the process for all sockets. */
export interface SocketTuning {
  /** ms until an unanswered query fails. One such query blocks every send of its account. */
  queryTimeout: number;
  /** Name in the phone's list of linked devices: system, browser, version. */
  browser: WABrowserDescription;
  /** Client version to present; undefined means Baileys' default. */
  version: () => WAVersion | undefined;
  /** True when sent messages are stored. Retry requests are then answered from the store. */
  storesMessages: boolean;
  /** Lowest level of Baileys' log lines that are written to the gateway's log. */
  logBaileys: LevelWithSilent;
}

/** Parts of one socket. */
export interface SocketParts
  extends Required<Pick<UserFacingSocketConfig, 'cachedGroupMetadata' | 'getMessage' | 'makeSignalRepository'>> {
  endpoint: Pick<PlatformEndpoint, 'url'>;
  trust: TlsTrust;
  tuning: SocketTuning;
  settings: InstanceSettings;
  creds: AuthenticationCreds;
  keys: SignalKeyStore;
  caches: ReturnType<ReturnType<typeof createCaches>>;
  log: Logger;
}

/**
 * True when the session downloads the history that the notice announces. The first notices carry LID mappings and
 * names; only the full history is optional.
 */
export const acceptsHistory = (
  { syncFullHistory }: Pick<InstanceSettings, 'syncFullHistory'>,
  { syncType }: proto.Message.IHistorySyncNotification,
): boolean => syncFullHistory || syncType !== proto.HistorySync.HistorySyncType.FULL;

/** Returns the configuration of a socket. */
export function socketOptions(parts: SocketParts): UserFacingSocketConfig {
  const { endpoint, trust, tuning, settings, log } = parts;
  const version = tuning.version();
  return {
    ...(endpoint.url ? { waWebSocketUrl: endpoint.url } : {}),
    // A member with the value undefined would replace Baileys' default.
    ...(trust.agent || trust.fetchAgent ? trust : {}),
    ...(version ? { version } : {}),
    ...parts.caches,
    auth: { creds: parts.creds, keys: parts.keys },
    browser: tuning.browser,
    logger: createBaileysLog(log, tuning.logBaileys),
    // The send operation reports its message itself. The echo takes a third of the time of a send in the event buffer.
    emitOwnEvents: false,
    cachedGroupMetadata: parts.cachedGroupMetadata,
    // Without a store, Baileys' own cache answers retry requests. It costs a timer per message.
    enableRecentMessageCache: !tuning.storesMessages,
    markOnlineOnConnect: settings.alwaysOnline,
    syncFullHistory: settings.syncFullHistory,
    shouldSyncHistoryMessage: (notice) => acceptsHistory(settings, notice),
    // A user's text must not make the gateway fetch a URL.
    generateHighQualityLinkPreview: false,
    // With a delay, Baileys would wait inside the message mutex before it handles the next message.
    retryRequestDelayMs: 0,
    // 0 disables Baileys' own timeouts. The instance lifecycle limits connecting, outbound/send.ts limits sending. With
    // a timeout, Baileys creates two stack traces and a timer for each frame (7 % of the CPU time of a send).
    connectTimeoutMs: 0,
    defaultQueryTimeoutMs: tuning.queryTimeout,
    // The store repeats commits. A failed commit ends the socket at once (auth/auth-state.ts).
    transactionOpts: { maxCommitRetries: 1, delayBetweenTriesMs: 0 },
    makeSignalRepository: parts.makeSignalRepository,
    getMessage: parts.getMessage,
  };
}
