// Posts an event to one webhook now, outside the outbox, and tells what the receiver answered. Nothing is stored or
// tried again.
import { randomUUID } from 'node:crypto';
import { GatewayError } from '../errors.ts';
import { toStoredBody } from '../events/envelope.ts';
import type { ServerUrl } from '../lib/server-url.ts';
import type { WebhookRow } from '../storage/webhook-stores.ts';
import { errorCodeOf, type HttpSender, sendWebhook } from './delivery-request.ts';
import type { PublishedInstance } from './publisher.ts';
import { checkUrl } from './webhook-settings.ts';

export const TEST_EVENT = 'webhook.test';

/** Bytes of the answer that are shown. */
const SHOWN = 2048;

export interface TestDeliveryResult {
  /** `webhook-id` of the post. */
  id: string;
  delivered: boolean;
  /** HTTP status; null when there was no answer. */
  status: number | null;
  ms: number;
  /** The beginning of the answer, when it is text. */
  body: string | null;
  /** Why there was no answer; null when there was one. */
  error: string | null;
}

export interface TestDeliveryOptions extends HttpSender {
  serverUrl: Pick<ServerUrl, 'current'>;
  check: (url: string) => void;
}

/** `instance` is undefined for the global webhook. */
export type SendTestDelivery = (
  webhook: WebhookRow,
  instance: PublishedInstance | undefined,
) => Promise<TestDeliveryResult>;

/**
 * The returned function rejects with GatewayError INVALID_REQUEST or ADDRESS_FORBIDDEN for an address that is never
 * posted to.
 */
export function createTestDelivery(options: TestDeliveryOptions): SendTestDelivery {
  const { clock, serverUrl, check } = options;
  return async (webhook, instance) => {
    checkUrl(webhook.url, check);
    const id = `test_${randomUUID().replaceAll('-', '')}`;
    const started = clock.now();
    const stored = toStoredBody({
      event: TEST_EVENT,
      instance: instance?.name ?? '',
      data: { webhookId: webhook.id, enabled: webhook.enabled },
      date_time: new Date(started).toISOString(),
      sender: instance?.ownerJid ?? undefined,
      server_url: serverUrl.current,
    });
    const told = { id, delivered: false, status: null, body: null, error: null };
    try {
      const { status, body } = await sendWebhook(
        webhook,
        { id, type: TEST_EVENT, instanceId: instance?.id, stored },
        options,
      );
      const delivered = status >= 200 && status < 300;
      return { ...told, delivered, status, body: textOf(body), ms: clock.now() - started };
    } catch (err) {
      // A name that leads to such an address is known only now.
      if (err instanceof GatewayError && err.code === 'ADDRESS_FORBIDDEN') throw err;
      return { ...told, error: errorCodeOf(err), ms: clock.now() - started };
    }
  };
}

/** Null for what is no text: a picture, or bytes that would break the reader's screen. */
function textOf(body: Buffer): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body.subarray(0, SHOWN), { stream: true });
    return /[^\P{Cc}\t\r\n]/u.test(text) ? null : text;
  } catch {
    return null;
  }
}
