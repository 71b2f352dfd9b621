// With which code the process ends, for whoever starts it again or does not. Numbers as sysexits.h has them.
import { GatewayError } from '../errors.ts';
import { describePortError, TemporarilyUnavailableError } from '../lib/startup-errors.ts';

export const EXIT_CODES = {
  /** Stopped in order. */
  stopped: 0,
  /** A crash, or a stop that was forced: see the log. */
  failed: 1,
  /** Something it needs is not there, or another process has it: a new start may find it. */
  unavailable: 69,
  /** Settings, keys or data that it cannot start with: a new start ends the same way until somebody changes something. */
  unusable: 78,
} as const;

const bugs = [TypeError, ReferenceError, RangeError, SyntaxError];

/** What is said of a failed start, and the code that it ends with. `port` names the settings that choose ports. */
export function toExitReport(error: unknown, port: string): { sentence: string; code: number } {
  if (!(error instanceof Error)) return { sentence: String(error), code: EXIT_CODES.failed };
  // A sentence for what an operator can put right; the trace for what only a developer can.
  if (bugs.some((kind) => error instanceof kind))
    return { sentence: error.stack ?? error.message, code: EXIT_CODES.failed };
  const isTaken = 'code' in error && error.code === 'EADDRINUSE';
  const isDown = error instanceof GatewayError && error.code === 'STORAGE_UNAVAILABLE';
  const code =
    isTaken || isDown || error instanceof TemporarilyUnavailableError ? EXIT_CODES.unavailable : EXIT_CODES.unusable;
  return { sentence: describePortError(error, port) ?? error.message, code };
}
