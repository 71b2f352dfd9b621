// Parses the command line: the source, the sessions and the target. Secrets come from files and from the environment,
// because other users of the machine can read the arguments of a process.
import { readFileSync, statSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ArgumentError } from './lib/argument-error.ts';
import { messageOf } from './lib/error-message.ts';
import { passwordsOf } from './lib/redact.ts';
import type { SourceOptions } from './session/source.ts';
import type { TargetOptions } from './session/target.ts';
import { SOURCES, type SourceKind } from './sources/open.ts';
import { TARGETS, type TargetKind } from './targets/open.ts';

export interface Arguments {
  source: SourceKind;
  sourceOptions: SourceOptions;
  /** Names of the sessions to move. An empty list means all. */
  instances: string[];
  /** The new name of the session in the target. It is allowed only when one session is moved. */
  name: string | undefined;
  /**
   * Where to write; can be undefined only with --dry-run. `hasSeveralSessions` is left out, because the number of
   * sessions is known only after the source is read.
   */
  target: { kind: TargetKind; options: Omit<TargetOptions, 'hasSeveralSessions'> } | undefined;
  dryRun: boolean;
  /** Whether to move sessions that the source reports as connected. */
  force: boolean;
  /** Sentences for the operator. */
  warnings: string[];
  /** Texts that no output may contain. */
  secrets: string[];
}

