// Downloads of decrypted files of messages, with an access key or a signed link. The headers prevent browsers from
// executing a file of any type.
import type { OpenFile } from '../../whatsapp/media/encrypted-spool.ts';
import { fileHeadersOf } from '../../whatsapp/media/file-headers.ts';
import { abortOnClose } from '../abort-on-close.ts';
import type { AppDeps } from '../deps.ts';
import { sendFile } from '../file-response.ts';
import { getMediaRoute } from '../schemas/media.ts';
import type { RoutePlugin } from '../type-provider.ts';

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
    // Requires a key or a signed link.
    config: { access: 'link' },
    handler: async (request, reply) => {
      const { instance, params, query, reach } = request;
      // `reach` says which instances the caller's key gives access to. It is set only when a key authorized the
      // request. The signature then has no effect.
      const signature = reach === undefined ? query.signature : undefined;
      const selector = { id: params.messageId, signature, remoteJid: query.remoteJid };
      // `attached` is the reference to the file in the message: its type, path and key.
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
        // A function, because most downloads need no session, and session() throws when the instance is not open.
        session: () => instance.session(),
        signal,
      };
      let file: OpenFile;
      try {
        file = await files.open(source);
      } catch (error) {
        // The caller has closed the connection. The empty reply is not sent, and only ends the request.
        if (signal.aborted) return reply.send();
        throw error;
      }
      return sendFile(reply.headers(headers), file);
    },
  });
};
