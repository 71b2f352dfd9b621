// The proxy of an instance, encrypted.
import type { Migration } from './migration.ts';

export const proxies: Migration = {
  version: 6,
  // A binary that does not know it would connect without it.
  compatibleWith: 6,
  up: (dialect) => [`ALTER TABLE instance ADD COLUMN proxy ${dialect === 'sqlite' ? 'BLOB' : 'BYTEA'}`],
};
