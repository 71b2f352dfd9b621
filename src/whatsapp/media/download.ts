// Files of stored messages: from the platform's media host, checked, to whoever reads them. What a message says decides the path on that
// host and nothing else: no other address is ever asked because of it.

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

/** GET through the guarded client, and the instance's proxy if it has one, the answer as it comes. Rejects with Node's `code`, ETIMEDOUT after `timeout` ms. */
export type StreamUrl = <T>(
  request: { url: string; headers: Record<string, string>; timeout: number; signal: AbortSignal },
  take: (answer: { status: number; body: AsyncIterable<Uint8Array> }) => Promise<T>,
  instanceId: string,
) => Promise<T>;

export interface DownloadDeps {
  streamUrl: StreamUrl;
  endpoint: PlatformEndpoint;
  messages: Pick<Messages, 'moveFile'>;
  /** Longest file, bytes. */
  maxBytes: number;
  /** For the host to hand a file over, ms. */
  timeout: number;
  /** For the phone to upload one again, ms. */
  reuploadTimeout: number;
}

/** Whose file it is, and how to reach the phone that may have it. */
export interface DownloadRequest {
  instanceId: string;
  key: MessageKey;
  attached: AttachedFile;
  /** Throws INSTANCE_NOT_OPEN. Absent: the phone is not asked, what the host no longer has is gone. */
  session?: () => Session;
  /** Fires when nobody wants it any more. */
  signal: AbortSignal;
  /** Below the limit of all, bytes. */
  maxBytes?: number;
}

/** Ready to be read: every check has passed. Holds disk space and one of few places until it is closed. */
export type OpenFile = Spooled;

export type OpenDownload = (wanted: DownloadRequest) => Promise<OpenFile>;

/** Files on their way at the same time; each may take its length on the disk. */
const CONCURRENCY = 8;

/** The host does not have it under this path, or no longer gives it out under it. */
class ExpiredError extends Error {}

/**
 * Opens files. Throws the signal's reason, MEDIA_OVER_LIMIT, MEDIA_GONE, MEDIA_CORRUPT, MEDIA_HOST_FAILED, MEDIA_TIMEOUT; INSTANCE_NOT_OPEN or
 * PLATFORM_TIMEOUT when the phone had to be asked.
 */
export function createDownloader(deps: DownloadDeps): OpenDownload {
  const limiter = createLimiter(CONCURRENCY);
  /** Requests to phones that are under way, by message. */
  const asking = new Map<string, Promise<string>>();

  function askOnce({ instanceId, key }: DownloadRequest, mediaKey: Buffer, session: Session): Promise<string> {
    const name = JSON.stringify([instanceId, key.remoteJid, key.id]);
    const asked = asking.get(name) ?? requestReupload(session, key, mediaKey, deps.reuploadTimeout);
    asking.set(name, asked);
    const forget = () => void (asking.get(name) === asked && asking.delete(name));
    asked.then(forget, forget);
    return asked;
  }

  async function fetchOrAsk(wanted: DownloadRequest): Promise<Spooled> {
    const host = await hostOf(wanted, deps.endpoint);
    let directPath: string;
    try {
      return await fetchFrom(host, wanted, deps);
    } catch (error) {
      if (!(error instanceof ExpiredError)) throw error;
      // Nobody's phone has more of a channel's post than the platform, and there is no key to ask with.
      if (!wanted.session || !wanted.attached.mediaKey) throw mediaGone(error);
      directPath = await askOnce(wanted, wanted.attached.mediaKey, wanted.session());
    }
    await deps.messages.moveFile(wanted.instanceId, wanted.key, { directPath, url: `https://${host}${directPath}` });
    try {
      return await fetchFrom(host, { ...wanted, attached: { ...wanted.attached, directPath } }, deps);
    } catch (error) {
      throw error instanceof ExpiredError ? mediaGone(error) : error;
    }
  }

  return (wanted) =>
    new Promise((resolve, reject) => {
      const hold = async () => {
        const closed = Promise.withResolvers<void>();
        wanted.signal.throwIfAborted();
        const file = await fetchOrAsk(wanted);
        const close = async () => {
          closed.resolve();
          await file.close();
        };
        // Whoever wanted it left at the last moment: nobody would close it.
        if (wanted.signal.aborted) await close();
        else resolve({ ...file, close });
        wanted.signal.throwIfAborted();
        await closed.promise;
      };
      limiter.run(hold).catch(reject);
    });
}

async function hostOf({ attached, session }: DownloadRequest, endpoint: PlatformEndpoint): Promise<string> {
  const named = URL.parse(attached.url ?? '');
  if (named?.protocol === 'https:' && isMediaHost(endpoint, named.host)) return named.host;
  if (endpoint.url === undefined) return DEFAULT_MEDIA_HOST;
  const { hosts } = session ? await fetchMediaConnection(session(), false) : { hosts: [] };
  const told = hosts.find(({ hostname }) => isMediaHost(endpoint, hostname));
  if (told) return told.hostname;
  throw new GatewayError('MEDIA_HOST_FAILED', 'no media host is known');
}

async function fetchFrom(
  host: string,
  { instanceId, attached, signal, maxBytes: wanted = Number.POSITIVE_INFINITY }: DownloadRequest,
  { streamUrl: receive, maxBytes: allowed, timeout }: DownloadDeps,
): Promise<Spooled> {
  const maxBytes = Math.min(wanted, allowed);
  const url = `https://${host}${attached.directPath}`;
  // As the platform's own client asks.
  const headers = { origin: DEFAULT_ORIGIN };
  if ((attached.fileLength ?? 0) > maxBytes) throw tooLarge(maxBytes);
  try {
    return await receive(
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
