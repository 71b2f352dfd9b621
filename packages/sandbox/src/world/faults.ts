// Faults (errors that the server makes on purpose) that tests and the control API inject, and the stanzas that close a
// connection. The server takes the pending faults from here and applies them.
import type { BinaryNode } from '@whiskeysockets/baileys';

/**
 * Faults of connections. They apply to the open connections or, if there is none, to the next login or registration.
 */
const CONNECTION_KINDS = [
  /** The connection ends so that Baileys reports `code`. */
  'close',
  /** The socket stays open, but the server ignores all frames and sends none. */
  'stall',
  /** Like `stall`, and the server does not answer a WebSocket close. */
  'freeze',
  /** The socket is terminated after `after` more client frames. */
  'drop',
] as const;

/** Faults of HTTP requests. The requests do not identify an account, so `Fault.number` is not allowed. */
const HTTP_KINDS = [
  /** The next WebSocket upgrade is answered with the status `code`. */
  'http',
  /** The next upload to the media host is answered with the status `code` (default 500). */
  'upload',
  /** The next download from the media host is answered with the status `code` (default 404). */
  'download',
] as const;

/** Faults of stanzas. For faults of messages (`nack` to `noToken`), `Fault.number` is the number of the sender. */
const STANZA_KINDS = [
  /** The ack of the next message has the error `code`. */
  'nack',
  /**
   * The ack of the next message to the phone number of an account that uses LIDs (`Account.migrated`) has the error
   * `code` (default 463). A LID is the second address of an account.
   */
  'lidOnly',
  /** The ack of the next message to the LID of an account that is not `migrated` has the error `code` (default 463). */
  'pnOnly',
  /**
   * The ack of the next message that is sent to another account and contains no privacy token (`tctoken` or `cstoken`)
   * has the error `code` (default 463).
   */
  'noToken',
  /** The next stanza is delivered twice. */
  'duplicate',
  /** The next iq is answered with the error `code` (default 500). */
  'failNext',
  /** The next iq is not answered. */
  'mute',
] as const;

export const FAULT_KINDS = [...CONNECTION_KINDS, ...STANZA_KINDS, ...HTTP_KINDS] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

export interface Fault {
  /** Limits the fault to connections of this number. Not allowed for faults of HTTP requests. */
  number?: string;
  kind: FaultKind;
  /**
   * The code of `close`, the error of an ack or an iq, or the HTTP status from 200 to 599. Required for `nack` and
   * `http`.
   */
  code?: number;
  /** Limits `failNext` and `mute` to queries of this xmlns. */
  xmlns?: string;
  /** Number of client frames before a `drop`; default 0. */
  after?: number;
  /** How many times the fault applies (default 1). With 0 it applies until clear() removes it. */
  times?: number;
}

export type ConnectionFault = Fault & { kind: (typeof CONNECTION_KINDS)[number] };

/** Applies a fault to the open connections that it concerns. Returns false when there is no such connection. */
type ApplyFault = (fault: ConnectionFault) => boolean;

/** Kinds that require a code. */
const KINDS_REQUIRING_CODE: readonly FaultKind[] = ['nack', 'http'];

const isHttpFault = ({ kind }: Fault) => HTTP_KINDS.some((each) => each === kind);
const isConnectionFault = (fault: Fault): fault is ConnectionFault =>
  CONNECTION_KINDS.some((each) => each === fault.kind);

export class Faults {
  readonly #pending = new Map<string, { fault: Fault; remaining: number }>();
  #applyNow: ApplyFault = () => false;
  #nextId = 1;

  /** Registers the function with which the server applies a fault to its open connections. */
  onConnectionFault(apply: ApplyFault): void {
    this.#applyNow = apply;
  }

  /** Applies a fault now or keeps it pending, and returns its id. Throws RangeError for an invalid fault. */
  add(fault: Fault): string {
    assertValid(fault);
    const id = `f${this.#nextId++}`;
    const pending = { fault, remaining: fault.times === 0 ? Number.POSITIVE_INFINITY : (fault.times ?? 1) };
    if (isConnectionFault(fault) && this.#applyNow(fault)) pending.remaining--;
    if (pending.remaining > 0) this.#pending.set(id, pending);
    return id;
  }

  /** Removes one pending fault, or all. Connections to which a fault was applied (such as `stall`) stay as they are. */
  clear(id?: string): void {
    if (id === undefined) this.#pending.clear();
    else this.#pending.delete(id);
  }

  /**
   * Returns the oldest pending fault of this kind that concerns `number` and `xmlns`, and counts it as applied once.
   * Undefined when there is none.
   */
  take(kind: FaultKind, number?: string, xmlns?: string): Fault | undefined {
    if (this.#pending.size === 0) return undefined;
    for (const [id, pending] of this.#pending) {
      const { fault } = pending;
      if (fault.kind !== kind) continue;
      if (fault.number && fault.number !== number) continue;
      if (fault.xmlns && fault.xmlns !== xmlns) continue;
      pending.remaining--;
      if (pending.remaining <= 0) this.#pending.delete(id);
      return fault;
    }
    return undefined;
  }

  /** Takes a connection fault for a new login of `number`; without a number, for a registration. */
  takeForLogin(number?: string): ConnectionFault | undefined {
    for (const kind of CONNECTION_KINDS) {
      const fault = this.take(kind, number);
      if (fault && isConnectionFault(fault)) return fault;
    }
    return undefined;
  }
}

/**
 * Throws RangeError when `code`, `after` or `times` is negative or not whole, when a required `code` is missing, and
 * when an HTTP fault has a `number` (a phone number) or a `code` that is not an HTTP status from 200 to 599.
 */
function assertValid(fault: Fault): void {
  const { kind, code } = fault;
  for (const field of ['code', 'after', 'times'] as const) {
    const value = fault[field] ?? 0;
    if (!Number.isInteger(value) || value < 0) throw new RangeError(`${field} must be a whole number from 0`);
  }
  if (isHttpFault(fault) && fault.number) throw new RangeError(`a fault of kind ${kind} cannot have a number`);
  if (KINDS_REQUIRING_CODE.includes(kind) && code === undefined)
    throw new RangeError(`a fault of kind ${kind} needs a code`);
  if (isHttpFault(fault) && code !== undefined && (code < 200 || code > 599))
    throw new RangeError(`the code of a fault of kind ${kind} must be an HTTP status from 200 to 599`);
}

/** Codes that closingStanza() sends as `<stream:error>` without a conflict. */
const STREAM_ERRORS = new Set([500, 503, 515]);

/**
 * Returns the stanza to send before closing a connection, so that Baileys reports `code`. Undefined for 428, which
 * Baileys reports for a connection that closes without such a stanza.
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
 * (402) the element also has the cause (`code`) and the duration in seconds (`expire`).
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
