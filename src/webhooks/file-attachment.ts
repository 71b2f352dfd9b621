// The file of a message inside its post, for webhooks with the base64 option. Fetched when the post is about to leave,
// so that nothing of it waits in the outbox; what cannot be had in time is named, and the post leaves without it.
import { findDescriptor } from '../events/event-descriptors.ts';
import type { JsonObject, MessageKey } from '../events/events.ts';
import type { Clock } from '../lib/clock.ts';
import { createLimiter } from '../lib/limiter.ts';
import type { Delivery, WebhookRow } from '../storage/webhook-stores.ts';

/**
 * The file of the message `key`, as stored or else as posted. Rejects, also when it is too large for a post; a `code`
 * of the error is told to receivers.
 */
export type FetchFile = (
  instanceId: string,
  key: MessageKey,
  signal: AbortSignal,
  posted: JsonObject,
) => Promise<Buffer>;

interface Target {
  webhook: Pick<WebhookRow, 'base64' | 'instanceId'>;
  delivery: Pick<Delivery, 'type' | 'body'>;
}

/**
 * Calls `post` once, with the body that the webhook gets (as stored, or with the file in it), and settles as it does.
 */
export type AttachFile = <T>(target: Target, signal: AbortSignal, post: (stored: string) => Promise<T>) => Promise<T>;

export interface FileAttachmentOptions {
  fetchFile: FetchFile;
  clock: Clock;
  /** Whether a posted content names a file, for posts without links to them. */
  hasFile?: ((posted: JsonObject) => boolean) | undefined;
  /** ms that the file may hold its post up, its turn included. */
  timeout?: number;
}

/** Posts with a file at a time, until they are answered: each is in memory several times over. */
const AT_ONCE = 4;
const WAIT = 20_000;

interface Stored {
  data: { key: MessageKey; message: JsonObject };
}

/** What is put beside `mediaUrl`. */
type Fields = { base64: string } | { base64Error: string };

export function createFileAttachment({
  fetchFile,
  clock,
  hasFile,
  timeout: wait = WAIT,
}: FileAttachmentOptions): AttachFile {
  const limiter = createLimiter(AT_ONCE);

  return <T>({ webhook, delivery }: Target, signal: AbortSignal, post: (stored: string) => Promise<T>) => {
    const stored = webhook.base64 ? withFile(delivery, hasFile) : undefined;
    if (!stored) return post(delivery.body);
    const { data } = stored;
    const postWith = (fields: Fields) =>
      post(JSON.stringify({ ...stored, data: { ...data, message: { ...data.message, ...fields } } }));
    const { promise: answered, resolve, reject } = Promise.withResolvers<T>();
    const late = new AbortController();
    let hasBegun = false;
    const timer = clock.after(wait, () => {
      late.abort(Object.assign(new Error('late'), { code: 'TIMEOUT' }));
      if (!hasBegun) resolve(postWith({ base64Error: 'BUSY' }));
    });
    const send = async () => {
      if (late.signal.aborted) return;
      hasBegun = true;
      const fetched = fetchFile(webhook.instanceId, data.key, AbortSignal.any([signal, late.signal]), data.message);
      const fields = await inTime(fetched, late.signal).then(
        (file): Fields => ({ base64: file.toString('base64') }),
        (error: unknown): Fields => ({ base64Error: codeOf(error) }),
      );
      timer.cancel();
      const answer = postWith(fields);
      resolve(answer);
      await answer.catch(() => undefined);
    };
    limiter.run(send).catch((error: unknown) => {
      timer.cancel();
      reject(error);
    });
    return answered;
  };
}

/** The stored body when it is of a message with a file. */
function withFile(
  { type, body }: Pick<Delivery, 'type' | 'body'>,
  hasFile: FileAttachmentOptions['hasFile'] | undefined,
): Stored | undefined {
  // Almost every post ends here: texts are not parsed again.
  if (!findDescriptor(type)?.hasFile || !body.includes(hasFile ? '"directPath":' : '"mediaUrl":')) return undefined;
  const stored: Stored = JSON.parse(body);
  return (hasFile ?? hasLink)(stored.data.message) ? stored : undefined;
}

const hasLink = ({ mediaUrl }: JsonObject): boolean => typeof mediaUrl === 'string';

/** Whoever fetches may be slow to notice that nobody waits any more. */
function inTime<T>(work: Promise<T>, late: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    late.addEventListener('abort', () => reject(late.reason), { once: true });
    work.then(resolve, reject);
  });
}

function codeOf(error: unknown): string {
  const code: unknown = Reflect.get(Object(error), 'code');
  return typeof code === 'string' ? code : 'INTERNAL';
}
