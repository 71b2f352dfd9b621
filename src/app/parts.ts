// Translates settings to the options of the parts of the gateway, and creates these parts. compose.ts connects them.
import type { Logger } from 'pino';
import { isClusterEnabled } from '../cluster/cluster.ts';
import type { Config } from '../config/load.ts';
import { createEgress, type Egress } from '../egress/http-client.ts';
import { fetchFile, fetchText } from '../egress/page-fetcher.ts';
import type { Clock } from '../lib/clock.ts';
import type { ServerUrl } from '../lib/server-url.ts';
import type { ProxySettings } from '../storage/instance-row.ts';
import type { StorageOptions } from '../storage/open.ts';
import { openWithRetry } from '../storage/open-with-retry.ts';
import type { Storage } from '../storage/storage.ts';
import { createErrorReports } from '../webhooks/error-reports.ts';
import { createFileAttachment } from '../webhooks/file-attachment.ts';
import { createSubscriptions, type Subscriptions } from '../webhooks/subscriptions.ts';
import { createWebhookService, type WebhookService, type WebhookServiceDeps } from '../webhooks/webhook-service.ts';
import { createVersionSource, type VersionSource } from '../whatsapp/baileys/client-version.ts';
import { isMediaHost, type PlatformEndpoint, trustedAuthoritiesOf } from '../whatsapp/baileys/platform-endpoint.ts';
import type { OpenSessionDeps } from '../whatsapp/connection/open-session.ts';
import { attachedFileOf } from '../whatsapp/media/attached-file.ts';
import { createDownloader } from '../whatsapp/media/download.ts';
import { createFfmpegLookup } from '../whatsapp/media/ffmpeg.ts';
import type { ImageDecoder } from '../whatsapp/media/image-decoder.ts';
import { createMedia, type Media } from '../whatsapp/media/media.ts';
import { createMessageFilesService, type MessageFiles } from '../whatsapp/media/message-files.ts';
import { createSignedLinks } from '../whatsapp/media/signed-link.ts';

interface CommonParts {
  config: Config;
  endpoint: PlatformEndpoint;
  log: Logger;
  clock: Clock;
  storage: Storage;
  egress: Egress;
  subscriptions: Subscriptions;
  files: MessageFiles;
}

type WebhookParts = Pick<CommonParts, 'config' | 'log' | 'clock' | 'storage' | 'egress' | 'subscriptions' | 'files'> &
  Pick<WebhookServiceDeps, 'keyOf' | 'nameOf' | 'onAttempted'>;

/** Creates the webhook service, which also keeps the event log and serves event streams. */
export function createWebhooks({ config, files, ...parts }: WebhookParts): Promise<WebhookService> {
  const hoursToMs = (hours: number) => hours * 3_600_000;
  return createWebhookService({
    ...parts,
    attachFile: createFileAttachment({
      fetchFile: files.createFetcher(config.mediaLimit),
      clock: parts.clock,
      // Without `hasFile`, a message with a download link counts as a message with a file. Messages that are not stored
      // have no links, so their content decides.
      hasFile: config.databaseSaveDataNewMessage ? undefined : (posted) => attachedFileOf(posted) !== undefined,
    }),
    options: {
      timeout: config.webhookTimeout,
      schedule: config.webhookRetrySchedule,
      jitter: config.webhookRetryJitter,
      maxAttempts: config.webhookMaxAttempts,
      noRetry: config.webhookNoRetryStatus,
      maxAge: hoursToMs(config.webhookExpiryHours),
      disableAfter: hoursToMs(config.webhookDisableHours),
      retention: hoursToMs(config.eventRetentionHours),
      backlog: config.webhookBacklog,
      eventLog: config.eventLog,
    },
  });
}

/**
 * Loads the webhook subscriptions. A cluster node loads the subscriptions of an instance later, together with the
 * instance. Rejects with an Error when the global webhook is invalid.
 */
