// Uploads a file for a channel post. Such a file is not encrypted, and the media host has a separate upload path for
// it. Baileys rc14 uses the path for encrypted files, and WhatsApp then refuses the post with error 479. Decision
// D-115.
import { createHash } from 'node:crypto';
import { proto } from '../baileys/proto.ts';
import { type UploadDeps, uploadToHosts } from './media-host.ts';
import type { UploadContent } from './upload-content.ts';

/** Segment of the upload path and default MIME type, by kind of file. */
const UPLOAD_TYPES = {
  image: ['image', 'image/jpeg'],
  video: ['video', 'video/mp4'],
  audio: ['audio', 'audio/ogg; codecs=opus'],
  document: ['document', 'application/octet-stream'],
  sticker: ['image', 'image/webp'],
} as const;

/**
 * Uploads the file in `media` and returns the message content that references it. Rejects with the errors of
 * uploadToHosts().
 */
export async function uploadForChannel(media: UploadContent, deps: UploadDeps): Promise<proto.IMessage> {
  const fields: Record<string, unknown> = { ...media };
  for (const [kind, [pathSegment, mimetype]] of Object.entries(UPLOAD_TYPES)) {
    const { [kind]: bytes, ...otherFields } = fields;
    if (!Buffer.isBuffer(bytes)) continue;
    const fileSha256 = createHash('sha256').update(bytes).digest();
    // For an unencrypted file, the media host expects the hash of the file as its token.
    const token = fileSha256.toString('base64url');
    const path = `/newsletter/newsletter-${pathSegment}/${token}`;
    // `server_thumb_gen` asks the host to generate a thumbnail.
    const paths = await uploadToHosts(
      bytes,
      { path, query: { token, server_thumb_gen: '1' }, parse: parsePaths },
      deps,
    );
    const file = { mimetype, ...otherFields, ...paths, fileSha256, fileLength: bytes.length };
    return proto.Message.fromObject({ [`${kind}Message`]: file });
  }
  throw new TypeError('no file to upload');
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
