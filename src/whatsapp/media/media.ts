// The media service that all sessions share: reads the media of requests, converts it and uploads it to WhatsApp.
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
   * Reads `source` with fetchMedia() and keeps the bytes while `work` runs. The number of files in memory is limited.
   * Throws OVERLOADED when too many files of the instance `owner` are waiting.
   */
  withFile<T>(owner: string, source: string, work: (bytes: Buffer) => Promise<T>): Promise<T>;
  toVoice: ToVoice;
  toVideo: ReadVideo;
  toMp4: ToMp4;
  readonly images: ImageDecoder;
  /** Calls upload(); unencrypted when `number` is a channel. */
  upload(session: Session, content: UploadContent, number?: string): Promise<proto.IMessage>;
  /** Files of multipart requests; their addresses are valid sources. */
  readonly uploads: RequestFiles;
  /** Stops running conversions. */
  close(): void;
}

/** Concurrent files in memory. One instance never uses all slots, because a URL may answer slowly. */
const FILE_LIMITS = { slots: 16, perOwner: 12, waitingPerOwner: 200 };

export function createMedia({ endpoint, get, images, maxBytes, timeout, ...voice }: MediaDeps): Media {
  const agent: Agent | undefined = createTrust(endpoint).fetchAgent;
  const limiter = createFairLimiter(FILE_LIMITS);
  const closing = new AbortController();
  const uploads = new RequestFiles(maxBytes);
  const sourceDeps = { get, maxBytes, timeout, takeUploaded: (address: string) => uploads.take(address) };
  return {
    withFile: (owner, source, work) =>
      runLimited(limiter, owner, async () => work(await fetchMedia(source, sourceDeps))),
    toVoice: createVoiceConverter({ ...voice, signal: closing.signal }),
    toMp4: createMp4Converter({ ffmpeg: voice.ffmpeg, signal: closing.signal }),
    toVideo: createVideoReader({ ffmpeg: voice.ffmpeg, images, signal: closing.signal }),
    images,
    upload: (session, content, number = '') =>
      uploadMedia(session, content, { agent, isPublic: channelJidOf(number) !== undefined }),
    uploads,
    close() {
      closing.abort();
      images.close();
    },
  };
}
