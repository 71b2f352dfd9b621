// Sends a test event to one webhook and returns the response of the receiver. The event is neither stored nor retried.
// Decision D-091.
import { randomUUID } from 'node:crypto';
import { hasCode } from '../errors.ts';
import { toStoredBody } from '../events/envelope.ts';
import type { ServerUrl } from '../lib/server-url.ts';
import type { WebhookRow } from '../storage/webhook-stores.ts';
import { errorCodeOf, type HttpSender, sendWebhook } from './delivery-request.ts';
import type { PublishedInstance } from './publisher.ts';
import { checkUrl } from './webhook-settings.ts';

export const TEST_EVENT = 'webhook.test';

/** Maximum number of bytes of the response body that are returned. */
const MAX_BODY_BYTES = 2048;

export interface TestDeliveryResult {
  /** The `webhook-id` header of the request. */
  id: string;
  /** Whether the status was 2xx. */
  delivered: boolean;
  /** HTTP status; null when there was no response. */
  status: number | null;
  /** Duration of the request in ms. */
  ms: number;
  /** The start of the response body if it is text, else null. */
  body: string | null;
  /** Error code when there was no response, else null. */
  error: string | null;
}

export interface TestDeliveryOptions extends HttpSender {
  serverUrl: Pick<ServerUrl, 'current'>;
  /** Throws GatewayError ADDRESS_FORBIDDEN for a URL that the gateway must not request. */
  check: (url: string) => void;
}

/** Sends the test event. `instance` is undefined for the global webhook. */
export type SendTestDelivery = (
  webhook: WebhookRow,
  instance: PublishedInstance | undefined,
) => Promise<TestDeliveryResult>;

/**
 * Returns a function that sends a test event. It rejects with GatewayError INVALID_REQUEST or ADDRESS_FORBIDDEN for a
 * URL that the gateway must not request.
 */
export function createTestDelivery(options: TestDeliveryOptions): SendTestDelivery {
  const { clock, serverUrl, check } = options;
  return async (webhook, instance) => {
    checkUrl(webhook.url, check);
    const id = `test_${randomUUID().replaceAll('-', '')}`;
    const startedAt = clock.now();
    // sendWebhook() takes a body in the form in which events are stored. This body is not stored.
    const storedBody = toStoredBody({
      event: TEST_EVENT,
      instance: instance?.name ?? '',
      data: { webhookId: webhook.id, enabled: webhook.enabled },
      date_time: new Date(startedAt).toISOString(),
      sender: instance?.ownerJid ?? undefined,
      server_url: serverUrl.current,
    });
    const result = { id, delivered: false, status: null, body: null, error: null };
    try {
      const { status, body } = await sendWebhook(
        webhook,
        { id, type: TEST_EVENT, instanceId: instance?.id, storedBody },
        options,
      );
      const delivered = status >= 200 && status < 300;
      return { ...result, delivered, status, body: textOf(body), ms: clock.now() - startedAt };
    } catch (err) {
      // The request was not sent, because the host name resolved to a forbidden address.
      if (hasCode(err, 'ADDRESS_FORBIDDEN')) throw err;
      return { ...result, error: errorCodeOf(err), ms: clock.now() - startedAt };
    }
  };
}

/** Returns the start of the body as text; null for bytes that are not UTF-8 or contain control characters. */
function textOf(body: Buffer): string | null {
  try {
    // With `stream`, a character that is cut at the maximum length is not an error.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body.subarray(0, MAX_BODY_BYTES), { stream: true });
    // A control character (Cc) other than tab and line break.
    return /[^\P{Cc}\t\r\n]/u.test(text) ? null : text;
  } catch {
    return null;
  }
}
