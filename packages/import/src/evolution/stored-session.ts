// Finds the credentials and keys of one instance of Evolution API. A store is a place that can hold them: a database,
// Redis or a folder. The version and the settings of Evolution API decide which store is in use, but no store contains
// these settings. So every given store is searched, and one copy is chosen (D-178).
import { isObject } from '../../../../src/lib/json-object.ts';
import type { BaileysKey } from '../../../../src/session-bundle/baileys.ts';
import type { Dropped } from '../../../../src/session-bundle/bundle.ts';
import { listBaileysFolder, readCreds, readKeys } from '../baileys/files.ts';
import { countKeyTypes, parseKeyName } from '../baileys/key-names.ts';
import { DroppedKeys, linkOf, toDroppedUnknown, toSessionContents } from '../baileys/session.ts';
import type { RedisReader } from '../databases/redis-hash.ts';
import { JSON_IN_JSON, parseNestedJson } from '../lib/nested-json.ts';
import type { SessionSettings } from '../session/session-settings.ts';
import type { FoundSession, SessionContents } from '../session/source.ts';

/** The keys of one store, while they are read. Iterate `keys` only once. */
export interface KeyContents {
  keys: Iterable<BaileysKey>;
  /** Returns what was left out. Call it after the iteration of `keys` has ended. */
  listDropped(): Dropped[];
}

/** The keys of a session in one store. */
export interface StoredKeys {
  /** Names the store for the operator, for example "Redis 127.0.0.1:6379/0". */
  label: string;
  /** The number of keys by type. */
  counts: Record<string, number>;
  /** Tells the operator how to remove the keys but not the credentials, for example "remove all fields except …". */
  removal: string;
  read(): Promise<KeyContents>;
}

/** The credentials of a session in one store. */
export interface StoredCreds {
  /** Names the store for the operator. The StoredKeys of the same store have the same label. */
  label: string;
  creds: unknown;
  /** The stores in which the keys can be. The store that Evolution API prefers is first. */
  possibleKeys: readonly StoredKeys[];
}

/** The result of chooseSession(). */
export interface ChosenSession extends Pick<FoundSession, 'account' | 'device'> {
  creds: unknown;
  /** Undefined when no store has keys for the credentials. */
  keys: StoredKeys | undefined;
  warnings: string[];
  /** Why the session cannot be moved, for the operator. */
  problem?: string;
}

const countKeys = ({ counts }: StoredKeys): number => Object.values(counts).reduce((sum, count) => sum + count, 0);
const hasKeys = (keys: StoredKeys): boolean => countKeys(keys) > 0;

/** Finds credentials and keys in a hash of Redis. Resolves with undefined when the hash does not exist. */
export async function findInRedis(
  redis: RedisReader,
  hash: string,
): Promise<{ creds: unknown; keys: StoredKeys } | undefined> {
  const names = await redis.fieldNames(hash);
  if (names.length === 0) return undefined;
  const text = names.includes('creds') ? await redis.readField(hash, 'creds') : undefined;
  const nameOf = (field: string) => `The field ${field} of the Redis hash ${hash}`;
  const creds =
    text === undefined ? undefined : parseNestedJson(text, { label: nameOf('creds'), levels: JSON_IN_JSON });
  const read = async (): Promise<KeyContents> => {
    const fields = await redis.readHash(hash);
    fields.delete('creds');
    const isKey = (field: string) => parseKeyName(field) !== undefined;
    const others = [...fields.keys()].filter((field) => !isKey(field)).length;
    function* keys(): Generator<BaileysKey> {
      for (const [field, value] of fields) {
        const name = parseKeyName(field);
        // Frees the text, so that memory does not hold each key twice: as text and as value.
        fields.set(field, '');
        if (name) yield { ...name, value: parseNestedJson(value, { label: nameOf(field), levels: JSON_IN_JSON }) };
      }
    }
    return { keys: keys(), listDropped: () => toDroppedUnknown('other fields', others) };
  };
  const removal = `remove all fields except creds from the hash ${hash}`;
  return { creds, keys: { label: `Redis ${redis.address}`, counts: countKeyTypes(names), removal, read } };
}

/**
 * Finds credentials and keys in a folder. Throws an Error for the operator when the folder or its creds.json cannot be
 * read.
 */
