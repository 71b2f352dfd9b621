// PostgreSQL itself notes every write for an instance by a node that does not hold its lease: nothing that the nodes say is believed.
import type { PostgresServer } from '../support/postgres.ts';

/** Credentials and keys, messages and their statuses, events for webhooks, and requests that may come twice. */
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

export interface Stray {
  tablename: string;
  writer: string;
  owner: string | null;
  count: number;
}

/** To be called once, on a database whose tables are there; each node's connections must bear its name as their application. */
export async function startAudit(server: PostgresServer, url: string): Promise<void> {
  await server.execute(url, SETUP);
}

/** Rows that were looked at, and those that another node wrote. */
export async function readAudit(server: PostgresServer, url: string): Promise<{ checked: number; strays: Stray[] }> {
  const [row] = (await server.execute(url, 'SELECT last_value::integer AS checked FROM audited')) as {
    checked: number;
  }[];
  const strays = await server.execute(
    url,
    'SELECT tablename, writer, owner, count(*)::integer FROM stray GROUP BY tablename, writer, owner',
  );
  return { checked: row?.checked ?? 0, strays: strays as Stray[] };
}
