// The options of one Baileys socket, and why they differ from its defaults.
import {
  DEFAULT_CONNECTION_CONFIG,
  proto,
  type UserFacingSocketConfig,
  type WABrowserDescription,
  type WAVersion,
} from '@whiskeysockets/baileys';
import type { LevelWithSilent, Logger } from 'pino';
import type { InstanceSettings } from '../../storage/instance-row.ts';
import type { Messages } from '../../storage/storage.ts';
import type { GroupCache } from '../group/cache.ts';
import type { InboundBuffer } from '../inbound/inbound-buffer.ts';
import { createRetrySource } from '../outbound/retry-source.ts';
import type { AuthState } from './auth/auth-state.ts';
import { withSenderKeyMemory } from './auth/sender-key-memory.ts';
import type { createCaches } from './caches.ts';
import { createBaileysLog } from './logger.ts';
import { skipForgedBundles } from './patches/signature-verification.ts';
import type { PlatformEndpoint, TlsTrust } from './platform-endpoint.ts';

export interface SocketTuning {
  /** ms until an unanswered query counts as failed; one such query blocks every send of its account. */
  queryTimeout: number;
  /** Name shown in the phone's list of linked devices: system, browser, version. */
  browser: WABrowserDescription;
  /** Version to present; undefined is Baileys' own. */
  version: () => WAVersion | undefined;
  /** Whether sent messages are stored, from where those who could not read one get it again. */
  keepsMessages: boolean;
  /** Lowest level of Baileys' own lines that reach our log. */
  logBaileys: LevelWithSilent;
}

export interface SocketInput {
  endpoint: PlatformEndpoint;
  trust: TlsTrust;
  tuning: SocketTuning;
  settings: InstanceSettings;
  auth: AuthState;
  messages: Messages;
  instanceId: string;
  caches: ReturnType<ReturnType<typeof createCaches>>;
  groups: GroupCache;
  inbound: InboundBuffer;
  log: Logger;
}

/** Whether a portion of history is taken. The first ones carry LID mappings and names; only the full history is optional. */
export const wantsHistory = (
  { syncFullHistory }: Pick<InstanceSettings, 'syncFullHistory'>,
  { syncType }: proto.Message.IHistorySyncNotification,
): boolean => syncFullHistory || syncType !== proto.HistorySync.HistorySyncType.FULL;

export function socketOptions(input: SocketInput): UserFacingSocketConfig {
  const { endpoint, trust, tuning, settings, auth, log } = input;
  const version = tuning.version();
  const membership = {
    members: (group: string) => input.groups.members(group),
    own: () => [auth.creds.me?.id, auth.creds.me?.lid],
  };
  return {
    ...(endpoint.url ? { waWebSocketUrl: endpoint.url } : {}),
    // Undefined members would hide the library's own defaults.
    ...(trust.agent || trust.fetchAgent ? trust : {}),
    ...(version ? { version } : {}),
    ...input.caches,
    auth: { creds: auth.creds, keys: withSenderKeyMemory(auth.state.keys, membership) },
    browser: tuning.browser,
    logger: createBaileysLog(log, tuning.logBaileys),
    // The send itself tells us what was sent; the echo costs a third of a send in the event buffer.
    emitOwnEvents: false,
    cachedGroupMetadata: (jid) => input.groups.get(jid),
    // Retries are answered from the store (getMessage), if there is anything in it; the library's copy costs a timer per message.
    enableRecentMessageCache: !tuning.keepsMessages,
    markOnlineOnConnect: settings.alwaysOnline,
    syncFullHistory: settings.syncFullHistory,
    shouldSyncHistoryMessage: (notice) => wantsHistory(settings, notice),
    // A user's text must never make the gateway fetch a URL.
    generateHighQualityLinkPreview: false,
    // rc14 would wait before the next message of anyone, in the one turn for messages.
    retryRequestDelayMs: 0,
    // Not "never": the lifecycle watches over connecting and send.ts over sending. With a limit, rc14 makes two stack traces and
    // a timer for every frame it writes (7 % of the CPU of a send).
    connectTimeoutMs: 0,
    defaultQueryTimeoutMs: tuning.queryTimeout,
    // Repeated commits are the store's business; here a failed commit ends the socket at once (auth-state.ts).
    transactionOpts: { maxCommitRetries: 1, delayBetweenTriesMs: 0 },
    makeSignalRepository: input.inbound.wrap(skipForgedBundles(DEFAULT_CONNECTION_CONFIG.makeSignalRepository, log)),
    getMessage: createRetrySource({ messages: input.messages, instanceId: input.instanceId, keys: auth }),
  };
}
