// Opens the storage: connects to SQLite or PostgreSQL, migrates the schema, checks the encryption key and the network
// (WhatsApp or sandbox), and creates the stores.
import { type Clock, systemClock } from '../lib/clock.ts';
import { prepareDataDir } from '../lib/startup-errors.ts';
import { createAccessKeys } from './access-keys.ts';
import { createAudit } from './audit.ts';
import { createAuthKeys } from './auth-keys.ts';
import { createChats } from './chats.ts';
import { type Cipher, createCipher, KEY_CHECK_CONTEXT, loadKeys, type OnDamage } from './cipher.ts';
import { createContacts } from './contacts.ts';
import { type Database, unreadableError } from './database.ts';
import { createEventLog } from './event-log.ts';
import { createInstances } from './instances.ts';
import { LeaseFence } from './lease-fence.ts';
import { createLeases } from './leases.ts';
import { createMessages } from './messages.ts';
import { createMetadata } from './metadata.ts';
import { migrate } from './migrate.ts';
import { createOutbox } from './outbox.ts';
import { createRequests } from './requests.ts';
import { openSqlite } from './sqlite.ts';
import type { Metadata, Storage } from './storage.ts';
import { type OnQueryEnd, withTiming } from './timed-database.ts';
import { createWebhooks } from './webhooks.ts';
import { createWriteProbe, type WriteProbe } from './write-probe.ts';

export interface StorageOptions {
  /** Folder for the database file and the generated key; ':memory:' keeps both in memory (tests). */
  dataDir: string;
  /** URL of a PostgreSQL database (postgres://…). Default: SQLite in `dataDir`. */
  databaseUrl?: string;
  /** The network of the sessions. It is stored when the database is first opened and can never change. */
  network: 'whatsapp' | 'sandbox';
  /**
   * 32 bytes in base64. More keys can follow after commas; they only decrypt. Default: the content of
   * DATA_DIR/encryption-key, which is generated when the database is first opened.
   */
  encryptionKey?: string;
  /**
   * SQLite only. With 'normal', commits survive a killed process; with 'full', also a power failure. Default 'normal'.
   */
  synchronous?: 'normal' | 'full';
  /** PostgreSQL only: maximum number of connections. Default 10. */
  poolSize?: number;
  /** PostgreSQL only: ms after which an idle transaction is rolled back. Default 10 s. */
  idleTimeoutMs?: number;
  /** Whether to open a database that has tables of another program and none of the gateway. Default false. */
  allowForeignTables?: boolean;
  clock?: Clock;
  /** Called with the names of tables of other programs, unless `allowForeignTables` is true. */
  onForeignTables?: (tables: readonly string[]) => void;
  /** Called for a stored value that cannot be decrypted. */
  onDamage?: OnDamage;
  /** Called with the duration of every transaction and query. */
  onQueryEnd?: OnQueryEnd | undefined;
}

/**
 * Options of the connection pool for heartbeats and changes of leases. A lease is the right of one node of a cluster to
 * run an instance. The timeout is short, because a late heartbeat is worthless.
 */
const LEASE_POOL = { poolSize: 2, timeoutMs: 3_000 };

/**
 * Opens the storage. Rejects with STORAGE_UNAVAILABLE when the database does not respond, with STORAGE_UNREADABLE
 * when the encryption key is wrong or missing, and otherwise with an Error for the operator.
 */
