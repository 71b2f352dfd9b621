// Handles uncaught exceptions and unhandled rejections: each ends only the part of the program that owns the failing
// work. Only an error of work without an owner can end the process. Decision D-151.
import { AsyncLocalStorage } from 'node:async_hooks';

/** A part of the program that can end without the rest, such as one connection. */
export interface Owner {
  /** Ends this part because of `error`. Must not throw. */
  fail(error: unknown): void;
  /**
   * Maximum size of one piece of decompressed content in this part, bytes. Undefined: no limit. Code that decompresses
   * reads this limit and `listLimit` from currentOwner().
   */
  readonly inflateLimit?: number;
  /** Maximum number of lists in one decompressed stanza (a message of WhatsApp's protocol). Undefined: no limit. */
  readonly listLimit?: number;
}

export interface ContainmentOptions {
  /** Called with an error that belongs to no owner and leaves the state of the process intact. */
  onStray: (error: unknown) => void;
  /** Called with an error that belongs to no owner and after which the state of the process cannot be trusted. */
  onFatal: (error: unknown) => void;
}

const owners = new AsyncLocalStorage<Owner>();

/** The owner of the running work; undefined when the work belongs to no owner. */
export const currentOwner = (): Owner | undefined => owners.getStore();

/**
 * Runs `work` and returns its result. Unhandled errors of `work`, and of everything that it starts, belong to `owner`.
 */
export const runOwnedBy = <T>(owner: Owner, work: () => T): T =>
  owners.getStore() === owner ? work() : owners.run(owner, work);

/** Ends the owner of the running work because of `error`. Returns false when the work belongs to no owner. */
function failOwner(error: unknown): boolean {
  const owner = owners.getStore();
  owner?.fail(error);
  return owner !== undefined;
}

/**
 * Whether `error` comes from a system call, such as a write to a reset connection. Such an error is emitted by an
 * object without an `error` listener, and has not interrupted any code of the gateway.
 */
const isSystemError = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && typeof error.syscall === 'string';

/** Handles all unhandled errors of the process from now on. Returns a function that removes the handlers. */
export function containErrors({ onStray, onFatal }: ContainmentOptions): () => void {
  const onRejection = (reason: unknown): void => {
    if (!failOwner(reason)) onStray(reason);
  };
  const onException = (error: unknown): void => {
    if (failOwner(error)) return;
    if (isSystemError(error)) onStray(error);
    else onFatal(error);
  };
  process.on('unhandledRejection', onRejection);
  process.on('uncaughtException', onException);
  return () => {
    process.off('unhandledRejection', onRejection);
    process.off('uncaughtException', onException);
  };
}
