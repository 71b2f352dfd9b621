// What of the address of a PostgreSQL server decides how its connections are encrypted, and whose certificate is believed.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openWithRetry } from '../../src/storage/open-with-retry.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';

let server: PostgresServer;
let url: string;
const dir = mkdtempSync(join(tmpdir(), 'postgres-tls-'));
const [ours, other] = [join(dir, 'ours.pem'), join(dir, 'other.pem')];

async function make() {
  const made = await generate([{ name: 'commonName', value: 'database' }], {
    ...{ keyType: 'ec', curve: 'P-256', algorithm: 'sha256' },
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
    ],
  });
  return { key: made.private, cert: made.cert };
}

beforeAll(async () => {
  const [pair, stranger] = await Promise.all([make(), make()]);
  writeFileSync(ours, pair.cert);
  writeFileSync(other, stranger.cert);
  server = await startPostgres({ tls: pair });
  url = await server.createDatabase();
});
afterAll(async () => {
  await server.stop();
  rmSync(dir, { recursive: true });
});

/** Opens the store as a start does; a start that waits for the server would wait longer than a test. */
async function start(parameters: string, host = '127.0.0.1') {
  const storage = await openWithRetry({
    ...{ dataDir: ':memory:', databaseUrl: `${url.replace('127.0.0.1', host)}?${parameters}`, network: 'sandbox' },
    ...{
      encryptionKey: Buffer.alloc(32, 1).toString('base64'),
      maxWaitMs: 600_000,
      log: { warn: vi.fn(), error: vi.fn() },
    },
  });
  onTestFinished(() => storage.close());
}
const encrypted = () =>
  server.execute(
    url,
    'SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE datname IS NOT NULL ORDER BY ssl DESC LIMIT 1',
  );

describe('TLS to the database', () => {
  it('is used when the address asks for it, with the certificate authority in a file', async () => {
    await start(`sslmode=verify-full&sslrootcert=${ours}`);
    expect(await encrypted()).toEqual([{ ssl: true }]);
  });

  it('accepts any certificate only when it is set so', async () => {
    await start('sslmode=no-verify');
    expect(await encrypted()).toEqual([{ ssl: true }]);
    await expect(start('sslmode=verify-full')).rejects.toThrow(
      /cannot be used \(DEPTH_ZERO_SELF_SIGNED_CERT\)\. Check DATABASE_URL/,
    );
  });

  it('ends the start at once, in words, with another certificate, another name or a missing file', async () => {
    await expect(start(`sslmode=verify-full&sslrootcert=${other}`)).rejects.toThrow(/CERT.*Check DATABASE_URL/);
    await expect(start(`sslmode=verify-full&sslrootcert=${ours}`, 'localhost')).rejects.toThrow(
      /ERR_TLS_CERT_ALTNAME_INVALID.*Check DATABASE_URL/,
    );
    await expect(start(`sslmode=verify-full&sslrootcert=${dir}/none.pem`)).rejects.toThrow(
      /ENOENT.*Check DATABASE_URL/,
    );
  });
});
