// Uploads a file for a channel post. Such a file is not encrypted, and the media host has a separate upload path for
// it. Baileys rc14 uses the path for encrypted files, and WhatsApp then refuses the post with error 479. Decision
// D-115.
import { createHash } from 'node:crypto';
import { type Agent, request } from 'node:https';
import { DEFAULT_ORIGIN } from '../baileys/media-transfer.ts';
import { proto } from '../baileys/proto.ts';
import type { UploadContent } from './upload-content.ts';

/** Media hosts of WhatsApp, and the token for uploads to them. */
export interface UploadHosts {
  hosts: { hostname: string }[];
  auth: string;
}

export interface ChannelUploadDeps {
  /** Returns the hosts. With `forced`, it fetches them again, because an upload to every cached host failed. */
  fetchHosts: (forced: boolean) => Promise<UploadHosts>;
  agent: Agent | undefined;
  /** Timeout for an upload to one host, ms. */
  timeout: number;
}

/** Maximum length of a media host's answer, which contains paths and a hash. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** Segment of the upload path and default MIME type of each kind of file. */
const UPLOAD_TYPES = {
  image: ['image', 'image/jpeg'],
  video: ['video', 'video/mp4'],
  audio: ['audio', 'audio/ogg; codecs=opus'],
  document: ['document', 'application/octet-stream'],
  sticker: ['image', 'image/webp'],
} as const;

/**
 * Uploads the file in `media` and returns the message content that references it. Rejects with the error of
 * `fetchHosts`, or with the error of the last host when the uploads to all hosts fail.
 */
export async function uploadForChannel(media: UploadContent, deps: ChannelUploadDeps): Promise<proto.IMessage> {
  const fields: Record<string, unknown> = { ...media };
  for (const [kind, [pathSegment, mimetype]] of Object.entries(UPLOAD_TYPES)) {
    const { [kind]: bytes, ...otherFields } = fields;
    if (!Buffer.isBuffer(bytes)) continue;
    const fileSha256 = createHash('sha256').update(bytes).digest();
    const token = fileSha256.toString('base64url');
    const paths = await uploadToHosts(bytes, `/newsletter/newsletter-${pathSegment}/${token}`, token, deps);
    const file = { mimetype, ...otherFields, ...paths, fileSha256, fileLength: bytes.length };
    return proto.Message.fromObject({ [`${kind}Message`]: file });
  }
  throw new TypeError('no file to upload');
}

async function uploadToHosts(
  bytes: Buffer,
  path: string,
  token: string,
  { fetchHosts, agent, timeout }: ChannelUploadDeps,
) {
  let lastError: unknown = new Error('there is no media host');
  for (const forced of [false, true]) {
    const { hosts, auth } = await fetchHosts(forced);
    for (const { hostname } of hosts) {
      const query = new URLSearchParams({ auth, token, server_thumb_gen: '1' });
      try {
        return parsePaths(await post(`https://${hostname}${path}?${query}`, bytes, agent, timeout));
      } catch (error) {
        lastError = error;
      }
    }
  }
  throw lastError;
}

/** Parses the host's answer: the path of the file, and that of the thumbnail if the host has generated one. */
function parsePaths(answer: string) {
  const parsed: unknown = JSON.parse(answer);
  const { direct_path: directPath, thumbnail_info: thumbnail } = Object(parsed);
  if (typeof directPath !== 'string') throw new Error('the answer of the media host contains no path');
  const { thumbnail_direct_path: thumbnailDirectPath, thumbnail_sha256: sha256 } = Object(thumbnail);
  const hasThumbnail = typeof thumbnailDirectPath === 'string' && typeof sha256 === 'string';
  return {
    directPath,
    ...(hasThumbnail ? { thumbnailDirectPath, thumbnailSha256: Buffer.from(sha256, 'base64') } : {}),
  };
}

/** Returns the body of the answer. Rejects unless its status is 200, and when it is longer than MAX_ANSWER_BYTES. */
function post(url: string, bytes: Buffer, agent: Agent | undefined, timeout: number): Promise<string> {
  const headers = {
    'content-type': 'application/octet-stream',
    'content-length': bytes.length,
    origin: DEFAULT_ORIGIN,
  };
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(timeout);
    const outgoing = request(url, { method: 'POST', headers, agent, signal }, (answer) => {
      const parts: Buffer[] = [];
      let size = 0;
      answer.on('data', (part: Buffer) => {
        size += part.length;
        if (size > MAX_ANSWER_BYTES) answer.destroy(new Error(`the answer is longer than ${MAX_ANSWER_BYTES} bytes`));
        else parts.push(part);
      });
      answer.on('error', reject);
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve(Buffer.concat(parts).toString());
        else reject(new Error(`the media host answered ${answer.statusCode}`));
      });
    });
    outgoing.on('error', reject);
    outgoing.end(bytes);
  });
}
