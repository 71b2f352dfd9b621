// Downloads of decrypted files of messages, with an access key or a signed link. The headers prevent browsers from
// executing a file of any type.
import { Readable } from 'node:stream';
import type { OpenFile } from '../../whatsapp/media/download.ts';
import { fileHeadersOf } from '../../whatsapp/media/file-headers.ts';
import { abortOnClose, whenClosed } from '../abort-on-close.ts';
import type { AppDeps } from '../deps.ts';
import { getMediaRoute } from '../schemas/media.ts';
import type { RoutePlugin } from '../type-provider.ts';

/**
 * A response may take this time in ms, and the time of its file at MIN_BYTES_PER_S. It is limited, because it occupies
 * disk space and one of a limited number of slots.
 */
const BASE_DURATION_MS = 60_000;
const MIN_BYTES_PER_S = 64 * 1024;

const FILE_HEADERS = {
  'accept-ranges': 'none',
  // The file of a message never changes. Only private caches are allowed to store it.
  'cache-control': 'private, max-age=3600',
  // Scripts are forbidden. Browsers can still show images and videos.
  'content-security-policy':
    "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'",
  // Pages of other origins are allowed to embed signed links.
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
} as const;

export const mediaRoutes: RoutePlugin<Pick<AppDeps, 'files'>> = async (app, { files }) => {
  app.route({
    ...getMediaRoute,
    method: ['GET', 'HEAD'],
    // No response schema: the response is not JSON.
    schema: { ...getMediaRoute, response: {} },
    config: { access: 'link' },
    handler: async (request, reply) => {
      const { instance, params, query, reach } = request;
      // `reach` is set when a key authorized the request; the signature then has no effect.
      const signature = reach === undefined ? query.signature : undefined;
      const selector = { id: params.messageId, signature, remoteJid: query.remoteJid };
      const { key, attached } = await files.find(instance.id, selector);
      const { type, disposition } = fileHeadersOf(attached, key.id);
      const headers = { ...FILE_HEADERS, 'content-type': type, 'content-disposition': disposition };
      // The length is only known after the download: the length that the sender states can be wrong.
      if (request.method === 'HEAD') return reply.headers(headers).send();

      const signal = abortOnClose(reply);
      const source = {
        instanceId: instance.id,
        key,
        attached,
        session: () => instance.session(),
        signal,
      };
      let file: OpenFile;
      try {
        file = await files.open(source);
      } catch (error) {
        // The caller has hung up. The empty reply is not sent, and only ends the request.
        if (signal.aborted) return reply.send();
        throw error;
      }
      const timer = setTimeout(() => reply.raw.destroy(), BASE_DURATION_MS + (1_000 * file.size) / MIN_BYTES_PER_S);
      whenClosed(reply, () => clearTimeout(timer));
      return reply.headers({ ...headers, 'content-length': file.size }).send(streamOf(file));
    },
  });
};

/** A stream of the file's content. The file is closed when the stream ends or is destroyed. */
function streamOf(file: OpenFile): Readable {
  const stream = Readable.from(file.read(), { objectMode: false });
  stream.once('close', () => void file.close());
  return stream;
}
