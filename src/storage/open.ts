// Configuration → Storage: opens the database, migrates it, and refuses one that belongs elsewhere (other network, other
// key, newer release, other process) with a sentence for the operator.
import { type Clock, systemClock } from '../lib/clock.ts';
import { prepareDataDir } from '../lib/startup-errors.ts';
import { createAccessKeys } from './access-keys.ts';
import { createAudit } from './audit.ts';
import { createAuthKeys } from './auth-keys.ts';
import { createChats } from './chats.ts';
import { type Cipher, createCipher, loadKeys, type OnDamage, STAMP } from './cipher.ts';
import { createContacts } from './contacts.ts';
import { type Database, unreadable } from './database.ts';
import { createEventLog } from './event-log.ts';
import { createFacts } from './facts.ts';
import { createInstances } from './instances.ts';
import { LeaseFence } from './lease-fence.ts';
import { createLeases } from './leases.ts';
import { createMessages } from './messages.ts';
import { migrate } from './migrate.ts';
import { createOutbox } from './outbox.ts';
import { createRequests } from './requests.ts';
import { openSqlite } from './sqlite.ts';
import type { Facts, Storage } from './storage.ts';
import { type OnQueryTimed, withTiming } from './timed-database.ts';
import { createWebhooks } from './webhooks.ts';
import { createWriteProbe, type WriteProbe } from './write-probe.ts';

export interface StorageOptions {
  /** Folder for the database file and the generated key; ':memory:' keeps both in memory (tests). */
  dataDir: string;
  /** postgres://… ; without it the embedded database in `dataDir` is used. */
  databaseUrl?: string;
  /** Which platform the sessions belong to; written at first open, and never mixed. */
  network: 'whatsapp' | 'sandbox';
  /** base64 of 32 bytes; further keys after commas only read. Default: DATA_DIR/encryption-key, generated at first open. */
  encryptionKey?: string;
  /** Embedded only. 'normal' survives a killed process, 'full' a power cut too. Default 'normal'. */
  synchronous?: 'normal' | 'full';
  /** PostgreSQL only: most connections. Default 10. */
  poolSize?: number;
  /** PostgreSQL only: ms after which a transaction that stands still loses its locks. Default 10 s. */
  standstill?: number;
  /** Open a database that has tables of another program and none of the gateway. Default false. */
  isShared?: boolean;
  clock?: Clock;
  /** Called with the tables of another program beside those of the gateway, unless the database `isShared`. */
  onForeignTables?: (tables: readonly string[]) => void;
  /** Hears of rows of one instance that cannot be read; the others are not concerned. */
  onDamage?: OnDamage;
  /** Hears how long the database took. */
  onTimed?: OnQueryTimed | undefined;
}

/** Connections for leases, and ms that they may take: what comes too late is no sign of life. */
const SIGNALS = { poolSize: 2, patience: 3_000 };

/**
 * Opens the store. Rejects with an Error whose message the operator can act on; with STORAGE_UNAVAILABLE when the
 * database does not answer, STORAGE_UNREADABLE when the encryption key is not the one the database was written with.
 */
export async function openStorage(options: StorageOptions): Promise<Storage> {
  const clock = options.clock ?? systemClock;
  if (options.dataDir !== ':memory:') prepareDataDir(options.dataDir);
  const fence = new LeaseFence();
  const connected = await connect(options, fence);
  const probe = createWriteProbe(() => createFacts(connected));
  const database = probe.watch(options.onTimed ? withTiming(connected, options.onTimed) : connected);
  const facts = createFacts(database);
  // A sign of life must not wait behind the work of a busy node: others would take it for dead.
  const signals = connected.dialect === 'postgres' ? await connect({ ...options, ...SIGNALS }, fence) : undefined;
  const close = async () => void (await Promise.all([connected.close(), signals?.close()]));
  try {
    const foreign = await migrate(database, clock, { isShared: options.isShared ?? false });
    if (foreign.length > 0 && !options.isShared) options.onForeignTables?.(foreign);
    await stampNetwork(facts, options.network);
    const cipher = await openCipher(facts, options);
    const onDamage = options.onDamage ?? (() => undefined);
    return assemble({ database, signals, close, fence, facts, probe, cipher, clock, onDamage });
  } catch (error) {
    await close();
    throw error;
  }
}

async function connect(options: StorageOptions & { patience?: number }, fence: LeaseFence): Promise<Database> {
  const { dataDir, databaseUrl, synchronous = 'normal', poolSize = 10, patience, standstill } = options;
  if (databaseUrl === undefined || databaseUrl === '') return openSqlite({ dataDir, synchronous });
  if (/^postgres(ql)?:\/\//.test(databaseUrl)) {
    // Loaded only when wanted: the driver is a noticeable part of a start.
    const { openPostgres } = await import('./postgres.ts');
    return openPostgres({ url: databaseUrl, poolSize, patience, standstill, fence });
  }
  throw new Error('DATABASE_URL must start with postgres:// (leave it out to use the embedded database in DATA_DIR).');
}

async function stampNetwork(facts: Facts, network: string): Promise<void> {
  const stamped = await facts.keep('network', network);
  if (stamped === network) return;
  throw new Error(
    `The database holds sessions of the ${stamped} network and cannot be opened for the ${network} network. Choose another DATA_DIR or DATABASE_URL.`,
  );
}

/** A known value under the key tells a wrong key at start, before any instance is told that it cannot be read. */
async function openCipher(facts: Facts, { dataDir, encryptionKey }: StorageOptions): Promise<Cipher> {
  const before = await facts.get('encryption');
  const cipher = createCipher(loadKeys({ dataDir, configured: encryptionKey, isInUse: before !== null }));
  const stamp =
    before ?? (await facts.keep('encryption', Buffer.from(cipher.seal('opened', STAMP)).toString('base64')));
  try {
    cipher.open(Buffer.from(stamp, 'base64'), STAMP);
    return cipher;
  } catch (cause) {
    throw unreadable(
      'The database was encrypted with another key: set ENCRYPTION_KEY to that one, or restore the file encryption-key in DATA_DIR.',
      cause,
    );
  }
}

interface Parts {
  database: Database;
  /** Of leases alone. */
  signals: Database | undefined;
  close: () => Promise<void>;
  fence: LeaseFence;
  facts: Facts;
  probe: WriteProbe;
  cipher: Cipher;
  clock: Clock;
  onDamage: OnDamage;
}

function assemble({ database, signals, close, fence, facts, probe, cipher, clock, onDamage }: Parts): Storage {
  const authKeys = createAuthKeys(database, cipher);
  return {
    dialect: database.dialect,
    instances: createInstances({ database, fence, cipher, clock, forget: authKeys.forget, onDamage }),
    authKeys,
    messages: createMessages(database, clock),
    contacts: createContacts(database),
    chats: createChats(database),
    webhooks: createWebhooks(database, cipher, onDamage),
    outbox: createOutbox(database, clock, fence),
    events: createEventLog(database),
    requests: createRequests(database),
    accessKeys: createAccessKeys(database),
    audit: createAudit(database),
    facts,
    leases: signals && createLeases({ database: signals, fence, cipher }),
    keysFor: (purpose) => cipher.derive(purpose),
    ping: () => probe.check(),
    close,
  };
}
