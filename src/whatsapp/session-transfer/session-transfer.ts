// Imports and exports sessions as bundles (the file format of a moved session). One session is converted at a time,
// because a conversion needs memory and a CPU. Further callers wait for a limited time. Decision D-175.
import { GatewayError } from '../../errors.ts';
import { turnEnd } from '../../lib/event-loop-turn.ts';
import type { AuthKeys, StoredKey, StoredSession } from '../../storage/storage.ts';
import { ConversionThread } from './conversion-thread.ts';
import { type ExportHead, fromBatch, type ImportBody, type ImportHead, toBatch } from './thread-messages.ts';

/** A session that was read from a bundle. */
export interface ImportedSession extends Omit<ImportHead, 'creds'> {
  session: StoredSession;
}

/** Maximum number of waiting requests. */
const MAX_WAITING = 20;
/** Maximum time for which a request waits for its turn, ms. */
const MAX_WAIT = 15_000;
/** Seconds of the Retry-After header. */
const RETRY_AFTER_S = 5;
/** Number of keys that are read from the store and decrypted in one turn of the event loop. */
const PAGE_SIZE = 250;

export class SessionTransfer {
  readonly #thread = new ConversionThread();
  readonly #waiting: (() => void)[] = [];
  readonly #maxWait: number;
  #isBusy = false;

  /** `maxWait`: how long runInTurn() waits for its turn, ms. */
  constructor({ maxWait = MAX_WAIT } = {}) {
    this.#maxWait = maxWait;
  }

  /**
   * Runs `work` when no other import or export runs, and resolves with its result. Rejects with OVERLOADED when too
   * many requests wait, or when the wait takes too long. Read the body of a request inside `work`: then waiting
   * requests need no memory for their bodies.
   */
  async runInTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isBusy) await this.#waitForTurn();
    this.#isBusy = true;
    try {
      return await work();
    } finally {
      // An import or export that follows soon uses the same thread.
      this.#thread.endWhenIdle();
      const next = this.#waiting.shift();
      // The turn passes to the next waiting request while #isBusy stays true, so that no new request takes the turn.
      if (next) next();
      else this.#isBusy = false;
    }
  }

  /**
   * Receives the text of an import as a stream: a JSON body, or the file in a form. Call it inside runInTurn(). Rejects
   * with the error of the stream, and with SESSION_BUNDLE_INVALID when the text needs too much memory.
   */
  async receive(stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    await this.#thread.request({ type: 'begin' });
    // A chunk can be a view of a larger buffer. postMessage() copies the whole buffer of a view, so send a copy of the
    // chunk.
    for await (const chunk of stream) await this.#thread.request({ type: 'receive', bytes: new Uint8Array(chunk) });
  }

  /**
   * Reads the text that was received and checks its bundle. `formFields` are the other fields of a form. Call it inside
   * runInTurn(). Rejects with INVALID_REQUEST, MALFORMED_JSON, SESSION_BUNDLE_INVALID or SESSION_BUNDLE_PASSPHRASE.
   */
  async read(formFields: ImportBody['formFields']): Promise<ImportedSession> {
    const { creds, ...head } = await this.#thread.request({ type: 'read', formFields });
    const keys: StoredKey[] = [];
    for (;;) {
      const batch = await this.#thread.request({ type: 'next' });
      if (batch === null) return { ...head, session: { creds, keys } };
      for (const key of fromBatch(batch)) keys.push(key);
      // Other work of the process runs between two batches.
      await turnEnd();
    }
  }

  /**
   * Reads the keys of an instance that is stopped, and resolves with its encrypted bundle, as JSON text. `head` has the
   * passphrase, and all parts of the bundle except the keys. Call it inside runInTurn(). Rejects with
   * SESSION_BUNDLE_INVALID when the session cannot be exported, with SESSION_BUNDLE_PASSPHRASE for a passphrase that is
   * too short or too long, and with the errors of `authKeys`.
   */
  async write(authKeys: Pick<AuthKeys, 'page'>, instanceId: string, head: ExportHead): Promise<Buffer> {
    await this.#thread.request({ type: 'begin' });
    let lastKey: StoredKey | null = null;
    for (;;) {
      const page: StoredKey[] = await authKeys.page(instanceId, lastKey, PAGE_SIZE);
      lastKey = page.at(-1) ?? null;
      if (lastKey === null) break;
      await this.#thread.request({ type: 'add', keys: toBatch(page) });
      // Other work of the process runs between two pages.
      await turnEnd();
    }
    const bytes = await this.#thread.request({ type: 'write', head });
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  async #waitForTurn(): Promise<void> {
    if (this.#waiting.length >= MAX_WAITING) throw overloadedError();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(takeTurn), 1);
      reject(overloadedError());
    }, this.#maxWait);
    this.#waiting.push(takeTurn);
    await promise;

    function takeTurn(): void {
      clearTimeout(timer);
      resolve();
    }
  }
}

const overloadedError = () =>
  new GatewayError('OVERLOADED', 'Other sessions are being imported or exported. Retry later.', {
    retryAfter: RETRY_AFTER_S,
  });
