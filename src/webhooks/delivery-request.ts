// Builds and sends the HTTP request of a delivery attempt: URL, headers, body and signature. Retries nothing.
import type { Egress, EgressResponse } from '../egress/http-client.ts';
import { toPostedBody } from '../events/envelope.ts';
import { toUrlSuffix } from '../events/event-names.ts';
import type { Clock } from '../lib/clock.ts';
import { isSentHeader } from '../lib/configured-headers.ts';
import { trimEnd } from '../lib/trim.ts';
import type { Delivery, WebhookRow } from '../storage/webhook-stores.ts';
import type { AttachFile } from './file-attachment.ts';
import type { AttemptResult } from './retry-policy.ts';
import { createToken, sign, signingSecretsOf } from './signature.ts';

/** The dependencies of sendWebhook(). */
export interface HttpSender {
  egress: Pick<Egress, 'request'>;
  clock: Clock;
  /** Maximum duration of request and response, in ms. */
  timeout: number;
  /** Aborts the request. */
  signal?: AbortSignal;
  /** Returns the API key of an instance when payloads contain this key (WEBHOOK_INCLUDE_APIKEY). */
  keyOf?: ((instanceId: string) => string | undefined) | undefined;
}

export interface DeliveryDeps extends HttpSender {
  /** Aborts the attempt at shutdown. */
  signal: AbortSignal;
  /** Adds the files of messages to payloads of webhooks with the base64 option. */
  attachFile?: AttachFile;
}

/** The content of a request. */
export interface WebhookRequest {
  /** The `webhook-id` header. */
  id: string;
  /** The `webhook-seq` header; absent for a request whose event is not in the event log (a test event). */
  seq?: number;
  /** Event name. */
  type: string;
  /** Undefined for a request that belongs to no instance. */
  instanceId: string | undefined;
  /** The body without `destination` and `apikey`, which sendWebhook() adds (events/envelope.ts). */
  storedBody: string;
}

const MAX_RESPONSE_BYTES = 20 * 1024;
const USER_AGENT = 'messaging-gateway';

/** Sends a delivery to its webhook. When there was no response, resolves with the code of the error. */
export async function deliver(webhook: WebhookRow, delivery: Delivery, deps: DeliveryDeps): Promise<AttemptResult> {
  const { eventId: id, seq, type, instanceId } = delivery;
  const send = async (storedBody: string): Promise<AttemptResult> => {
    try {
      const { status, headers } = await sendWebhook(webhook, { id, seq, type, instanceId, storedBody }, deps);
      const retryAfter = headers['retry-after'];
      return { status, error: null, retryAfter: typeof retryAfter === 'string' ? retryAfter : null };
    } catch (err) {
      return { status: null, error: errorCodeOf(err), retryAfter: null };
    }
  };
  return deps.attachFile ? deps.attachFile({ webhook, delivery }, deps.signal, send) : send(delivery.body);
}

/** Sends one signed POST request. Rejects when there was no response. */
export function sendWebhook(webhook: WebhookRow, request: WebhookRequest, sender: HttpSender): Promise<EgressResponse> {
  const { id, seq, type, instanceId, storedBody } = request;
  const apikey = instanceId === undefined ? undefined : sender.keyOf?.(instanceId);
  const body = Buffer.from(toPostedBody(storedBody, webhook.url, apikey));
  const now = sender.clock.now();
  const timestamp = Math.floor(now / 1000);
  return sender.egress.request('webhook', {
    method: 'POST',
    url: webhook.byEvents ? withSuffix(webhook.url, type) : webhook.url,
    headers: {
      'user-agent': USER_AGENT,
      ...toSentHeaders(webhook.headers, timestamp),
      'content-type': 'application/json',
      'webhook-id': id,
      ...(seq === undefined ? {} : { 'webhook-seq': String(seq) }),
      'webhook-timestamp': String(timestamp),
      'webhook-signature': sign(signingSecretsOf(webhook, now), { id, timestamp, body }),
    },
    body,
    timeout: sender.timeout,
    maxBytes: MAX_RESPONSE_BYTES,
    signal: sender.signal,
  });
}

/** Returns the code of an error, or the name of an error without a code. */
export function errorCodeOf(err: unknown): string {
  if (err instanceof Error && 'code' in err && typeof err.code === 'string') return err.code;
  return err instanceof Error ? err.name : 'UNKNOWN';
}

/** Appends the event name to the path: `https://h/base?x=1` becomes `https://h/base/messages-upsert?x=1`. */
function withSuffix(text: string, event: string): string {
  const url = new URL(text);
  url.pathname = `${trimEnd(url.pathname, '/')}/${toUrlSuffix(event)}`;
  return url.href;
}

/**
 * Returns the configured headers that are sent. As in Evolution API, the header `jwt_key` is not sent: its value is the
 * key that signs the JSON Web Token in the Authorization header. `timestamp` is seconds since the epoch.
 */
function toSentHeaders(headers: Record<string, string>, timestamp: number): Record<string, string> {
  const entries = Object.entries(headers).filter(([name]) => isSentHeader(name));
  const lowercase = entries.map(([name, value]) => [name.toLowerCase(), value]);
  const { jwt_key: key, ...others } = Object.fromEntries(lowercase);
  return key === undefined ? others : { ...others, authorization: `Bearer ${createToken(key, timestamp)}` };
}
