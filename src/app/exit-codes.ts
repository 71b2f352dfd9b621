// The exit codes of the process, with the meanings of sysexits.h (D-139), and the message and code for a failed start.
import { hasCode } from '../errors.ts';
import { describePortError, TemporarilyUnavailableError } from '../lib/startup-errors.ts';

export const EXIT_CODES = {
  /** Orderly stop. */
  stopped: 0,
  /** A crash, an error in the program, or a stop that took too long. The log or standard error has the reason. */
  failed: 1,
  /** A resource is missing or in use by another process. A later start may succeed. */
  unavailable: 69,
  /** Unusable settings, keys or data. Every start fails until an operator changes something. */
  unusable: 78,
} as const;

const PROGRAMMING_ERRORS = [TypeError, ReferenceError, RangeError, SyntaxError];

/**
 * The message on standard error and the exit code for an error during the start. `portSetting` names the setting that
 * chooses the port. The message is one sentence, or the stack trace of a programming error.
 */
export function toExitReport(error: unknown, portSetting: string): { text: string; code: number } {
  if (!(error instanceof Error)) return { text: String(error), code: EXIT_CODES.failed };
  if (PROGRAMMING_ERRORS.some((kind) => error instanceof kind)) {
    return { text: error.stack ?? error.message, code: EXIT_CODES.failed };
  }
  const isPortInUse = 'code' in error && error.code === 'EADDRINUSE';
  const isStorageDown = hasCode(error, 'STORAGE_UNAVAILABLE');
  const isTemporary = isPortInUse || isStorageDown || error instanceof TemporarilyUnavailableError;
  return {
    text: describePortError(error, portSetting) ?? error.message,
    code: isTemporary ? EXIT_CODES.unavailable : EXIT_CODES.unusable,
  };
}
