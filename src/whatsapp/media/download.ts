// Downloads files of stored messages from WhatsApp's media host and verifies them. A message only determines the path
// on that host; no other address is requested because of it.

import { GatewayError } from '../../errors.ts';
import type { MessageKey } from '../../events/events.ts';
import { createLimiter } from '../../lib/limiter.ts';
import type { Messages } from '../../storage/storage.ts';
import { DEFAULT_MEDIA_HOST, DEFAULT_ORIGIN } from '../baileys/media-transfer.ts';
import { isMediaHost, type PlatformEndpoint } from '../baileys/platform-endpoint.ts';
import type { Session } from '../session.ts';
import type { AttachedFile } from './attached-file.ts';
import { CorruptError, DiskError, OversizeError, type Spooled, spool } from './encrypted-spool.ts';
import { mediaGone, requestReupload } from './reupload.ts';
import { fetchMediaConnection } from './upload.ts';

/**
 * Sends a GET through the guarded client, and through the instance's proxy if it has one, and streams the answer.
 * Rejects with an error that has Node's `code`; ETIMEDOUT after `timeout` ms.
 */
export type StreamUrl = <T>(
  request: { url: string; headers: Record<string, string>; timeout: number; signal: AbortSignal },
  take: (answer: { status: number; body: AsyncIterable<Uint8Array> }) => Promise<T>,
  instanceId: string,
) => Promise<T>;

export interface DownloadDeps {
  streamUrl: StreamUrl;
  endpoint: PlatformEndpoint;
  messages: Pick<Messages, 'setFileLocation'>;
  /** Maximum file size, bytes. */
  maxBytes: number;
  /** Timeout for the download, ms. */
  timeout: number;
  /** Timeout for another upload by the phone, ms. */
  reuploadTimeout: number;
}

/** A file to download, and the session whose phone may upload it again. */
export interface DownloadRequest {
  instanceId: string;
  key: MessageKey;
  attached: AttachedFile;
  /** Throws INSTANCE_NOT_OPEN. Without it, a file that the host no longer has is gone. */
  session?: () => Session;
  /** Aborts when the caller no longer needs the file. */
  signal: AbortSignal;
  /** Lower size limit of this request, bytes. */
  maxBytes?: number;
}

/** A verified file, ready to be read. It occupies disk space and one of CONCURRENCY slots until it is closed. */
export type OpenFile = Spooled;

export type OpenDownload = (request: DownloadRequest) => Promise<OpenFile>;

/** Concurrent downloads; each may need its size on the disk. */
const CONCURRENCY = 8;

/** The host has no file under this path, or no longer serves it. */
class ExpiredError extends Error {}

/**
 * Creates the function that opens files. It throws the signal's reason, MEDIA_OVER_LIMIT, MEDIA_GONE, MEDIA_CORRUPT,
 * MEDIA_HOST_FAILED, MEDIA_TIMEOUT; and INSTANCE_NOT_OPEN or PLATFORM_TIMEOUT when the phone must upload again.
 */
