// The parts of the gateway that need settings and each other, and know nothing of instances: gateway.ts connects them.
import type { Logger } from 'pino';
import { isClusterEnabled } from '../cluster/cluster.ts';
import type { Config } from '../config/load.ts';
import { createEgress, type Egress } from '../egress/http-client.ts';
import { fetchText } from '../egress/page-fetcher.ts';
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
import { createVersionSource } from '../whatsapp/baileys/client-version.ts';
import { isMediaHost, type PlatformEndpoint, trustedAuthorities } from '../whatsapp/baileys/platform-endpoint.ts';
import type { OpenSessionDeps } from '../whatsapp/connection/open-session.ts';
import { attachedFileOf } from '../whatsapp/media/attached-file.ts';
import { createDownloader } from '../whatsapp/media/download.ts';
import { findFfmpeg } from '../whatsapp/media/ffmpeg.ts';
import type { ImageDecoder } from '../whatsapp/media/image-decoder.ts';
import { createMedia, type Media } from '../whatsapp/media/media.ts';
import { createMessageFilesService, type MessageFiles } from '../whatsapp/media/message-files.ts';
import { createSignedLinks } from '../whatsapp/media/signed-link.ts';

type Version = Pick<ReturnType<typeof createVersionSource>, 'current'>;

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

type OfficeParts = Pick<CommonParts, 'config' | 'log' | 'clock' | 'storage' | 'egress' | 'subscriptions' | 'files'> &
  Pick<WebhookServiceDeps, 'keyOf' | 'nameOf' | 'onPosted'>;

/** Everything about posts. */
export function createWebhooks({ config, files, ...parts }: OfficeParts): Promise<WebhookService> {
  const hours = (count: number) => count * 3_600_000;
  return createWebhookService({
    ...parts,
    attachFile: createFileAttachment({
      fetchFile: files.fetcher(config.mediaLimit),
      clock: parts.clock,
      // Messages that are not stored are posted without links.
      hasFile: config.databaseSaveDataNewMessage ? undefined : (posted) => attachedFileOf(posted) !== undefined,
    }),
    options: {
      timeout: config.webhookTimeout,
      schedule: config.webhookRetrySchedule,
      jitter: config.webhookRetryJitter,
      maxAttempts: config.webhookMaxAttempts,
      noRetry: config.webhookNoRetryStatus,
      expiry: hours(config.webhookExpiryHours),
      disableAfter: hours(config.webhookDisableHours),
      retention: hours(config.eventRetentionHours),
      backlog: config.webhookBacklog,
      eventLog: config.eventLog,
    },
  });
}

/** All webhooks. Throws Error for a global one that cannot be used. */
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
    ...{ clock, check, isShared: isClusterEnabled(config, storage) },
    global: config.webhookGlobalEnabled ? global : undefined,
  });
}

/** What tells the operator of requests that failed. Throws Error for an address that can never be reached. */
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
    throw new Error('WEBHOOK_EVENTS_ERRORS_WEBHOOK is an address that may not be reached.', { cause });
  }
  const secret = webhookGlobalSecret || undefined;
  return createErrorReports({ egress, clock, log, url, secret, timeout: webhookTimeout, serverUrl });
}

/** What instances without a proxy of their own go through; one object, so that its connections are shared. */
export function defaultProxyOf(config: Config): ProxySettings | undefined {
  const {
    proxyHost: host,
    proxyPort: port,
    proxyProtocol: kind,
    proxyUsername: username,
    proxyPassword: password,
  } = config;
  if (host === '') return undefined;
  return { protocol: kind === 'http' || kind === 'https' ? kind : 'socks5', host, port, username, password };
}

/** ms, where the leases live longer. */
const STANDSTILL = 10_000;

