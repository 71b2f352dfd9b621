// Puts the file of a message into the payload, for webhooks with the base64 option. The file is fetched right before
// the request, so that the outbox contains no files. When the file is not available in time, the payload contains the
// reason (`base64Error`) instead. Decision D-065.
import { findDescriptor } from '../events/event-descriptors.ts';
import type { JsonObject, MessageKey } from '../events/events.ts';
import type { Clock } from '../lib/clock.ts';
import { raceWithAbort } from '../lib/deadline.ts';
import { createFairLimiter } from '../lib/fair-limiter.ts';
import type { Delivery, WebhookRow } from '../storage/webhook-stores.ts';

/**
 * Fetches the file of a message. `payloadMessage` is the message as the payload contains it; it locates the file of a
 * message that is not stored. Rejects when the file is not available or too large; the payload then contains the `code`
 * of the error.
 */
export type FetchFile = (
  instanceId: string,
  key: MessageKey,
  signal: AbortSignal,
  payloadMessage: JsonObject,
) => Promise<Buffer>;

interface AttachmentTarget {
  webhook: Pick<WebhookRow, 'base64' | 'instanceId' | 'url'>;
  delivery: Pick<Delivery, 'type' | 'body'>;
}

/**
 * Calls `send` once, with the stored body or with the body that includes the file. Settles like `send`. When `signal`
 * is aborted, the wait for the file ends. The same signal must also abort the request of `send`.
 */
export type AttachFile = <T>(
  target: AttachmentTarget,
  signal: AbortSignal,
  send: (body: string) => Promise<T>,
) => Promise<T>;

export interface FileAttachmentOptions {
  fetchFile: FetchFile;
  clock: Clock;
  /**
   * Whether a message in a payload refers to a file. Called only for bodies that contain `directPath`, the path of a
   * file on WhatsApp's media host. By default, a message with `mediaUrl` (the gateway's URL of the file) refers to one.
   */
  hasFile?: ((payloadMessage: JsonObject) => boolean) | undefined;
  /** Maximum time in ms by which the file delays the request, including the time in the queue. */
  timeout?: number;
}

/**
 * Limits for concurrent requests with a file. Each request needs the memory of several copies of the file. The owner of
 * a slot is the receiver (the origin of the URL). A receiver gets at most half of the slots, so that a slow receiver
 * delays its own files only. The number of waiting requests has no limit here, because the dispatcher limits it.
 */
const LIMITS = { slots: 4, perOwner: 2, waitingPerOwner: Number.POSITIVE_INFINITY };
/** Default of FileAttachmentOptions.timeout. */
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
  const limiter = createFairLimiter(LIMITS);

  return async <T>(
    { webhook, delivery }: AttachmentTarget,
    signal: AbortSignal,
    send: (body: string) => Promise<T>,
  ) => {
    const envelope = webhook.base64 ? findFileEnvelope(delivery, hasFile) : undefined;
    if (!envelope || signal.aborted) return send(delivery.body);
    const { data } = envelope;
    const toBody = (fields: FileFields) =>
      JSON.stringify({ ...envelope, data: { ...data, message: { ...data.message, ...fields } } });
    /** Aborted when the wait for the file ends: at the timeout or at shutdown. */
    const waitEnd = new AbortController();
    const toBodyWithFile = async () => {
      try {
        const file = fetchFile(webhook.instanceId, data.key, waitEnd.signal, data.message);
        return toBody({ base64: (await raceWithAbort(file, waitEnd.signal)).toString('base64') });
      } catch (error) {
        return toBody({ base64Error: codeOf(error) });
      }
    };
    const timer = clock.after(timeout, () => waitEnd.abort(timeoutError()));
    const onShutdown = () => waitEnd.abort(signal.reason);
    const stopWait = () => {
      timer.cancel();
      signal.removeEventListener('abort', onShutdown);
    };
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    let hasStarted = false;
    const fetchAndSend = async () => {
      if (waitEnd.signal.aborted) return;
      hasStarted = true;
      const body = await toBodyWithFile();
      stopWait();
      const sent = send(body);
      resolve(sent);
      // The slot is held until the request has ended, because the request holds the file in memory.
      await sent.catch(() => undefined);
    };
    signal.addEventListener('abort', onShutdown);
    waitEnd.signal.addEventListener('abort', () => {
      stopWait();
      // No slot was free in time. At shutdown, `send` settles at once, because `signal` also aborts its request.
      if (!hasStarted) resolve(send(toBody({ base64Error: 'BUSY' })));
    });
    limiter.run(originOf(webhook.url), fetchAndSend).catch((error: unknown) => {
      stopWait();
      reject(error);
    });
    return promise;
  };
}

/** Returns the origin of the URL, which identifies the receiver. Returns the URL itself if it cannot be parsed. */
const originOf = (url: string): string => URL.parse(url)?.origin ?? url;

const timeoutError = (): Error => Object.assign(new Error('timeout'), { code: 'TIMEOUT' });

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

function codeOf(error: unknown): string {
  const code: unknown = Reflect.get(Object(error), 'code');
  return typeof code === 'string' ? code : 'INTERNAL';
}
