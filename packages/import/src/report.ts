// Formats the plan and the results of a run as tables and sentences for the operator.
import type { Dropped } from '../../../src/session-bundle/bundle.ts';
import type { PlannedSession } from './plan.ts';

/**
 * The result of a session. `checked`: read without an error, and not written (--dry-run). `already there`: the target
 * had the session before. `failed`: reading or writing failed. `refused`: the plan found a problem, so the session was
 * not read. `not started`: a signal ended the run before this session.
 */
export type Status = 'written' | 'checked' | 'already there' | 'failed' | 'refused' | 'not started';

export interface Outcome {
  /** The name in the target. */
  name: string;
  status: Status;
  /** Where the session was written. */
  location?: string;
  /** The number of written keys by type. */
  written?: Record<string, number>;
  dropped?: Dropped[];
  warnings?: string[];
  /** Why the session was not written. */
  problem?: string;
}

const GAP = '  ';

/** Aligns the columns of a table. Returns one line per row. */
export function formatTable(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  }
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join(GAP)
      .trimEnd(),
  );
}

const formatCounts = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([type, count]) => `${type} ${count}`)
    .join(', ');

const total = (counts: Record<string, number>): number => Object.values(counts).reduce((sum, count) => sum + count, 0);

export const pluralize = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Returns lines: the table of the found sessions, and a sentence for each session that cannot be moved. */
export function describePlan(title: string, planned: readonly PlannedSession[]): string[] {
  const rows = planned.map(({ session, name, problem }) => [
    session.name === name ? name : `${session.name} → ${name}`,
    // A session with a problem can be linked although its account is null.
    session.account ?? (session.problem === undefined ? 'not linked' : 'unknown'),
    describeConnection(session.isConnected),
    formatCounts(session.counts) || 'none',
    problem === undefined ? '' : 'problem',
  ]);
  const problems = planned.flatMap(({ name, problem }) => (problem === undefined ? [] : [`${name}: ${problem}`]));
  return [
    `${title}: ${pluralize(planned.length, 'session')}`,
    ...(rows.length > 0 ? formatTable([['session', 'account', 'connected', 'keys', ''], ...rows]) : []),
    ...problems,
  ];
}

function describeConnection(isConnected: boolean | undefined): string {
  if (isConnected === undefined) return 'unknown';
  return isConnected ? 'yes' : 'no';
}

/**
 * Returns lines: the result of each session, why sessions failed, what was dropped, and the warnings. The problems of
 * refused sessions are not repeated, because describePlan() lists them.
 */
export function describeOutcomes(outcomes: readonly Outcome[]): string[] {
  const rows = outcomes.map(({ name, status, location, written, dropped }) => [
    name,
    status,
    written ? String(total(written)) : '',
    dropped ? String(dropped.reduce((sum, { count }) => sum + count, 0)) : '',
    location ?? '',
  ]);
  return [
    ...formatTable([['session', 'result', 'taken', 'dropped', 'where'], ...rows]),
    ...outcomes.flatMap(({ name, status, problem }) => (status === 'failed' ? [`${name}: ${problem}`] : [])),
    ...outcomes.flatMap(({ name, written }) =>
      written && total(written) > 0 ? [`${name}: ${formatCounts(written)}`] : [],
    ),
    ...groupBySentence(outcomes, 'Dropped', ({ dropped }) =>
      (dropped ?? []).map(({ type, count, reason }) => `${type} ${count}: ${reason}`),
    ),
    ...groupBySentence(outcomes, 'Warning', ({ warnings }) => warnings ?? []),
    summarize(outcomes),
  ];
}

/** Returns each sentence once, with the first session and the number of other sessions that have the sentence. */
function groupBySentence(
  outcomes: readonly Outcome[],
  label: string,
  sentencesOf: (outcome: Outcome) => readonly string[],
): string[] {
  const names = new Map<string, string[]>();
  for (const outcome of outcomes) {
    for (const sentence of new Set(sentencesOf(outcome))) {
      names.set(sentence, [...(names.get(sentence) ?? []), outcome.name]);
    }
  }
  return [...names].map(([sentence, [first = '', ...others]]) => {
    const more = others.length > 0 ? ` and ${pluralize(others.length, 'other')}` : '';
    return `${label} (${first}${more}): ${sentence}`;
  });
}

function summarize(outcomes: readonly Outcome[]): string {
  const counts: Record<string, number> = {};
  for (const { status } of outcomes) counts[status] = (counts[status] ?? 0) + 1;
  const parts = Object.entries(counts).map(([status, count]) => `${count} ${status}`);
  return `${pluralize(outcomes.length, 'session')}: ${parts.join(', ') || 'nothing to do'}.`;
}
