// How a running process ends: in order after a signal, and in order after an error that leaves its state in doubt. Shared by both entries.
import closeWithGrace from 'close-with-grace';
import type { Logger } from 'pino';
import { containErrors } from '../lib/containment.ts';

export interface TerminationOptions {
  /** Begins every line on standard error. */
  name: string;
  /** ms that `stop` may take. */
  delay: number;
  log: Logger;
  /** Called once, before the process ends. */
  stop: (signal: string | undefined) => Promise<void>;
}

/**
 * Handles signals and uncaught errors from now on. The process ends with 0 after a signal, and with 1 after an error that belongs to no
 * part of the program, or when `stop` fails or takes too long. Why it ends with 1 is a line on standard error at every log level.
 */
export function installTermination({ name, delay, log, stop }: TerminationOptions): void {
  const say = (sentence: string) => process.stderr.write(`${name}: ${sentence}\n`);
  let crash: { error: unknown } | undefined;
  const onForced = (...words: unknown[]) => {
    if (crash && words.includes(crash.error)) return;
    log.error({ words: words.map(String) }, 'gateway.stop_forced');
    say(`the stop was forced: ${words.map(describe).join(' ')}`);
  };
  const { close } = closeWithGrace(
    { delay, logger: { error: onForced }, skip: ['uncaughtException', 'unhandledRejection'] },
    async ({ signal }) => {
      await stop(signal);
      // Makes the exit code 1.
      if (crash) throw crash.error;
    },
  );
  containErrors({
    onStray: (err) => log.error({ err }, 'process.error.stray'),
    onFatal: (error) => {
      log.fatal({ err: error }, 'gateway.crashed');
      say(`stops because of an error that nothing handled: ${describe(error)}`);
      if (crash) return;
      crash = { error };
      close();
    },
  });
}

/** The error and where it was thrown, in one line. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const place = error.stack?.split('\n').find((line) => line.startsWith('    at '));
  const text = `${error.name}: ${error.message}`.replaceAll(/\s+/g, ' ');
  return place ? `${text} (${place.trim()})` : text;
}
