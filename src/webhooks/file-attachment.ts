// Puts the file of a message into the payload, for webhooks with the base64 option. The file is fetched right before
// the request, so that the outbox contains no files. When the file is not available in time, the payload contains the
// reason (`base64Error`) instead. Decision D-065.
import { findDescriptor } from '../events/event-descriptors.ts';
import type { JsonObject, MessageKey } from '../events/events.ts';
import type { Clock } from '../lib/clock.ts';
import { createLimiter } from '../lib/limiter.ts';
import type { Delivery, WebhookRow } from '../storage/webhook-stores.ts';

/**
 * Fetches the file of a message. `postedMessage` is the content of the message in the payload; it locates the file of a
 * message that is not stored. Rejects when the file is not available or too large; the payload then contains the `code`
 * of the error.
 */
export type FetchFile = (
  instanceId: string,
  key: MessageKey,
  signal: AbortSignal,
  postedMessage: JsonObject,
) => Promise<Buffer>;

interface AttachmentTarget {
  webhook: Pick<WebhookRow, 'base64' | 'instanceId'>;
  delivery: Pick<Delivery, 'type' | 'body'>;
}

/** Calls `send` once, with the stored body or with the body that includes the file. Settles like `send`. */
export type AttachFile = <T>(
  target: AttachmentTarget,
  signal: AbortSignal,
  send: (body: string) => Promise<T>,
) => Promise<T>;

export interface FileAttachmentOptions {
  fetchFile: FetchFile;
  clock: Clock;
  /**
   * Whether a message in a payload refers to a file; called only for messages with `directPath`. By default a message
   * with `mediaUrl` does.
   */
  hasFile?: ((postedMessage: JsonObject) => boolean) | undefined;
  /** Maximum time in ms by which the file delays the request, including the time in the queue. */
  timeout?: number;
}

/** Maximum number of concurrent requests with a file. Each needs the memory of several copies of the file. */
const MAX_CONCURRENT = 4;
const TIMEOUT_MS = 20_000;

interface StoredEnvelope {
  data: { key: MessageKey; message: JsonObject };
}

/** The members that are added to the message. */
type FileFields = { base64: string } | { base64Error: string };

export function createFileAttachment({
  fetchFile,
  clock,
  hasFile,
  timeout = TIMEOUT_MS,
}: FileAttachmentOptions): AttachFile {
  const limiter = createLimiter(MAX_CONCURRENT);

  return <T>({ webhook, delivery }: AttachmentTarget, signal: AbortSignal, send: (body: string) => Promise<T>) => {
    const envelope = webhook.base64 ? findFileEnvelope(delivery, hasFile) : undefined;
    if (!envelope) return send(delivery.body);
    const { data } = envelope;
    const sendWith = (fields: FileFields) =>
      send(JSON.stringify({ ...envelope, data: { ...data, message: { ...data.message, ...fields } } }));
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const expired = new AbortController();
    let hasStarted = false;
    const timer = clock.after(timeout, () => {
      expired.abort(Object.assign(new Error('timeout'), { code: 'TIMEOUT' }));
      if (!hasStarted) resolve(sendWith({ base64Error: 'BUSY' }));
    });
    const fetchAndSend = async () => {
      if (expired.signal.aborted) return;
      hasStarted = true;
      const file = fetchFile(webhook.instanceId, data.key, AbortSignal.any([signal, expired.signal]), data.message);
      const fields = await untilAborted(file, expired.signal).then(
        (bytes): FileFields => ({ base64: bytes.toString('base64') }),
        (error: unknown): FileFields => ({ base64Error: codeOf(error) }),
      );
      timer.cancel();
      const sent = sendWith(fields);
      resolve(sent);
      // The place in the limiter is held until the request has ended, because the request holds the file in memory.
      await sent.catch(() => undefined);
    };
    limiter.run(fetchAndSend).catch((error: unknown) => {
      timer.cancel();
      reject(error);
    });
    return promise;
  };
}

/** Returns the envelope of a message with a file; undefined for other deliveries. */
function findFileEnvelope(
  { type, body }: Pick<Delivery, 'type' | 'body'>,
  hasFile: FileAttachmentOptions['hasFile'] | undefined,
): StoredEnvelope | undefined {
  // Most messages have no file. The search in the text avoids parsing their bodies.
  const requiredText = hasFile ? '"directPath":' : '"mediaUrl":';
  if (!findDescriptor(type)?.mayHaveFile || !body.includes(requiredText)) return undefined;
  const envelope: StoredEnvelope = JSON.parse(body);
  return (hasFile ?? hasMediaUrl)(envelope.data.message) ? envelope : undefined;
}

const hasMediaUrl = ({ mediaUrl }: JsonObject): boolean => typeof mediaUrl === 'string';

/** Settles like `work`, or rejects as soon as the signal is aborted, without waiting for `work`. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}

function codeOf(error: unknown): string {
  const code: unknown = Reflect.get(Object(error), 'code');
  return typeof code === 'string' ? code : 'INTERNAL';
}
