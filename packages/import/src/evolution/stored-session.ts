// Finds credentials and keys of Evolution API, and chooses between several copies. Where Evolution API keeps them
// depends on its version and settings, which are stored nowhere. Decision D-178.
import { isObject } from '../../../../src/lib/json-object.ts';
import type { BaileysKey } from '../../../../src/session-bundle/baileys.ts';
import type { Dropped } from '../../../../src/session-bundle/bundle.ts';
import { listBaileysFolder, readCreds, readKeys } from '../baileys-files.ts';
import { countKeyTypes, parseKeyName } from '../baileys-key-names.ts';
import { DroppedKeys, linkOf, toSessionContents } from '../baileys-session.ts';
import { JSON_IN_JSON, parseNestedJson } from '../nested-json.ts';
import type { RedisReader } from '../redis-hash.ts';
import type { SessionSettings } from '../session-settings.ts';
import type { FoundSession, SessionContents } from '../source.ts';

/** The keys of a session while they are read. */
export interface KeyContents {
  keys: Iterable<BaileysKey>;
  /** What was left out. Call it when all `keys` are read. */
  dropped(): Dropped[];
}

/** The keys of a session in one store. */
export interface StoredKeys {
  /** For the operator: "Redis 127.0.0.1:6379/0". */
  label: string;
  /** The number of keys by type. */
  counts: Record<string, number>;
  /** How the operator takes the keys out of a store and leaves the credentials in it: "remove …". */
  removal: string;
  read(): Promise<KeyContents>;
}

/** The credentials of a session in one store. */
export interface StoredCreds {
  /** For the operator, like the label of StoredKeys. */
  label: string;
  creds: unknown;
  /** Where the keys can be. The store that Evolution API prefers is first. */
  possibleKeys: readonly StoredKeys[];
}

/** The result of chooseSession(). */
export interface ChosenSession extends Pick<FoundSession, 'account' | 'device'> {
  creds: unknown;
  keys: StoredKeys | undefined;
  warnings: string[];
  /** Why the session cannot be moved, for the operator. */
  problem?: string;
}

const totalOf = ({ counts }: StoredKeys): number => Object.values(counts).reduce((sum, count) => sum + count, 0);
const hasKeys = (keys: StoredKeys): boolean => totalOf(keys) > 0;

/** Reports fields or files that belong to no session. */
const toDroppedOthers = (type: string, count: number): Dropped[] =>
  count > 0 ? [{ type, count, reason: 'They are no part of a session.' }] : [];

/** Finds credentials and keys in a hash of Redis. Resolves with undefined when the hash does not exist. */
export async function findInRedis(
  redis: RedisReader,
  hash: string,
): Promise<{ creds: unknown; keys: StoredKeys } | undefined> {
  const names = await redis.fieldNames(hash);
  if (names.length === 0) return undefined;
  const text = names.includes('creds') ? await redis.readField(hash, 'creds') : undefined;
  const what = (field: string) => `The field ${field} of the Redis hash ${hash}`;
  const creds = text === undefined ? undefined : parseNestedJson(text, { what: what('creds'), levels: JSON_IN_JSON });
  const read = async (): Promise<KeyContents> => {
    const fields = await redis.readHash(hash);
    fields.delete('creds');
    const isKey = (field: string) => parseKeyName(field) !== undefined;
    const others = [...fields.keys()].filter((field) => !isKey(field)).length;
    function* keys(): Generator<BaileysKey> {
      for (const [field, value] of fields) {
        const name = parseKeyName(field);
        // Frees the text, so that each key is in memory only once.
        fields.set(field, '');
        if (name) yield { ...name, value: parseNestedJson(value, { what: what(field), levels: JSON_IN_JSON }) };
      }
    }
    return { keys: keys(), dropped: () => toDroppedOthers('other fields', others) };
  };
  const removal = `remove all fields except creds from the hash ${hash}`;
  return { creds, keys: { label: `Redis ${redis.address}`, counts: countKeyTypes(names), removal, read } };
}

/**
 * Finds credentials and keys in a folder. Throws an Error for the operator when it or its creds.json cannot be read.
 */
export function findInFolder(path: string): { creds: unknown; keys: StoredKeys } {
  const folder = listBaileysFolder(path);
  const creds = folder.hasCreds ? readCreds(folder) : undefined;
  const read = async (): Promise<KeyContents> => {
    const damaged = new DroppedKeys('The file is empty or damaged.');
    const keys = readKeys(folder, ({ type }) => damaged.add(type));
    return { keys, dropped: () => [...damaged.list(), ...toDroppedOthers('other files', folder.otherFiles)] };
  };
  const removal = `move all files except creds.json out of ${path}`;
  return { creds, keys: { label: path, counts: folder.counts, removal, read } };
}

/** Whether two credentials belong to the same linked device. */
function isSameDevice(one: unknown, other: unknown): boolean {
  const keyOf = (creds: unknown) => (isObject(creds) ? JSON.stringify(creds.signedIdentityKey) : undefined);
  return keyOf(one) === keyOf(other);
}

/**
 * Explains that several stores have keys, and how the operator decides for one of them. A store that has the only
 * credentials cannot be left out of the command, so its keys are removed instead.
 */
function explainSeveralKeys(stores: readonly StoredKeys[], linked: readonly StoredCreds[]): string {
  const places = stores.map((one) => `${one.label} (${totalOf(one)})`).join(' and in ');
  const exceptions = stores.flatMap((inUse) => {
    const holders = linked
      .filter(({ possibleKeys }) => possibleKeys.includes(inUse))
      .map(({ label }) => stores.find((one) => one !== inUse && one.label === label));
    const [holder] = holders;
    // Other credentials remain when the other stores of keys are left out.
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
 * a problem when two stores have different devices, when two stores have keys, or when the keys are missing: then
 * `explainMissing` returns the problem.
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
  // The account of an earlier link is the same, so no check of the keys would notice that they are of that link.
  const stores = new Set(linked.flatMap(({ possibleKeys }) => possibleKeys).filter(hasKeys));
  if (stores.size > 1) return { ...session, problem: explainSeveralKeys([...stores], linked) };
  const warnings = others.map(
    ({ label }) => `The same credentials are in ${label} too. Those in ${chosen.label} are taken.`,
  );
  return { ...session, warnings };
}

/** Reads the keys of a chosen session and converts it. Rejects with its problem. */
export async function readChosen(
  { creds, keys: stored, problem, warnings }: ChosenSession,
  { name, program, settings }: { name: string; program: string; settings: SessionSettings },
): Promise<SessionContents> {
  if (problem !== undefined) throw new Error(problem);
  if (!stored) throw new Error('The instance is not linked.');
  const { keys, dropped } = await stored.read();
  const session = toSessionContents({ name, program, settings, creds, keys });
  return {
    bundle: session.bundle,
    dropped: [...session.dropped, ...dropped()],
    warnings: [...warnings, ...session.warnings],
  };
}
