// Uploads a file for a channel: unencrypted, and to a path of its own on the media host. Baileys rc14 uses the path for
// encrypted files, and WhatsApp then refuses the post (479).
import { createHash } from 'node:crypto';
import { type Agent, request } from 'node:https';
import { DEFAULT_ORIGIN } from '../baileys/media-transfer.ts';
import { proto } from '../baileys/proto.ts';
import type { UploadContent } from './upload-content.ts';

/** Media hosts and the token for uploads. */
export interface UploadHosts {
  hosts: { hostname: string }[];
  auth: string;
}

export interface ChannelUploadDeps {
  /** Returns the hosts. `forced`: the known ones refused the file. */
  hosts: (forced: boolean) => Promise<UploadHosts>;
  agent: Agent | undefined;
  /** ms */
  timeout: number;
}

/** Per kind: path segment on the host, and the default MIME type. */
const KINDS = {
  image: ['image', 'image/jpeg'],
  video: ['video', 'video/mp4'],
  audio: ['audio', 'audio/ogg; codecs=opus'],
  document: ['document', 'application/octet-stream'],
  sticker: ['image', 'image/webp'],
} as const;

/**
 * Uploads the file and returns the content that references it. Rejects with the error of the last host, and as `hosts`.
 */
export async function uploadForChannel(media: UploadContent, deps: ChannelUploadDeps): Promise<proto.IMessage> {
  const fields: Record<string, unknown> = { ...media };
  for (const [kind, [place, mimetype]] of Object.entries(KINDS)) {
    const { [kind]: bytes, ...described } = fields;
    if (!Buffer.isBuffer(bytes)) continue;
    const fileSha256 = createHash('sha256').update(bytes).digest();
    const path = `/newsletter/newsletter-${place}/${fileSha256.toString('base64url')}`;
    const location = await uploadToHosts(bytes, path, fileSha256.toString('base64url'), deps);
    const file = { mimetype, ...described, ...location, fileSha256, fileLength: bytes.length };
    return proto.Message.fromObject({ [`${kind}Message`]: file });
  }
  throw new TypeError('no file to upload');
}

async function uploadToHosts(bytes: Buffer, path: string, token: string, { hosts, agent, timeout }: ChannelUploadDeps) {
  let failure: unknown = new Error('there is no media host');
  for (const forced of [false, true]) {
    const connection = await hosts(forced);
    for (const { hostname } of connection.hosts) {
      const query = new URLSearchParams({ auth: connection.auth, token, server_thumb_gen: '1' });
      try {
        return parseLocation(await post(`https://${hostname}${path}?${query}`, bytes, agent, timeout));
      } catch (error) {
        failure = error;
      }
    }
  }
  throw failure;
}

/** Parses the host's answer: path of the file and of the thumbnail that the host made. */
function parseLocation(answer: string) {
  const parsed: unknown = JSON.parse(answer);
  const { direct_path: directPath, thumbnail_info: thumbnail } = Object(parsed);
  if (typeof directPath !== 'string') throw new Error('the media host did not say where the file lies');
  const { thumbnail_direct_path: thumbnailDirectPath, thumbnail_sha256: sha256 } = Object(thumbnail);
  const isMade = typeof thumbnailDirectPath === 'string' && typeof sha256 === 'string';
  return {
    directPath,
    ...(isMade ? { thumbnailDirectPath, thumbnailSha256: Buffer.from(sha256, 'base64') } : {}),
  };
}

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
      answer.on('data', (part: Buffer) => parts.push(part));
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
