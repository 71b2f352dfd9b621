// Reads sessions of baileys-api (fazer-ai): Redis hashes with the fields `creds`, `metadata` and `<type>-<id>`.
import { isObject } from '../../../../src/lib/json-object.ts';
import type { BaileysKey } from '../../../../src/session-bundle/baileys.ts';
import { countKeyTypes, parseKeyName } from '../baileys/key-names.ts';
import { DroppedKeys, linkOf, toSessionContents } from '../baileys/session.ts';
import { openRedis, type RedisReader } from '../databases/redis-hash.ts';
import { ArgumentError } from '../lib/argument-error.ts';
import { messageOf } from '../lib/error-message.ts';
import { parseNestedJson } from '../lib/nested-json.ts';
import { mergeSettings, NO_SETTINGS, type SessionSettings, toWebhookSettings } from '../session/session-settings.ts';
import type { FoundSession, SessionContents, Source, SourceOptions } from '../session/source.ts';

const PROGRAM = 'baileys-api';
const DEFAULT_PREFIX = '@baileys-api:connections';
const SUFFIX = ':authState';
const CREDS = 'creds';
const METADATA = 'metadata';

/** Connects to the Redis server. Rejects with an ArgumentError when the server has no sessions. */
export async function openBaileysApi({ redis = '', redisPrefix = DEFAULT_PREFIX }: SourceOptions): Promise<Source> {
  const reader = await openRedis(redis);
  const prefix = `${redisPrefix}:`;
  try {
    const keys = await reader.findKeys(prefix, SUFFIX);
    if (keys.length === 0) {
      throw new ArgumentError(`--redis: ${reader.address} has no keys ${prefix}<phone>${SUFFIX}.`);
    }
    return {
      title: `baileys-api (Redis ${reader.address})`,
      async *find(): AsyncGenerator<FoundSession> {
        for (const key of keys) {
          // baileys-api names connections by phone number, with or without a plus sign.
          const name = key.slice(prefix.length, -SUFFIX.length).replace(/^\+/, '');
          yield await describeHash(reader, { key, name });
        }
      },
      async close() {
        reader.close();
      },
    };
  } catch (error) {
    reader.close();
    throw error;
  }
}

interface Hash {
  /** Name of the hash in Redis. */
  key: string;
  /** Name of the session. */
  name: string;
}

async function describeHash(reader: RedisReader, { key, name }: Hash): Promise<FoundSession> {
  const base = { name, account: null, counts: {}, read: () => readHash(reader, { key, name }) };
  try {
    const counts = countKeyTypes(await reader.fieldNames(key));
    const creds = await reader.readField(key, CREDS);
    if (creds === undefined) return { ...base, counts, problem: `The hash ${key} has no field ${CREDS}.` };
    return { ...base, counts, ...linkOf(parse(creds, `The field ${CREDS} of ${key}`)) };
  } catch (error) {
    return { ...base, problem: messageOf(error) };
  }
}

const parse = (text: string, label: string): unknown => parseNestedJson(text, { label });

async function readHash(reader: RedisReader, { key, name }: Hash): Promise<SessionContents> {
  const fields = await reader.readHash(key);
  const creds = fields.get(CREDS);
  if (creds === undefined) throw new Error(`The hash ${key} has no field ${CREDS}.`);
  /** The keys that readKeys() cannot parse. Complete when toSessionContents() has read all keys. */
  const damaged = new DroppedKeys('The value is damaged.');
  const result = toSessionContents({
    name,
    program: PROGRAM,
    settings: readMetadata(fields.get(METADATA)),
    creds: parse(creds, `The field ${CREDS} of ${key}`),
    keys: readKeys(fields, damaged),
  });
  return { ...result, dropped: [...result.dropped, ...damaged.list()] };
}

/** Parses the keys one after another, so that only one parsed value is in memory at a time. */
function* readKeys(fields: ReadonlyMap<string, string>, damaged: DroppedKeys): Generator<BaileysKey> {
  for (const [field, text] of fields) {
    const name = parseKeyName(field);
    if (!name) continue;
    let value: unknown;
    try {
      value = parse(text, field);
    } catch {
      damaged.add(name.type);
      continue;
    }
    yield { ...name, value };
  }
}

/** Converts the settings of the connection in the field `metadata`. */
function readMetadata(text: string | undefined): SessionSettings {
  let metadata: unknown;
  try {
    metadata = text === undefined ? undefined : parse(text, METADATA);
  } catch {
    return { ...NO_SETTINGS, dropped: [{ type: METADATA, count: 1, reason: 'The value is damaged.' }] };
  }
  if (!isObject(metadata)) return NO_SETTINGS;
  const { groupsEnabled, syncFullHistory, webhookUrl } = metadata;
  const settings = {
    ...(groupsEnabled === false && { groupsIgnore: true }),
    ...(typeof syncFullHistory === 'boolean' && { syncFullHistory }),
  };
  return mergeSettings([
    Object.keys(settings).length > 0 ? { ...NO_SETTINGS, instance: { settings } } : NO_SETTINGS,
    typeof webhookUrl === 'string' ? toWebhookSettings(webhookUrl) : NO_SETTINGS,
  ]);
}
