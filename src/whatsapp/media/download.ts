// Downloads files of messages from WhatsApp's media hosts and verifies them. When a host no longer has a file, the
// phone is asked to upload it again (reupload). Messages are untrusted: only media hosts are requested, never any other
// host that a message names. Decisions D-063 and D-064.

import { GatewayError, hasCode } from '../../errors.ts';
import type { MessageKey } from '../../events/events.ts';
import { raceWithAbort } from '../../lib/deadline.ts';
import { createFairLimiter } from '../../lib/fair-limiter.ts';
import type { Messages } from '../../storage/storage.ts';
import { DEFAULT_MEDIA_HOST, DEFAULT_ORIGIN } from '../baileys/media-transfer.ts';
import { isMediaHost, type PlatformEndpoint } from '../baileys/platform-endpoint.ts';
import type { Session } from '../session.ts';
import type { AttachedFile } from './attached-file.ts';
import { CorruptError, DiskError, type OpenFile, OversizeError, spool } from './encrypted-spool.ts';
import { openInSlot } from './open-in-slot.ts';
import { mediaGoneError, requestReupload } from './reupload.ts';
import { fetchMediaConnection } from './upload.ts';

/**
 * Sends a GET with the gateway's HTTP client, which checks the host and its address. If the instance has a proxy, the
 * request goes through this proxy. Resolves with the result of `readAnswer`, which reads the answer as a stream.
 * Rejects with the error of `readAnswer` or the reason of `signal`. If the request fails, rejects with an error that
 * has a `code`, such as ECONNREFUSED, or ETIMEDOUT after `timeout` ms.
 */
export type FetchStream = <T>(
  request: { url: string; headers: Record<string, string>; timeout: number; signal: AbortSignal },
  readAnswer: (answer: { status: number; body: AsyncIterable<Uint8Array> }) => Promise<T>,
  instanceId: string,
) => Promise<T>;

export interface DownloadDeps {
  fetchStream: FetchStream;
  endpoint: PlatformEndpoint;
  messages: Pick<Messages, 'setFileLocation'>;
  /** Maximum file size, bytes (setting DOWNLOAD_LIMIT). */
  downloadLimit: number;
  /** Timeout for the download, ms. */
  timeout: number;
  /** Timeout for the phone to upload the file again, ms. */
  reuploadTimeout: number;
}

export interface DownloadRequest {
  instanceId: string;
  key: MessageKey;
  attached: AttachedFile;
  /**
   * Returns the session, or throws INSTANCE_NOT_OPEN. Through the session, the phone is asked to upload an expired file
   * again. If a configured server takes the place of WhatsApp, this server is also queried for its media hosts. Absent:
   * the phone is not asked, and the server is not queried.
   */
  session?: () => Session;
  /** Aborts when the caller no longer needs the file. */
  signal: AbortSignal;
  /** Maximum file size for this request, bytes. The lower of this limit and DOWNLOAD_LIMIT applies. */
  maxBytes?: number;
}

/** Downloads and verifies a file. The file occupies one of MAX_OPEN_FILES slots until it is closed. */
export type DownloadFile = (request: DownloadRequest) => Promise<OpenFile>;

/** Maximum number of open files. Each occupies its size on the disk. */
const MAX_OPEN_FILES = 8;
/**
 * Maximum number of open files of one instance. One instance must not occupy all slots, because its phone or the
 * readers of its files can be slow.
 */
const MAX_OPEN_FILES_PER_INSTANCE = 6;
/** Maximum wait for a slot, ms. */
const SLOT_TIMEOUT_MS = 30_000;

/** The host has no file under this path, or no longer serves it. */
class ExpiredError extends Error {}

/**
 * Creates the function that downloads files. The function rejects with MEDIA_OVER_LIMIT, MEDIA_GONE, MEDIA_CORRUPT,
 * MEDIA_HOST_FAILED, MEDIA_TIMEOUT or a DiskError, with OVERLOADED when no slot is free in time, and with the reason of
 * an aborted signal. When the phone must upload the file again, it also rejects with INSTANCE_NOT_OPEN or
 * PLATFORM_TIMEOUT.
 */
