// Writes the session of a Baileys client in the layouts of the programs that the import program supports. Returns the
// arguments with which the import program finds the session.
import { randomUUID } from 'node:crypto';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { BufferJSON } from '@whiskeysockets/baileys';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { type Database, installEvolution1, installEvolution2 } from './evolution-installation.ts';
import { type Layout1, type Layout2, writeEvolution1, writeEvolution2 } from './evolution-layouts.ts';
import type { Version } from './evolution-tables.ts';
import { startMongoServer } from './mongo-server.ts';
import type { Make, OldClient } from './old-clients.ts';
import { REDIS_URL, type ServiceName } from './services.ts';
import { sharedPostgres } from './shared-postgres.ts';

export interface Written {
  /** Arguments of the import program that select the source. */
  args: string[];
  /** Name of the session in the source. */
  name: string;
  /** True for a source with the settings of a webhook. */
  hasWebhook?: boolean;
}

/** Resources of the test that a layout can use. */
export interface LayoutContext {
  /** An empty folder. */
  folder: string;
  /** The URL for the settings of a webhook. */
  webhookUrl: string;
  /** Registers a function that removes the data of the test. */
  atEnd(remove: () => Promise<void>): void;
  /** Runs the import program. Rejects when it fails. */
  runImport(args: readonly string[]): Promise<void>;
}

export interface Layout {
  /** The program, and where it stores sessions. */
  source: string;
  /** The version of Baileys that the client has. */
  make: Make;
  /** Servers that must run. */
  needs: readonly ServiceName[];
  /** True if keys of late messages are lost, because the program stores them in a form that cannot be converted. */
  losesLateMessages?: boolean;
  write(client: OldClient, context: LayoutContext): Promise<Written>;
}

export const SIX = 'baileys 6.7.21';
export const SEVEN = 'baileys 7.0.0-rc14';

const nameOf = ({ number }: OldClient): string => `shop-${number}`;
const toJson = (value: unknown): string => JSON.stringify(value, BufferJSON.replacer);

/** The credentials and all keys, with their names. */
function entriesOf(client: OldClient): (readonly [string, unknown])[] {
  const { creds, keys } = client.state();
  return [['creds', creds], ...keys];
}

/** The folder that the client has written with useMultiFileAuthState. */
export const baileysFolder = (make: Make): Layout => ({
  source: 'Baileys, folder',
  make,
  needs: [],
  async write(client, { folder }) {
    const name = nameOf(client);
    cpSync(client.folder, join(folder, name), { recursive: true });
    return { args: ['--from', 'baileys', '--path', join(folder, name)], name };
  },
});

const bundleFile: Layout = {
  source: 'Session bundle',
  make: SEVEN,
  needs: [],
  async write(client, { folder, runImport }) {
    const name = nameOf(client);
    const file = join(folder, `${name}.json`);
    await runImport(['--from', 'baileys', '--path', client.folder, '--name', name, '--out', file]);
    return { args: ['--from', 'bundle', '--path', file], name };
  },
};

const wahaFolder: Layout = {
  source: 'WAHA NOWEB, folder',
  make: SEVEN,
  needs: [],
  async write(client, { folder }) {
    const name = nameOf(client);
    cpSync(client.folder, join(folder, '.sessions', 'noweb', name), { recursive: true });
    return { args: ['--from', 'waha', '--path', join(folder, '.sessions')], name };
  },
};

const wahaPostgres: Layout = {
  source: 'WAHA NOWEB, PostgreSQL',
  make: SEVEN,
  needs: [],
  async write(client) {
    const name = nameOf(client);
    const url = await sharedPostgres().createDatabase();
    const database = new Client({ connectionString: url });
    await database.connect();
    await database.query(
      'CREATE TABLE waha_auth (session_id text, key text, value jsonb, PRIMARY KEY (session_id, key))',
    );
    for (const [key, value] of entriesOf(client)) {
      await database.query('INSERT INTO waha_auth VALUES ($1, $2, $3)', [name, key, toJson(value)]);
    }
    await database.end();
    return { args: ['--from', 'waha', '--database', url], name };
  },
};

