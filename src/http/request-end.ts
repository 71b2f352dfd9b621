// Reports the end of requests. Fastify runs onResponse hooks only for responses that were sent completely, and not for
// the requests of callers that hang up.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { whenClosed } from './abort-on-close.ts';

type EndListener = (request: FastifyRequest, reply: FastifyReply) => void;

const listenersOf = new WeakMap<FastifyInstance, EndListener[]>();

/**
 * Calls `listener` once for each request: when the response was sent, or when the handler has replied and the caller
 * has hung up.
 */
export function onRequestEnd(app: FastifyInstance, listener: EndListener): void {
  const existing = listenersOf.get(app);
  if (existing) existing.push(listener);
  else reportEnds(app, [listener]);
}

function reportEnds(app: FastifyInstance, listeners: EndListener[]): void {
  listenersOf.set(app, listeners);
  /** Both hooks can report the same request. */
  const reported = new WeakSet<FastifyRequest>();
  const reportOnce: EndListener = (request, reply) => {
    if (reported.has(request)) return;
    reported.add(request);
    for (const listener of listeners) listener(request, reply);
  };
  app.addHook('onResponse', (request, reply, done) => {
    reportOnce(request, reply);
    done();
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    // The caller can have hung up before the handler replied, or can hang up while it reads the response.
    whenClosed(reply, () => reportOnce(request, reply));
    done(null, payload);
  });
}
