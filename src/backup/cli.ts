// The commands `npm run backup -- FILE [--passphrase]` and `npm run restore -- FILE [--force] [--passphrase]`. This
// file parses the arguments and prints the result.
import { parseArgs } from 'node:util';
import { loadDataSettings } from '../config/load.ts';
import { systemClock } from '../lib/clock.ts';
import { createProgress } from '../lib/progress.ts';
import { type BackupResult, makeBackup } from './backup.ts';
import { readPassphrase } from './passphrase.ts';
import { type RestoreResult, restoreBackup } from './restore.ts';

const USAGE =
  'npm run backup -- FILE, or npm run restore -- FILE [--force]. To encrypt or decrypt the backup, set the environment variable BACKUP_PASSPHRASE, or add --passphrase-file FILE or --passphrase (prompts).';
const POSTGRES_ADVICE =
  'The database is PostgreSQL. DATA_DIR contains at most the files encryption-key and api-key. Back up and restore the database with pg_dump and pg_restore, and keep a copy of ENCRYPTION_KEY or of the file DATA_DIR/encryption-key.';

const controller = new AbortController();
const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const;
/** Handles the first signal only, so that a second one ends the process. */
const stop = () => {
  for (const name of STOP_SIGNALS) process.removeListener(name, stop);
  controller.abort();
};
for (const name of STOP_SIGNALS) process.on(name, stop);

async function main(): Promise<string> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      force: { type: 'boolean', default: false },
      passphrase: { type: 'boolean', default: false },
      'passphrase-file': { type: 'string' },
    },
  });
  const [task, file, ...surplus] = positionals;
  if (!file || surplus.length > 0 || (task !== 'backup' && task !== 'restore')) throw new Error(`Usage: ${USAGE}`);
  const { dataDir, databaseUrl, encryptionKey, backupPassphrase } = loadDataSettings();
  if (databaseUrl !== '') throw new Error(POSTGRES_ADVICE);
  const passphrase = await readPassphrase({
    file: values['passphrase-file'],
    environment: backupPassphrase,
    shouldPrompt: values.passphrase,
    shouldConfirm: task === 'backup',
    terminal: { input: process.stdin, output: process.stderr },
    signal: controller.signal,
  });
  const progress = (label: string) => createProgress(process.stderr, label);
  const options = { file, dataDir, encryptionKey, passphrase, clock: systemClock, progress, signal: controller.signal };
  if (task === 'backup')
    return toBackupReport(file, await makeBackup(options), {
      isEncrypted: passphrase !== '',
      isKeyConfigured: encryptionKey !== '',
    });
  return toRestoreReport(dataDir, await restoreBackup({ ...options, force: values.force }));
}

const formatInstanceCount = (count: number) => (count === 1 ? '1 instance' : `${count} instances`);

/**
 * The report of a backup. `hasKey`: the file contains at least one encryption key of the gateway. `hasAllKeys`: the
 * file contains all of them. `isKeyConfigured`: ENCRYPTION_KEY is set.
 */
function toBackupReport(
  file: string,
  { size, manifest, hasKey, hasAllKeys }: BackupResult,
  { isEncrypted, isKeyConfigured }: { isEncrypted: boolean; isKeyConfigured: boolean },
): string {
  const summary = `${file}: ${formatInstanceCount(manifest.instances)}, ${(size / 2 ** 20).toFixed(1)} MiB, only its owner can read it.`;
  const keyAdvice = isKeyConfigured
    ? 'It does not contain ENCRYPTION_KEY, which encrypts the session keys: keep that key elsewhere.'
    : 'Some values are encrypted with a key that it does not contain. They cannot be read without that key.';
  const secrets = hasKey ? 'the session keys and, in plain text, a key that encrypts them' : 'the session keys';
  const protection = isEncrypted
    ? 'It is encrypted. Without its passphrase it cannot be restored: keep that elsewhere.'
    : `Warning: it is not encrypted and contains ${secrets}. Keep it as safe as the gateway itself, or add --passphrase.`;
  return [summary, protection, ...(hasAllKeys ? [] : [keyAdvice])].join('\n');
}

const FURTHER_KEY_ADVICE =
  'Warning: some values need a further key. Set ENCRYPTION_KEY to its value at the time of the backup before you start the gateway, because the gateway replaces session keys that it cannot decrypt. If that key is lost, link the instances concerned again: their cause is "unreadable".';

function toRestoreReport(dataDir: string, { manifest, oldFilesDir, hasAllKeys }: RestoreResult): string {
  const { instances, madeAt, network } = manifest;
  return [
    `${dataDir}: ${formatInstanceCount(instances)} of the ${network} network, as of ${new Date(madeAt).toISOString()}.`,
    ...(oldFilesDir ? [`The previous files are in ${oldFilesDir}: remove that folder when you do not need it.`] : []),
    ...(hasAllKeys ? [] : [FURTHER_KEY_ADVICE]),
    'Messages since then are missing, and so are newer encryption keys: the gateway has to request some incoming messages again, and recipients some outgoing ones.',
    'The gateway that was backed up must not run any more: both gateways would use the same sessions.',
  ].join('\n');
}

/** The line that reports an error. When a signal, such as Ctrl-C, stops a task, the task has changed nothing. */
function toErrorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.name === 'AbortError' ? 'stopped; nothing has changed' : error.message;
}

try {
  process.stdout.write(`${await main()}\n`);
} catch (error) {
  process.stderr.write(`messaging-gateway: ${toErrorText(error)}\n`);
  process.exitCode = 1;
}
