// What every target of sessions offers. The files in targets/ implement it.
import type { Dropped, SessionBundle } from '../../../src/session-bundle/bundle.ts';

export interface WriteReport {
  /** Where the session is now: "instance shop", "file shop.json". */
  location: string;
  /** The number of written keys by type. */
  taken: Record<string, number>;
  dropped: Dropped[];
  warnings: string[];
}

export interface Target {
  /** For the operator: "gateway http://…", "folder …". */
  readonly title: string;
  /** What the operator does after sessions were written, as a sentence. */
  readonly next?: string;
  /**
   * Whether the target has this account under this name, so that a second run need not write it again. Rejects with an
   * Error for the operator when another account has the name. A target without this method rejects the write.
   */
  has?(session: { name: string; account: string | null }): Promise<boolean>;
  /** Writes a session completely or not at all. Rejects with an Error for the operator; an existing name is an error. */
  write(bundle: SessionBundle): Promise<WriteReport>;
  close(): Promise<void>;
}

/** The options of the command line that targets read. */
export interface TargetOptions {
  /** URL of a gateway, path of a file, folder or database, by kind. */
  location: string;
  /** The global key of a gateway. */
  key?: string;
  /** Encrypts the session bundles that are written. */
  passphrase?: string;
  /** True when several sessions are written, so that `location` is a folder of files. */
  hasSeveral: boolean;
  /** Use plain HTTP to a gateway on another machine. */
  allowHttp: boolean;
}
