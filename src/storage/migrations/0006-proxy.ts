// Adds the column for the proxy of an instance, which is encrypted.
import type { Migration } from './migration.ts';

export const proxies: Migration = {
  version: 6,
  // An older release would ignore the proxy and connect directly.
  compatibleWith: 6,
  up: (dialect) => [`ALTER TABLE instance ADD COLUMN proxy ${dialect === 'sqlite' ? 'BLOB' : 'BYTEA'}`],
};
