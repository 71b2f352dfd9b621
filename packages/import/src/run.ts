// One run of the program: list what the source has, then check or write one session after another.
import { parseBundle } from '../../../src/session-bundle/parse.ts';
import { ArgumentError } from './argument-error.ts';
import { type Arguments, helpText, parseArguments } from './arguments.ts';
import { messageOf } from './error-message.ts';
import { type PlannedSession, planSessions } from './plan.ts';
import { createRedactor } from './redact.ts';
import { describeOutcomes, describePlan, type Outcome } from './report.ts';
import type { FoundSession, ReadSession, Source } from './source.ts';
import type { Target } from './target.ts';
import { TARGETS } from './targets/open.ts';

export interface RunOptions {
  /** The arguments after the name of the program. */
  argv: readonly string[];
  env: NodeJS.ProcessEnv;
  stdout: { write(text: string): unknown };
  stderr: { write(text: string): unknown };
  /** Ends the run after the session that is being written. */
  signal: AbortSignal;
}

interface Console {
  print(lines: readonly string[]): void;
  report(line: string): void;
}

const DONE = 0;
const INCOMPLETE = 1;
const WRONG_ARGUMENTS = 2;

/** Runs the program and returns its exit code. Does not reject. */
export async function run({ argv, env, stdout, stderr, signal }: RunOptions): Promise<number> {
  // Until the arguments are known, no text can contain a secret but passwords of URLs.
  let redact = createRedactor([]);
  try {
    const args = parseArguments(argv, env);
    if (args === 'help') {
      stdout.write(helpText());
      return DONE;
    }
    redact = createRedactor(args.secrets);
    const console: Console = {
      print: (lines) => void stdout.write(lines.map((line) => `${redact(line)}\n`).join('')),
      report: (line) => void stderr.write(`${redact(line)}\n`),
    };
    for (const warning of args.warnings) console.report(`Warning: ${warning}`);
    const source = await args.source.open(args.sourceOptions);
    try {
      return await moveSessions(source, args, { console, signal });
    } finally {
      await source.close();
    }
  } catch (error) {
    const hint = error instanceof ArgumentError ? ' See --help.' : '';
    stderr.write(`messaging-gateway-import: ${redact(messageOf(error))}${hint}\n`);
    return error instanceof ArgumentError ? WRONG_ARGUMENTS : INCOMPLETE;
  }
}

interface Surroundings {
  console: Console;
  signal: AbortSignal;
}

async function moveSessions(source: Source, args: Arguments, { console, signal }: Surroundings): Promise<number> {
  const found: FoundSession[] = [];
  for await (const session of source.find()) found.push(session);
  const planned = planSessions(found, args);
  console.print(describePlan(source.title, planned));
  if (planned.length === 0) {
    console.report('The source has no sessions.');
    return INCOMPLETE;
  }
  const { outcomes, next } = await takeAll(planned, args, { console, signal });
  const isWritten = outcomes.some(({ status }) => status === 'written');
  console.print(['', ...describeOutcomes(outcomes), ...(isWritten && next !== undefined ? [next] : [])]);
  const isComplete = outcomes.every(({ status }) => ['written', 'checked', 'already there'].includes(status));
  return isComplete ? DONE : INCOMPLETE;
}

async function takeAll(
  planned: readonly PlannedSession[],
  args: Arguments,
  { console, signal }: Surroundings,
): Promise<{ outcomes: Outcome[]; next: string | undefined }> {
  const target = args.dryRun ? undefined : await openTarget(args, planned.length > 1);
  try {
    if (target) console.report(`Writing to ${target.title}.`);
    const outcomes: Outcome[] = [];
    for (const one of planned) {
      const outcome: Outcome = signal.aborted ? { name: one.name, status: 'not started' } : await take(one, target);
      outcomes.push(outcome);
      if (!signal.aborted || outcome.status !== 'not started') {
        console.report(`${outcomes.length} of ${planned.length}: ${one.name}: ${outcome.status}`);
      }
      // The handler of a signal runs between two sessions, also when reading and writing them is synchronous.
      await new Promise(setImmediate);
    }
    return { outcomes, next: target?.next };
  } finally {
    await target?.close();
  }
}

function openTarget({ target }: Arguments, hasSeveral: boolean): Promise<Target> {
  if (!target) throw new ArgumentError('There is no target.');
  return TARGETS[target.kind]({ ...target.options, hasSeveral });
}

/** Checks a session, or writes it when there is a target. Does not reject. */
async function take({ session, name, problem }: PlannedSession, target: Target | undefined): Promise<Outcome> {
  if (problem !== undefined) return { name, status: 'refused', problem };
  try {
    if (await target?.has?.({ name, account: session.account })) return { name, status: 'already there' };
    const { bundle, dropped, warnings } = await readChecked(session, name);
    if (!target) return { name, status: 'checked', dropped, warnings };
    const report = await target.write(bundle);
    return {
      name,
      status: 'written',
      location: report.location,
      taken: report.taken,
      dropped: [...dropped, ...report.dropped],
      warnings: [...warnings, ...report.warnings],
    };
  } catch (error) {
    return { name, status: 'failed', problem: messageOf(error) };
  }
}

async function readChecked(session: FoundSession, name: string): Promise<ReadSession> {
  const { bundle, dropped, warnings } = await session.read();
  const named = { ...bundle, instance: { ...bundle.instance, name } };
  return { bundle: parseBundle(named), dropped, warnings };
}
