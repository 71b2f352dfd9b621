// Creates the media service that all sessions share. It reads the media of requests, converts it, and uploads it to
// WhatsApp.
import type { Agent } from 'node:https';
import { createFairLimiter } from '../../lib/fair-limiter.ts';
import { channelJidOf } from '../address/jid.ts';
import { createTrust, type PlatformEndpoint } from '../baileys/platform-endpoint.ts';
import type { proto } from '../baileys/proto.ts';
import type { Session } from '../session.ts';
import type { ImageDecoder } from './image-decoder.ts';
import { createMp4Converter, type ToMp4 } from './mp4.ts';
import { RequestFiles } from './request-files.ts';
import { fetchMedia, type GetUrl, type SourceLimits } from './source.ts';
import { uploadMedia } from './upload.ts';
import type { UploadContent } from './upload-content.ts';
import { createVideoReader, type ReadVideo } from './video.ts';
import { createVoiceConverter, type ToVoice, type VoiceDeps } from './voice.ts';
import { runLimited } from './work-limit.ts';

export interface MediaDeps extends SourceLimits, Pick<VoiceDeps, 'ffmpeg' | 'log'> {
  get: GetUrl;
  endpoint: PlatformEndpoint;
  images: ImageDecoder;
}

export interface Media {
  /**
   * Reads `source` with fetchMedia() and calls `work` with the bytes. Because the number of files in memory is limited,
   * `work` must not use the bytes after its promise has settled. Throws OVERLOADED when too many files of the instance
   * `owner` are waiting, and the errors of fetchMedia() and `work`.
   */
  withFile<T>(owner: string, source: string, work: (bytes: Buffer) => Promise<T>): Promise<T>;
  toVoice: ToVoice;
  readVideo: ReadVideo;
  toMp4: ToMp4;
  readonly images: ImageDecoder;
  /** Calls uploadMedia(). The file is not encrypted when `number`, the recipient, is a channel. */
  upload(session: Session, content: UploadContent, number?: string): Promise<proto.IMessage>;
  /** Files of multipart requests. withFile() accepts their addresses (`upload:…`) as `source`. */
  readonly requestFiles: RequestFiles;
  /** Aborts all conversions in progress, and ends the image processes. */
  close(): void;
}

/**
 * Limits of concurrent files in memory. An instance gets at most `perOwner` slots, so that slow URLs of one instance do
 * not occupy all slots.
 */
const FILE_LIMITS = { slots: 16, perOwner: 12, waitingPerOwner: 200 };

/** Creates the service. Its conversions end with close(). */
export function createMedia({ endpoint, get, images, maxBytes, timeout, ...voiceDeps }: MediaDeps): Media {
  const agent: Agent | undefined = createTrust(endpoint).fetchAgent;
  const limiter = createFairLimiter(FILE_LIMITS);
  const closing = new AbortController();
  const requestFiles = new RequestFiles(maxBytes);
  const sourceDeps = { get, maxBytes, timeout, takeUploaded: (address: string) => requestFiles.take(address) };
  return {
    withFile: (owner, source, work) =>
      runLimited(limiter, owner, async () => work(await fetchMedia(source, sourceDeps))),
    toVoice: createVoiceConverter({ ...voiceDeps, signal: closing.signal }),
    toMp4: createMp4Converter({ ffmpeg: voiceDeps.ffmpeg, signal: closing.signal }),
    readVideo: createVideoReader({ ffmpeg: voiceDeps.ffmpeg, images, signal: closing.signal }),
    images,
    upload: (session, content, number = '') =>
      uploadMedia(session, content, { agent, forChannel: channelJidOf(number) !== undefined }),
    requestFiles,
    close() {
      closing.abort();
      images.close();
    },
  };
}
