// Files of messages, decrypted. Whatever a sender calls a file, a browser that is sent here runs nothing.
import { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { OpenFile } from '../../whatsapp/media/download.ts';
import { fileHeadersOf } from '../../whatsapp/media/file-headers.ts';
import type { AppDeps } from '../deps.ts';
import { getMediaRoute } from '../schemas/media.ts';

/** A reader that takes nothing for so long is gone, ms: it holds a place and disk space. */
const STALLED = 30_000;

const headers = {
  'accept-ranges': 'none',
  // The same message always has the same file; shared caches have no business with it.
  'cache-control': 'private, max-age=3600',
  // Nothing runs; a browser that opens a picture or a video by itself may still show it.
  'content-security-policy':
    "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'",
  // A signed link is there to be shown on the pages of whoever got it.
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
} as const;

export const mediaRoutes: FastifyPluginAsyncTypebox<Pick<AppDeps, 'files'>> = async (app, { files }) => {
  app.route({
    ...getMediaRoute,
    method: ['GET', 'HEAD'],
    // The answer is no JSON; errors serialise themselves.
    schema: { ...getMediaRoute, response: {} },
    config: { access: 'link' },
    handler: async (request, reply) => {
      const { instance, params, query, scope } = request;
      // Whoever has a key needs no link, not even the one in the address.
      const signature = scope === undefined ? query.signature : undefined;
      const asked = { id: params.messageId, signature, remoteJid: query.remoteJid };
      const { key, attached } = await files.find(instance.id, asked);
      const { type, disposition } = fileHeadersOf(attached, key.id);
      const described = { ...headers, 'content-type': type, 'content-disposition': disposition };
      // The file's true length is known when it has been fetched; what its sender says of it is not told as the truth.
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
      reply.raw.setTimeout(STALLED, () => reply.raw.destroy());
      return reply.headers({ ...described, 'content-length': file.size }).send(streamOf(file));
    },
  });
};

/** Closes the file when it is read, or nobody reads it any more. */
function streamOf(file: OpenFile): Readable {
  const stream = Readable.from(file.read(), { objectMode: false });
  stream.once('close', () => void file.close());
  return stream;
}
