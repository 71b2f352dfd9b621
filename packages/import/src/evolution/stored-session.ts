// The places in which Evolution API can keep credentials and keys, and the choice between them. Which place is in use
// depends on its version and settings, which no store names. Decision D-178.
import { isObject } from '../../../../src/lib/json-object.ts';
import type { BaileysKey } from '../../../../src/session-bundle/baileys.ts';
import type { Dropped } from '../../../../src/session-bundle/bundle.ts';
import { listBaileysFolder, readCreds, readKeys } from '../baileys-files.ts';
import { countKeyTypes, parseKeyName } from '../baileys-key-names.ts';
import { accountOf, DroppedKeys, toReadSession } from '../baileys-session.ts';
import { parseNestedJson } from '../nested-json.ts';
import type { RedisReader } from '../redis-hash.ts';
import type { SessionSettings } from '../session-settings.ts';
import type { ReadSession } from '../source.ts';

export interface ReadKeys {
  keys: Iterable<BaileysKey>;
  /** What was left out. Complete after all keys are taken. */
  dropped(): Dropped[];
}

/** Keys in one place. */
export interface KeyPlace {
  /** For the operator: "Redis 127.0.0.1:6379/0". */
  label: string;
  counts: Record<string, number>;
  read(): Promise<ReadKeys>;
}

/** Credentials in one place, and where their keys can be: the place that Evolution API prefers is first. */
export interface CredsPlace {
  label: string;
  creds: unknown;
  keyPlaces: readonly KeyPlace[];
}

export interface ChosenSession {
  account: string | null;
  creds: unknown;
  keys: KeyPlace | undefined;
  warnings: string[];
  problem?: string;
}

/** Fields in Redis and the column Session.creds are JSON in JSON. */
export const JSON_IN_JSON = 2;

const totalOf = ({ counts }: KeyPlace): number => Object.values(counts).reduce((sum, count) => sum + count, 0);
const hasKeys = (place: KeyPlace): boolean => totalOf(place) > 0;

const toOthers = (type: string, count: number): Dropped[] =>
  count > 0 ? [{ type, count, reason: 'They are no part of a session.' }] : [];

/** Looks into a hash of Redis. Returns undefined when it does not exist. */
export async function findInRedis(
  redis: RedisReader,
  hash: string,
): Promise<{ creds: unknown; keys: KeyPlace } | undefined> {
  const names = await redis.fieldNames(hash);
  if (names.length === 0) return undefined;
  const text = names.includes('creds') ? await redis.readField(hash, 'creds') : undefined;
  const what = (field: string) => `The field ${field} of the Redis hash ${hash}`;
  const creds = text === undefined ? undefined : parseNestedJson(text, { what: what('creds'), levels: JSON_IN_JSON });
  const read = async (): Promise<ReadKeys> => {
    const fields = await redis.readHash(hash);
    fields.delete('creds');
    const isKey = (field: string) => parseKeyName(field) !== undefined;
    const others = [...fields.keys()].filter((field) => !isKey(field)).length;
    function* keys(): Generator<BaileysKey> {
      for (const [field, value] of fields) {
        const name = parseKeyName(field);
        // Each key is in memory once: as text, or as its value.
        fields.set(field, '');
        if (name) yield { ...name, value: parseNestedJson(value, { what: what(field), levels: JSON_IN_JSON }) };
      }
    }
    return { keys: keys(), dropped: () => toOthers('other fields', others) };
  };
  return { creds, keys: { label: `Redis ${redis.address}`, counts: countKeyTypes(names), read } };
}

/** Looks into a folder of key files. Throws an Error for the operator when it or its creds.json cannot be read. */
export function findInFolder(path: string): { creds: unknown; keys: KeyPlace } {
  const folder = listBaileysFolder(path);
  const creds = folder.hasCreds ? readCreds(folder) : undefined;
  const read = async (): Promise<ReadKeys> => {
    const damaged = new DroppedKeys('The file is empty or damaged.');
    const keys = readKeys(folder, ({ type }) => damaged.add(type));
    return { keys, dropped: () => [...damaged.list(), ...toOthers('other files', folder.otherFiles)] };
  };
  return { creds, keys: { label: path, counts: folder.counts, read } };
}

/** Whether two credentials are those of one linked device. */
function isSameDevice(one: unknown, other: unknown): boolean {
  const keyOf = (creds: unknown) => (isObject(creds) ? JSON.stringify(creds.signedIdentityKey) : undefined);
  return keyOf(one) === keyOf(other);
}

/**
 * Chooses credentials and keys. `places` are in the order in which Evolution API prefers them. The result has a problem
 * when nothing can be chosen; `explainMissing` then says where the keys could be.
 */
export function chooseSession(
  places: readonly CredsPlace[],
  explainMissing: (creds: CredsPlace) => string,
): ChosenSession {
  const linked = places.filter(({ creds }) => accountOf(creds) !== null);
  const [chosen, ...others] = linked;
  if (!chosen) return { account: null, creds: undefined, keys: undefined, warnings: [] };
  const [keys, ...otherKeys] = chosen.keyPlaces.filter(hasKeys);
  const session = { account: accountOf(chosen.creds), creds: chosen.creds, keys, warnings: [] };
  const rival = others.find(({ creds }) => !isSameDevice(creds, chosen.creds));
  if (rival) {
    const problem =
      `Two different linked devices are stored: in ${chosen.label} and in ${rival.label}. Only one of them is in use. ` +
      'Remove the other one from its store, or leave its store out of the command.';
    return { ...session, problem };
  }
  if (!keys) return { ...session, problem: explainMissing(chosen) };
  const warnings = [
    ...others.map(({ label }) => `The same credentials are in ${label} too. Those in ${chosen.label} are taken.`),
    ...otherKeys.map(
      (place) =>
        `${place.label} has ${totalOf(place)} keys of the session too. Those in ${keys.label} are taken. If ` +
        'Evolution API did not use it, leave it out of the command.',
    ),
  ];
  return { ...session, warnings };
}

/** Reads the keys of a chosen session and converts it. Rejects with its problem. */
export async function readChosen(
  { creds, keys: place, problem, warnings }: ChosenSession,
  { name, program, settings }: { name: string; program: string; settings: SessionSettings },
): Promise<ReadSession> {
  if (problem !== undefined) throw new Error(problem);
  if (!place) throw new Error('The instance is not linked.');
  const { keys, dropped } = await place.read();
  const session = toReadSession({ name, program, settings, creds, keys });
  return {
    bundle: session.bundle,
    dropped: [...session.dropped, ...dropped()],
    warnings: [...warnings, ...session.warnings],
  };
}
