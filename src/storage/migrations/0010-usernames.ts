// Adds the user names of contacts.
import type { Migration } from './migration.ts';

export const usernames: Migration = {
  version: 10,
  compatibleWith: 9,
  up: () => ['ALTER TABLE contact ADD COLUMN username TEXT'],
};
