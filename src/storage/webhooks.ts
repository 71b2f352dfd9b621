// Stores webhooks. Fields that can contain credentials (secrets, custom headers, the URL) are encrypted together.
// Decision D-093.
import { deleteInBatches } from './batched-deletion.ts';
import type { Cipher, OnDamage } from './cipher.ts';
import { parseJson, WAITING } from './columns.ts';
import { type Database, runQuery, type Work } from './database.ts';
import type { WebhookRow, Webhooks } from './webhook-stores.ts';

/** Maximum number of deliveries that one transaction deletes. SQLite blocks all other work during a transaction. */
const ROWS_PER_TRANSACTION = 1000;

/** The fields that are stored as plain JSON. */
type PlainFields = Pick<WebhookRow, 'events' | 'byEvents' | 'base64' | 'role' | 'chats'>;
/** The fields that are stored encrypted. */
type SecretFields = Pick<WebhookRow, 'secret' | 'oldSecrets' | 'headers' | 'url'>;

interface SealedRow {
  id: string;
  instance: string;
  secrets: Uint8Array;
}

/** The context with which the secrets are encrypted, so that they cannot be decrypted in another row. */
const encryptionContext = (instance: string, id: string): string => `${instance}|webhook|${id}`;

/** The statement that stores a webhook, new or changed. */
export function putWebhook(
  build: Database['build'],
  cipher: Cipher,
  { id, instanceId, enabled, createdAt, updatedAt, secret, oldSecrets, headers, url, ...plainFields }: WebhookRow,
) {
  const secrets: SecretFields = { secret, oldSecrets, headers, url };
  const columns = {
    instance: instanceId,
    enabled: enabled ? 1 : 0,
    doc: JSON.stringify(plainFields satisfies PlainFields),
    secrets: cipher.seal(JSON.stringify(secrets), encryptionContext(instanceId, id)),
    created_at: createdAt,
    updated_at: updatedAt,
  };
  const insert = build.insertInto('webhook').values({ id, ...columns });
  return insert.onConflict((conflict) => conflict.column('id').doUpdateSet(columns));
}

export function createWebhooks(database: Database, cipher: Cipher, onDamage: OnDamage): Webhooks {
  const { build } = database;
  /** The decrypted fields; undefined when they cannot be decrypted. list() then leaves the webhook out. */
  const openSecrets = ({ id, instance, secrets }: SealedRow): SecretFields | undefined => {
    try {
      return parseJson<SecretFields>(Buffer.from(cipher.open(secrets, encryptionContext(instance, id))).toString());
    } catch (err) {
      onDamage({ what: 'webhook', instance, err });
      return undefined;
    }
  };
  return {
    async list(instances) {
      if (instances?.length === 0) return [];
      const query = build.selectFrom('webhook').selectAll().orderBy('created_at').orderBy('id');
      const found = await database.query(instances ? query.where('instance', 'in', instances) : query);
      return found.flatMap((row) => {
        const secrets = openSecrets(row);
        if (!secrets) return [];
        return {
          id: row.id,
          instanceId: row.instance,
          enabled: row.enabled === 1,
          // In rows of older releases the URL is among the unencrypted fields.
          ...parseJson<PlainFields>(row.doc),
          ...secrets,
          createdAt: row.created_at,
          updatedAt: row.updated_at,
        };
      });
    },
    async put(row) {
      // A write for an instance requires its lease, the right of this node to write its data. The global webhook
      // belongs to no instance (its `instanceId` is empty), so a write of it requires no lease.
      await database.query(putWebhook(build, cipher, row), row.instanceId || undefined);
    },
    async delete({ id, instanceId }) {
      let removedWaiting = 0;
      const removeDeliveries = async () => {
        const removed = await database.transaction(function* (): Work<{ state: number }[]> {
          const keys = build
            .selectFrom('delivery')
            .select(['webhook', 'state', 'lane', 'seq'])
            .where('webhook', '=', id)
            .limit(ROWS_PER_TRANSACTION);
          const removal = build
            .deleteFrom('delivery')
            .where(({ eb, refTuple }) =>
              eb(refTuple('webhook', 'state', 'lane', 'seq'), 'in', keys.$asTuple('webhook', 'state', 'lane', 'seq')),
            );
          const rows = yield* runQuery(removal.returning('state'));
          // The webhook is deleted with the last deliveries, so that an interrupted deletion can be repeated.
          if (rows.length < ROWS_PER_TRANSACTION) yield* runQuery(build.deleteFrom('webhook').where('id', '=', id));
          return rows;
        }, instanceId || undefined);
        removedWaiting += removed.filter(({ state }) => state === WAITING).length;
        return removed.length;
      };
      await deleteInBatches(ROWS_PER_TRANSACTION, removeDeliveries);
      return removedWaiting;
    },
  };
}
