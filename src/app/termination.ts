// Ends a running process in order, after a signal or an unhandled error. Used by the gateway and the sandbox.
import closeWithGrace from 'close-with-grace';
import type { Logger } from 'pino';
import { containErrors } from '../lib/containment.ts';

export interface TerminationOptions {
  /** Prefix of every line on standard error. */
  name: string;
  /** ms that `stop` may take. */
  delay: number;
  log: Logger;
  /** Called once, before the process ends. */
  stop: (signal: string | undefined) => Promise<void>;
}

/**
 * Handles signals and unhandled errors of the process from now on. The exit code is 0 after a signal. It is 1 after an
 * unhandled error that belongs to no part of the program (lib/containment.ts), or when `stop` fails or takes longer
 * than `delay`. The reason for 1 is written to standard error at every log level.
 */
export function installTermination({ name, delay, log, stop }: TerminationOptions): void {
  const writeError = (sentence: string) => process.stderr.write(`${name}: ${sentence}\n`);
  let crash: { error: unknown } | undefined;
  const onForcedStop = (...details: unknown[]) => {
    if (crash && details.includes(crash.error)) return;
    log.error({ details: details.map(String) }, 'gateway.stop.forced');
    writeError(`the stop was forced: ${details.map(describe).join(' ')}`);
  };
  const { close } = closeWithGrace(
    { delay, logger: { error: onForcedStop }, skip: ['uncaughtException', 'unhandledRejection'] },
    async ({ signal }) => {
      await stop(signal);
      // Makes the exit code 1.
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

/** The error and the place where it was thrown, in one line. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const place = error.stack?.split('\n').find((line) => line.startsWith('    at '));
  const text = `${error.name}: ${error.message}`.replaceAll(/\s+/g, ' ');
  return place ? `${text} (${place.trim()})` : text;
}