export async function openStorage(options: StorageOptions): Promise<Storage> {
  const clock = options.clock ?? systemClock;
  if (options.dataDir !== ':memory:') prepareDataDir(options.dataDir);
  // Refuses writes to the instances of other nodes of a cluster.
  const fence = new LeaseFence();
  const connected = await connect(options, fence);
  // The probe writes through `connected`, so that it does not observe its own failures.
  const probe = createWriteProbe(() => createMetadata(connected));
  const database = probe.observe(options.onQueryEnd ? withTiming(connected, options.onQueryEnd) : connected);
  const metadata = createMetadata(database);
  // Heartbeats and changes of leases have their own connections. Heartbeats that wait behind the queries of a busy node
  // would be late, and other nodes would consider this node dead.
  const leaseDatabase =
    connected.dialect === 'postgres' ? await connect({ ...options, ...LEASE_POOL }, fence) : undefined;
  const close = async () => void (await Promise.all([connected.close(), leaseDatabase?.close()]));
  try {
    const foreign = await migrate(database, clock, { allowForeignTables: options.allowForeignTables ?? false });
    if (foreign.length > 0 && !options.allowForeignTables) options.onForeignTables?.(foreign);
    await checkNetwork(metadata, options.network);
    const cipher = await openCipher(metadata, options);
    const onDamage = options.onDamage ?? (() => undefined);
    return createStores({ database, leaseDatabase, close, fence, metadata, probe, cipher, clock, onDamage });
  } catch (error) {
    await close();
    throw error;
  }
}

async function connect(options: StorageOptions & { timeoutMs?: number }, fence: LeaseFence): Promise<Database> {
  const { dataDir, databaseUrl, synchronous = 'normal', poolSize = 10, timeoutMs, idleTimeoutMs } = options;
  if (databaseUrl === undefined || databaseUrl === '') return openSqlite({ dataDir, synchronous });
  if (/^postgres(ql)?:\/\//.test(databaseUrl)) {
    // Loaded on demand, because loading the driver takes a noticeable part of the startup time.
    const { openPostgres } = await import('./postgres.ts');
    return openPostgres({ url: databaseUrl, poolSize, timeoutMs, idleTimeoutMs, fence });
  }
  throw new Error('DATABASE_URL must start with postgres:// (leave it out to use the embedded database in DATA_DIR).');
}

/** Stores the network when the database is first opened, and rejects another network later. */
async function checkNetwork(metadata: Metadata, network: string): Promise<void> {
  const stored = await metadata.getOrSet('network', network);
  if (stored === network) return;
  throw new Error(
    `The database holds sessions of the ${stored} network and cannot be opened for the ${network} network. Choose another DATA_DIR or DATABASE_URL.`,
  );
}

/** Creates the cipher and checks the key with a stored value, so that a wrong key fails at startup and not later. */
async function openCipher(metadata: Metadata, { dataDir, encryptionKey }: StorageOptions): Promise<Cipher> {
  const stored = await metadata.get('encryption');
  const cipher = createCipher(loadKeys({ dataDir, configured: encryptionKey, hasEncryptedValues: stored !== null }));
  const keyCheck =
    stored ??
    (await metadata.getOrSet('encryption', Buffer.from(cipher.seal('opened', KEY_CHECK_CONTEXT)).toString('base64')));
  try {
    cipher.open(Buffer.from(keyCheck, 'base64'), KEY_CHECK_CONTEXT);
    return cipher;
  } catch (cause) {
    throw unreadableError(
      'The database was encrypted with another key: set ENCRYPTION_KEY to that one, or restore the file encryption-key in DATA_DIR.',
      cause,
    );
  }
}

interface StoreParts {
  database: Database;
  /** The connections for heartbeats and changes of leases. */
  leaseDatabase: Database | undefined;
  close: () => Promise<void>;
  fence: LeaseFence;
  metadata: Metadata;
  /** Checks whether the database accepts writes. */
  probe: WriteProbe;
  cipher: Cipher;
  clock: Clock;
  onDamage: OnDamage;
}

function createStores({
  database,
  leaseDatabase,
  close,
  fence,
  metadata,
  probe,
  cipher,
  clock,
  onDamage,
}: StoreParts): Storage {
  const authKeys = createAuthKeys(database, cipher, onDamage);
  fence.onAcquired(authKeys.dropCache);
  return {
    dialect: database.dialect,
    instances: createInstances({ database, fence, cipher, clock, onDeleted: authKeys.dropCache, onDamage }),
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
    metadata,
    leases: leaseDatabase && createLeases({ database: leaseDatabase, lookupDatabase: database, fence, cipher }),
    deriveKeys: (purpose) => cipher.derive(purpose),
    checkWritable: () => probe.check(),
    releaseMemory: () => database.releaseMemory(),
    close,
  };
}
