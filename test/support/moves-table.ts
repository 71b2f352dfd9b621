// The table of tested moves in docs/guides/move-sessions.md. test/slow/import-sessions.test.ts compares its results
// with the table. With MOVES_TABLE=write in the environment, it writes the table.
import { readFileSync, writeFileSync } from 'node:fs';

const GUIDE = 'docs/guides/move-sessions.md';
/** The columns. The text below the table explains them. */
const HEADINGS = [
  'source',
  'state from',
  'found',
  'taken',
  'dropped',
  'contacts',
  'group',
  'app state',
  'messages asked for again',
];
const HEADING = `| ${HEADINGS.join(' | ')} |`;

/** The results of one move. */
export interface Move {
  source: string;
  make: string;
  /** Numbers of keys. */
  found: number;
  taken: number;
  dropped: number;
  /** Number of messages that the instance requested again. */
  requestedAgain: number;
}

/** The numbers of keys in the output of the import program for the session `name`. Throws when the output has none. */
export function readCounts(output: string, name: string): Pick<Move, 'found' | 'taken' | 'dropped'> {
  const lines = output.split('\n');
  const foundLine = lines.find((line) => line.includes(name) && line.includes('@s.whatsapp.net'));
  const writtenRow = lines
    .map((line) => /^(\S+)\s+written\s+(\d+)\s+(\d+)/.exec(line))
    .find((row) => row?.[1] === name);
  const [, counts = ''] = foundLine?.split('@s.whatsapp.net') ?? [];
  const found = [...counts.matchAll(/[\w-]+ (\d+)(?=,|$)/g)].reduce((sum, [, count]) => sum + Number(count), 0);
  if (!writtenRow || found === 0) throw new Error(`no counts of ${name} in:\n${output}`);
  return { found, taken: Number(writtenRow[2]), dropped: Number(writtenRow[3]) };
}

/** The row of a move after which all messages and all changes of the app state arrived. The test checks that before. */
const rowOf = ({ source, make, found, taken, dropped, requestedAgain }: Move): string =>
  `| ${source} | ${make} | ${found} | ${taken} | ${dropped} | both ways | both ways | both ways | ${requestedAgain} |`;

/**
 * Returns the rows of the moves and those of the guide. With MOVES_TABLE=write, it first writes the moves to the guide.
 */
export function compareTable(moves: readonly Move[]): { measured: string[]; documented: string[] } {
  const guide = readFileSync(GUIDE, 'utf8').split('\n');
  const first = guide.indexOf(HEADING) + 2;
  if (first < 2) throw new Error(`${GUIDE} has no line ${HEADING}`);
  const end = guide.findIndex((line, index) => index >= first && !line.startsWith('|'));
  const measured = moves.map(rowOf);
  if (process.env.MOVES_TABLE !== 'write') return { measured, documented: guide.slice(first, end) };
  writeFileSync(GUIDE, [...guide.slice(0, first), ...measured, ...guide.slice(end)].join('\n'));
  return { measured, documented: measured };
}
