// Creates the tables of Evolution API 2 that an import reads, with the names and types of its Prisma schema, in
// PostgreSQL and in MySQL. This file does not import vitest, so that benchmarks can use it.
import { createConnection } from 'mysql2/promise';
import { Client } from 'pg';

export type Version = '2.0' | '2.3';
export type Row = { [column: string]: string | number | boolean | object | null };

export interface InstanceRow extends Row {
  id: string;
  name: string;
  connectionStatus: 'open' | 'close' | 'connecting';
  integration: string | null;
  token: string | null;
  number: string | null;
}

export interface EvolutionTables {
  insert(table: string, row: Row): Promise<void>;
  /** All rows of all tables, by table. */
  dump(): Promise<Record<string, unknown[]>>;
  execute(sql: string): Promise<void>;
  close(): Promise<void>;
}

/** Types of columns, by which POSTGRESQL and MYSQL have the SQL type. */
type Kind = 'id' | 'text' | 'short' | 'boolean' | 'json' | 'status' | 'time';

/** Columns that most tables of settings have. */
const SETTING_COLUMNS: Record<string, Kind> = { id: 'id', instanceId: 'id', enabled: 'boolean' };
const QUEUE_COLUMNS: Record<string, Kind> = { ...SETTING_COLUMNS, events: 'json' };

const TABLES: Record<Version, Record<string, Record<string, Kind>>> = {
  '2.0': {
    Instance: {
      ...{ id: 'id', name: 'short', connectionStatus: 'status', ownerJid: 'short', integration: 'short' },
      ...{ number: 'short', token: 'short', clientName: 'short', createdAt: 'time' },
    },
    Session: { id: 'id', sessionId: 'id', creds: 'text', createdAt: 'time' },
    Setting: {
      ...{ id: 'id', instanceId: 'id', rejectCall: 'boolean', msgCall: 'short', groupsIgnore: 'boolean' },
      ...{ alwaysOnline: 'boolean', readMessages: 'boolean', readStatus: 'boolean', syncFullHistory: 'boolean' },
    },
    Webhook: { ...SETTING_COLUMNS, url: 'short', events: 'json', webhookByEvents: 'boolean', webhookBase64: 'boolean' },
    Proxy: {
      ...SETTING_COLUMNS,
      host: 'short',
      port: 'short',
      protocol: 'short',
      username: 'short',
      password: 'short',
    },
    Websocket: QUEUE_COLUMNS,
    Rabbitmq: QUEUE_COLUMNS,
    Sqs: QUEUE_COLUMNS,
    Chatwoot: { ...SETTING_COLUMNS, accountId: 'short', token: 'short', url: 'short' },
    Typebot: { ...SETTING_COLUMNS, url: 'short', typebot: 'short' },
  },
  '2.3': {},
};
TABLES['2.3'] = {
  ...TABLES['2.0'],
  Setting: { ...TABLES['2.0'].Setting, wavoipToken: 'short' },
  Webhook: { ...TABLES['2.0'].Webhook, headers: 'json' },
  Pusher: { ...SETTING_COLUMNS, appId: 'short', key: 'short', secret: 'short', events: 'json' },
  Nats: QUEUE_COLUMNS,
  Kafka: QUEUE_COLUMNS,
};

const POSTGRESQL: Record<Kind, string> = {
  id: 'text NOT NULL',
  text: 'text',
  short: 'varchar(500)',
  boolean: 'boolean DEFAULT false',
  json: 'jsonb',
  status: `"InstanceConnectionStatus" NOT NULL DEFAULT 'open'`,
  time: 'timestamp DEFAULT CURRENT_TIMESTAMP',
};
const MYSQL: Record<Kind, string> = {
  id: 'varchar(191) NOT NULL',
  text: 'text',
  short: 'varchar(500)',
  boolean: 'tinyint(1) DEFAULT false',
  json: 'json',
  status: `enum('open', 'close', 'connecting') NOT NULL DEFAULT 'open'`,
  time: 'timestamp DEFAULT CURRENT_TIMESTAMP',
};

/** A connection to a database, and its dialect of SQL. */
interface Dialect {
  types: Record<Kind, string>;
  quote(name: string): string;
  placeholder(index: number): string;
  query(sql: string, values?: unknown[]): Promise<unknown[]>;
  close(): Promise<void>;
}

async function openPostgres(url: string): Promise<Dialect> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const schema = new URL(url).searchParams.get('schema') ?? 'public';
  await client.query(`CREATE SCHEMA IF NOT EXISTS "${schema}"`);
  await client.query(`SET search_path TO "${schema}"`);
  await client.query(`CREATE TYPE "InstanceConnectionStatus" AS ENUM ('open', 'close', 'connecting')`);
  return {
    types: POSTGRESQL,
    quote: (name) => `"${name}"`,
    placeholder: (index) => `$${index}`,
    query: async (sql, values) => (await client.query(sql, values)).rows,
    close: () => client.end(),
  };
}

async function openMysql(url: string): Promise<Dialect> {
  const { pathname } = new URL(url);
  const database = pathname.slice(1);
  const connection = await createConnection(url.slice(0, url.length - pathname.length));
  await connection.query(`CREATE DATABASE IF NOT EXISTS \`${database}\` CHARACTER SET utf8mb4`);
  await connection.query(`USE \`${database}\``);
  return {
    types: MYSQL,
    quote: (name) => `\`${name}\``,
    placeholder: () => '?',
    query: async (sql, values) => {
      const [rows] = await connection.query(sql, values);
      return Array.isArray(rows) ? rows : [];
    },
    close: () => connection.end(),
  };
}

/**
 * Creates the tables: in a PostgreSQL database, in the schema of `?schema=`, or in MySQL and MariaDB, where it also
 * creates the database of the URL. `close` ends the connection. The caller drops the database.
 */
export async function createEvolutionTables(url: string, version: Version = '2.3'): Promise<EvolutionTables> {
  const dialect = await (url.startsWith('mysql:') ? openMysql(url) : openPostgres(url));
  const { quote, placeholder, query, types } = dialect;
  const tables = Object.entries(TABLES[version]);
  for (const [table, columns] of tables) {
    const list = Object.entries(columns).map(([name, kind]) => `${quote(name)} ${types[kind]}`);
    await query(`CREATE TABLE ${quote(table)} (${list.join(', ')})`);
  }
  return {
    async insert(table, row) {
      const columns = Object.keys(row).map(quote).join(', ');
      const placeholders = Object.keys(row).map((_, index) => placeholder(index + 1));
      const values = Object.values(row).map((value) =>
        typeof value === 'object' && value ? JSON.stringify(value) : value,
      );
      await query(`INSERT INTO ${quote(table)} (${columns}) VALUES (${placeholders.join(', ')})`, values);
    },
    async dump() {
      const rows: [string, unknown[]][] = [];
      for (const [table] of tables) rows.push([table, await query(`SELECT * FROM ${quote(table)} ORDER BY 1`)]);
      return Object.fromEntries(rows);
    },
    execute: async (sql) => void (await query(sql)),
    close: dialect.close,
  };
}
