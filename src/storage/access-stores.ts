// The interfaces of keys that operators give out, and of the record of what was done with keys. Part of storage.ts, through which others
// import them.

export type AccessScope = 'read' | 'send' | 'admin';

export interface AccessKeyRow {
  /** UUID. */
  id: string;
  name: string;
  /** SHA-256 of the key, hex; the key itself is nowhere. */
  digest: string;
  /** The first characters of the key, to recognise it by. */
  hint: string;
  scopes: AccessScope[];
  /** The instance it is bound to; null for all of them. */
  instanceId: string | null;
  /** Id of the key that follows it; null when it was not rotated. */
  replacedBy: string | null;
  /** Epoch ms. */
  createdAt: number;
  /** Epoch ms from which it opens nothing; null: it stays. */
  expiresAt: number | null;
  /** Epoch ms, to the minute or so; null: never used. */
  lastUsedAt: number | null;
}

export interface AccessKeys {
  /** All, oldest first. */
  list(): Promise<AccessKeyRow[]>;
  /** Inserts or replaces by id, all together; `lastUsedAt` of one that is there stays. */
  put(rows: readonly AccessKeyRow[]): Promise<void>;
  /** Idempotent. */
  delete(id: string): Promise<void>;
  /** Notes uses, epoch ms; an older one than is known changes nothing. */
  used(uses: readonly { id: string; at: number }[]): Promise<void>;
  /** Removes those that expired before `before` (epoch ms). Returns how many. */
  prune(before: number): Promise<number>;
}

/** One request that changed something, or was refused with a key that is known. */
export interface AuditEntry {
  /** Epoch ms. */
  at: number;
  /** Id of the key; `global`, or `instance` for the instance's own. */
  key: string;
  /** operationId of the contract. */
  operation: string;
  scope: 'send' | 'admin';
  /** Name of the instance; null for operations that have none. */
  instance: string | null;
  /** Id of what it was about beyond the instance, such as a webhook or a key. */
  subject: string | null;
  /** HTTP status of the answer. */
  status: number;
  requestId: string;
  address: string;
}

export interface Audit {
  append(entries: readonly AuditEntry[]): Promise<void>;
  /** Oldest first, those with seq > `after`. */
  read(after: number, limit: number): Promise<(AuditEntry & { seq: number })[]>;
  /** Removes entries from before `before` (epoch ms), and of each scope all but about the newest `keep`. Returns how many. */
  prune(limits: { before: number; keep: number }): Promise<number>;
}
