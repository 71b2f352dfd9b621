// Reads hashes of a Redis server. Evolution API and baileys-api keep each session in one hash, with a field for each
// key of the session. This file changes nothing in Redis, and limits the size of what it reads.
import { Redis } from 'ioredis';
import { MAX_VALUE_SIZE } from '../../../../src/session-bundle/baileys-values.ts';
import { ArgumentError } from '../lib/argument-error.ts';
import { decodeUrlPart } from '../lib/url-part.ts';

/** Maximum number of fields of a hash. A session of ten thousand contacts has about 30,000. */
export const MAX_HASH_FIELDS = 100_000;
/** Maximum size of all values of a hash together, bytes. */
const MAX_HASH_BYTES = 256 * 1024 * 1024;
/** Maximum number of keys that findKeys() returns. */
const MAX_KEYS = 10_000;
// The numbers of fields and of keys that one command requests.
const FIELDS_PER_PAGE = 250;
const KEYS_PER_PAGE = 1000;
const CONNECT_TIMEOUT_MS = 10_000;
const COMMAND_TIMEOUT_MS = 30_000;

export interface RedisReader {
  /** Host, port and database for titles and error texts, without user and password: "127.0.0.1:6379/0". */
  readonly address: string;
  /**
   * The sorted names of all keys that start with `prefix`, end with `suffix`, and for which `accept` returns true.
   * Rejects when there are more than MAX_KEYS.
   */
  findKeys(prefix: string, suffix?: string, accept?: (key: string) => boolean): Promise<string[]>;
  isHash(key: string): Promise<boolean>;
  /** The names of the fields of a hash, sorted; empty when the key does not exist. */
  fieldNames(key: string): Promise<string[]>;
  /** One value of a hash; undefined when the key or the field does not exist. */
  readField(key: string, field: string): Promise<string | undefined>;
  /** All fields of a hash; empty when the key does not exist. */
  readHash(key: string): Promise<Map<string, string>>;
  close(): void;
}

/** Parses the URL here and not in ioredis, whose messages repeat the URL with its password. */
function parseUrl(text: string): { url: URL; database: number } {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // A URL without a path selects the database 0.
  const database = /^\/?(\d{0,5})$/.exec(url?.pathname ?? '')?.[1];
  if (!url || !['redis:', 'rediss:'].includes(url.protocol) || database === undefined) {
    throw new ArgumentError('--redis is not an address such as redis://:password@127.0.0.1:6379/0.');
  }
  return { url, database: Number(database) };
}

/**
 * Returns the error that the operator sees after a failed connection or command. The returned error has no cause,
 * because a ReplyError of ioredis contains the arguments of the command AUTH, which are secret.
 */
function toOperatorError(error: unknown, address: string): Error {
  const text = error instanceof Error ? error.message : '';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reasons: [RegExp, string][] = [
    [/ECONNREFUSED/, `No Redis server listens on ${address}.`],
    [/ENOTFOUND|EAI_AGAIN/, `The host of the Redis server ${address} is unknown.`],
    [/WRONGPASS|invalid password/, `The Redis server ${address} refuses the password.`],
    [/NOAUTH/, `The Redis server ${address} needs a password: redis://:password@host:port/database.`],
    [/NOPERM/, `The user has no permission to read hashes of the Redis server ${address}.`],
    [/DB index/, `The Redis server ${address} has no database with this number.`],
    [/WRONGTYPE/, `The Redis server ${address} has this key, but it is not a hash.`],
    [/timed out|ETIMEDOUT/, `The Redis server ${address} does not answer.`],
  ];
  const [, sentence] = reasons.find(([pattern]) => pattern.test(text) || pattern.test(code)) ?? [];
  return new Error(sentence ?? `The connection to the Redis server ${address} ended.`);
}

const escapeGlob = (text: string): string => text.replaceAll(/[\\*?[\]]/g, '\\$&');

class IoredisReader implements RedisReader {
  readonly address: string;
  readonly #client: Redis;

  constructor(client: Redis, address: string) {
    this.#client = client;
    this.address = address;
  }

  async findKeys(prefix: string, suffix = '', accept = (_key: string) => true): Promise<string[]> {
    const found = new Set<string>();
    let cursor = '0';
    do {
      const pattern = `${escapeGlob(prefix)}*${escapeGlob(suffix)}`;
      const [next, keys] = await this.#run((client) => client.scan(cursor, 'MATCH', pattern, 'COUNT', KEYS_PER_PAGE));
      for (const key of keys) if (accept(key)) found.add(key);
      if (found.size > MAX_KEYS) throw new Error(`${this.address} has over ${MAX_KEYS} keys ${pattern}.`);
      cursor = next;
    } while (cursor !== '0');
    return [...found].sort();
  }

