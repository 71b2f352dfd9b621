// The programs that sessions can be read from. The module of a source and its database driver are imported only when
// the source is opened.
import type { Source, SourceOptions } from '../session/source.ts';

export interface SourceKind {
  /** The description in `--help`. */
  help: string;
  /** The options that the source reads. An option that only another source reads causes an ArgumentError. */
  acceptedOptions: readonly (keyof SourceOptions)[];
  /**
   * The options that must all be given. Empty for a source that needs any one of several options: its open() checks
   * that one is given.
   */
  requiredOptions: readonly (keyof SourceOptions)[];
  /** Rejects with an Error whose message is meant for the operator when the source cannot be opened. */
  open(options: SourceOptions): Promise<Source>;
}

/** By the value of --from. */
export const SOURCES: Record<string, SourceKind> = {
  baileys: {
    help: 'folders of useMultiFileAuthState of Baileys 6.7 or 7: --path of one, or of a folder with several',
    acceptedOptions: ['path'],
    requiredOptions: ['path'],
    open: async (options) => (await import('./baileys-folder.ts')).openBaileysFolder(options),
  },
  waha: {
    help: 'WAHA with the engine NOWEB: --path .sessions, or --database of PostgreSQL',
    acceptedOptions: ['path', 'database'],
    requiredOptions: [],
    open: async (options) => (await import('./waha.ts')).openWaha(options),
  },
  'baileys-api': {
    help: 'baileys-api: --redis',
    acceptedOptions: ['redis', 'redisPrefix'],
    requiredOptions: ['redis'],
    open: async (options) => (await import('./baileys-api.ts')).openBaileysApi(options),
  },
  whatsmeow: {
    help: 'whatsmeow: WAHA GOWS, wuzapi, gowa, mautrix: --database, PostgreSQL or a SQLite file',
    acceptedOptions: ['database'],
    requiredOptions: ['database'],
    open: async (options) => (await import('./whatsmeow.ts')).openWhatsmeow(options),
  },
  evolution: {
    help: 'Evolution API 2: --database; for keys outside it --redis [--redis-prefix], or --path of its folder instances',
    acceptedOptions: ['database', 'redis', 'redisPrefix', 'path'],
    requiredOptions: ['database'],
    open: async (options) => (await import('./evolution.ts')).openEvolution(options),
  },
  'evolution-1': {
    help: 'Evolution API 1: one or more of --path of its folder instances, --redis [--redis-prefix], --mongo',
    acceptedOptions: ['path', 'redis', 'redisPrefix', 'mongo'],
    requiredOptions: [],
    open: async (options) => (await import('./evolution-1.ts')).openEvolution1(options),
  },
  bundle: {
    help: 'a session bundle, or a folder of them: --path, --passphrase-file',
    acceptedOptions: ['path', 'passphrase', 'allowUnencrypted'],
    requiredOptions: ['path'],
    open: async (options) => (await import('./bundle-file.ts')).openBundleFile(options),
  },
};
