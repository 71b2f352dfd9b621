// Instance rows, and the removal of everything that belongs to one.
import { GatewayError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { Cipher } from './cipher.ts';
import { parseJson } from './columns.ts';
import { type Database, rows, type Work } from './database.ts';
import type { InstanceRow, InstanceSettings, Instances } from './storage.ts';
import type { InstanceTable } from './tables.ts';

const tokenContext = (id: string): string => `${id}|token|`;

/** Every table with rows of an instance, beside `delivery`, which is reached through webhooks and events. */
const tables = ['auth_key', 'message', 'message_status', 'contact', 'recipient', 'webhook', 'event'] as const;

/** `forget` is called with the id of a deleted instance, for caches. */
export function createInstances(
  database: Database,
  cipher: Cipher,
  clock: Clock,
  forget: (id: string) => void,
): Instances {
  const { build } = database;

  function toRow(row: InstanceTable): InstanceRow {
    return {
      id: row.id,
      name: row.name,
      token: Buffer.from(cipher.open(row.token, tokenContext(row.id))).toString(),
      integration: row.integration,
      number: row.number,
      desired: row.desired === 'running' ? 'running' : 'stopped',
      settings: parseJson<InstanceSettings>(row.settings),
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
      integration: row.integration,
      number: row.number,
      desired: row.desired,
      settings: JSON.stringify(row.settings),
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
    async create(row) {
      const insert = build.insertInto('instance').values(toColumns(row));
      const inserted = await database.query(insert.onConflict((on) => on.column('name').doNothing()).returning('id'));
      if (inserted.length === 0) {
        throw new GatewayError('INSTANCE_NAME_IN_USE', [`This name "${row.name}" is already in use.`]);
      }
    },
    async get(id) {
      const [row] = await database.query(selectAll.where('id', '=', id));
      return row ? toRow(row) : null;
    },
    async list() {
      return (await database.query(selectAll.orderBy('created_at').orderBy('id'))).map(toRow);
    },
    update: (id, patch) =>
      database.transaction(function* (): Work<void> {
        const [current] = yield* rows(selectAll.where('id', '=', id));
        if (!current) return;
        const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
        const columns = toColumns({ ...toRow(current), updatedAt: clock.now(), ...given });
        yield* rows(build.updateTable('instance').set(columns).where('id', '=', id));
      }, id),
    async delete(id) {
      await database.transaction(function* (): Work<void> {
        const webhooks = build.selectFrom('webhook').select('id').where('instance', '=', id);
        yield* rows(build.deleteFrom('delivery').where('webhook', 'in', webhooks));
        const events = build.selectFrom('event').select('seq').where('instance', '=', id);
        yield* rows(build.deleteFrom('delivery').where('seq', 'in', events));
        for (const table of tables) yield* rows(build.deleteFrom(table).where('instance', '=', id));
        yield* rows(build.deleteFrom('instance').where('id', '=', id));
      }, id);
      forget(id);
    },
    async counts(id) {
      const count = build.fn.countAll<number>().as('count');
      const chats = build.fn.count<number>('chat').distinct().as('chats');
      const [messages] = await database.query(
        build.selectFrom('message').select([count, chats]).where('instance', '=', id),
      );
      const [contacts] = await database.query(build.selectFrom('contact').select(count).where('instance', '=', id));
      return { messages: messages?.count ?? 0, contacts: contacts?.count ?? 0, chats: messages?.chats ?? 0 };
    },
  };
}
