// SQLite databases of whatsmeow in temporary folders.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { onTestFinished } from 'vitest';
import type { SessionBundle } from '../../../../src/session-bundle/bundle.ts';
import { parseBundle } from '../../../../src/session-bundle/parse.ts';
import type { FoundSession, SessionContents, Source } from '../../src/session/source.ts';
import type { WriteReport } from '../../src/session/target.ts';
import { openWhatsmeow } from '../../src/sources/whatsmeow.ts';
import { openWhatsmeowTarget } from '../../src/targets/whatsmeow.ts';

/** Returns the path of a file that does not exist, in a new folder. The folder is removed after the test. */
export function createPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'whatsmeow-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'whatsapp.db');
}

/** Writes bundles to a database. */
export async function writeBundles(location: string, ...bundles: SessionBundle[]): Promise<WriteReport[]> {
  const target = await openWhatsmeowTarget({ location });
  try {
    const reports: WriteReport[] = [];
    for (const bundle of bundles) reports.push(await target.write(bundle));
    return reports;
  } finally {
    await target.close();
  }
}

/** Runs SQL statements in the database `path`. */
export function executeSql(path: string, ...statements: string[]): void {
  const file = new DatabaseSync(path);
  for (const statement of statements) file.exec(statement);
  file.close();
}

/** Reads all sessions. The result has the contents or the problem of each session. */
export async function readSessions(database: string) {
  const source = await openWhatsmeow({ database });
  try {
    return { title: source.title, sessions: await readAll(source) };
  } finally {
    await source.close();
  }
}

async function readAll(
  source: Source,
): Promise<{ found: FoundSession; session?: SessionContents; problem?: string }[]> {
  const all: FoundSession[] = [];
  for await (const found of source.find()) all.push(found);
  const result = [];
  for (const found of all) {
    result.push(
      await found.read().then(
        (session) => ({ found, session: { ...session, bundle: parseBundle(session.bundle) } }),
        (error: Error) => ({ found, problem: error.message }),
      ),
    );
  }
  return result;
}

export async function readSession(path: string): Promise<SessionContents> {
  const { sessions } = await readSessions(path);
  const [first] = sessions;
  if (sessions.length !== 1 || !first?.session) throw new Error(first?.problem ?? `${sessions.length} sessions`);
  return first.session;
}

/** The numbers of dropped items by type. A type can be dropped for several reasons. */
export function countDropped({ dropped: all }: Pick<SessionContents, 'dropped'>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { type, count } of all) counts[type] = (counts[type] ?? 0) + count;
  return counts;
}

/**
 * The parts of a bundle that a whatsmeow database keeps. Of the sessions, only the addresses: other tests compare them.
 */
export function toComparable({
  instance: _instance,
  createdAt: _createdAt,
  source: _source,
  ...bundle
}: SessionBundle) {
  return { ...bundle, keys: { ...bundle.keys, sessions: Object.keys(bundle.keys.sessions).sort() } };
}

/** Returns all rows of all tables, with bytes as text. */
export function dumpTables(path: string): Record<string, Record<string, unknown>[]> {
  const file = new DatabaseSync(path, { readOnly: true });
  const tables = file.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").all();
  const rows = tables.map(({ name }) => {
    const all = file.prepare(`SELECT * FROM ${String(name)} ORDER BY 1, 2`).all();
    const readable = all.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([column, value]) => [
          column,
          value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
        ]),
      ),
    );
    return [String(name), readable] as const;
  });
  file.close();
  return Object.fromEntries(rows);
}
