// Row types of all tables as the migrations create them, and the query builders typed with them. Times are epoch ms
// unless a comment states another unit. Flags are 0 or 1. The interfaces of the stores, such as InstanceRow in
// instance-row.ts, describe the columns that have no comment here.
import {
  DummyDriver,
  type Generated,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';

export interface InstanceTable {
  id: string;
  name: string;
  /** The key of the instance for the API, encrypted. */
  token: Uint8Array;
  /** Keyed digest of the key, for searches by key; null in rows of older releases. */
  token_digest: string | null;
  integration: string;
  number: string | null;
  /** The desired state: `running`, `stopped` or `deleted`. */
  desired: string;
  /** JSON. */
  settings: string;
  /** Encrypted JSON. */
  proxy: Uint8Array | null;
  /** JSON; null when it was never set. */
  websocket: string | null;
  owner_jid: string | null;
  owner_lid: string | null;
  profile_name: string | null;
  profile_picture_url: string | null;
  profile_status: string | null;
  disconnection_code: number | null;
  disconnection_cause: string | null;
  disconnection_at: number | null;
  created_at: number;
  updated_at: number;
}

export interface Tables {
  /** Named values about the database itself (metadata.ts). */
  fact: { name: string; value: string };
  instance: InstanceTable;
  /** Baileys credentials and Signal keys. `value` is encrypted. */
  auth_key: { instance: string; type: string; id: string; value: Uint8Array };
  /**
   * `doc` is a Message as JSON, `status` the rank (status-rank.ts) of the status in `doc`. The current rank is the
   * highest of `status` and the ranks of the message in message_status.
   */
  message: {
    seq: Generated<number>;
    instance: string;
    id: string;
    chat: string;
    status: number | null;
    doc: string;
    /** Seconds since the epoch. */
    sent_at: number;
    from_me: number;
    type: string;
    participant: string | null;
  };
  /**
   * Messages whose id `id` another person has used before in the same chat. The row of such a message in the table
   * `message` has the random id `row_id` (reused-ids.ts).
   */
  reused_message_id: { instance: string; id: string; row_id: string };
  /**
   * Numbers of messages of a type that the account sent (`from_me` 1) or received. Triggers of `message` update them.
   */
  message_total: { instance: string; type: string; from_me: number; messages: number };
  /**
   * The status histories of messages. A rank occurs once per message, because statuses only rise. `doc` is a
   * StatusChange as JSON.
   */
  message_status: {
    instance: string;
    id: string;
    chat: string;
    rank: number;
    doc: string;
    participant: string | null;
  };
  contact: {
    instance: string;
    jid: string;
    lid: string | null;
    push_name: string | null;
    username: string | null;
  };
  /** `doc` is a StoredChat (stored-chat.ts) as JSON. */
  chat: { instance: string; jid: string; doc: string };
  /** Results of number lookups. `candidate` is one spelling of a number. `found` is 1 for a number on WhatsApp. */
  recipient: {
    instance: string;
    candidate: string;
    jid: string;
    lid: string | null;
    found: number;
    checked_at: number;
  };
  webhook: {
    id: string;
    instance: string;
    enabled: number;
    /** The fields of the webhook without `secrets`, as JSON. */
    doc: string;
    /** Encrypted JSON. */
    secrets: Uint8Array;
    created_at: number;
    updated_at: number;
    /** Epoch ms since which all deliveries fail; null while they succeed. */
    failing_since: number | null;
  };
  event: {
    seq: Generated<number>;
    instance: string;
    id: string;
    type: string;
    lane: number;
    body: string;
    created_at: number;
  };
  /** Waiting deliveries and dead letters. columns.ts has the values of `state` and `lane`. */
  delivery: {
    webhook: string;
    state: number;
    lane: number;
    /** `seq` of the event. */
    seq: number;
    attempts: Generated<number>;
    next_at: Generated<number>;
    last_status: number | null;
    last_error: string | null;
    created_at: number;
    /** Epoch ms at which the delivery was given up; 0 while it is waiting. */
    died_at: Generated<number>;
  };
  /**
   * When the event log of an instance was last read. Events are stored only while the log is read or a webhook
   * subscribes.
   */
  event_reader: { instance: string; read_at: number };
  /**
   * API requests that must not run twice. `id` is a hash of the operation and the idempotency key; without a key, of
   * the operation and the content. `digest` is a hash of the content. `status` and `body` are null until the request
   * has a response.
   */
  request: {
    instance: string;
    id: string;
    digest: string;
    message_id: string;
    status: number | null;
    body: string | null;
    expires_at: number;
  };
  access_key: {
    id: string;
    name: string;
    digest: string;
    hint: string;
    /** JSON. */
    scopes: string;
    instance: string | null;
    replaced_by: string | null;
    created_at: number;
    expires_at: number | null;
    last_used_at: number | null;
  };
  audit: {
    seq: Generated<number>;
    at: number;
    access_key: string;
    operation: string;
    scope: 'send' | 'admin';
    /** The name, not the id, because the entry remains when the instance is deleted. */
    instance_name: string | null;
    subject: string | null;
    status: number;
    request_id: string;
    address: string;
  };
  /** PostgreSQL only, like `lease`. Times are epoch ms of the database's clock. */
  node: {
    id: string;
    name: string;
    url: string;
    version: string;
    capacity: number;
    draining: Generated<number>;
    instances: Generated<number>;
    started_at: number;
    heartbeat_at: number;
  };
  /**
   * The node `owner` runs the instance. `epoch` rises with every change of `owner`. A lease remains after its instance
   * is deleted, until the last events of the instance are delivered.
   */
  lease: { instance: string; epoch: Generated<number>; owner: string | null };
  schema_version: { version: number; compatible_with: number; applied_at: number };
}

/**
 * Query builders without a connection. sqlite.ts and postgres.ts run the queries, because Kysely's own driver is
 * asynchronous: on SQLite, other work could run between the statements of a transaction.
 */
export const builders = {
  sqlite: new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  }),
  postgres: new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  }),
};