export function openSubscriptions(
  parts: Pick<CommonParts, 'config' | 'storage' | 'egress' | 'clock'>,
): Promise<Subscriptions> {
  const { config, storage, egress, clock } = parts;
  const global = {
    url: config.webhookGlobalUrl,
    events: config.webhookGlobalEvents,
    byEvents: config.webhookGlobalWebhookByEvents,
    secret: config.webhookGlobalSecret || undefined,
  };
  const check = (url: string) => egress.check('webhook', url);
  return createSubscriptions(storage, {
    clock,
    check,
    isCluster: isClusterEnabled(config, storage),
    global: config.webhookGlobalEnabled ? global : undefined,
  });
}

/**
 * Creates the function that reports failed API requests to the URL in WEBHOOK_EVENTS_ERRORS_WEBHOOK (D-129). Returns
 * undefined when these reports are disabled. Throws Error when the egress rules forbid the URL.
 */
export function createErrorReporter({
  config,
  egress,
  clock,
  log,
  serverUrl,
}: Pick<CommonParts, 'config' | 'egress' | 'clock' | 'log'> & { serverUrl: ServerUrl }) {
  const { webhookEventsErrors, webhookEventsErrorsWebhook: url, webhookGlobalSecret, webhookTimeout } = config;
  if (!webhookEventsErrors) return undefined;
  try {
    egress.check('webhook', url);
  } catch (cause) {
    throw new Error('WEBHOOK_EVENTS_ERRORS_WEBHOOK is an address that the egress rules forbid.', { cause });
  }
  const secret = webhookGlobalSecret || undefined;
  return createErrorReports({ egress, clock, log, url, secret, timeout: webhookTimeout, serverUrl });
}

/**
 * Creates the settings of the proxy for instances without a proxy of their own (D-128). Returns undefined when
 * PROXY_HOST is not set. Call this function only once: instances share the connections through a proxy only when they
 * have the same settings object.
 */
export function defaultProxyOf(config: Config): ProxySettings | undefined {
  const {
    proxyHost: host,
    proxyPort: port,
    proxyProtocol: protocol,
    proxyUsername: username,
    proxyPassword: password,
  } = config;
  if (host === '') return undefined;
  return {
    protocol: protocol === 'http' || protocol === 'https' ? protocol : 'socks5',
    host,
    port,
    username,
    password,
  };
}

/** Time after which PostgreSQL ends an idle transaction, unless LEASE_TTL is shorter. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;

/**
 * Opens the store. With DATABASE_SAVE_IS_ON_WHATSAPP=false, the store does not keep which numbers are on WhatsApp.
 * Rejects when the store is unusable.
 */
export async function openGatewayStorage({
  config,
  endpoint,
  log,
  onQueryEnd,
}: Pick<CommonParts, 'config' | 'endpoint' | 'log'> & Pick<StorageOptions, 'onQueryEnd'>): Promise<Storage> {
  const storage = await openWithRetry({
    log,
    maxWaitMs: config.databaseWait,
    onQueryEnd,
    dataDir: config.dataDir,
    databaseUrl: config.databaseUrl || undefined,
    allowForeignTables: config.databaseShared,
    poolSize: config.databasePoolSize,
    // A node that hangs must not keep row locks after other nodes can take its instances (LEASE_TTL).
    idleTimeoutMs: Math.min(IDLE_IN_TRANSACTION_TIMEOUT_MS, config.leaseTtl * 1000),
    network: endpoint.network,
    encryptionKey: config.encryptionKey || undefined,
    synchronous: config.sqliteSynchronous === 'FULL' ? 'full' : 'normal',
  });
  if (config.databaseSaveIsOnWhatsapp) return storage;
  const contacts = { ...storage.contacts, recipient: async () => null, saveRecipient: async () => undefined };
  return { ...storage, contacts };
}

/** Creates the source of the client version that sessions present to WhatsApp. */
export function createClientVersionSource({
  config,
  endpoint,
  log,
  clock,
  storage,
  egress,
}: Omit<CommonParts, 'subscriptions' | 'files'>) {
  return createVersionSource({
    facts: storage.metadata,
    network: endpoint.network,
    override: config.platformVersion || undefined,
    fetchText: (url, headers) => fetchText(egress, url, headers),
    clock,
    log,
  });
}

