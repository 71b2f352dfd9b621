// Reports failed API requests to a URL of the operator (WEBHOOK_EVENTS_ERRORS). A report is posted once, without a
// retry. Unlike the events of webhooks, a report contains no API key. When too many reports wait, new reports are
// dropped. Decision D-129.
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Egress } from '../egress/http-client.ts';
import type { Clock } from '../lib/clock.ts';
import { createLimiter } from '../lib/limiter.ts';
import type { ServerUrl } from '../lib/server-url.ts';
import { errorCodeOf } from './delivery-request.ts';
import { sign } from './signature.ts';

/** The members of the error response of an API request, and the instance of the request. */
export interface FailedRequest {
  /** HTTP status. */
  status: number;
  /** Title of the error. */
  error: string;
  response: { message: unknown };
  /** Error code, such as INVALID_REQUEST. */
  code?: string | undefined;
  requestId?: string | undefined;
  /** Name of the instance in the path of the request, if any. */
  instance?: string | undefined;
}

export interface ErrorReportDeps {
  egress: Pick<Egress, 'request'>;
  clock: Clock;
  log: Pick<Logger, 'warn'>;
  url: string;
  /** Secret for the signature, `whsec_…`; undefined: reports are not signed. */
  secret: string | undefined;
  /** Maximum duration of one report, in ms. */
  timeout: number;
  /** Base URL of the gateway, which each report contains. */
  serverUrl: Pick<ServerUrl, 'current'>;
}

const MAX_CONCURRENT = 4;
/** Maximum number of reports that wait or are being sent; further reports are dropped. */
const MAX_PENDING = 200;
const MAX_RESPONSE_BYTES = 1024;

/** Returns a function that queues a report and returns without waiting for it. */
export function createErrorReports(deps: ErrorReportDeps): (failed: FailedRequest) => void {
  const limiter = createLimiter(MAX_CONCURRENT);
  let pending = 0;
  let dropped = 0;
  return (failed) => {
    if (pending >= MAX_PENDING) {
      dropped++;
      return;
    }
    pending++;
    const body = toBody(failed, deps);
    void limiter
      .run(() => post(body, deps))
      .finally(() => {
        pending--;
        // The number of dropped reports is logged once, when no more reports are pending.
        if (pending > 0 || dropped === 0) return;
        deps.log.warn({ dropped }, 'error_report.dropped');
        dropped = 0;
      });
  };
}

function toBody({ status, error, response, code, requestId, instance }: FailedRequest, deps: ErrorReportDeps): Buffer {
  const { message } = response;
  const data = { error, message, status, response: { message }, code, requestId };
  const date_time = new Date(deps.clock.now()).toISOString();
  return Buffer.from(JSON.stringify({ event: 'error', instance, data, date_time, server_url: deps.serverUrl.current }));
}

async function post(body: Buffer, { egress, clock, log, url, secret, timeout }: ErrorReportDeps): Promise<void> {
  const id = `err_${randomUUID().replaceAll('-', '')}`;
  const timestamp = Math.floor(clock.now() / 1000);
  const signature: Record<string, string> =
    secret === undefined ? {} : { 'webhook-signature': sign([secret], { id, timestamp, body }) };
  try {
    const { status } = await egress.request('webhook', {
      method: 'POST',
      url,
      headers: {
        'user-agent': 'messaging-gateway',
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        ...signature,
      },
      body,
      timeout,
      maxBytes: MAX_RESPONSE_BYTES,
    });
    if (status >= 300) log.warn({ status }, 'error_report.refused');
  } catch (err) {
    log.warn({ code: errorCodeOf(err) }, 'error_report.failed');
  }
}
