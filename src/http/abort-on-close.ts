// Cancels work for a request whose caller has hung up.
import type { FastifyReply } from 'fastify';
import { GatewayError } from '../errors.ts';

/** A signal that aborts when the caller hangs up. Fastify's own `request.signal` aborts once the body has been read. */
export function abortOnClose(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => controller.abort(new GatewayError('INVALID_REQUEST', ['The caller hung up.'])));
  return controller.signal;
}
