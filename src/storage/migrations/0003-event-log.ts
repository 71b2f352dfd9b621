// For the event log: indexes of events by instance and of deliveries by event, the time at which a delivery became a
// dead letter, the time since which a webhook fails, and the time at which the events of each instance were last read.
import type { Migration } from './migration.ts';

export const eventLog: Migration = {
  version: 3,
  compatibleWith: 1,
  up(dialect) {
    const int = dialect === 'sqlite' ? 'INTEGER' : 'BIGINT';
    return [
      // Deliveries with `state` 1 are dead letters: deliveries that were given up.
      `ALTER TABLE delivery ADD COLUMN died_at ${int} NOT NULL DEFAULT 0`,
      // The time at which these deliveries died is unknown.
      'UPDATE delivery SET died_at = created_at WHERE state = 1',
      'CREATE INDEX delivery_dead ON delivery (died_at) WHERE state = 1',
      'CREATE INDEX delivery_by_seq ON delivery (seq)',
      'CREATE INDEX event_by_instance ON event (instance, seq)',
      `ALTER TABLE webhook ADD COLUMN failing_since ${int}`,
      `CREATE TABLE event_reader (instance TEXT PRIMARY KEY, read_at ${int} NOT NULL)`,
    ];
  },
};
