// A target: the place to which the program writes the sessions that it has read from a source. The files in targets/
// implement it for gateways, files, folders and databases.
import type { Dropped, SessionBundle } from '../../../../src/session-bundle/bundle.ts';
import type { FoundSession } from './source.ts';

/** What Target.write() reports about one session. */
export interface WriteReport {
  /** Where the session is after the write: "instance shop", "file shop.json". */
  location: string;
  /** The number of keys that the target has accepted, by type. The report shows it in the column "taken". */
  written: Record<string, number>;
  dropped: Dropped[];
  warnings: string[];
}

export interface Target {
  /** For the operator: "gateway http://…", "folder …". */
  readonly title: string;
  /** A sentence that says what the operator must do with the written sessions. */
  readonly nextStep?: string;
  /**
   * Resolves with true when the target has this session already, so that a second run does not write the session again.
   * A gateway compares the name and the account, and rejects with an Error for the operator when another account has
   * the name. A database compares only `device`, the JID of the linked device, because it has no names and can have
   * several devices of an account. Files and folders do not have this method: their write() rejects for a name that
   * exists.
   */
  has?(session: Pick<FoundSession, 'name' | 'account' | 'device'>): Promise<boolean>;
  /** Writes a session completely or not at all. Rejects with an Error for the operator, also for an existing name. */
  write(bundle: SessionBundle): Promise<WriteReport>;
  close(): Promise<void>;
}

/** The options of the command line that targets read. */
export interface TargetOptions {
  /** Where the target is: the URL of a gateway, the path of a file or folder, or the path or URL of a database. */
  location: string;
  /** The global key of a gateway. */
  key?: string;
  /** Encrypts the session bundles that are written. */
  passphrase?: string;
  /**
   * True when several sessions are written. For session bundles and Baileys folders, `location` is then the folder that
   * contains them.
   */
  hasSeveralSessions: boolean;
  /** Whether plain HTTP to a gateway on another machine is allowed. */
  allowHttp: boolean;
}
