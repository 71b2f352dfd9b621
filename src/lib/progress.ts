// How far long work is: a bar in a terminal, a line now and then elsewhere.
import { systemClock } from './clock.ts';

/** A terminal, or a pipe or file. */
export interface Output {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

export interface Progress {
  /** So many of so many bytes are done. */
  at(done: number, total: number): void;
  /** All is done, or nothing goes on: leaves the last state readable. */
  end(): void;
}

/** Between two redraws of a bar, and between two lines where there is none, ms. */
const REDRAW = 100;
const LINE = 5000;
const NARROW = 60;
const BAR = 30;

const mib = (bytes: number) => (bytes / 2 ** 20).toFixed(1);

/** `label` names the work: `copying`. Where nobody looks at a terminal, work that ends at once takes one line. */
export function createProgress(out: Output, label: string, clock: { now(): number } = systemClock): Progress {
  let shownAt = clock.now();
  let last = '';
  let isFresh = true;

  function text(done: number, total: number): string {
    const share = total === 0 ? 1 : Math.min(1, done / total);
    const figures = `${Math.floor(share * 100)} %, ${mib(done)} of ${mib(total)} MiB`;
    if (!out.isTTY || (out.columns ?? NARROW) < NARROW) return `${label} ${figures}`;
    const full = Math.round(share * BAR);
    return `${label} [${'#'.repeat(full)}${'.'.repeat(BAR - full)}] ${figures}`;
  }

  function show(): void {
    shownAt = clock.now();
    isFresh = true;
    // Back to the first column, and clear what a longer text left.
    out.write(out.isTTY ? `\r${last}\u001b[K` : `${last}\n`);
  }

  return {
    at(done, total) {
      last = text(done, total);
      isFresh = false;
      if (clock.now() - shownAt >= (out.isTTY ? REDRAW : LINE)) show();
    },
    end() {
      if (!isFresh) show();
      if (out.isTTY && last !== '') out.write('\n');
    },
  };
}
