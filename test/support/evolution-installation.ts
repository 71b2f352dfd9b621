// Installations of Evolution API for tests. Each has an empty database with its tables, its own prefix in Redis, and a
// folder.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { createConnection } from 'mysql2/promise';
import type { MongoData, Stores1, Stores2 } from './evolution-layouts.ts';
import { createEvolutionTables, type Version } from './evolution-tables.ts';
import type { PostgresDatabases } from './postgres.ts';
import { MARIADB_URL, REDIS_URL } from './services.ts';

export type Database = 'PostgreSQL' | 'MariaDB';

export interface Installation2 extends Stores2 {
  /** DATABASE_CONNECTION_URI. */
  url: string;
  /** Removes everything. */
  remove(): Promise<void>;
}

export interface Installation1 extends Stores1 {
  mongo: MongoData;
  /** Removes everything. */
  remove(): Promise<void>;
}

const removeKeys = async (redis: Redis, prefix: string): Promise<void> => {
  const keys = await redis.keys(`${prefix}*`);
  if (keys.length > 0) await redis.del(keys);
  redis.disconnect();
};

async function createUrl(database: Database, postgres: PostgresDatabases): Promise<string> {
  if (database === 'PostgreSQL') return `${await postgres.createDatabase()}?schema=evolution_api`;
  return `${MARIADB_URL}/evolution_${randomUUID().replaceAll('-', '')}`;
}

async function dropMariadb(url: string): Promise<void> {
  const connection = await createConnection(MARIADB_URL);
  await connection.query(`DROP DATABASE \`${new URL(url).pathname.slice(1)}\``);
  await connection.end();
}

/**
 * Creates an empty installation of Evolution API 2. remove() does not drop databases of PostgreSQL, because their
 * server is removed after the tests.
 */
export async function installEvolution2(
  database: Database,
  postgres: PostgresDatabases,
  version: Version = '2.3',
): Promise<Installation2> {
  const url = await createUrl(database, postgres);
  const tables = await createEvolutionTables(url, version);
  const folder = await mkdtemp(join(tmpdir(), 'evolution-instances-'));
  const redis = new Redis(REDIS_URL);
  const prefix = `test-${randomUUID()}`;
  const remove = async () => {
    await tables.close();
    await removeKeys(redis, prefix);
    await rm(folder, { recursive: true });
    if (database === 'MariaDB') await dropMariadb(url);
  };
  return { url, tables, folder, redis, prefix, remove };
}

/** Creates an empty installation of Evolution API 1. */
export async function installEvolution1(): Promise<Installation1> {
  const root = await mkdtemp(join(tmpdir(), 'evolution-1-'));
  const redis = new Redis(REDIS_URL);
  const prefix = `test-${randomUUID()}`;
  const remove = async () => {
    await removeKeys(redis, prefix);
    await rm(root, { recursive: true });
  };
  return { root, redis, prefix, mongo: new Map(), remove };
}
