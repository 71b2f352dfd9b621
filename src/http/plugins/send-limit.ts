// Refuses sends with OVERLOADED when a new send would take longer than OVERLOAD_SEND_TIME. Decision D-186.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config/load.ts';
import { GatewayError } from '../../errors.ts';
import { onRequestEnd } from '../request-end.ts';
import { SendLoad } from '../send-load.ts';
import { toErrorBody } from './error-handler.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Counts the sends in progress. A request counts from its arrival, when this plugin calls `admit()`, until its
     * handler calls `run()`. From then on, the send counts instead.
     */
    sendLoad: SendLoad;
  }
}

/** Maximum value of the Retry-After header, seconds. */
const MAX_RETRY_AFTER_S = 10;
/** Minimum ms between two log lines about refused sends. A line counts the refusals since the line before. */
const REPORT_INTERVAL_MS = 60_000;

/** Whether the request sends a message: its operation has the tag `message`, and needs a key with the scope `send`. */
const isSend = ({ routeOptions: { schema } }: FastifyRequest) =>
  schema?.tags?.[0] === 'message' && schema.scope === 'send';

/**
 * Refuses sends in an onRequest hook, so that Fastify does not read their body. The hooks that check the key and the
 * instance must be registered before. A refusal is sent as a response and not thrown as an error: each error causes a
 * log line and a report to the operator's webhook, which cost too much CPU time under overload.
 */
export function registerSendLimit(app: FastifyInstance, { overloadSendTime }: Pick<Config, 'overloadSendTime'>): void {
  const load = new SendLoad({ maxTime: overloadSendTime });
  let refused = 0;
  let nextReport = 0;
  app.decorate('sendLoad', load);
  app.addHook('onRequest', (request, reply, done) => {
    if (!isSend(request)) return done();
    const estimate = load.estimateIfOverloaded();
    if (estimate === undefined) {
      load.admit(request);
      return done();
    }
    refused += 1;
    refuse(request, reply, estimate);
    if (performance.now() < nextReport) return;
    nextReport = performance.now() + REPORT_INTERVAL_MS;
    // The estimate is infinite when no send has ended for some time. JSON has no infinite numbers.
    const estimateMs = Number.isFinite(estimate) ? Math.round(estimate) : undefined;
    app.log.warn({ refused, ms: estimateMs, setting: 'OVERLOAD_SEND_TIME' }, 'server.sends.refused');
    refused = 0;
  });
  onRequestEnd(app, (request) => load.release(request));
}

function refuse(request: FastifyRequest, reply: FastifyReply, estimate: number): void {
  const retryAfter = Math.min(MAX_RETRY_AFTER_S, Math.ceil(estimate / 1_000));
  // `certain: true` tells the client that nothing was sent.
  const error = new GatewayError('OVERLOADED', 'Service Unavailable', { certain: true });
  reply
    .code(error.status)
    .header('retry-after', retryAfter)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(toErrorBody(error, request.id)));
}
