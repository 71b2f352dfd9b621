// One run of the program: lists the sessions of the source, then checks or writes one after another.
import { parseBundle } from '../../../src/session-bundle/parse.ts';
import { type Arguments, helpText, parseArguments } from './arguments.ts';
import { ArgumentError } from './lib/argument-error.ts';
import { messageOf } from './lib/error-message.ts';
import { createRedactor } from './lib/redact.ts';
import { type PlannedSession, planSessions } from './plan.ts';
import { describeOutcomes, describePlan, type Outcome } from './report.ts';
import type { FoundSession, SessionContents, Source } from './session/source.ts';
import type { Target } from './session/target.ts';
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

interface Output {
  /** Writes the result to stdout. */
  print(lines: readonly string[]): void;
  /** Writes a warning or the progress to stderr. */
  notify(line: string): void;
}

// Exit codes.
const DONE = 0;
/** The run failed or found no sessions, or a session failed, was refused or was not started. */
const INCOMPLETE = 1;
const WRONG_ARGUMENTS = 2;

/** Runs the program and returns its exit code. Does not reject. */
export async function run({ argv, env, stdout, stderr, signal }: RunOptions): Promise<number> {
  // The secrets are unknown until the arguments are parsed. An error in the arguments contains no secret except
  // passwords in URLs, which every redactor masks.
  let redact = createRedactor([]);
  try {
    const args = parseArguments(argv, env);
    if (args === 'help') {
      stdout.write(helpText());
      return DONE;
    }
    redact = createRedactor(args.secrets);
    const output: Output = {
      print: (lines) => void stdout.write(lines.map((line) => `${redact(line)}\n`).join('')),
      notify: (line) => void stderr.write(`${redact(line)}\n`),
    };
    for (const warning of args.warnings) output.notify(`Warning: ${warning}`);
    const source = await args.source.open(args.sourceOptions);
    try {
      return await moveSessions(source, args, { output, signal });
    } finally {
      await source.close();
    }
  } catch (error) {
    const hint = error instanceof ArgumentError ? ' See --help.' : '';
    stderr.write(`messaging-gateway-import: ${redact(messageOf(error))}${hint}\n`);
    return error instanceof ArgumentError ? WRONG_ARGUMENTS : INCOMPLETE;
  }
}

/** What the steps of a run share. */
interface RunContext {
  output: Output;
  signal: AbortSignal;
}

async function moveSessions(source: Source, args: Arguments, { output, signal }: RunContext): Promise<number> {
  const found: FoundSession[] = [];
  for await (const session of source.find()) found.push(session);
  const planned = planSessions(found, args);
  output.print(describePlan(source.title, planned));
  if (planned.length === 0) {
    output.notify('The source has no sessions.');
    return INCOMPLETE;
  }
  const { outcomes, nextStep } = await processAll(planned, args, { output, signal });
  output.print(['', ...describeOutcomes(outcomes)]);
  const isAnyWritten = outcomes.some(({ status }) => status === 'written');
  if (isAnyWritten && nextStep !== undefined) output.print([nextStep]);
  const isComplete = outcomes.every(({ status }) => ['written', 'checked', 'already there'].includes(status));
  return isComplete ? DONE : INCOMPLETE;
}

/**
 * Checks or writes the sessions one after another, and reports the progress. `nextStep` says what the operator must do
 * with the written sessions.
 */
async function processAll(
  planned: readonly PlannedSession[],
  args: Arguments,
  { output, signal }: RunContext,
): Promise<{ outcomes: Outcome[]; nextStep: string | undefined }> {
  const hasSeveralSessions = planned.length > 1;
  const target = args.dryRun ? undefined : await openTarget(args, hasSeveralSessions);
  try {
    if (target) output.notify(`Writing to ${target.title}.`);
    const outcomes: Outcome[] = [];
    for (const plan of planned) {
      const outcome: Outcome = signal.aborted
        ? { name: plan.name, status: 'not started' }
        : await processSession(plan, target);
      outcomes.push(outcome);
      if (outcome.status !== 'not started') {
        output.notify(`${outcomes.length} of ${planned.length}: ${plan.name}: ${outcome.status}`);
      }
      // Lets the handlers of signals run, because reading and writing a session can be synchronous.
      await new Promise(setImmediate);
    }
    return { outcomes, nextStep: target?.nextStep };
  } finally {
    await target?.close();
  }
}

function openTarget({ target }: Arguments, hasSeveralSessions: boolean): Promise<Target> {
  if (!target) throw new ArgumentError('There is no target.');
  return TARGETS[target.kind]({ ...target.options, hasSeveralSessions });
}

/** Checks a session, or writes it when there is a target. Does not reject. */
async function processSession(
  { session, name, problem }: PlannedSession,
  target: Target | undefined,
): Promise<Outcome> {
  if (problem !== undefined) return { name, status: 'refused', problem };
  try {
    const { account, device } = session;
    // The write() of a target without has() rejects an existing name.
    if (await target?.has?.({ name, account, device })) return { name, status: 'already there' };
    const { bundle, dropped, warnings } = await readChecked(session, name);
    if (!target) return { name, status: 'checked', dropped, warnings };
    const report = await target.write(bundle);
    return {
      name,
      status: 'written',
      location: report.location,
      written: report.written,
      dropped: [...dropped, ...report.dropped],
      warnings: [...warnings, ...report.warnings],
    };
  } catch (error) {
    return { name, status: 'failed', problem: messageOf(error) };
  }
}

/** Reads the bundle of a session, replaces the name in the bundle by `name`, and checks the bundle. */
async function readChecked(session: FoundSession, name: string): Promise<SessionContents> {
  const { bundle, dropped, warnings } = await session.read();
  const named = { ...bundle, instance: { ...bundle.instance, name } };
  // parseBundle() makes the same check as a gateway that receives the bundle.
  return { bundle: parseBundle(named), dropped, warnings };
}
