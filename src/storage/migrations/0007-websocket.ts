// Adds the column for the websocket settings of an instance: which events its socket.io clients get.
import type { Migration } from './migration.ts';

export const websockets: Migration = {
  version: 7,
  compatibleWith: 6,
  up: () => ['ALTER TABLE instance ADD COLUMN websocket TEXT'],
};
