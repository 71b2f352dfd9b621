// One attempt to post one event: address, headers, signature, a bounded answer. Decides nothing about what follows.
import type { Egress } from '../egress/client.ts';
import type { Clock } from '../lib/clock.ts';
import type { Delivery, WebhookRow } from '../storage/storage.ts';
import { toSuffix } from './catalogue.ts';
import { complete } from './envelope.ts';
import type { Attempted } from './outcome.ts';
import { sign } from './sign.ts';

export interface Courier {
  egress: Pick<Egress, 'request'>;
  clock: Clock;
  /** ms for the whole exchange. */
  timeout: number;
  /** Aborts the attempt at shutdown. */
  signal: AbortSignal;
}

const MAX_ANSWER_BYTES = 20 * 1024;
const USER_AGENT = 'messaging-gateway';

/** Posts `delivery` to `webhook`. Never rejects: failures to get an answer are told by `error`. */
export async function deliver(webhook: WebhookRow, delivery: Delivery, courier: Courier): Promise<Attempted> {
  const body = Buffer.from(complete(delivery.body, webhook.url));
  const timestamp = Math.floor(courier.clock.now() / 1000);
  try {
    const { status, headers } = await courier.egress.request('webhook', {
      method: 'POST',
      url: webhook.byEvents ? withSuffix(webhook.url, delivery.type) : webhook.url,
      headers: {
        'user-agent': USER_AGENT,
        ...lowerCased(webhook.headers),
        'content-type': 'application/json',
        'webhook-id': delivery.eventId,
        'webhook-seq': String(delivery.seq),
        'webhook-timestamp': String(timestamp),
        'webhook-signature': sign([webhook.secret], { id: delivery.eventId, timestamp, body }),
      },
      body,
      timeout: courier.timeout,
      maxBytes: MAX_ANSWER_BYTES,
      signal: courier.signal,
    });
    const retryAfter = headers['retry-after'];
    return { status, error: null, retryAfter: typeof retryAfter === 'string' ? retryAfter : null };
  } catch (err) {
    return { status: null, error: toCode(err), retryAfter: null };
  }
}

/** `https://h/base?x=1` → `https://h/base/messages-upsert?x=1`; a trailing slash is not doubled. */
function withSuffix(text: string, event: string): string {
  const url = new URL(text);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${toSuffix(event)}`;
  return url.href;
}

function lowerCased(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function toCode(err: unknown): string {
  if (err instanceof Error && 'code' in err && typeof err.code === 'string') return err.code;
  return err instanceof Error ? err.name : 'UNKNOWN';
}
