// Reads the sessions of a source for tests of the import.
import { parseKeyName } from '../../packages/import/src/baileys/key-names.ts';
import type { FoundSession, Source } from '../../packages/import/src/session/source.ts';
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

/** The state of a client in the form of a bundle. It is converted directly, without a store of another program. */
export const bundleOf = ({ creds, keys }: ClientState): FromBaileysResult =>
  fromBaileys({
    creds,
    keys: [...keys].map(([name, value]) => ({ type: '', id: '', ...parseKeyName(name), value })),
  });

/** The number of keys, by their type in Baileys. */
export function countsOf({ keys }: ClientState): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of keys.keys()) {
    const type = parseKeyName(name)?.type ?? 'unknown';
    counts[type] = (counts[type] ?? 0) + 1;
  }
  return counts;
}