export function createDownloader(deps: DownloadDeps): DownloadFile {
  const limiter = createFairLimiter({
    slots: MAX_OPEN_FILES,
    perOwner: MAX_OPEN_FILES_PER_INSTANCE,
    // The number of waiting downloads needs no limit here. Each download belongs to an API request or to a webhook
    // delivery, and the numbers of connections and of parallel deliveries are limited.
    waitingPerOwner: Number.POSITIVE_INFINITY,
  });
  /** Reupload requests in progress. A request resolves with the file's new path. */
  const reuploads = new Map<string, Promise<string>>();

  /** Requests a reupload. Stores the file's new path and its new URL, which is on `host`. Resolves with the path. */
  async function startReupload(
    host: string,
    { instanceId, key }: DownloadRequest,
    mediaKey: Buffer,
    session: Session,
  ): Promise<string> {
    const directPath = await requestReupload(session, key, mediaKey, deps.reuploadTimeout);
    await deps.messages.setFileLocation(instanceId, key, { directPath, url: `https://${host}${directPath}` });
    return directPath;
  }

  /**
   * Like startReupload(), but concurrent downloads of one file share one request to the phone. The request continues
   * even if all these downloads are aborted.
   */
  function reuploadOnce(host: string, request: DownloadRequest, mediaKey: Buffer, session: Session): Promise<string> {
    const fileKey = JSON.stringify([request.instanceId, request.key.remoteJid, request.key.id]);
    const reupload = reuploads.get(fileKey) ?? startReupload(host, request, mediaKey, session);
    reuploads.set(fileKey, reupload);
    const remove = () => {
      if (reuploads.get(fileKey) === reupload) reuploads.delete(fileKey);
    };
    reupload.then(remove, remove);
    return reupload;
  }

  async function fetchOrReupload(request: DownloadRequest): Promise<OpenFile> {
    const host = await mediaHostOf(request, deps.endpoint);
    let directPath: string;
    try {
      return await fetchFrom(host, request, deps);
    } catch (error) {
      if (!(error instanceof ExpiredError)) throw error;
      // A file without a media key belongs to a channel post. Phones keep no copy of channel posts.
      if (!request.session || !request.attached.mediaKey) throw mediaGoneError(error);
      const reupload = reuploadOnce(host, request, request.attached.mediaKey, request.session());
      directPath = await raceWithAbort(reupload, request.signal);
    }
    try {
      return await fetchFrom(host, { ...request, attached: { ...request.attached, directPath } }, deps);
    } catch (error) {
      throw error instanceof ExpiredError ? mediaGoneError(error) : error;
    }
  }

  return (request) => {
    const { instanceId, signal } = request;
    const timeoutText = 'Too many files of messages are open: retry later';
    const slotWait = { timeout: SLOT_TIMEOUT_MS, timeoutText, signal };
    const opened = openInSlot(limiter, instanceId, () => fetchOrReupload(request), slotWait);
    // Rejects as soon as the request is aborted. openInSlot() alone would first wait for a slot.
    return raceWithAbort(opened, signal);
  };
}

/**
 * Returns the host in the message's URL if it is a media host, else WhatsApp's default host. When the gateway connects
 * to a configured server instead of WhatsApp, there is no default host, and the server is queried for its hosts.
 */
async function mediaHostOf({ attached, session }: DownloadRequest, endpoint: PlatformEndpoint): Promise<string> {
  const url = URL.parse(attached.url ?? '');
  if (url?.protocol === 'https:' && isMediaHost(endpoint, url.host)) return url.host;
  if (endpoint.url === undefined) return DEFAULT_MEDIA_HOST;
  const { hosts } = session ? await fetchMediaConnection(session()) : { hosts: [] };
  const host = hosts.find(({ hostname }) => isMediaHost(endpoint, hostname));
  if (host) return host.hostname;
  throw new GatewayError('MEDIA_HOST_FAILED', 'The gateway knows no media host.');
}

async function fetchFrom(
  host: string,
  { instanceId, attached, signal, maxBytes: requestLimit = Number.POSITIVE_INFINITY }: DownloadRequest,
  { fetchStream, downloadLimit, timeout }: DownloadDeps,
): Promise<OpenFile> {
  const maxBytes = Math.min(requestLimit, downloadLimit);
  const settingText = downloadLimit <= requestLimit ? ' (setting DOWNLOAD_LIMIT)' : '';
  const tooLargeError = () =>
    new GatewayError('MEDIA_OVER_LIMIT', [`The file is larger than ${maxBytes} bytes${settingText}.`]);
  const url = `https://${host}${attached.directPath}`;
  // WhatsApp's own clients send this header.
  const headers = { origin: DEFAULT_ORIGIN };
  if ((attached.fileLength ?? 0) > maxBytes) throw tooLargeError();
  let hasAnswered = false;
  try {
    return await fetchStream(
      { url, headers, timeout, signal },
      async ({ status, body }) => {
        hasAnswered = true;
        if (status === 403 || status === 404 || status === 410)
          throw new ExpiredError(`the media host answered ${status}`);
        if (status !== 200) throw hostFailedError(`The media host answered ${status}.`);
        return spool(body, attached, maxBytes);
      },
      instanceId,
    );
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw error instanceof OversizeError ? tooLargeError() : toMediaError(error, hasAnswered);
  }
}

function toMediaError(error: unknown, hasAnswered: boolean): unknown {
  if (error instanceof ExpiredError || error instanceof DiskError) return error;
  if (error instanceof CorruptError)
    return new GatewayError('MEDIA_CORRUPT', 'The file is not the one that was sent.', { cause: error });
  if (hasCode(error, 'MEDIA_HOST_FAILED')) return error;
  const code: unknown = Reflect.get(Object(error), 'code');
  if (code === 'ETIMEDOUT')
    return new GatewayError('MEDIA_TIMEOUT', 'The media host did not send the file in time.', { cause: error });
  const problem = hasAnswered
    ? 'The connection to the media host broke before the file was complete.'
    : 'The media host could not be reached.';
  return hostFailedError(problem, error);
}

const hostFailedError = (problem: string, cause?: unknown) => new GatewayError('MEDIA_HOST_FAILED', problem, { cause });
