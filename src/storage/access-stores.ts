// The store interfaces of access keys and of the audit log.

export type AccessScope = 'read' | 'send' | 'admin';

export interface AccessKeyRow {
  /** UUID. */
  id: string;
  name: string;
  /** SHA-256 of the key in hex. The key itself is not stored. */
  digest: string;
  /** The first characters of the key, by which an operator recognizes the key. */
  hint: string;
  scopes: AccessScope[];
  /** Id of the only instance that the key gives access to; null for all instances. */
  instanceId: string | null;
  /** Id of the key that replaced this one; null when this key was not rotated. */
  replacedBy: string | null;
  /** Epoch ms. */
  createdAt: number;
  /** Epoch ms at which the key expires; null for a key that does not expire. */
  expiresAt: number | null;
  /** Epoch ms of the last use, exact to about a minute; null when the key was never used. */
  lastUsedAt: number | null;
}

export interface AccessKeys {
  /** All keys, oldest first. */
  list(): Promise<AccessKeyRow[]>;
  /** Stores a new key. */
  insert(row: AccessKeyRow): Promise<void>;
  /**
   * Changes the key `id` and stores its replacement, in one transaction. Returns false, and changes nothing, when the
   * key does not exist or has a replacement already: another node can have revoked or rotated it.
   */
  replace(id: string, change: { replacedBy: string; expiresAt: number }, replacement: AccessKeyRow): Promise<boolean>;
  /** Deletes the key, if it exists. */
  delete(id: string): Promise<void>;
  /** Stores the times of last use (epoch ms); an older time than the stored one is ignored. */
  recordUses(uses: readonly { id: string; at: number }[]): Promise<void>;
  /** Deletes keys that expired before `before` (epoch ms). Returns their number. */
  prune(before: number): Promise<number>;
}

/**
 * One request with a valid key for an operation that changes data or reads secrets. A request also has an entry when it
 * fails or when the gateway refuses it, for example because the key lacks the scope.
 */
export interface AuditEntry {
  /** Epoch ms. */
  at: number;
  /** Id of the access key; `global` for the global key, `instance` for the key of an instance. */
  key: string;
  /** The operationId in the OpenAPI document. */
  operation: string;
  /** The scope that the operation requires. */
  scope: 'send' | 'admin';
  /** Name of the instance; null for operations that have none. */
  instance: string | null;
  /** Id of the object that the request changed, such as a webhook or a key. */
  subject: string | null;
  /** HTTP status of the response. */
  status: number;
  requestId: string;
  /** IP address of the client; `unknown` when the client reset its connection before the address was read. */
  address: string;
}

export interface Audit {
  /** Stores the entries in the given order. */
  append(entries: readonly AuditEntry[]): Promise<void>;
  /** At most `limit` entries with seq > `after`, oldest first. `seq` is the position of an entry in the log. */
  read(after: number, limit: number): Promise<(AuditEntry & { seq: number })[]>;
  /**
   * Deletes entries older than `before` (epoch ms). Of each kind of entries, also deletes all but the newest `keep`.
   * The kinds are sends, other operations, and requests with the status 401, 403 or 429. Uses several small
   * transactions. Returns the number of deleted entries. Ends after the current transaction when `signal` is aborted.
   */
  prune(limits: { before: number; keep: number }, signal?: AbortSignal): Promise<number>;
}
