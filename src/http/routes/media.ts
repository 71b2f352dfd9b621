// Decrypted files of messages, by key or signed link. Headers prevent browsers from executing a file, whatever its type.
import { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { OpenFile } from '../../whatsapp/media/download.ts';
import { fileHeadersOf } from '../../whatsapp/media/file-headers.ts';
import type { AppDeps } from '../deps.ts';
import { getMediaRoute } from '../schemas/media.ts';

/** ms without reading after which a download is closed, because it occupies a slot and disk space. */
const STALL_TIMEOUT_MS = 30_000;

const headers = {
  'accept-ranges': 'none',
  // The file of a message never changes. Only private caches may store it.
  'cache-control': 'private, max-age=3600',
  // No scripts; browsers may still show pictures and videos.
  'content-security-policy':
    "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'",
  // Signed links may be embedded in pages of other origins.
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
} as const;

export const mediaRoutes: FastifyPluginAsyncTypebox<Pick<AppDeps, 'files'>> = async (app, { files }) => {
  app.route({
    ...getMediaRoute,
    method: ['GET', 'HEAD'],
    // No response schema: the response is not JSON.
    schema: { ...getMediaRoute, response: {} },
    config: { access: 'link' },
    handler: async (request, reply) => {
      const { instance, params, query, scope } = request;
      // With a key the signature in the URL is ignored.
      const signature = scope === undefined ? query.signature : undefined;
      const asked = { id: params.messageId, signature, remoteJid: query.remoteJid };
      const { key, attached } = await files.find(instance.id, asked);
      const { type, disposition } = fileHeadersOf(attached, key.id);
      const described = { ...headers, 'content-type': type, 'content-disposition': disposition };
      // The length is known after the download only; the length that the sender states may be wrong.
      if (request.method === 'HEAD') return reply.headers(described).send();

      const left = new AbortController();
      reply.raw.once('close', () => left.abort(new Error('the caller left')));
      const wanted = { instanceId: instance.id, key, attached, session: () => instance.session(), signal: left.signal };
      let file: OpenFile;
      try {
        file = await files.open(wanted);
      } catch (error) {
        if (left.signal.aborted) return reply.hijack();
        throw error;
      }
      reply.raw.setTimeout(STALL_TIMEOUT_MS, () => reply.raw.destroy());
      return reply.headers({ ...described, 'content-length': file.size }).send(streamOf(file));
    },
  });
};

/** A stream of the file that closes it at the end or when the stream is destroyed. */
function streamOf(file: OpenFile): Readable {
  const stream = Readable.from(file.read(), { objectMode: false });
  stream.once('close', () => void file.close());
  return stream;
}
