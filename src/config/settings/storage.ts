// Settings of the database: its address, its encryption keys, what it stores, and for how long.
import { choice, type DeclaredSettings, flag, integer, text } from './declare.ts';

export const STORAGE = {
  DATA_DIR: text('./data', {
    help: 'Directory for the SQLite database and the keys.',
    whenToChange: 'Set it to a persistent volume.',
  }),
  DATABASE_URL: text('', {
    help: 'PostgreSQL connection URL (`postgres://…`). Empty: SQLite in `DATA_DIR`.',
    whenToChange: 'Set it for several nodes, or when PostgreSQL is already backed up and monitored.',
  }),
  DATABASE_SHARED: flag(false, {
    help: 'Allow a PostgreSQL database that contains tables of another program.',
    whenToChange: 'Set it when the gateway cannot have a database of its own.',
  }),
  DATABASE_WAIT: integer(60_000, {
    help: 'Time that the start waits for PostgreSQL to become reachable.',
    unit: 'ms',
    whenToChange: 'Raise it when PostgreSQL starts at the same time and takes longer.',
  }),
  DATABASE_POOL_SIZE: integer(10, {
    help: 'Size of the PostgreSQL connection pool. The gateway opens two more connections for leases.',
    unit: 'count',
    minimum: 1,
    maximum: 1000,
    whenToChange: 'Lower it when PostgreSQL allows few connections; see [PostgreSQL](../deploy/postgresql.md).',
  }),
  SQLITE_SYNCHRONOUS: choice('NORMAL', ['NORMAL', 'FULL'], {
    help: 'SQLite durability. `NORMAL` survives a crash of the process. `FULL` also survives a power failure and is slower.',
    whenToChange: 'Set `FULL` on machines that can lose power.',
  }),
  ENCRYPTION_KEY: text('', {
    help: 'Key that encrypts secrets in the database: 32 bytes in base64. Of several keys, comma separated, the first encrypts and all decrypt. Empty: the first start generates it into `DATA_DIR`.',
    whenToChange:
      'Set it when a secret store manages your keys. All nodes of a cluster need the same. See [rotate keys](../operate/rotate-keys.md).',
  }),
  BACKUP_PASSPHRASE: text('', {
    help: 'Passphrase for `npm run backup` and `npm run restore`. Empty: backups are not encrypted.',
    whenToChange: 'Set it when backups leave the machine.',
  }),
  MESSAGE_RETENTION_DAYS: integer(0, {
    help: 'Time that messages are kept. 0: without a limit.',
    unit: 'days',
    maximum: 36_500,
    whenToChange: 'Set it to limit the size of the database, or when your rules for personal data require it.',
  }),
  MESSAGE_RETENTION_COUNT: integer(0, {
    help: 'Number of newest messages that are kept per instance. 0: all.',
    unit: 'count',
    whenToChange: 'Set it to limit the size of the database.',
  }),
  DATABASE_SAVE_DATA_NEW_MESSAGE: flag(true, {
    help: 'Store messages. false: events are sent, but messages cannot be searched, quoted by id or edited.',
    whenToChange: 'Set false when the gateway must not keep messages.',
  }),
  DATABASE_SAVE_MESSAGE_UPDATE: flag(true, {
    help: 'Store every status of a message. false: only the latest one.',
    whenToChange: 'Set false to save space when no client calls `POST /chat/findStatusMessage/{instance}`.',
  }),
  DATABASE_SAVE_DATA_CONTACTS: flag(true, {
    help: 'Store contacts.',
    whenToChange: 'Set false when the gateway must not keep contacts.',
  }),
  DATABASE_SAVE_DATA_CHATS: flag(true, {
    help: 'Store properties of chats beyond their messages, such as archived, pinned and muted.',
    whenToChange: 'Set false when no client reads these properties.',
  }),
  DATABASE_SAVE_DATA_LABELS: flag(true, {
    help: 'Store labels. false: labels cannot be listed or assigned.',
    whenToChange: 'Set false when no client uses labels.',
  }),
  DATABASE_SAVE_DATA_HISTORIC: flag(true, {
    help: 'Store the message history that the phone sends when it links.',
    whenToChange: 'Set false when only new messages matter.',
  }),
  DATABASE_SAVE_IS_ON_WHATSAPP: flag(true, {
    help: 'Store which numbers are on WhatsApp. false: only open sessions remember it.',
    whenToChange: 'Set false when the gateway must not keep numbers of people without a chat.',
  }),
  DATABASE_SAVE_IS_ON_WHATSAPP_DAYS: integer(7, {
    help: 'Time after which a number is looked up again.',
    unit: 'days',
    minimum: 1,
    maximum: 365,
    whenToChange: 'Raise it to send fewer lookups to WhatsApp; lower it when new accounts must be found sooner.',
  }),
} satisfies DeclaredSettings;