const OPTIONS = {
  from: { type: 'string' },
  path: { type: 'string' },
  database: { type: 'string' },
  redis: { type: 'string' },
  'redis-prefix': { type: 'string' },
  mongo: { type: 'string' },
  'allow-unencrypted': { type: 'boolean' },
  instance: { type: 'string', multiple: true },
  name: { type: 'string' },
  to: { type: 'string' },
  key: { type: 'string' },
  'key-file': { type: 'string' },
  'allow-http': { type: 'boolean' },
  out: { type: 'string' },
  'to-baileys': { type: 'string' },
  'to-whatsmeow': { type: 'string' },
  'passphrase-file': { type: 'string' },
  'dry-run': { type: 'boolean' },
  force: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

/** Names of all options, without the dashes. */
export const OPTION_NAMES: readonly string[] = Object.keys(OPTIONS);

type Values = ReturnType<typeof parseValues>;

/** The flag of each option of a source, and the environment variable that can replace it. */
const SOURCE_OPTIONS: Record<keyof SourceOptions, { flag: keyof typeof OPTIONS; variable?: string }> = {
  path: { flag: 'path' },
  database: { flag: 'database', variable: 'SOURCE_DATABASE' },
  redis: { flag: 'redis', variable: 'SOURCE_REDIS' },
  redisPrefix: { flag: 'redis-prefix' },
  mongo: { flag: 'mongo', variable: 'SOURCE_MONGO' },
  passphrase: { flag: 'passphrase-file', variable: 'BUNDLE_PASSPHRASE' },
  allowUnencrypted: { flag: 'allow-unencrypted' },
};
/** The source options that have a text as their value. The passphrase is not one of them: its option names a file. */
const TEXT_SOURCE_OPTIONS = ['path', 'database', 'redis', 'redisPrefix', 'mongo'] as const;

/** The flag that selects each target. Its value is the location to write to. */
const TARGET_FLAGS: Record<TargetKind, keyof typeof OPTIONS> = {
  to: 'to',
  out: 'out',
  toBaileys: 'to-baileys',
  toWhatsmeow: 'to-whatsmeow',
};
const TARGET_KINDS = Object.keys(TARGETS) as TargetKind[];

/** Maximum size of a file with a key or a passphrase, bytes. */
const MAX_SECRET_BYTES = 4096;

/** Text of `--help`. */
export const helpText = (): string => `Moves linked WhatsApp sessions between programs, without a new QR code.
Stop the program that has the sessions first: two programs with one session damage it.

  messaging-gateway-import --from SOURCE [options of the source] TARGET [options]

Sources:
${Object.entries(SOURCES)
  .map(([name, { help }]) => `  ${name.padEnd(15)} ${help}`)
  .join('\n')}

Options of sources:
  --path PATH             folder or file
  --database URL|FILE     postgres://…, mysql://…, or a SQLite file; or SOURCE_DATABASE in the environment
  --redis URL             redis://…; or SOURCE_REDIS in the environment
  --redis-prefix PREFIX   prefix of the names of keys in Redis, if it is not the default
  --mongo URL             mongodb://…; or SOURCE_MONGO in the environment
  --allow-unencrypted     read session bundles that are not encrypted
  --instance NAME         take only this session; can be repeated

Targets:
  --to URL                a gateway; needs its global key: --key-file FILE, or GATEWAY_KEY in the environment
  --out PATH              a session bundle, encrypted; with several sessions, a folder of them
  --to-baileys PATH       a folder for useMultiFileAuthState of Baileys 7; with several sessions, a folder of folders
  --to-whatsmeow DATABASE a database of whatsmeow

Options:
  --name NAME             the name of the session in the target, for one session
  --passphrase-file FILE  the passphrase of session bundles; or BUNDLE_PASSPHRASE in the environment
  --key KEY               the global key; other users of this machine can see it
  --allow-http            send sessions to a gateway on another machine without TLS
  --dry-run               read and check all sessions, write nothing
  --force                 take sessions that are connected according to the source
  --help                  this text

Exit codes: 0 all sessions are written (or are already in the gateway), 1 some failed or were refused,
2 wrong arguments.
`;

/**
 * Parses the arguments after the name of the program. Returns 'help' for --help. Throws an ArgumentError that names the
 * option.
 */
export function parseArguments(argv: readonly string[], env: NodeJS.ProcessEnv): Arguments | 'help' {
  const values = parseValues(argv);
  if (values.help) return 'help';
  const source = readSourceKind(values.from);
  const passphraseText = readSecret(values['passphrase-file'], '--passphrase-file', env.BUNDLE_PASSPHRASE);
  // A passphrase may start or end with spaces, so only the final line break of the file is removed.
  const passphrase = passphraseText?.replace(/\r?\n$/, '');
  const key = readSecret(values['key-file'], '--key-file', values.key ?? env.GATEWAY_KEY)?.trim();
  const sourceOptions = readSourceOptions(source, values, env, passphrase);
  const target = readTarget(values, { key, passphrase });
  const dryRun = values['dry-run'] ?? false;
  if (!target && !dryRun) {
    throw new ArgumentError(`Choose where to write: ${TARGET_KINDS.map(flagOf).join(', ')}, or check with --dry-run.`);
  }
  const urls = [sourceOptions.database, sourceOptions.redis, sourceOptions.mongo, target?.options.location];
  return {
    source,
    sourceOptions,
    instances: values.instance ?? [],
    name: values.name,
    target,
    dryRun,
    force: values.force ?? false,
    warnings: toWarnings(values),
    secrets: [key, passphrase, ...urls.flatMap(passwordsOf)].filter((text) => text !== undefined),
  };
}

function parseValues(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: OPTIONS, strict: true, allowPositionals: false }).values;
  } catch (cause) {
    throw new ArgumentError(messageOf(cause), { cause });
  }
}

const flagOf = (kind: TargetKind) => `--${TARGET_FLAGS[kind]}`;

function readSourceKind(from: string | undefined): SourceKind {
  const names = Object.keys(SOURCES).join(', ');
  if (from === undefined) throw new ArgumentError(`--from is missing: one of ${names}.`);
  const source = Object.hasOwn(SOURCES, from) ? SOURCES[from] : undefined;
  if (!source) throw new ArgumentError(`--from ${from} is unknown: use one of ${names}.`);
  return source;
}

