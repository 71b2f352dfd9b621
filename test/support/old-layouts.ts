// Writes the state of a client where the programs keep it from which sessions move, and gives the arguments with which
// the import program finds it.
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
  /** Whether the source has the address for webhooks. */
  hasWebhook?: boolean;
}

export interface Place {
  /** An empty folder. */
  folder: string;
  /** Where programs that have settings send their webhooks. */
  webhookUrl: string;
  /** Registers what removes the data of the test. */
  atEnd(end: () => Promise<void>): void;
  /** Runs the import program, and resolves when it has ended without an error. */
  program(args: readonly string[]): Promise<void>;
}

export interface Layout {
  /** Program and place. */
  source: string;
  /** The client whose state is written. */
  make: Make;
  needs: readonly ServiceName[];
  /** Whether the program keeps no keys of late messages in a form that can be converted. */
  losesLateMessages?: boolean;
  write(client: OldClient, place: Place): Promise<Written>;
}

export const SIX = 'baileys 6.7.21';
export const SEVEN = 'baileys 7.0.0-rc14';

const nameOf = ({ number }: OldClient): string => `shop-${number}`;
const toJson = (value: unknown): string => JSON.stringify(value, BufferJSON.replacer);
/** The names and values of all entries, with the credentials. */
function entriesOf(client: OldClient): (readonly [string, unknown])[] {
  const { creds, keys } = client.state();
  return [['creds', creds], ...keys];
}

/** A folder of useMultiFileAuthState, as Baileys itself has written it. */
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
  async write(client, { folder, program }) {
    const name = nameOf(client);
    const file = join(folder, `${name}.json`);
    await program(['--from', 'baileys', '--path', client.folder, '--name', name, '--out', file]);
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

/** A Redis hash of baileys-api: JSON in the fields. */
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

/** A database of whatsmeow, which the import program itself writes. */
const whatsmeow = (kind: 'SQLite' | 'PostgreSQL'): Layout => ({
  source: `whatsmeow, ${kind}`,
  make: SEVEN,
  needs: [],
  losesLateMessages: true,
  async write(client, { folder, program }) {
    const database = kind === 'SQLite' ? join(folder, 'whatsmeow.db') : await sharedPostgres().createDatabase();
    await program(['--from', 'baileys', '--path', client.folder, '--to-whatsmeow', database]);
    return { args: ['--from', 'whatsmeow', '--database', database, '--name', nameOf(client)], name: nameOf(client) };
  },
});

/** In the order of the table in docs/guides/move-sessions.md. */
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
