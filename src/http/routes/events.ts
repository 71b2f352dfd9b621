// The log of an instance's events: a page of it, or all that follows as server-sent events.
import { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply } from 'fastify';
import type { AppDeps } from '../deps.ts';
import { isAdmin } from '../plugins/auth.ts';
import { readEventsRoute } from '../schemas/webhook.ts';

/** A listener that takes nothing for so long is gone, ms: heartbeats alone reach it more often. */
const STALLED = 60_000;

const headers = {
  'content-type': 'text/event-stream; charset=utf-8',
  // Proxies must neither keep nor collect it.
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
} as const;

export const eventRoutes: FastifyPluginAsyncTypebox<Pick<AppDeps, 'webhookService' | 'keys'>> = async (
  app,
  { webhookService, keys },
) => {
  // The stop waits for answers to end, and streams do not end by themselves.
  app.addHook('preClose', async () => webhookService.closeStreams());

  app.route({
    ...readEventsRoute,
    // Events are JSON already, and a stream is none; errors serialise themselves.
    schema: { ...readEventsRoute, response: {} },
    handler: async ({ instance, key, scope, query, headers: asked }, reply) => {
      const types = query.types?.split(',').filter((name) => name.trim() !== '');
      if (wantsStream(asked.accept)) {
        const last = asked['last-event-id'];
        const cursor = last ? { after: last, field: 'last-event-id' } : { after: query.after, field: 'after' };
        const left = new AbortController();
        const end = key ? keys.onEnd(key.id, () => left.abort()) : undefined;
        reply.raw.once('close', () => {
          end?.();
          left.abort();
        });
        const how = { field: cursor.field, signal: left.signal, ownOnly: scope !== 'service', isMasked: !isAdmin(key) };
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
  reply.raw.setTimeout(STALLED, () => reply.raw.destroy());
  // One text is taken ahead, and no more before the listener took the last.
  return reply.headers(headers).send(Readable.from(texts, { objectMode: false, highWaterMark: 16 * 1024 }));
}
