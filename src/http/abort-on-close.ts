// Cancels work for a request whose caller has hung up. A caller can hang up before the handler runs, for example while
// the node that has the instance is looked up. Node.js then emits `close` before the handler can listen to it.
import type { FastifyReply } from 'fastify';
import { GatewayError } from '../errors.ts';

/** Calls `listener` once, when the response was sent or the caller has hung up; at once if either has happened. */
export function whenClosed({ raw }: FastifyReply, listener: () => void): void {
  if (raw.closed) listener();
  else raw.once('close', listener);
}

/**
 * A signal that aborts when the caller hangs up, or that is aborted if the caller has already hung up. It also aborts
 * after a complete response, when the work has ended. The signal of Fastify (`request.signal`) is not suitable, because
 * it aborts once the body of the request has been read.
 *
 * No caller receives the error of the abort. The error has the code INVALID_REQUEST (a mistake of the caller), because
 * a hang-up is not a failure of the gateway.
 */
export function abortOnClose(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  whenClosed(reply, () => controller.abort(new GatewayError('INVALID_REQUEST', ['The caller hung up.'])));
  return controller.signal;
}
