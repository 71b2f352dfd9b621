// Stores instances, and deletes an instance together with its rows in all other tables.
import { GatewayError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { insertSession } from './auth-keys.ts';
import { countChats } from './chats-with-messages.ts';
import type { Cipher, OnDamage } from './cipher.ts';
import { parseJson } from './columns.ts';
import { type Database, runQuery, type Work } from './database.ts';
import { deleteInstance } from './instance-deletion.ts';
import type { InstanceRow, InstanceSettings, ProxySettings, WebsocketSettings } from './instance-row.ts';
import type { LeaseFence } from './lease-fence.ts';
import type { Instances } from './storage.ts';
import type { InstanceTable } from './tables.ts';
import { createTokenDigests } from './token-digest.ts';
import { putWebhook } from './webhooks.ts';

/** The contexts with which values are encrypted, so that they cannot be decrypted in the row of another instance. */
const proxyContext = (id: string): string => `${id}|proxy|`;
const tokenContext = (id: string): string => `${id}|token|`;

/** The first epoch of a lease. An epoch is the fencing token of a lease (lease-fence.ts). */
const FIRST_EPOCH = 1;

export interface InstancesParts {
  database: Database;
  fence: LeaseFence;
  cipher: Cipher;
  clock: Clock;
  /** Called with the id of a deleted instance, so that caches can be cleared. */
  onDeleted: (id: string) => void;
  onDamage: OnDamage;
}

export function createInstances({ database, fence, cipher, clock, onDeleted, onDamage }: InstancesParts): Instances {
  const { build } = database;
  const digests = createTokenDigests(cipher);

  /** The instance key; empty when it cannot be decrypted, so that other instances still load. */
  function toToken({ id, token }: InstanceTable): string {
    try {
      return Buffer.from(cipher.open(token, tokenContext(id))).toString();
    } catch (err) {
      onDamage({ what: 'instance key', instance: id, err });
      return '';
    }
  }

  /** The proxy. If it cannot be decrypted, its host is empty, so that the instance does not connect without a proxy. */
  function toProxy({ id, proxy }: InstanceTable): ProxySettings | undefined {
    if (!proxy) return undefined;
    try {
      return parseJson<ProxySettings>(Buffer.from(cipher.open(proxy, proxyContext(id))).toString());
    } catch (err) {
      onDamage({ what: 'proxy', instance: id, err });
      return { protocol: 'http', host: '', port: 0, username: '', password: '' };
    }
  }

  /** The row of an instance. Decrypts the instance key, unless `token` is given. */
  function toRow(row: InstanceTable, token = toToken(row)): InstanceRow {
    return {
      id: row.id,
      name: row.name,
      token,
      integration: row.integration,
      number: row.number,
      desired: row.desired === 'running' || row.desired === 'deleted' ? row.desired : 'stopped',
      settings: parseJson<InstanceSettings>(row.settings),
      ...(row.proxy ? { proxy: toProxy(row) } : {}),
      ...(row.websocket ? { websocket: parseJson<WebsocketSettings>(row.websocket) } : {}),
      ownerJid: row.owner_jid,
      ownerLid: row.owner_lid,
      profileName: row.profile_name,
      profilePictureUrl: row.profile_picture_url,
      profileStatus: row.profile_status,
      disconnectionCode: row.disconnection_code,
      disconnectionCause: row.disconnection_cause,
      disconnectionAt: row.disconnection_at,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
    };
  }

  function toColumns(row: InstanceRow): InstanceTable {
    return {
      id: row.id,
      name: row.name,
      token: cipher.seal(row.token, tokenContext(row.id)),
      token_digest: digests.digestOf(row.token),
      integration: row.integration,
      number: row.number,
      desired: row.desired,
      settings: JSON.stringify(row.settings),
      proxy: row.proxy ? cipher.seal(JSON.stringify(row.proxy), proxyContext(row.id)) : null,
      websocket: row.websocket ? JSON.stringify(row.websocket) : null,
      owner_jid: row.ownerJid,
      owner_lid: row.ownerLid,
      profile_name: row.profileName,
      profile_picture_url: row.profilePictureUrl,
      profile_status: row.profileStatus,
      disconnection_code: row.disconnectionCode,
      disconnection_cause: row.disconnectionCause,
      disconnection_at: row.disconnectionAt,
      created_at: row.createdAt,
      updated_at: row.updatedAt,
    };
  }

  const selectAll = build.selectFrom('instance').selectAll();

  return {
    async create(row, session, webhook) {
      const insert = build.insertInto('instance').values(toColumns(row));
      const insertIfNew = insert.onConflict((on) => on.column('name').doNothing()).returning('id');
      const lease = { instance: row.id, epoch: FIRST_EPOCH, owner: fence.nodeId };
      // Until hold() records the new lease, a heartbeat must not report it as recovered (found without a record here).
      fence.expectLease(row.id);
      try {
        const work = function* (): Work<void> {
          const inserted = yield* runQuery(insertIfNew);
          if (inserted.length === 0)
            throw new GatewayError('INSTANCE_NAME_IN_USE', [`This name "${row.name}" is already in use.`]);
          if (database.dialect === 'postgres') yield* runQuery(build.insertInto('lease').values(lease));
          if (webhook) yield* runQuery(putWebhook(build, cipher, webhook));
          if (session) yield* insertSession(cipher, row.id, session);
        };
        await (session ? database.longTransaction(work) : database.transaction(work));
        fence.hold(row.id, FIRST_EPOCH);
      } catch (err) {
        fence.drop(row.id);
        throw err;
      }
    },
    async get(id) {
      const [row] = await database.query(selectAll.where('id', '=', id));
      return row ? toRow(row) : null;
    },
    async list(ids) {
      if (ids?.length === 0) return [];
      const query = selectAll.orderBy('created_at').orderBy('id');
      const found = await database.query(ids ? query.where('id', 'in', ids) : query);
      return found.map((row) => toRow(row));
    },
    async identities(ids) {
      if (ids?.length === 0) return [];
      const fields = ['id', 'name', 'number', 'owner_jid', 'profile_name'] as const;
      const query = build.selectFrom('instance').select(fields).orderBy('created_at').orderBy('id');
      const found = await database.query(ids ? query.where('id', 'in', ids) : query);
      return found.map(({ owner_jid: ownerJid, profile_name: profileName, ...rest }) => ({
        ...rest,
        ownerJid,
        profileName,
      }));
    },
    update: (id, patch) =>
      database.transaction(function* (): Work<void> {
        const [current] = yield* runQuery(selectAll.where('id', '=', id));
        if (!current) return;
        const definedFields = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
        // The instance key and the proxy are written only when `patch` has them, so the key is not decrypted here.
        const { token, token_digest, proxy, ...columns } = toColumns({
          ...toRow(current, ''),
          updatedAt: clock.now(),
          ...definedFields,
        });
        // Values that cannot be decrypted stay in the row, because the operator may configure the right key later.
        const changed = {
          ...columns,
          ...(patch.token === undefined ? {} : { token, token_digest }),
          ...(patch.proxy === undefined ? {} : { proxy }),
        };
        yield* runQuery(build.updateTable('instance').set(changed).where('id', '=', id));
      }, id),
    async delete(id, signal) {
      await deleteInstance(database, fence, id, signal);
      onDeleted(id);
    },
    async counts(id) {
      const count = build.fn.countAll<number>().as('count');
      // One row per message type and direction.
      const totals = await database.query(
        build.selectFrom('message_total').select('messages').where('instance', '=', id),
      );
      const [contacts] = await database.query(build.selectFrom('contact').select(count).where('instance', '=', id));
      const chats = await countChats(database, id);
      const messages = totals.reduce((sum, row) => sum + row.messages, 0);
      return { messages, contacts: contacts?.count ?? 0, chats };
    },
  };
}
