// What tests of the import expect of a source.
import { parseKeyName } from '../../packages/import/src/baileys-key-names.ts';
import type { FoundSession, Source } from '../../packages/import/src/source.ts';
import { type FromBaileysResult, fromBaileys } from '../../src/session-bundle/baileys.ts';
import type { ClientState } from './evolution-layouts.ts';

/** All sessions of a source. */
export async function listSessions(source: Source): Promise<FoundSession[]> {
  const found: FoundSession[] = [];
  for await (const session of source.find()) found.push(session);
  return found;
}

/** The session with this name. Rejects when there is none. */
export async function findSession(source: Source, name: string): Promise<FoundSession> {
  const session = (await listSessions(source)).find((one) => one.name === name);
  if (!session) throw new Error(`no session ${name}`);
  return session;
}

/** The state of a client as the bundle has it, converted without a store between them. */
export const bundleOf = ({ creds, keys }: ClientState): FromBaileysResult =>
  fromBaileys({
    creds,
    keys: [...keys].map(([name, value]) => ({ type: '', id: '', ...parseKeyName(name), value })),
  });

/** The number of keys by Baileys' type. */
export function countsOf({ keys }: ClientState): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of keys.keys()) {
    const type = parseKeyName(name)?.type ?? 'unknown';
    counts[type] = (counts[type] ?? 0) + 1;
  }
  return counts;
}
