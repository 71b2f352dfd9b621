import { join } from 'node:path';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { TemporarilyUnavailableError } from '../../src/lib/startup-errors.ts';
import { openWithRetry } from '../../src/storage/open-with-retry.ts';
import { emptyFolder } from '../support/folder.ts';

it('openWithRetry() retries while the Unix socket of the PostgreSQL server does not exist', async () => {
  const folder = emptyFolder();
  const lines: unknown[] = [];
  const log = pino({ base: null }, { write: (line) => lines.push(JSON.parse(line)) });
  const opening = openWithRetry({
    dataDir: join(folder, 'data'),
    databaseUrl: `postgresql://user@localhost/gateway?host=${encodeURIComponent(folder)}`,
    network: 'sandbox',
    log,
    maxWaitMs: 1_500,
  });
  await expect(opening).rejects.toBeInstanceOf(TemporarilyUnavailableError);
  expect(lines).toContainEqual(expect.objectContaining({ msg: 'storage.open.retried', reason: 'ENOENT' }));
});
