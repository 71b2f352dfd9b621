// GET /events: a page of the event log of an instance, or a stream of server-sent events.
import { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply } from 'fastify';
import type { AppDeps } from '../deps.ts';
import { isAdmin } from '../plugins/auth.ts';
import { readEventsRoute } from '../schemas/webhook.ts';

/** ms without reading after which a stream is closed; heartbeats arrive more often. */
const STALL_TIMEOUT_MS = 60_000;

const headers = {
  'content-type': 'text/event-stream; charset=utf-8',
  // Proxies must neither cache nor buffer the stream.
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
} as const;

export const eventRoutes: FastifyPluginAsyncTypebox<Pick<AppDeps, 'webhookService' | 'keys'>> = async (
  app,
  { webhookService, keys },
) => {
  // Streams do not end by themselves, and the stop waits for all responses.
  app.addHook('preClose', async () => webhookService.closeStreams());

  app.route({
    ...readEventsRoute,
    // No response schema: events are stored as JSON text, and the stream is not JSON.
    schema: { ...readEventsRoute, response: {} },
    handler: async ({ instance, key, scope, query, headers: requestHeaders }, reply) => {
      const types = query.types?.split(',').filter((name) => name.trim() !== '');
      if (wantsStream(requestHeaders.accept)) {
        const last = requestHeaders['last-event-id'];
        const cursor = last ? { after: last, field: 'last-event-id' } : { after: query.after, field: 'after' };
        const left = new AbortController();
        const end = key ? keys.onEnd(key.id, () => left.abort()) : undefined;
        reply.raw.once('close', () => {
          end?.();
          left.abort();
        });
        const how = {
          field: cursor.field,
          signal: left.signal,
          ownWebhooksOnly: scope !== 'service',
          masksUrls: !isAdmin(key),
        };
        return send(reply, await webhookService.openStream(instance.id, { after: cursor.after, types }, how));
      }
      const { events, next } = await webhookService.readEvents(instance.id, {
        after: query.after,
        types,
        limit: query.limit ?? 100,
      });
      const page = `{"events":[${events.join(',')}],"next":${JSON.stringify(next)}}`;
      return reply.type('application/json; charset=utf-8').send(page);
    },
  });
};

function wantsStream(accept: string | undefined): boolean {
  return accept?.split(',').some((range) => range.trim().toLowerCase().startsWith('text/event-stream')) ?? false;
}

function send(reply: FastifyReply, texts: AsyncIterable<string>): FastifyReply {
  reply.raw.setTimeout(STALL_TIMEOUT_MS, () => reply.raw.destroy());
  // Reads one event ahead and waits until the client has received it.
  return reply.headers(headers).send(Readable.from(texts, { objectMode: false, highWaterMark: 16 * 1024 }));
}
