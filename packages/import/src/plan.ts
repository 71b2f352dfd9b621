// Decides which of the found sessions are moved, and under which name.

import type { Arguments } from './arguments.ts';
import { ArgumentError } from './lib/argument-error.ts';
import type { FoundSession } from './session/source.ts';

export interface PlannedSession {
  session: FoundSession;
  /** The name that the session gets in the target. */
  name: string;
  /** Why the session is not moved; undefined when it is. */
  problem: string | undefined;
}

const MAX_NAME_LENGTH = 100;

/** Returns a sentence when the gateway would refuse the name for an instance; undefined for a valid name. */
function findNameProblem(name: string): string | undefined {
  const isPathStep = name === '.' || name === '..';
  const hasInvalidCharacter = /[\p{Cc}/\\]/u.test(name);
  if (name.trim() !== '' && name.length <= MAX_NAME_LENGTH && !hasInvalidCharacter && !isPathStep) return;
  return 'The name is invalid: 1 to 100 characters, no slashes, no control characters. Select the session with --instance and give it another name with --name.';
}

/**
 * Selects the sessions to move, and finds the problems that prevent a move. Throws an ArgumentError when --instance
 * names a session that was not found, and when --name is given for several sessions.
 */
export function planSessions(
  found: readonly FoundSession[],
  { instances, name, force }: Pick<Arguments, 'instances' | 'name' | 'force'>,
): PlannedSession[] {
  const missing = instances.filter((wanted) => !found.some((session) => session.name === wanted));
  if (missing.length > 0) throw new ArgumentError(`--instance: the source has no session ${missing.join(', ')}.`);
  const selected = instances.length === 0 ? found : found.filter((session) => instances.includes(session.name));
  if (name !== undefined && selected.length > 1) {
    throw new ArgumentError(`--name is for one session, but there are ${selected.length}. Select one with --instance.`);
  }
  const seenNames = new Set<string>();
  return selected.map((session) => {
    const finalName = name ?? session.name;
    const isDuplicate = seenNames.has(finalName);
    seenNames.add(finalName);
    return { session, name: finalName, problem: findProblem(session, { name: finalName, isDuplicate, force }) };
  });
}

function findProblem(
  { problem, account, isConnected }: FoundSession,
  { name, isDuplicate, force }: { name: string; isDuplicate: boolean; force: boolean },
): string | undefined {
  if (problem !== undefined) return problem;
  if (account === null) return 'The session was never linked: there is nothing to move.';
  const nameProblem = findNameProblem(name);
  if (nameProblem !== undefined) return nameProblem;
  if (isDuplicate)
    return 'Another session of the source has the same name. Move this one from its own file or folder, with --name.';
  if (isConnected && !force) {
    return 'The source says that the session is connected. Stop the program that has it. If it is stopped already, add --force.';
  }
  return undefined;
}
