// Reports the end of requests. Fastify runs onResponse hooks only for responses that were sent completely, so they miss
// the requests of callers that hang up.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { whenClosed } from './abort-on-close.ts';

type EndListener = (request: FastifyRequest, reply: FastifyReply) => void;

const listenersOf = new WeakMap<FastifyInstance, EndListener[]>();

/**
 * Calls `listener` once for each request, when its handler has replied and the response was sent or the caller has hung
 * up.
 */
export function onRequestEnd(app: FastifyInstance, listener: EndListener): void {
  const existing = listenersOf.get(app);
  if (existing) existing.push(listener);
  else reportEnds(app, [listener]);
}

function reportEnds(app: FastifyInstance, listeners: EndListener[]): void {
  listenersOf.set(app, listeners);
  const ended = new WeakSet<FastifyRequest>();
  const end: EndListener = (request, reply) => {
    if (ended.has(request)) return;
    ended.add(request);
    for (const listener of listeners) listener(request, reply);
  };
  app.addHook('onResponse', (request, reply, done) => {
    end(request, reply);
    done();
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    // The caller can hang up before the response, and while it reads the response.
    whenClosed(reply, () => end(request, reply));
    done(null, payload);
  });
}