/** The store, opened; without a memory for numbers, where none is wanted. Throws when it cannot be used. */
export async function openGatewayStorage({
  config,
  endpoint,
  log,
  onTimed,
}: Pick<CommonParts, 'config' | 'endpoint' | 'log'> & Pick<StorageOptions, 'onTimed'>): Promise<Storage> {
  const storage = await openWithRetry({
    ...{ log, wait: config.databaseWait, onTimed },
    dataDir: config.dataDir,
    databaseUrl: config.databaseUrl || undefined,
    isShared: config.databaseShared,
    poolSize: config.databasePoolSize,
    // Others wait for the locks of a node that hangs until they may have what it holds, and no longer.
    standstill: Math.min(STANDSTILL, config.leaseTtl * 1000),
    network: endpoint.network,
    encryptionKey: config.encryptionKey || undefined,
    synchronous: config.sqliteSynchronous === 'FULL' ? 'full' : 'normal',
  });
  if (config.databaseSaveIsOnWhatsapp) return storage;
  const contacts = { ...storage.contacts, recipient: async () => null, saveRecipient: async () => undefined };
  return { ...storage, contacts };
}

/** Which client version is presented to the platform. */
export function createClientVersion({
  config,
  endpoint,
  log,
  clock,
  storage,
  egress,
}: Omit<CommonParts, 'subscriptions' | 'files'>) {
  return createVersionSource({
    facts: storage.facts,
    network: endpoint.network,
    override: config.platformVersion || undefined,
    fetchText: (url, headers) => fetchText(egress, url, headers),
    clock,
    log,
  });
}

/** How sessions behave. */
export function socketTuningOf(config: Config, version: Version): OpenSessionDeps['options'] {
  return {
    queryTimeout: config.queryTimeout,
    sendTimeout: config.sendTimeout,
    maxDelay: config.maxDelay,
    numberLookupTtl: config.databaseSaveIsOnWhatsappDays * 86_400_000,
    storesLabels: config.databaseSaveDataLabels,
    storesMessages: config.databaseSaveDataNewMessage,
    restrictionGuard: config.restrictionGuard,
    verify: config.platformVerify,
    browser: [config.configSessionPhoneClient, config.configSessionPhoneName, '1.0.0'],
    version: () => version.current().version,
    logBaileys: config.logBaileys,
  };
}

/** Files of sends. */
export function createMediaService({
  config,
  endpoint,
  egress,
  log,
  images,
}: Pick<CommonParts, 'config' | 'endpoint' | 'egress' | 'log'> & { images: ImageDecoder }): Media {
  const { mediaLimit, mediaTimeout, ffmpegPath, searchPath } = config;
  // Asked once, now, so that the log says at the start what can be converted; nobody waits for it but the first voice note.
  const ffmpeg =
    ffmpegPath === 'none' ? Promise.resolve(undefined) : findFfmpeg(ffmpegPath || 'ffmpeg', log, searchPath);
  return createMedia({
    endpoint,
    log,
    images,
    ffmpeg: () => ffmpeg,
    get: (url, limits) => egress.request('public', { method: 'GET', url, ...limits }),
    maxBytes: mediaLimit,
    timeout: mediaTimeout,
  });
}

/** The way out. */
export function createGatewayEgress({ egressAllow, egressStrict }: Config, endpoint: PlatformEndpoint): Egress {
  return createEgress({
    allow: [...egressAllow],
    strict: egressStrict,
    isPlatformLocal: endpoint.url !== undefined,
    platform: { isHost: (host) => isMediaHost(endpoint, host), ca: trustedAuthorities(endpoint) },
  });
}

type FileParts = Pick<CommonParts, 'config' | 'endpoint' | 'egress' | 'storage' | 'clock'> & {
  proxyOf: (instanceId: string) => ProxySettings | null | undefined;
};

/** Files of stored messages. */
export function createMessageFiles({ config, endpoint, egress, storage, clock, proxyOf }: FileParts): MessageFiles {
  const links = createSignedLinks({ keys: storage.keysFor('media-links'), days: config.mediaLinkDays, clock });
  const open = createDownloader({
    streamUrl: (request, take, id) => {
      const proxy = proxyOf(id);
      const tunnel = proxy ? egress.tunnel(proxy) : undefined;
      return egress.receive('platform', { method: 'GET', ...request, tunnel }, take);
    },
    endpoint,
    messages: storage.messages,
    maxBytes: config.downloadLimit,
    timeout: config.downloadTimeout,
    reuploadTimeout: config.queryTimeout,
  });
  return createMessageFilesService({ links, messages: storage.messages, open });
}
