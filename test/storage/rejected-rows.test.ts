import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventBatch } from '../../src/events/event-batch.ts';
import type { Message } from '../../src/events/events.ts';
import { openStorage } from '../../src/storage/open.ts';
import { isRejectedRow } from '../../src/storage/rejected-rows.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { instance } from '../support/sample-rows.ts';

let server: PostgresServer;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

async function open(kind: string): Promise<Storage> {
  const databaseUrl = kind === 'PostgreSQL' ? await server.createDatabase() : undefined;
  const storage = await openStorage({ dataDir: ':memory:', network: 'sandbox', databaseUrl });
  await storage.instances.create(instance('i'));
  return storage;
}

const batch = (change: Partial<Message>, id = 'A1'): EventBatch => {
  const message: Message = {
    key: { remoteJid: '49@s.whatsapp.net', fromMe: false, id },
    message: { conversation: 'hello' },
    messageType: 'conversation',
    messageTimestamp: 1,
    source: 'android',
    ...change,
  };
  return { messages: [{ message, events: [] }], statuses: [], contacts: [], events: [] };
};

/** Content that cannot be converted to JSON. */
function createCyclicContent(): Message['message'] {
  const content: Message['message'] = { conversation: 'inside' };
  content.contextInfo = content;
  return content;
}

/** The error with which messages.record() rejects; undefined when it resolves. */
const errorOf = (storage: Storage, recording: EventBatch): Promise<unknown> =>
  storage.messages.record('i', recording).then(
    () => undefined,
    (error: unknown) => error,
  );

describe.each(['SQLite', 'PostgreSQL'])('%s', (kind) => {
  it('isRejectedRow() is true for content that is not JSON, and for a time that is out of range', async () => {
    const storage = await open(kind);
    expect(isRejectedRow(await errorOf(storage, batch({ message: createCyclicContent() })))).toBe(true);
    const error = await errorOf(storage, batch({ messageTimestamp: Number.MAX_VALUE }));
    expect(isRejectedRow(error)).toBe(true);
    expect(await errorOf(storage, batch({}))).toBeUndefined();
    await storage.close();
  });

  it('isRejectedRow() is false for the error of a closed storage', async () => {
    const storage = await open(kind);
    await storage.close();
    const error = await errorOf(storage, batch({}));
    expect(error).toBeDefined();
    expect(isRejectedRow(error)).toBe(false);
  });
});

it('isRejectedRow() is true when PostgreSQL rejects a key that is too long for an index', async () => {
  const storage = await open('PostgreSQL');
  // Random characters, because PostgreSQL compresses the values of an index.
  const id = Array.from({ length: 9_000 }, () => String.fromCharCode(0x4e00 + Math.floor(Math.random() * 20_000))).join(
    '',
  );
  expect(isRejectedRow(await errorOf(storage, batch({}, id)))).toBe(true);
  await storage.close();
});

it('isRejectedRow() is false for a CHECK constraint that an operator added to PostgreSQL', async () => {
  const databaseUrl = await server.createDatabase();
  const storage = await openStorage({ dataDir: ':memory:', network: 'sandbox', databaseUrl });
  await storage.instances.create(instance('i'));
  await server.execute(databaseUrl, 'ALTER TABLE message ADD CONSTRAINT refuse CHECK (false) NOT VALID');
  const error = await errorOf(storage, batch({}));
  expect(error).toBeDefined();
  expect(isRejectedRow(error)).toBe(false);
  await storage.close();
});

it('isRejectedRow() is false when the PostgreSQL server stops', async () => {
  const storage = await open('PostgreSQL');
  await server.halt();
  const error = await errorOf(storage, batch({}));
  await server.resume();
  expect(isRejectedRow(error)).toBe(false);
  await storage.close();
});

it.each([
  ['a full disk', { errcode: 13 }, false],
  ['a locked file', { errcode: 5 }, false],
  ['a value that is too big', { errcode: 18 }, true],
  ['a missing instance', { errcode: 787 }, false],
  ['a deadlock', { severity: 'ERROR', code: '40P01' }, false],
  ['too many connections', { severity: 'FATAL', code: '53300' }, false],
  ['a missing instance in PostgreSQL', { severity: 'ERROR', code: '23503' }, false],
  ['a text that is not UTF-8', { severity: 'ERROR', code: '22021' }, true],
  ['a lost connection', { code: 'ECONNRESET' }, false],
])('isRejectedRow() distinguishes errors of content from failures of the database: %s', (_what, fields, expected) => {
  const error = new Error('The database is not available', { cause: Object.assign(new Error('x'), fields) });
  expect(isRejectedRow(error)).toBe(expected);
});
