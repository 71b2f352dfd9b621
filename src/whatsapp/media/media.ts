// What operations need to send media, the same for every session: where bytes come from and how they get to the platform's host.
import type { Agent } from 'node:https';
import { createFairLimiter } from '../../lib/fair-limiter.ts';
import { channelOf } from '../address/jid.ts';
import { createTrust, type PlatformEndpoint } from '../baileys/platform-endpoint.ts';
import type { proto } from '../baileys/proto.ts';
import type { Session } from '../session.ts';
import type { ImageDecoder } from './image-decoder.ts';
import { createMp4, type ToMp4 } from './mp4.ts';
import { RequestFiles } from './request-files.ts';
import { fetchMedia, type GetUrl, type SourceLimits } from './source.ts';
import { upload } from './upload.ts';
import type { UploadContent } from './upload-content.ts';
import { createVideo, type ToVideo } from './video.ts';
import { createVoice, type ToVoice, type VoiceDeps } from './voice.ts';
import { runLimited } from './work-limit.ts';

export interface MediaDeps extends SourceLimits, Pick<VoiceDeps, 'ffmpeg' | 'log'> {
  get: GetUrl;
  endpoint: PlatformEndpoint;
  images: ImageDecoder;
}

export interface Media {
  /**
   * As fetchMedia(), for as long as `work` runs; a few at once, because each is held in memory. Throws OVERLOADED when too many files of
   * the instance `owner` are waiting.
   */
  use<T>(owner: string, source: string, work: (bytes: Buffer) => Promise<T>): Promise<T>;
  voice: ToVoice;
  video: ToVideo;
  mp4: ToMp4;
  readonly images: ImageDecoder;
  /** As upload(); not encrypted when it is for a channel. */
  upload(session: Session, content: UploadContent, number?: string): Promise<proto.IMessage>;
  /** Files that came with requests; their addresses are sources. */
  readonly uploads: RequestFiles;
  /** Ends what other programs still do for us. */
  close(): void;
}

/** Files held in memory at the same time. An address may take long to answer, so those of one instance never take all places. */
const FILES = { slots: 16, perOwner: 12, waitingPerOwner: 200 };

export function createMedia({ endpoint, get, images, maxBytes, timeout, ...voice }: MediaDeps): Media {
  const agent: Agent | undefined = createTrust(endpoint).fetchAgent;
  const limiter = createFairLimiter(FILES);
  const closing = new AbortController();
  const uploads = new RequestFiles(maxBytes);
  const source = { get, maxBytes, timeout, upload: (address: string) => uploads.take(address) };
  return {
    use: (owner, named, work) => runLimited(limiter, owner, async () => work(await fetchMedia(named, source))),
    voice: createVoice({ ...voice, signal: closing.signal }),
    mp4: createMp4({ ffmpeg: voice.ffmpeg, signal: closing.signal }),
    video: createVideo({ ffmpeg: voice.ffmpeg, images, signal: closing.signal }),
    images,
    upload: (session, content, number = '') =>
      upload(session, content, { agent, isPublic: channelOf(number) !== undefined }),
    uploads,
    close() {
      closing.abort();
      images.close();
    },
  };
}
