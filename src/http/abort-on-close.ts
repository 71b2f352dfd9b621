// Cancels work for a request whose caller has hung up.
import type { FastifyReply } from 'fastify';
import { GatewayError } from '../errors.ts';

/**
 * A signal that aborts when the caller hangs up. It also aborts after a complete response, when the work has ended.
 * Fastify's own `request.signal` is not suitable, because it already aborts once the body has been read.
 */
export function abortOnClose(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => controller.abort(new GatewayError('INVALID_REQUEST', ['The caller hung up.'])));
  return controller.signal;
}