const DAY_MS = 86_400_000;

/** The options of all sessions. */
export function sessionOptionsOf(
  config: Config,
  versionSource: Pick<VersionSource, 'current'>,
): OpenSessionDeps['options'] {
  return {
    queryTimeout: config.queryTimeout,
    sendTimeout: config.sendTimeout,
    maxDelay: config.maxDelay,
    numberLookupTtl: config.databaseSaveIsOnWhatsappDays * DAY_MS,
    storesLabels: config.databaseSaveDataLabels,
    storesMessages: config.databaseSaveDataNewMessage,
    restrictionGuard: config.restrictionGuard,
    addressForm: config.platformAddressing,
    passkeyLinking: config.passkeyLinking,
    verifyMode: config.platformVerify,
    browser: [config.configSessionPhoneClient, config.configSessionPhoneName, '1.0.0'],
    version: () => versionSource.current().version,
    logBaileys: config.logBaileys,
  };
}

/**
 * ffmpeg is looked up this many ms after the media service is created, because the lookup starts an ffmpeg process,
 * which blocks the event loop for 20 ms.
 */
const FFMPEG_LOOKUP_DELAY_MS = 1_000;

/** Creates the media service, which loads and converts the files of outgoing messages. */
export function createMediaService({
  config,
  endpoint,
  egress,
  clock,
  log,
  images,
}: Pick<CommonParts, 'config' | 'endpoint' | 'egress' | 'clock' | 'log'> & { images: ImageDecoder }): Media {
  const { mediaLimit, mediaTimeout, ffmpegPath, searchPath } = config;
  const ffmpeg =
    ffmpegPath === 'none' ? async () => undefined : createFfmpegLookup(ffmpegPath || 'ffmpeg', log, searchPath);
  // The log says soon after the start whether ffmpeg is available, even if no message needs it.
  const lookup = clock.after(FFMPEG_LOOKUP_DELAY_MS, () => void ffmpeg());
  const media = createMedia({
    endpoint,
    log,
    images,
    ffmpeg,
    get: (url, limits) => fetchFile(egress, url, limits),
    maxBytes: mediaLimit,
    timeout: mediaTimeout,
  });
  return {
    ...media,
    close() {
      lookup.cancel();
      media.close();
    },
  };
}

/** Creates the HTTP client for outgoing requests, with the rules that decide which addresses it can reach. */
export function createGatewayEgress({ egressAllow, egressStrict }: Config, endpoint: PlatformEndpoint): Egress {
  return createEgress({
    allow: [...egressAllow],
    strict: egressStrict,
    isSandbox: endpoint.url !== undefined,
    platform: { isHost: (host) => isMediaHost(endpoint, host), ca: trustedAuthoritiesOf(endpoint) },
  });
}

type FileParts = Pick<CommonParts, 'config' | 'endpoint' | 'egress' | 'storage' | 'clock'> & {
  proxyOf: (instanceId: string) => ProxySettings | null | undefined;
};

/** Creates the service for files of stored messages: signed links and downloads. */
export function createMessageFiles({ config, endpoint, egress, storage, clock, proxyOf }: FileParts): MessageFiles {
  const links = createSignedLinks({ keys: storage.deriveKeys('media-links'), days: config.mediaLinkDays, clock });
  const open = createDownloader({
    fetchStream: (request, onResponse, instanceId) => {
      const proxy = proxyOf(instanceId);
      const tunnel = proxy ? egress.tunnel(proxy) : undefined;
      return egress.receive('platform', { method: 'GET', ...request, tunnel }, onResponse);
    },
    endpoint,
    messages: storage.messages,
    downloadLimit: config.downloadLimit,
    timeout: config.downloadTimeout,
    reuploadTimeout: config.queryTimeout,
  });
  return createMessageFilesService({ links, messages: storage.messages, open });
}