  async isHash(key: string): Promise<boolean> {
    return (await this.#run((client) => client.type(key))) === 'hash';
  }

  async fieldNames(key: string): Promise<string[]> {
    await this.#checkLength(key);
    return (await this.#run((client) => client.hkeys(key), key)).sort();
  }

  async readField(key: string, field: string): Promise<string | undefined> {
    const bytes = await this.#run((client) => client.hstrlen(key, field), key);
    if (bytes > MAX_VALUE_SIZE) throw this.#valueTooLargeError(key, field, bytes);
    return (await this.#run((client) => client.hget(key, field), key)) ?? undefined;
  }

  async readHash(key: string): Promise<Map<string, string>> {
    await this.#checkLength(key);
    const fields = new Map<string, string>();
    let total = 0;
    let cursor = '0';
    do {
      const [next, page] = await this.#run((client) => client.hscan(key, cursor, 'COUNT', FIELDS_PER_PAGE), key);
      // In a page, the names and the values of fields alternate.
      for (let index = 0; index + 1 < page.length; index += 2) {
        const [field = '', value = ''] = page.slice(index, index + 2);
        const bytes = Buffer.byteLength(value);
        if (bytes > MAX_VALUE_SIZE) throw this.#valueTooLargeError(key, field, bytes);
        total += bytes;
        fields.set(field, value);
      }
      // The hash may have grown since #checkLength().
      if (fields.size > MAX_HASH_FIELDS || total > MAX_HASH_BYTES) throw this.#hashTooLargeError(key, fields.size);
      cursor = next;
    } while (cursor !== '0');
    return fields;
  }

  close(): void {
    this.#client.disconnect();
  }

  /** Rejects when the hash has too many fields. */
  async #checkLength(key: string): Promise<void> {
    const length = await this.#run((client) => client.hlen(key), key);
    if (length > MAX_HASH_FIELDS) throw this.#hashTooLargeError(key, length);
  }

  #hashTooLargeError(key: string, length: number): Error {
    return new Error(
      `The Redis hash ${key} has ${length} fields. A session has at most ${MAX_HASH_FIELDS}, of ` +
        `${MAX_HASH_BYTES / 1024 / 1024} MiB together.`,
    );
  }

  #valueTooLargeError(key: string, field: string, bytes: number): Error {
    const limit = MAX_VALUE_SIZE / 2 ** 20;
    return new Error(`The field ${field} of the Redis hash ${key} has ${bytes} bytes. The limit is ${limit} MiB.`);
  }

  async #run<T>(command: (client: Redis) => Promise<T>, key?: string): Promise<T> {
    try {
      return await command(this.#client);
    } catch (error) {
      if (key !== undefined && error instanceof Error && error.message.startsWith('WRONGTYPE')) {
        throw new Error(`The Redis key ${key} is not a hash.`);
      }
      throw toOperatorError(error, this.address);
    }
  }
}

/**
 * Connects to the server of a `redis://` or `rediss://` URL. The caller closes the reader.
 *
 * Rejects with an ArgumentError for a malformed URL, and with an Error for the operator when the server does not
 * answer, or refuses the password or the database. The message never contains the password.
 */
export async function openRedis(text: string): Promise<RedisReader> {
  const { url, database } = parseUrl(text);
  const address = `${url.hostname}:${url.port || 6379}/${database}`;
  const client = new Redis({
    // An IPv6 address has brackets in the URL only.
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(url.port || 6379),
    username: decodeUrlPart(url.username),
    password: decodeUrlPart(url.password),
    tls: url.protocol === 'rediss:' ? {} : undefined,
    lazyConnect: true,
    enableOfflineQueue: false,
    // null: ioredis does not reconnect.
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: COMMAND_TIMEOUT_MS,
  });
  // A failed connect() rejects with "Connection is closed." Only the event `error`, which comes before, has the reason.
  let reason: unknown;
  client.on('error', (error) => {
    reason ??= error;
  });
  try {
    await client.connect();
    await client.select(database);
    return new IoredisReader(client, address);
  } catch (error) {
    client.disconnect();
    throw toOperatorError(reason ?? error, address);
  }
}
