// Adds the tables of access keys and of the audit log.
import type { Migration } from './migration.ts';

export const access: Migration = {
  version: 8,
  compatibleWith: 6,
  up(dialect) {
    const sqlite = dialect === 'sqlite';
    const int = sqlite ? 'INTEGER' : 'BIGINT';
    // AUTOINCREMENT never reuses a seq. A reader that continues after a seq would miss a new entry with a lower seq.
    const serial = sqlite ? 'INTEGER PRIMARY KEY AUTOINCREMENT' : 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY';
    return [
      `CREATE TABLE access_key (
         id TEXT PRIMARY KEY, name TEXT NOT NULL, digest TEXT NOT NULL UNIQUE, hint TEXT NOT NULL, scopes TEXT NOT NULL,
         instance TEXT, replaced_by TEXT, created_at ${int} NOT NULL, expires_at ${int}, last_used_at ${int})
         ${sqlite ? 'STRICT, WITHOUT ROWID' : ''}`,
      `CREATE TABLE audit (
         seq ${serial}, at ${int} NOT NULL, access_key TEXT NOT NULL, operation TEXT NOT NULL, scope TEXT NOT NULL, instance_name TEXT,
         subject TEXT, status ${int} NOT NULL, request_id TEXT NOT NULL, address TEXT NOT NULL) ${sqlite ? 'STRICT' : ''}`,
      'CREATE INDEX audit_by_scope ON audit (scope, seq)',
    ];
  },
};
