// Converts sessions to session bundles (the file format of a moved session). The sessions come from programs that store
// credentials and keys in the form of Baileys 6 or 7.
import { isObject } from '../../../../src/lib/json-object.ts';
import { type BaileysKey, fromBaileys } from '../../../../src/session-bundle/baileys.ts';
import { BUNDLE_FORMAT, BUNDLE_VERSION, type Dropped } from '../../../../src/session-bundle/bundle.ts';
import { messageOf } from '../lib/error-message.ts';
import { toAcceptedSettings } from '../session/accepted-settings.ts';
import { NO_SETTINGS, type SessionSettings } from '../session/session-settings.ts';
import type { FoundSession, SessionContents } from '../session/source.ts';
import { listBaileysFolder, readCreds, readKeys } from './files.ts';

export interface BaileysSession {
  name: string;
  /** The program that has the session, such as "waha". It becomes the source of the bundle. */
  program: string;
  settings?: SessionSettings;
  /** The content of creds.json, parsed but not checked. */
  creds: unknown;
  keys: Iterable<BaileysKey>;
}

/** Converts a session. Throws a BundleError that names what is missing or damaged. */
export function toSessionContents({
  name,
  program,
  settings = NO_SETTINGS,
  creds,
  keys,
}: BaileysSession): SessionContents {
  const { credentials, keys: converted, dropped, warnings } = fromBaileys({ creds, keys });
  const accepted = toAcceptedSettings(settings);
  const bundle = {
    format: BUNDLE_FORMAT,
    version: BUNDLE_VERSION,
    createdAt: new Date().toISOString(),
    source: program,
    instance: { name, ...accepted.instance },
    credentials,
    keys: converted,
  } as const;
  return { bundle, dropped: [...dropped, ...accepted.dropped], warnings: [...warnings, ...accepted.warnings] };
}

/**
 * The account as a phone-number JID ("4915550001001@s.whatsapp.net"), and the JID of the linked device, which also has
 * the number of the device ("4915550001001:3@s.whatsapp.net"). The account is null when the credentials belong to no
 * linked device.
 */
export function linkOf(creds: unknown): Pick<FoundSession, 'account' | 'device'> {
  const id = isObject(creds) && isObject(creds.me) ? creds.me.id : undefined;
  return typeof id === 'string' && id !== '' ? { account: id.replace(/:\d+(?=@)/, ''), device: id } : { account: null };
}

type FolderSession = Omit<BaileysSession, 'creds' | 'keys'>;

/** Describes the session in a folder that Baileys' useMultiFileAuthState() has written. */
export function describeFolder(path: string, session: FolderSession): FoundSession {
  const { name } = session;
  const base = { name, account: null, counts: {}, read: async () => readFolder(path, session) };
  try {
    const folder = listBaileysFolder(path);
    if (!folder.hasCreds) {
      return { ...base, counts: folder.counts, problem: `${path} has keys, but no creds.json: copy the whole folder.` };
    }
    return { ...base, counts: folder.counts, ...linkOf(readCreds(folder)) };
  } catch (error) {
    return { ...base, problem: messageOf(error) };
  }
}

function readFolder(path: string, session: FolderSession): SessionContents {
  const folder = listBaileysFolder(path);
  const damaged = new DroppedKeys('The file is empty or damaged.');
  const keys = readKeys(folder, ({ type }) => damaged.add(type));
  const result = toSessionContents({ ...session, creds: readCreds(folder), keys });
  return {
    ...result,
    dropped: [...result.dropped, ...damaged.list(), ...toDroppedUnknown('other files', folder.otherFileCount)],
    warnings: [...folder.warnings, ...result.warnings],
  };
}

/**
 * Reports files of a folder, or fields of a hash, that are no credentials and no keys, such as a message store. `type`
 * says what they are.
 */
export const toDroppedUnknown = (type: string, count: number): Dropped[] =>
  count > 0 ? [{ type, count, reason: 'They are no part of a session.' }] : [];

/** Counts dropped keys by type. All of them are dropped for the same reason. */
export class DroppedKeys {
  readonly #reason: string;
  readonly #counts = new Map<string, number>();

  constructor(reason: string) {
    this.#reason = reason;
  }

  add(type: string): void {
    this.#counts.set(type, (this.#counts.get(type) ?? 0) + 1);
  }

  list(): Dropped[] {
    return [...this.#counts].map(([type, count]) => ({ type, count, reason: this.#reason }));
  }
}
