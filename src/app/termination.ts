// Stops a running process in an orderly way after a signal or an unhandled error. The gateway and the sandbox (the
// simulated WhatsApp) use this file. Decision D-101.
import closeWithGrace from 'close-with-grace';
import type { Logger } from 'pino';
import { containErrors } from '../lib/containment.ts';
import { settleWithin } from '../lib/deadline.ts';

/** The longest wait for a reader that does not read the log, or for a disk that is full. */
const FLUSH_TIMEOUT_MS = 2_000;

export interface TerminationOptions {
  /** Prefix of every line on standard error. */
  name: string;
  /** Maximum duration of `stop`. */
  stopTimeoutMs: number;
  log: Logger;
  /** Called once before the process ends. `signal` is undefined after an unhandled error. */
  stop: (signal: string | undefined) => Promise<void>;
}

/**
 * Handles signals and unhandled errors of the process from now on. The exit code is 0 after a signal. It is 1 after an
 * unhandled error that lib/containment.ts considers fatal, or when `stop` fails or takes longer than `stopTimeoutMs`.
 * The reason for the exit code 1 is written to standard error at every log level.
 */
export function installTermination({ name, stopTimeoutMs, log, stop }: TerminationOptions): void {
  const writeError = (sentence: string) => process.stderr.write(`${name}: ${sentence}\n`);
  let crash: { error: unknown } | undefined;
  /** Called when `stop` fails or takes too long. */
  const onForcedStop = (...details: unknown[]) => {
    // The callback below throws the error of a crash again, and close-with-grace reports it here. onFatal has already
    // reported it.
    if (crash && details.includes(crash.error)) return;
    log.error({ details: details.map(String) }, 'gateway.stop.forced');
    writeError(`the stop was forced: ${details.map(describe).join(' ')}`);
  };
  const { close } = closeWithGrace(
    { delay: stopTimeoutMs, logger: { error: onForcedStop }, skip: ['uncaughtException', 'unhandledRejection'] },
    async ({ signal }) => {
      await stop(signal);
      await flushLog(log);
      // The thrown error makes the exit code 1.
      if (crash) throw crash.error;
    },
  );
  containErrors({
    onStray: (err) => log.error({ err }, 'process.error.ignored'),
    onFatal: (error) => {
      log.fatal({ err: error }, 'gateway.crashed');
      writeError(`stops because of an error that nothing handled: ${describe(error)}`);
      if (crash) return;
      crash = { error };
      close();
    },
  });
}

/**
 * Resolves when all lines of the log are written, at the latest after FLUSH_TIMEOUT_MS. Without it, Node writes the last
 * lines at the exit, and after them the line that a thread of its pool was to write before.
 */
const flushLog = (log: Logger) =>
  settleWithin(new Promise<void>((resolve) => log.flush(() => resolve())), FLUSH_TIMEOUT_MS);

/** The error and the place where it was thrown, in one line. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const place = error.stack?.split('\n').find((line) => line.startsWith('    at '));
  const text = `${error.name}: ${error.message}`.replaceAll(/\s+/g, ' ');
  return place ? `${text} (${place.trim()})` : text;
}
