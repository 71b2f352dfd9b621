// One attempt to post one event: address, headers, signature, a bounded answer. Decides nothing about what follows.

import type { Egress, EgressResponse } from '../egress/http-client.ts';
import { toPostedBody } from '../events/envelope.ts';
import { toUrlSuffix } from '../events/event-names.ts';
import type { Clock } from '../lib/clock.ts';
import { trimEndOf } from '../lib/trim.ts';
import type { Delivery, WebhookRow } from '../storage/webhook-stores.ts';
import type { AttachFile } from './file-attachment.ts';
import type { AttemptResult } from './retry-policy.ts';
import { createToken, sign, signingSecrets } from './signature.ts';
import { isSentHeader } from './webhook-settings.ts';

export interface HttpSender {
  egress: Pick<Egress, 'request'>;
  clock: Clock;
  /** ms for the whole exchange. */
  timeout: number;
  /** Breaks the exchange off. */
  signal?: AbortSignal;
  /** The key of an instance, where posts are to carry it. */
  keyOf?: ((instanceId: string) => string | undefined) | undefined;
}

export interface DeliveryDeps extends HttpSender {
  /** Aborts the attempt at shutdown. */
  signal: AbortSignal;
  /** Puts files into the posts of webhooks that want them; without it, none is. */
  attachFile?: AttachFile;
}

/** What a post says. */
export interface WebhookRequest {
  /** `webhook-id`. */
  id: string;
  /** `webhook-seq`; a letter that is not an event of the log has none. */
  seq?: number;
  /** Name of the event. */
  type: string;
  /** Whose event it is; undefined for nobody's. */
  instanceId: string | undefined;
  /** As stored (envelope.ts). */
  stored: string;
}

const MAX_ANSWER_BYTES = 20 * 1024;
const USER_AGENT = 'messaging-gateway';

/** Posts `delivery` to `webhook`. Never rejects: failures to get an answer are told by `error`. */
export async function deliver(webhook: WebhookRow, delivery: Delivery, courier: DeliveryDeps): Promise<AttemptResult> {
  const { eventId: id, seq, type, instanceId } = delivery;
  const send = async (stored: string): Promise<AttemptResult> => {
    try {
      const { status, headers } = await sendWebhook(webhook, { id, seq, type, instanceId, stored }, courier);
      const retryAfter = headers['retry-after'];
      return { status, error: null, retryAfter: typeof retryAfter === 'string' ? retryAfter : null };
    } catch (err) {
      return { status: null, error: errorCodeOf(err), retryAfter: null };
    }
  };
  return courier.attachFile ? courier.attachFile({ webhook, delivery }, courier.signal, send) : send(delivery.body);
}

/** One signed POST of `letter`. Rejects when there was no answer. */
export function sendWebhook(webhook: WebhookRow, letter: WebhookRequest, poster: HttpSender): Promise<EgressResponse> {
  const { id, seq, type, instanceId, stored } = letter;
  const apikey = instanceId === undefined ? undefined : poster.keyOf?.(instanceId);
  const body = Buffer.from(toPostedBody(stored, webhook.url, apikey));
  const now = poster.clock.now();
  const timestamp = Math.floor(now / 1000);
  return poster.egress.request('webhook', {
    method: 'POST',
    url: webhook.byEvents ? withSuffix(webhook.url, type) : webhook.url,
    headers: {
      'user-agent': USER_AGENT,
      ...ownHeaders(webhook.headers, timestamp),
      'content-type': 'application/json',
      'webhook-id': id,
      ...(seq === undefined ? {} : { 'webhook-seq': String(seq) }),
      'webhook-timestamp': String(timestamp),
      'webhook-signature': sign(signingSecrets(webhook, now), { id, timestamp, body }),
    },
    body,
    timeout: poster.timeout,
    maxBytes: MAX_ANSWER_BYTES,
    signal: poster.signal,
  });
}

/** What went wrong, in a word: the code of the error where it has one. */
export function errorCodeOf(err: unknown): string {
  if (err instanceof Error && 'code' in err && typeof err.code === 'string') return err.code;
  return err instanceof Error ? err.name : 'UNKNOWN';
}

/** `https://h/base?x=1` → `https://h/base/messages-upsert?x=1`; a trailing slash is not doubled. */
function withSuffix(text: string, event: string): string {
  const url = new URL(text);
  url.pathname = `${trimEndOf(url.pathname, '/')}/${toUrlSuffix(event)}`;
  return url.href;
}

/**
 * The webhook's own headers, without those that are decided elsewhere. One named `jwt_key` is not sent: it is the key
 * of a token in the Authorization header.
 */
function ownHeaders(headers: Record<string, string>, timestamp: number): Record<string, string> {
  const sent = Object.entries(headers).filter(([name]) => isSentHeader(name));
  const named = sent.map(([name, value]) => [name.toLowerCase(), value]);
  const { jwt_key: key, ...others } = Object.fromEntries(named);
  return key === undefined ? others : { ...others, authorization: `Bearer ${createToken(key, timestamp)}` };
}
