// Unhandled errors: each ends only the part of the program that owns the failing work. Only an error without an owner
// may end the process.
import { AsyncLocalStorage } from 'node:async_hooks';

/** A part of the program that can end without the rest, such as one connection. */
export interface Owner {
  /** Ends this part because of `error`. Must not throw. */
  fail(error: unknown): void;
  /** Bytes that one piece of compressed content may grow to. Undefined: not limited. */
  readonly inflateLimit?: number;
}

export interface ContainmentOptions {
  /** An error that belongs to no owner and leaves the state of the process intact. */
  onStray: (error: unknown) => void;
  /** An error after which the state of the process cannot be trusted. */
  onFatal: (error: unknown) => void;
}

const owners = new AsyncLocalStorage<Owner>();

/** The owner of the running work; undefined when the work belongs to no owner. */
export const currentOwner = (): Owner | undefined => owners.getStore();

/**
 * Runs `work`; errors that escape from it, and from everything that it starts, belong to `owner`. Returns what `work`
 * returns.
 */
export const ownedBy = <T>(owner: Owner, work: () => T): T =>
  owners.getStore() === owner ? work() : owners.run(owner, work);

/** Ends the owner of the running work because of `error`. Returns false when the work belongs to no owner. */
export function failOwner(error: unknown): boolean {
  const owner = owners.getStore();
  owner?.fail(error);
  return owner !== undefined;
}

/**
 * Whether `error` reports a call of the operating system that failed, such as a reset connection. It reaches the
 * process as the `error` event of an object without a listener, and no code of ours was interrupted.
 */
const isSystemError = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && typeof error.syscall === 'string';

/** Handles every uncaught exception and unhandled rejection of the process from now on. Returns the undo. */
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
