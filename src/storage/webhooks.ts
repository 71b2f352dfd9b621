// Webhook settings. Secret and custom headers (which may hold credentials) are encrypted together.
import type { Cipher } from './cipher.ts';
import { parseJson } from './columns.ts';
import { type Database, rows, type Work } from './database.ts';
import type { WebhookRow, Webhooks } from './storage.ts';

type Open = Pick<WebhookRow, 'url' | 'events' | 'byEvents' | 'base64'>;
type Secrets = Pick<WebhookRow, 'secret' | 'headers'>;

const context = (instance: string, id: string): string => `${instance}|webhook|${id}`;

export function createWebhooks(database: Database, cipher: Cipher): Webhooks {
  const { build } = database;
  return {
    async list() {
      const found = await database.query(build.selectFrom('webhook').selectAll().orderBy('created_at').orderBy('id'));
      return found.map((row) => {
        const sealed = Buffer.from(cipher.open(row.secrets, context(row.instance, row.id))).toString();
        return {
          id: row.id,
          instanceId: row.instance,
          enabled: row.enabled === 1,
          ...parseJson<Open>(row.doc),
          ...parseJson<Secrets>(sealed),
          createdAt: row.created_at,
          updatedAt: row.updated_at,
        };
      });
    },
    async put({ id, instanceId, enabled, url, events, byEvents, base64, secret, headers, createdAt, updatedAt }) {
      const columns = {
        instance: instanceId,
        enabled: enabled ? 1 : 0,
        doc: JSON.stringify({ url, events, byEvents, base64 } satisfies Open),
        secrets: cipher.seal(JSON.stringify({ secret, headers } satisfies Secrets), context(instanceId, id)),
        created_at: createdAt,
        updated_at: updatedAt,
      };
      const insert = build.insertInto('webhook').values({ id, ...columns });
      await database.query(insert.onConflict((conflict) => conflict.column('id').doUpdateSet(columns)));
    },
    delete: (id) =>
      database.transaction(function* (): Work<void> {
        yield* rows(build.deleteFrom('delivery').where('webhook', '=', id));
        yield* rows(build.deleteFrom('webhook').where('id', '=', id));
      }),
  };
}
