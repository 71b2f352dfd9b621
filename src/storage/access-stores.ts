// The store interfaces of access keys and of the audit log.

export type AccessScope = 'read' | 'send' | 'admin';

export interface AccessKeyRow {
  /** UUID. */
  id: string;
  name: string;
  /** SHA-256 of the key in hex. The key itself is not stored. */
  digest: string;
  /** The first characters of the key, by which an operator recognizes it. */
  hint: string;
  scopes: AccessScope[];
  /** The instance it is bound to; null for all instances. */
  instanceId: string | null;
  /** Id of the key that replaces it; null when it was not rotated. */
  replacedBy: string | null;
  /** Epoch ms. */
  createdAt: number;
  /** Epoch ms at which it expires; null for never. */
  expiresAt: number | null;
  /** Epoch ms, exact to about a minute; null when it was never used. */
  lastUsedAt: number | null;
}

export interface AccessKeys {
  /** All, oldest first. */
  list(): Promise<AccessKeyRow[]>;
  /** Inserts or replaces rows by id in one transaction. Keeps `lastUsedAt` of existing rows. */
  put(rows: readonly AccessKeyRow[]): Promise<void>;
  /** Idempotent. */
  delete(id: string): Promise<void>;
  /** Stores the times of last use (epoch ms); an older time than the stored one is ignored. */
  recordUses(uses: readonly { id: string; at: number }[]): Promise<void>;
  /** Deletes keys that expired before `before` (epoch ms). Returns their number. */
  prune(before: number): Promise<number>;
}

/** One request with a valid key that changed something or was refused. */
export interface AuditEntry {
  /** Epoch ms. */
  at: number;
  /** Id of the access key; `global` for the global key, `instance` for the key of an instance. */
  key: string;
  /** operationId of the contract. */
  operation: string;
  scope: 'send' | 'admin';
  /** Name of the instance; null for operations that have none. */
  instance: string | null;
  /** Id of the object that the request changed, such as a webhook or a key. */
  subject: string | null;
  /** HTTP status of the response. */
  status: number;
  requestId: string;
  address: string;
}

export interface Audit {
  append(entries: readonly AuditEntry[]): Promise<void>;
  /** At most `limit` entries with seq > `after`, oldest first. */
  read(after: number, limit: number): Promise<(AuditEntry & { seq: number })[]>;
  /** Deletes entries older than `before` (epoch ms), and per scope all but about the newest `keep`. Returns their number. */
  prune(limits: { before: number; keep: number }): Promise<number>;
}
