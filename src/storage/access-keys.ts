// Stores access keys. A row contains the digest of a key, never the key itself.
import type { AccessKeyRow, AccessKeys, AccessScope } from './access-stores.ts';
import { parseJson } from './columns.ts';
import { type Database, type Prepared, runPrepared, runQuery, type Work } from './database.ts';
import type { Tables } from './tables.ts';

const UPDATE_LAST_USE: Prepared = {
  name: 'mark_access_key_used',
  sqlite: 'UPDATE access_key SET last_used_at = ?2 WHERE id = ?1 AND (last_used_at IS NULL OR last_used_at < ?2)',
  postgres: `UPDATE access_key SET last_used_at = k.at FROM unnest($1::text[], $2::bigint[]) AS k(id, at)
     WHERE access_key.id = k.id AND (last_used_at IS NULL OR last_used_at < k.at)`,
};

export function createAccessKeys(database: Database): AccessKeys {
  const { build } = database;
  return {
    async list() {
      const query = build.selectFrom('access_key').selectAll().orderBy('created_at').orderBy('id');
      return (await database.query(query)).map(toAccessKey);
    },
    async insert(row) {
      await database.query(build.insertInto('access_key').values(toRow(row)));
    },
    replace: (id, { replacedBy, expiresAt }, replacement) =>
      database.transaction(function* (): Work<boolean> {
        const update = build
          .updateTable('access_key')
          .set({ replaced_by: replacedBy, expires_at: expiresAt })
          .where('id', '=', id)
          .where('replaced_by', 'is', null)
          .returning('id');
        // The key does not exist or already has a replacement.
        if ((yield* runQuery(update)).length === 0) return false;
        yield* runQuery(build.insertInto('access_key').values(toRow(replacement)));
        return true;
      }),
    async delete(id) {
      await database.query(build.deleteFrom('access_key').where('id', '=', id));
    },
    recordUses: (uses) =>
      database.transaction(function* (): Work<void> {
        yield* runPrepared(
          UPDATE_LAST_USE,
          uses.map(({ id, at }) => [id, at]),
        );
      }),
    async prune(before) {
      const removal = build.deleteFrom('access_key').where('expires_at', '<', before);
      return (await database.query(removal.returning('id'))).length;
    },
  };
}

function toRow(row: AccessKeyRow): Tables['access_key'] {
  const { id, name, digest, hint, scopes, instanceId, replacedBy, createdAt, expiresAt, lastUsedAt } = row;
  return {
    id,
    name,
    digest,
    hint,
    scopes: JSON.stringify(scopes),
    instance: instanceId,
    replaced_by: replacedBy,
    created_at: createdAt,
    expires_at: expiresAt,
    last_used_at: lastUsedAt,
  };
}

function toAccessKey(row: Tables['access_key']): AccessKeyRow {
  const { id, name, digest, hint, scopes, instance, replaced_by, created_at, expires_at, last_used_at } = row;
  return {
    id,
    name,
    digest,
    hint,
    scopes: parseJson<AccessScope[]>(scopes),
    instanceId: instance,
    replacedBy: replaced_by,
    createdAt: created_at,
    expiresAt: expires_at,
    lastUsedAt: last_used_at,
  };
}