/** A Redis hash of baileys-api, whose fields are JSON. */
const baileysApi: Layout = {
  source: 'baileys-api, Redis',
  make: SEVEN,
  needs: ['Redis'],
  async write(client, { atEnd }) {
    const redis = new Redis(REDIS_URL);
    const prefix = `test-${randomUUID()}`;
    const hash = `${prefix}:+${client.number}:authState`;
    atEnd(async () => {
      await redis.del(hash);
      redis.disconnect();
    });
    for (const [name, value] of entriesOf(client)) await redis.hset(hash, name, toJson(value));
    const args = ['--from', 'baileys-api', '--redis', REDIS_URL, '--redis-prefix', prefix];
    return { args, name: client.number };
  },
};

const evolution2 = (database: Database, version: Version, layout: Layout2): Layout => ({
  source: `Evolution API ${version}, ${database}, ${layout}`,
  make: version === '2.0' ? SIX : SEVEN,
  needs: ['MariaDB', 'Redis'],
  async write(client, { atEnd, webhookUrl }) {
    const name = nameOf(client);
    const installation = await installEvolution2(database, sharedPostgres(), version);
    atEnd(installation.remove);
    const { url, prefix, folder, tables } = installation;
    const id = randomUUID();
    const row = {
      id,
      name,
      connectionStatus: 'close' as const,
      integration: 'WHATSAPP-BAILEYS',
      token: `key-of-${name}`,
    };
    await writeEvolution2(installation, layout, { ...row, number: client.number }, client.state());
    await tables.insert('Webhook', { id: randomUUID(), instanceId: id, enabled: true, url: webhookUrl });
    const stores = ['--database', url, '--redis', REDIS_URL, '--redis-prefix', prefix, '--path', folder];
    return { args: ['--from', 'evolution', ...stores], name, hasWebhook: true };
  },
});

const evolution1 = (layout: Layout1): Layout => ({
  source: `Evolution API 1, ${layout}`,
  make: SIX,
  needs: ['Redis'],
  async write(client, { atEnd, webhookUrl }) {
    const name = nameOf(client);
    const installation = await installEvolution1();
    atEnd(installation.remove);
    const { root, prefix, mongo } = installation;
    const settings = { apikey: `key-of-${name}`, webhook: { enabled: true, url: webhookUrl } };
    await writeEvolution1(installation, layout, name, settings, client.state());
    const args = ['--from', 'evolution-1', '--path', join(root, 'instances')];
    if (layout === 'all in Redis') args.push('--redis', REDIS_URL, '--redis-prefix', prefix);
    if (layout.includes('MongoDB')) {
      const server = await startMongoServer(mongo);
      atEnd(() => server.close());
      args.push('--mongo', server.url);
    }
    return { args, name, hasWebhook: true };
  },
});

/** A database of whatsmeow. The import program also writes the database for the test. */
const whatsmeow = (kind: 'SQLite' | 'PostgreSQL'): Layout => ({
  source: `whatsmeow, ${kind}`,
  make: SEVEN,
  needs: [],
  losesLateMessages: true,
  async write(client, { folder, runImport }) {
    const database = kind === 'SQLite' ? join(folder, 'whatsmeow.db') : await sharedPostgres().createDatabase();
    await runImport(['--from', 'baileys', '--path', client.folder, '--to-whatsmeow', database]);
    return { args: ['--from', 'whatsmeow', '--database', database, '--name', nameOf(client)], name: nameOf(client) };
  },
});

/** All layouts, in the order of the table in docs/guides/move-sessions.md. */
export const LAYOUTS: readonly Layout[] = [
  baileysFolder(SIX),
  baileysFolder(SEVEN),
  wahaFolder,
  wahaPostgres,
  baileysApi,
  evolution2('PostgreSQL', '2.0', 'creds in SQL, keys in Redis'),
  evolution2('PostgreSQL', '2.3', 'creds in SQL, keys in files'),
  evolution2('PostgreSQL', '2.3', 'all in Redis'),
  evolution2('MariaDB', '2.0', 'creds in SQL, keys in files'),
  evolution2('MariaDB', '2.3', 'creds in SQL, keys in Redis'),
  evolution1('files'),
  evolution1('all in Redis'),
  evolution1('all in MongoDB'),
  whatsmeow('SQLite'),
  whatsmeow('PostgreSQL'),
  bundleFile,
];