export function findInFolder(path: string): { creds: unknown; keys: StoredKeys } {
  const folder = listBaileysFolder(path);
  const creds = folder.hasCreds ? readCreds(folder) : undefined;
  const read = async (): Promise<KeyContents> => {
    const damaged = new DroppedKeys('The file is empty or damaged.');
    const keys = readKeys(folder, ({ type }) => damaged.add(type));
    return { keys, listDropped: () => [...damaged.list(), ...toDroppedUnknown('other files', folder.otherFileCount)] };
  };
  const removal = `move all files except creds.json out of ${path}`;
  return { creds, keys: { label: path, counts: folder.counts, removal, read } };
}

/** Whether two credentials belong to the same linked device: each device has its own identity key. */
function isSameDevice(one: unknown, other: unknown): boolean {
  const keyOf = (creds: unknown) => (isObject(creds) ? JSON.stringify(creds.signedIdentityKey) : undefined);
  return keyOf(one) === keyOf(other);
}

/**
 * Explains that several stores have keys, and how the operator chooses one of them: by leaving the other stores out of
 * the command. Exception: if one of the other stores has the only credentials, it must stay in the command, and the
 * operator removes the keys from it. `stores` are the stores with keys, `linked` the credentials of linked devices.
 */
function explainSeveralKeys(stores: readonly StoredKeys[], linked: readonly StoredCreds[]): string {
  const places = stores.map((one) => `${one.label} (${countKeys(one)})`).join(' and in ');
  const exceptions = stores.flatMap((inUse) => {
    // Assumes that the operator chooses `inUse`. One element per copy of the credentials: the store with this copy that
    // the operator would leave out; undefined for a copy in `inUse` or in a store without keys.
    const holders = linked
      .filter(({ possibleKeys }) => possibleKeys.includes(inUse))
      .map(({ label }) => stores.find((one) => one !== inUse && one.label === label));
    const [holder] = holders;
    // With an undefined holder, a copy of the credentials remains when the operator leaves the other stores out.
    if (holder === undefined || holders.includes(undefined)) return [];
    const task = `keep ${holder.label} in the command, because it has the credentials: back it up and ${holder.removal}`;
    return [` If the keys in ${inUse.label} are in use, ${task}.`];
  });
  return (
    `Keys are in ${places}. Only one of these stores is in use, and the other one can have keys of an earlier link. ` +
    `Leave the store that is not in use out of the command.${exceptions.join('')}`
  );
}

/**
 * Chooses credentials and their keys. `stored` has the order in which Evolution API prefers the stores. The result has
 * a `problem` when two stores have credentials of different devices, when several stores have keys, or when no store
 * has keys. `explainMissing` returns the problem for missing keys.
 */
export function chooseSession(
  stored: readonly StoredCreds[],
  explainMissing: (creds: StoredCreds) => string,
): ChosenSession {
  const linked = stored.filter(({ creds }) => linkOf(creds).account !== null);
  const [chosen, ...others] = linked;
  if (!chosen) return { account: null, creds: undefined, keys: undefined, warnings: [] };
  const keys = chosen.possibleKeys.find(hasKeys);
  const session = { ...linkOf(chosen.creds), creds: chosen.creds, keys, warnings: [] };
  const otherDevice = others.find(({ creds }) => !isSameDevice(creds, chosen.creds));
  if (otherDevice) {
    const problem =
      `Two different linked devices are stored: in ${chosen.label} and in ${otherDevice.label}. Only one of them is in use. ` +
      'Remove the other one from its store, or leave its store out of the command.';
    return { ...session, problem };
  }
  if (!keys) return { ...session, problem: explainMissing(chosen) };
  // One of the stores can have keys of an earlier link of the same account. No check of the keys finds that, so the
  // operator decides.
  const stores = new Set(linked.flatMap(({ possibleKeys }) => possibleKeys).filter(hasKeys));
  if (stores.size > 1) return { ...session, problem: explainSeveralKeys([...stores], linked) };
  const warnings = others.map(
    ({ label }) => `The same credentials are in ${label} too. Those in ${chosen.label} are taken.`,
  );
  return { ...session, warnings };
}

/** Reads the keys of a chosen session and converts the session. Rejects when it has a `problem` or no keys. */
export async function readChosen(
  { creds, keys: storedKeys, problem, warnings }: ChosenSession,
  { name, program, settings }: { name: string; program: string; settings: SessionSettings },
): Promise<SessionContents> {
  if (problem !== undefined) throw new Error(problem);
  if (!storedKeys) throw new Error('The instance is not linked.');
  const { keys, listDropped } = await storedKeys.read();
  const session = toSessionContents({ name, program, settings, creds, keys });
  return {
    bundle: session.bundle,
    dropped: [...session.dropped, ...listDropped()],
    warnings: [...warnings, ...session.warnings],
  };
}