export function createDownloader(deps: DownloadDeps): OpenDownload {
  const limiter = createLimiter(CONCURRENCY);
  /** Reupload requests in progress, by message. */
  const reuploads = new Map<string, Promise<string>>();

  function reuploadOnce({ instanceId, key }: DownloadRequest, mediaKey: Buffer, session: Session): Promise<string> {
    const name = JSON.stringify([instanceId, key.remoteJid, key.id]);
    const reupload = reuploads.get(name) ?? requestReupload(session, key, mediaKey, deps.reuploadTimeout);
    reuploads.set(name, reupload);
    const forget = () => void (reuploads.get(name) === reupload && reuploads.delete(name));
    reupload.then(forget, forget);
    return reupload;
  }

  async function fetchOrReupload(request: DownloadRequest): Promise<Spooled> {
    const host = await hostOf(request, deps.endpoint);
    let directPath: string;
    try {
      return await fetchFrom(host, request, deps);
    } catch (error) {
      if (!(error instanceof ExpiredError)) throw error;
      // Phones keep no copy of channel posts, and a request needs the media key.
      if (!request.session || !request.attached.mediaKey) throw mediaGone(error);
      directPath = await reuploadOnce(request, request.attached.mediaKey, request.session());
    }
    await deps.messages.setFileLocation(request.instanceId, request.key, {
      directPath,
      url: `https://${host}${directPath}`,
    });
    try {
      return await fetchFrom(host, { ...request, attached: { ...request.attached, directPath } }, deps);
    } catch (error) {
      throw error instanceof ExpiredError ? mediaGone(error) : error;
    }
  }

  return (request) =>
    new Promise((resolve, reject) => {
      const hold = async () => {
        const closed = Promise.withResolvers<void>();
        request.signal.throwIfAborted();
        const file = await fetchOrReupload(request);
        const close = async () => {
          closed.resolve();
          await file.close();
        };
        // The caller aborted in the meantime and would not close the file.
        if (request.signal.aborted) await close();
        else resolve({ ...file, close });
        request.signal.throwIfAborted();
        await closed.promise;
      };
      limiter.run(hold).catch(reject);
    });
}

async function hostOf({ attached, session }: DownloadRequest, endpoint: PlatformEndpoint): Promise<string> {
  const url = URL.parse(attached.url ?? '');
  if (url?.protocol === 'https:' && isMediaHost(endpoint, url.host)) return url.host;
  if (endpoint.url === undefined) return DEFAULT_MEDIA_HOST;
  const { hosts } = session ? await fetchMediaConnection(session(), false) : { hosts: [] };
  const host = hosts.find(({ hostname }) => isMediaHost(endpoint, hostname));
  if (host) return host.hostname;
  throw new GatewayError('MEDIA_HOST_FAILED', 'no media host is known');
}

async function fetchFrom(
  host: string,
  { instanceId, attached, signal, maxBytes: requestLimit = Number.POSITIVE_INFINITY }: DownloadRequest,
  { streamUrl, maxBytes: limit, timeout }: DownloadDeps,
): Promise<Spooled> {
  const maxBytes = Math.min(requestLimit, limit);
  const url = `https://${host}${attached.directPath}`;
  // WhatsApp's own clients send this header.
  const headers = { origin: DEFAULT_ORIGIN };
  if ((attached.fileLength ?? 0) > maxBytes) throw tooLarge(maxBytes);
  try {
    return await streamUrl(
      { url, headers, timeout, signal },
      async ({ status, body }) => {
        if (status === 403 || status === 404 || status === 410)
          throw new ExpiredError(`the media host answered ${status}`);
        if (status !== 200) throw failed(`the media host answered ${status}`);
        return spool(body, attached, maxBytes);
      },
      instanceId,
    );
  } catch (error) {
    throw signal.aborted ? signal.reason : toMediaError(error, maxBytes);
  }
}

function toMediaError(error: unknown, maxBytes: number): unknown {
  if (error instanceof ExpiredError || error instanceof DiskError) return error;
  if (error instanceof OversizeError) return tooLarge(maxBytes);
  if (error instanceof CorruptError)
    return new GatewayError('MEDIA_CORRUPT', 'the file is not the one that was sent', { cause: error });
  if (error instanceof GatewayError && error.code === 'MEDIA_HOST_FAILED') return error;
  const code: unknown = Reflect.get(Object(error), 'code');
  if (code === 'ETIMEDOUT')
    return new GatewayError('MEDIA_TIMEOUT', 'the media host did not hand the file over in time', { cause: error });
  return failed('the media host could not be reached', error);
}

const failed = (problem: string, cause?: unknown) => new GatewayError('MEDIA_HOST_FAILED', problem, { cause });
const tooLarge = (maxBytes: number) =>
  new GatewayError('MEDIA_OVER_LIMIT', [`The file is larger than ${maxBytes} bytes`]);
