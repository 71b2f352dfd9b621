// Faults that tests and the control API inject, and the stanzas that close a connection. Other parts take the pending
// faults from here.
import type { BinaryNode } from '@whiskeysockets/baileys';

export interface Fault {
  /**
   * Only connections of this number; absent means all connections. Not possible for `http`, `upload` and `download`:
   * these requests do not identify the account.
   */
  number?: string;
  /**
   * close: end with `code` as Baileys will report it. stall: the socket stays open and mute to its end. freeze: the
   * link is dead, not even a WebSocket close is answered. drop: cut the socket after `after` more client frames. All
   * four hit the open connections now, or else the next login (or registration). nack: `code` in the ack of the next
   * message. duplicate: the next stanza is delivered twice. failNext: the next iq (of `xmlns`, if given) errors with
   * `code`. mute: it is not answered. http: the next WebSocket upgrade is answered with status `code`. upload,
   * download: the next request to the media host is answered with status `code`.
   */
  kind:
    | 'close'
    | 'stall'
    | 'freeze'
    | 'drop'
    | 'nack'
    | 'duplicate'
    | 'failNext'
    | 'mute'
    | 'http'
    | 'upload'
    | 'download';
  code?: number;
  xmlns?: string;
  /** Frames before a `drop`; default 0. */
  after?: number;
  /** How often it applies; default 1, 0 is until cleared. */
  times?: number;
}

export type ConnectionFault = Fault & { kind: 'close' | 'stall' | 'freeze' | 'drop' };

/** Answers whether the fault met at least one open connection; if not it waits for the next login. */
type ApplyFault = (fault: ConnectionFault) => boolean;

/** Requests that do not say whose they are. */
const ANONYMOUS: ReadonlySet<Fault['kind']> = new Set(['http', 'upload', 'download']);

export class Faults {
  readonly #pending = new Map<string, { fault: Fault; left: number }>();
  #applyNow: ApplyFault = () => false;
  #next = 1;

  /** The server says here how to reach its open connections. */
  onConnectionFault(apply: ApplyFault): void {
    this.#applyNow = apply;
  }

  /** Plans a fault and returns its id. Throws RangeError for a fault of plain HTTP with a number. */
  add(fault: Fault): string {
    if (ANONYMOUS.has(fault.kind) && fault.number)
      throw new RangeError(`a fault of kind ${fault.kind} cannot name a number`);
    const id = `f${this.#next++}`;
    const planned = { fault, left: fault.times === 0 ? Number.POSITIVE_INFINITY : (fault.times ?? 1) };
    if (isConnectionFault(fault) && this.#applyNow(fault)) planned.left--;
    if (planned.left > 0) this.#pending.set(id, planned);
    return id;
  }

  /** Forgets one fault, or all. What already struck (a stalled connection) stays struck. */
  clear(id?: string): void {
    if (id === undefined) this.#pending.clear();
    else this.#pending.delete(id);
  }

  /**
   * The oldest fault of this kind that concerns `number` (and `xmlns`), counted as used once; undefined when there is
   * none.
   */
  take(kind: Fault['kind'], number?: string, xmlns?: string): Fault | undefined {
    if (this.#pending.size === 0) return undefined;
    for (const [id, planned] of this.#pending) {
      const { fault } = planned;
      if (fault.kind !== kind) continue;
      if (fault.number && fault.number !== number) continue;
      if (fault.xmlns && fault.xmlns !== xmlns) continue;
      if (--planned.left <= 0) this.#pending.delete(id);
      return fault;
    }
    return undefined;
  }

  /** The connection fault that a fresh login of `number` (undefined: a registration) runs into, counted as used. */
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

/** Codes that Baileys reports from a `<stream:error>`; every other one comes from `<failure reason>`. */
const STREAM_ERRORS = new Set([500, 503, 515]);

/**
 * The last stanza of a connection that Baileys shall see closed with `code`; undefined for 428, where the socket just
 * ends.
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
 * `<failure reason location/>`: the login is refused. A temporary ban (402) carries its seconds and the number of its
 * cause.
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
