// What every source of sessions offers. The files in sources/ implement it.
import type { Dropped, SessionBundle } from '../../../../src/session-bundle/bundle.ts';

/** A session in a source. Its fields contain no secrets, so that they can be printed. */
export interface FoundSession {
  /** Name of the instance, or the id of the session when the source has no names. */
  name: string;
  /**
   * Phone-number JID of the account; null when the session was never linked. With a `problem`, null can also mean that
   * the account is unknown.
   */
  account: string | null;
  /** JID of the linked device, "4915550001001:3@s.whatsapp.net". Undefined when no credentials are found. */
  device?: string | undefined;
  /** Whether the session is connected now, according to the source. Undefined when the source does not store it. */
  isConnected?: boolean;
  /** The number of stored keys by type. The source defines the names of the types. */
  counts: Record<string, number>;
  /** Why the session cannot be moved, for the operator; absent when it can. */
  problem?: string;
  /** Reads the session. Rejects with an Error for the operator, which names what is missing or damaged. */
  read(): Promise<SessionContents>;
}

export interface SessionContents {
  bundle: SessionBundle;
  /** Keys and settings of the source that are not in the bundle. */
  dropped: Dropped[];
  /** Sentences for the operator, such as "The session is from Baileys 6: contacts get one new Signal session each." */
  warnings: string[];
}

export interface Source {
  /** For the operator: "Baileys folder", "Evolution API 2 (PostgreSQL, keys in Redis)". */
  readonly title: string;
  /** Lists the sessions. Changes nothing in the source. */
  find(): AsyncIterable<FoundSession>;
  close(): Promise<void>;
}

/** The options of the command line that sources read. */
export interface SourceOptions {
  /** A folder or file. */
  path?: string;
  /** URL of PostgreSQL, MySQL or MariaDB, or the path of a SQLite file. */
  database?: string;
  /** URL of Redis. */
  redis?: string;
  /** Prefix of the names of the keys in Redis. */
  redisPrefix?: string;
  /** URL of MongoDB. */
  mongo?: string;
  /** The passphrase of an encrypted session bundle. */
  passphrase?: string;
  /** Accept session bundles that are not encrypted. */
  allowUnencrypted?: boolean;
}