function readSourceOptions(
  { acceptedOptions, requiredOptions }: SourceKind,
  values: Values,
  env: NodeJS.ProcessEnv,
  passphrase: string | undefined,
): SourceOptions {
  const all: SourceOptions = { passphrase, allowUnencrypted: values['allow-unencrypted'] ?? false };
  // This loop does not check --passphrase-file: when the source does not use the passphrase, the target may use it.
  for (const name of [...TEXT_SOURCE_OPTIONS, 'allowUnencrypted'] as const) {
    const { flag } = SOURCE_OPTIONS[name];
    if (values[flag] === undefined || acceptedOptions.includes(name)) continue;
    throw new ArgumentError(`--${flag} has no meaning with --from ${values.from}.`);
  }
  for (const name of TEXT_SOURCE_OPTIONS) {
    const { flag, variable } = SOURCE_OPTIONS[name];
    const value = values[flag];
    if (value === '') throw new ArgumentError(`--${flag} is empty.`);
    const text = typeof value === 'string' ? value : variable && env[variable];
    if (text) all[name] = text;
  }
  for (const name of requiredOptions) {
    if (all[name] !== undefined) continue;
    const { flag, variable } = SOURCE_OPTIONS[name];
    const alternative = variable ? `, or ${variable} in the environment` : '';
    throw new ArgumentError(`--from ${values.from} needs --${flag}${alternative}.`);
  }
  // The environment may set options that this source does not accept. They are left out without an error.
  return Object.fromEntries(
    Object.entries(all).filter(([name]) => acceptedOptions.some((accepted) => accepted === name)),
  );
}

function readTarget(
  values: Values,
  { key, passphrase }: { key: string | undefined; passphrase: string | undefined },
): Arguments['target'] {
  const chosen = TARGET_KINDS.filter((kind) => values[TARGET_FLAGS[kind]] !== undefined);
  const [kind] = chosen;
  if (!kind) return undefined;
  if (chosen.length > 1) throw new ArgumentError(`Choose one target, not ${chosen.map(flagOf).join(' and ')}.`);
  const location = values[TARGET_FLAGS[kind]];
  if (typeof location !== 'string' || location === '') throw new ArgumentError(`${flagOf(kind)} is empty.`);
  if (kind === 'to' && key === undefined) {
    throw new ArgumentError('--to needs the global key of the gateway: --key-file FILE, or GATEWAY_KEY.');
  }
  if (kind === 'out' && passphrase === undefined) {
    throw new ArgumentError('--out needs a passphrase: --passphrase-file FILE, or BUNDLE_PASSPHRASE.');
  }
  return { kind, options: { location, key, passphrase, allowHttp: values['allow-http'] ?? false } };
}

/**
 * Returns the content of `file`. Without a file, returns `fallback`, or undefined when `fallback` is blank. `option` is
 * the option that names the file, for error messages.
 */
function readSecret(file: string | undefined, option: string, fallback: string | undefined): string | undefined {
  if (file === undefined) return fallback?.trim() ? fallback : undefined;
  let text: string;
  try {
    if (statSync(file).size > MAX_SECRET_BYTES) throw new Error('it is too large');
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new ArgumentError(`The file of ${option} cannot be read: ${file}.`, { cause });
  }
  if (text.trim() === '') throw new ArgumentError(`The file of ${option} is empty: ${file}.`);
  return text;
}

function toWarnings(values: Values): string[] {
  const flagsWithPassword = (['database', 'redis', 'mongo'] as const).filter(
    (flag) => passwordsOf(values[flag]).length > 0,
  );
  const keyWarnings =
    values.key === undefined ? [] : ['--key is visible to other users of this machine: use --key-file.'];
  const passwordWarnings = flagsWithPassword.map((flag) => {
    const { variable } = SOURCE_OPTIONS[flag];
    return `The password in --${flag} is visible to other users of this machine: use ${variable} in the environment.`;
  });
  const targetWarnings =
    passwordsOf(values['to-whatsmeow']).length > 0
      ? ['The password in --to-whatsmeow is visible to other users of this machine.']
      : [];
  return [...keyWarnings, ...passwordWarnings, ...targetWarnings];
}
