// SQLite databases of whatsmeow in temporary folders.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { onTestFinished } from 'vitest';
import type { SessionBundle } from '../../../../src/session-bundle/bundle.ts';
import { parseBundle } from '../../../../src/session-bundle/parse.ts';
import type { FoundSession, SessionContents, Source } from '../../src/source.ts';
import { openWhatsmeow } from '../../src/sources/whatsmeow.ts';
import type { WriteReport } from '../../src/target.ts';
import { openWhatsmeowTarget } from '../../src/targets/whatsmeow.ts';

/** The path of a file that does not exist yet. The folder ends with the test. */
export function newPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'whatsmeow-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'whatsapp.db');
}

/** Writes bundles into a database with one run of the target. */
export async function write(location: string, ...bundles: SessionBundle[]): Promise<WriteReport[]> {
  const target = await openWhatsmeowTarget({ location });
  try {
    const reports: WriteReport[] = [];
    for (const bundle of bundles) reports.push(await target.write(bundle));
    return reports;
  } finally {
    await target.close();
  }
}

/** Runs statements in the database of `path`. */
export function change(path: string, ...statements: string[]): void {
  const file = new DatabaseSync(path);
  for (const statement of statements) file.exec(statement);
  file.close();
}

/** The found sessions, and what reading each of them gives: a session or a message. */
export async function read(database: string) {
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

export async function readOne(path: string): Promise<SessionContents> {
  const { sessions } = await read(path);
  const [one] = sessions;
  if (sessions.length !== 1 || !one?.session) throw new Error(one?.problem ?? `${sessions.length} sessions`);
  return one.session;
}

/** The numbers of dropped keys by type. */
export const dropped = ({ dropped: all }: Pick<SessionContents, 'dropped'>) =>
  Object.fromEntries(all.map(({ type, count }) => [type, count]));

/** What a database of whatsmeow keeps of a bundle besides the sessions, which have tests of their own. */
export function comparable({ instance: _instance, createdAt: _createdAt, source: _source, ...bundle }: SessionBundle) {
  return { ...bundle, keys: { ...bundle.keys, sessions: Object.keys(bundle.keys.sessions).sort() } };
}

/** All rows of all tables; bytes as text. */
export function dump(path: string): Record<string, Record<string, unknown>[]> {
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
