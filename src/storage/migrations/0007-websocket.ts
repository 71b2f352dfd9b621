// Which events go to sockets of an instance.
import type { Migration } from './migration.ts';

export const websockets: Migration = {
  version: 7,
  compatibleWith: 6,
  up: () => ['ALTER TABLE instance ADD COLUMN websocket TEXT'],
};
