// GET /events: a page of the event log of an instance, or a stream of server-sent events.
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { whenClosed } from '../abort-on-close.ts';
import type { AppDeps } from '../deps.ts';
import { isAdmin } from '../plugins/auth.ts';
import { readEventsRoute } from '../schemas/webhook.ts';
import type { RoutePlugin } from '../type-provider.ts';

/** Number of events of a page if the request has no `limit`. */
const DEFAULT_PAGE_EVENTS = 100;
/** Bytes that are buffered, besides one event, for a client that reads slowly. */
const STREAM_BUFFER_BYTES = 16 * 1024;

const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  // Proxies must neither cache nor buffer the stream.
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
} as const;

export const eventRoutes: RoutePlugin<Pick<AppDeps, 'webhookService' | 'keys'>> = async (
  app,
  { webhookService, keys },
) => {
  // Streams never end unless they are closed, and Fastify waits for all responses when it stops.
  app.addHook('preClose', async () => webhookService.closeStreams());

  app.route({
    ...readEventsRoute,
    // No response schema: events are stored as JSON text, and the stream is not JSON.
    schema: { ...readEventsRoute, response: {} },
    handler: async ({ instance, key, reach, query, headers }, reply) => {
      const types = query.types?.split(',').filter((name) => name.trim() !== '');
      if (acceptsStream(headers.accept)) {
        // `field`: the name of the header or parameter, for error texts.
        const lastEventId = headers['last-event-id'];
        const cursor = lastEventId
          ? { after: lastEventId, field: 'last-event-id' }
          : { after: query.after, field: 'after' };
        const end = new AbortController();
        // The stream ends when the key of the caller is revoked or expires.
        const removeKeyListener = key && keys.onEnd(key.id, () => end.abort());
        whenClosed(reply, () => {
          removeKeyListener?.();
          end.abort();
        });
        const options = {
          field: cursor.field,
          signal: end.signal,
          // The stream also has notices about webhooks. A key for one instance gets none about the global webhook. Only
          // a key with the scope admin gets URLs with the secrets in them.
          ownWebhooksOnly: reach !== 'service',
          masksUrls: !isAdmin(key),
        };
        return sendStream(reply, await webhookService.openStream(instance.id, { after: cursor.after, types }, options));
      }
      const { events, next } = await webhookService.readEvents(instance.id, {
        after: query.after,
        types,
        limit: query.limit ?? DEFAULT_PAGE_EVENTS,
      });
      const page = `{"events":[${events.join(',')}],"next":${JSON.stringify(next)}}`;
      return reply.type('application/json; charset=utf-8').send(page);
    },
  });
};

function acceptsStream(accept: string | undefined): boolean {
  return accept?.split(',').some((range) => range.trim().toLowerCase().startsWith('text/event-stream')) ?? false;
}

function sendStream(reply: FastifyReply, texts: AsyncIterable<string>): FastifyReply {
  return reply
    .headers(STREAM_HEADERS)
    .send(Readable.from(texts, { objectMode: false, highWaterMark: STREAM_BUFFER_BYTES }));
}
