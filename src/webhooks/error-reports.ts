// Requests that failed, told to a receiver of the operator (WEBHOOK_EVENTS_ERRORS). Reports, no events: kept nowhere,
// posted once, dropped when there are too many, waited for by nobody. They carry no key.
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Egress } from '../egress/http-client.ts';
import type { Clock } from '../lib/clock.ts';
import { createLimiter } from '../lib/limiter.ts';
import type { ServerUrl } from '../lib/server-url.ts';
import { errorCodeOf } from './delivery-request.ts';
import { sign } from './signature.ts';

/** What the caller was told (contract §3.1), and whose request it was. */
export interface FailedRequest {
  status: number;
  error: string;
  response: { message: unknown };
  code?: string | undefined;
  requestId?: string | undefined;
  /** Name in the path, if there was one. */
  instance?: string | undefined;
}

export interface ErrorReportDeps {
  egress: Pick<Egress, 'request'>;
  clock: Clock;
  log: Pick<Logger, 'warn'>;
  url: string;
  /** `whsec_…`; without it reports are not signed. */
  secret: string | undefined;
  /** ms one post may take. */
  timeout: number;
  serverUrl: Pick<ServerUrl, 'current'>;
}

const AT_ONCE = 4;
/** Reports that wait for their turn; further ones are dropped. */
const WAITING = 200;
const MAX_ANSWER_BYTES = 1024;

export function createErrorReports(deps: ErrorReportDeps): (failed: FailedRequest) => void {
  const limiter = createLimiter(AT_ONCE);
  let waiting = 0;
  let dropped = 0;
  return (failed) => {
    if (waiting >= WAITING) {
      dropped++;
      return;
    }
    waiting++;
    const body = toBody(failed, deps);
    void limiter
      .run(() => post(body, deps))
      .finally(() => {
        waiting--;
        if (waiting > 0 || dropped === 0) return;
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
  const signed: Record<string, string> =
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
        ...signed,
      },
      body,
      timeout,
      maxBytes: MAX_ANSWER_BYTES,
    });
    if (status >= 300) log.warn({ status }, 'error_report.refused');
  } catch (err) {
    log.warn({ code: errorCodeOf(err) }, 'error_report.failed');
  }
}
