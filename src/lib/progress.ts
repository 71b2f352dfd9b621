// Shows the progress of long work: a bar in a terminal, a line every few seconds elsewhere.
import { systemClock } from './clock.ts';

/** A terminal, or a pipe or file. */
export interface Output {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

export interface Progress {
  /** Reports that `done` of `total` bytes are processed. */
  update(done: number, total: number): void;
  /** Shows the last state and ends the display. */
  end(): void;
}

/** Minimum time between two redraws of the bar. */
const REDRAW_MS = 100;
/** Minimum time between two lines without a terminal. */
const LINE_MS = 5000;
/** Minimum width of a terminal for the bar. */
const MIN_COLUMNS = 60;
const BAR_WIDTH = 30;

const toMebibytes = (bytes: number) => (bytes / 2 ** 20).toFixed(1);

/**
 * Creates a progress display. `label` names the work, such as `copying`. Without a terminal, work that is shorter than
 * LINE_MS writes only its last line.
 */
export function createProgress(out: Output, label: string, clock: { now(): number } = systemClock): Progress {
  let renderedAt = clock.now();
  let lastText = '';
  /** Whether `lastText` was not written yet. */
  let hasPendingText = false;

  function toText(done: number, total: number): string {
    const share = total === 0 ? 1 : Math.min(1, done / total);
    const figures = `${Math.floor(share * 100)} %, ${toMebibytes(done)} of ${toMebibytes(total)} MiB`;
    if (!out.isTTY || (out.columns ?? MIN_COLUMNS) < MIN_COLUMNS) return `${label} ${figures}`;
    const filled = Math.round(share * BAR_WIDTH);
    return `${label} [${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}] ${figures}`;
  }

  function render(): void {
    renderedAt = clock.now();
    hasPendingText = false;
    // \r returns to the first column; the escape sequence clears the rest of a longer earlier text.
    out.write(out.isTTY ? `\r${lastText}\u001b[K` : `${lastText}\n`);
  }

  return {
    update(done, total) {
      lastText = toText(done, total);
      hasPendingText = true;
      if (clock.now() - renderedAt >= (out.isTTY ? REDRAW_MS : LINE_MS)) render();
    },
    end() {
      if (hasPendingText) render();
      if (out.isTTY && lastText !== '') out.write('\n');
    },
  };
}
