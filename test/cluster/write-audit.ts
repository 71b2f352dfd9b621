// Triggers in PostgreSQL that record writes to an instance by a node that does not hold its lease. The check does not
// depend on the nodes.
import type { PostgresServer } from '../support/postgres.ts';

/** Tables of credentials and keys, messages and their statuses, events, and requests with an idempotency key. */
const TABLES = ['auth_key', 'message', 'message_status', 'event', 'request'];

const SETUP = `
  CREATE SEQUENCE audited;
  CREATE TABLE stray (tablename TEXT, instance TEXT, writer TEXT, owner TEXT, at TIMESTAMPTZ DEFAULT clock_timestamp());
  CREATE FUNCTION audit_writer() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE holder TEXT;
    BEGIN
      PERFORM nextval('audited');
      SELECT n.name INTO holder FROM lease l JOIN node n ON n.id = l.owner WHERE l.instance = NEW.instance;
      IF holder IS DISTINCT FROM current_setting('application_name') THEN
        INSERT INTO stray VALUES (TG_TABLE_NAME, NEW.instance, current_setting('application_name'), holder);
      END IF;
      RETURN NULL;
    END $$;
  ${TABLES.map(
    (name) => `CREATE TRIGGER audit AFTER INSERT OR UPDATE ON ${name} FOR EACH ROW EXECUTE FUNCTION audit_writer();`,
  ).join('\n')}`;

export interface ForeignWrite {
  tablename: string;
  writer: string;
  owner: string | null;
  count: number;
}

/**
 * Creates the triggers. Call it once, after the migrations. The connections of each node must have the name of the node
 * as `application_name`.
 */
export async function startAudit(server: PostgresServer, url: string): Promise<void> {
  await server.execute(url, SETUP);
}

/** Returns the number of checked writes, and the writes by a node without the lease. */
export async function readAudit(
  server: PostgresServer,
  url: string,
): Promise<{ checked: number; foreignWrites: ForeignWrite[] }> {
  const [row] = (await server.execute(url, 'SELECT last_value::integer AS checked FROM audited')) as {
    checked: number;
  }[];
  const foreignWrites = await server.execute(
    url,
    'SELECT tablename, writer, owner, count(*)::integer FROM stray GROUP BY tablename, writer, owner',
  );
  return { checked: row?.checked ?? 0, foreignWrites: foreignWrites as ForeignWrite[] };
}
