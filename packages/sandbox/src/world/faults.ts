// Faults (errors that the server makes on purpose) that tests and the control API inject, and the stanzas that close a
// connection. The server takes the pending faults from here and applies them.
import type { BinaryNode } from '@whiskeysockets/baileys';

export interface Fault {
  /**
   * Limits the fault to connections of this number. Not allowed for `http`, `upload` and `download`, because these
   * requests do not identify the account.
   */
  number?: string;
  /**
   * close: the connection ends so that Baileys reports `code`. stall: the socket stays open, but the server ignores all
   * frames and sends none. freeze: like stall, and the server does not even answer a WebSocket close. drop: the socket
   * is terminated after `after` more client frames. These four apply to the open connections or, if there is none, to
   * the next login or registration. nack: the ack of the next message has the error `code`. lidOnly: the ack of the
   * next message to the phone number of a migrated account has the error `code` (default 463). pnOnly: the same for the
   * LID of an account that is not migrated. noToken: the ack of the next message to another account without a privacy
   * token (`tctoken` or `cstoken`) has the error `code` (default 463). With these three, `number` is the sender's.
   * duplicate: the next stanza is delivered twice. failNext: the next iq (of `xmlns`, if given) is answered with the
   * error `code`. mute: the next iq (of `xmlns`, if given) is not answered. http: the next WebSocket upgrade is
   * answered with the status `code`. upload, download: the next request of this kind to the media host is answered with
   * the status `code`.
   */
  kind:
    | 'close'
    | 'stall'
    | 'freeze'
    | 'drop'
    | 'nack'
    | 'lidOnly'
    | 'pnOnly'
    | 'noToken'
    | 'duplicate'
    | 'failNext'
    | 'mute'
    | 'http'
    | 'upload'
    | 'download';
  code?: number;
  xmlns?: string;
  /** Number of client frames before a `drop`; default 0. */
  after?: number;
  /** How many times the fault applies, default 1; 0: until clear() removes it. */
  times?: number;
}

export type ConnectionFault = Fault & { kind: 'close' | 'stall' | 'freeze' | 'drop' };

/** Applies a fault to the open connections. Returns whether there was one. */
type ApplyFault = (fault: ConnectionFault) => boolean;

/** Kinds of faults in HTTP requests, which do not identify the account. */
const ANONYMOUS: ReadonlySet<Fault['kind']> = new Set(['http', 'upload', 'download']);

export class Faults {
  readonly #pending = new Map<string, { fault: Fault; remaining: number }>();
  #applyNow: ApplyFault = () => false;
  #next = 1;

  /** Registers the function with which the server applies a fault to its open connections. */
  onConnectionFault(apply: ApplyFault): void {
    this.#applyNow = apply;
  }

  /** Applies a fault now or keeps it pending, and returns its id. Throws RangeError for an HTTP fault with a number. */
  add(fault: Fault): string {
    if (ANONYMOUS.has(fault.kind) && fault.number)
      throw new RangeError(`a fault of kind ${fault.kind} cannot name a number`);
    const id = `f${this.#next++}`;
    const planned = { fault, remaining: fault.times === 0 ? Number.POSITIVE_INFINITY : (fault.times ?? 1) };
    if (isConnectionFault(fault) && this.#applyNow(fault)) planned.remaining--;
    if (planned.remaining > 0) this.#pending.set(id, planned);
    return id;
  }

  /** Removes one pending fault, or all. Connections to which a fault was applied (such as `stall`) stay as they are. */
  clear(id?: string): void {
    if (id === undefined) this.#pending.clear();
    else this.#pending.delete(id);
  }

  /**
   * Returns the oldest pending fault of this kind for `number` (and `xmlns`) and counts it as applied once; undefined
   * when there is none.
   */
  take(kind: Fault['kind'], number?: string, xmlns?: string): Fault | undefined {
    if (this.#pending.size === 0) return undefined;
    for (const [id, planned] of this.#pending) {
      const { fault } = planned;
      if (fault.kind !== kind) continue;
      if (fault.number && fault.number !== number) continue;
      if (fault.xmlns && fault.xmlns !== xmlns) continue;
      if (--planned.remaining <= 0) this.#pending.delete(id);
      return fault;
    }
    return undefined;
  }

  /** Takes a connection fault for a new login of `number`; without a number, for a registration. */
  takeForLogin(number?: string): ConnectionFault | undefined {
    for (const kind of ['close', 'stall', 'freeze', 'drop'] as const) {
      const fault = this.take(kind, number);
      if (fault && isConnectionFault(fault)) return fault;
    }
    return undefined;
  }
}

const isConnectionFault = (fault: Fault): fault is ConnectionFault =>
  ['close', 'stall', 'freeze', 'drop'].includes(fault.kind);

/** Codes that are sent as `<stream:error>`; most other codes are sent as `<failure>`. */
const STREAM_ERRORS = new Set([500, 503, 515]);

/**
 * Returns the last stanza of a connection, so that Baileys reports `code`; undefined for 428, which Baileys reports
 * when a socket closes without a stanza.
 */
export function closingStanza(code: number): BinaryNode | undefined {
  if (code === 428) return undefined;
  if (code === 401) return streamErrorNode(code, 'device_removed');
  if (code === 440) return streamErrorNode(undefined, 'replaced');
  if (STREAM_ERRORS.has(code)) return streamErrorNode(code);
  if (code === 411) return { tag: 'ib', attrs: {}, content: [{ tag: 'downgrade_webclient', attrs: {} }] };
  return failureNode(code);
}

/**
 * `<failure reason location/>` rejects a login; `location` is a data center, which clients ignore. For a temporary ban
 * (402) it also has the cause (`code`) and the duration in seconds (`expire`).
 */
export function failureNode(code: number): BinaryNode {
  const ban: BinaryNode['attrs'] = code === 402 ? { code: '101', expire: '3600' } : {};
  return { tag: 'failure', attrs: { reason: String(code), location: 'lla', ...ban } };
}

/** `<stream:error code?><conflict type?/></stream:error>` */
export function streamErrorNode(code: number | undefined, conflict?: 'replaced' | 'device_removed'): BinaryNode {
  return {
    tag: 'stream:error',
    attrs: code === undefined ? {} : { code: String(code) },
    content: conflict ? [{ tag: 'conflict', attrs: { type: conflict } }] : undefined,
  };
}
