// The URL parameters that enable TLS to a PostgreSQL server and select the certificates that are trusted.
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
const [trustedFile, otherFile] = [join(dir, 'ours.pem'), join(dir, 'other.pem')];

async function createCertificate() {
  const certificate = await generate([{ name: 'commonName', value: 'database' }], {
    ...{ keyType: 'ec', curve: 'P-256', algorithm: 'sha256' },
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
    ],
  });
  return { key: certificate.private, cert: certificate.cert };
}

beforeAll(async () => {
  const [serverCertificate, otherCertificate] = await Promise.all([createCertificate(), createCertificate()]);
  writeFileSync(trustedFile, serverCertificate.cert);
  writeFileSync(otherFile, otherCertificate.cert);
  server = await startPostgres({ tls: serverCertificate });
  url = await server.createDatabase();
});
afterAll(async () => {
  await server.stop();
  rmSync(dir, { recursive: true });
});

/** Opens the storage as the server does at startup. A startup that retries would exceed the timeout of a test. */
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
const readEncryption = () =>
  server.execute(
    url,
    'SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE datname IS NOT NULL ORDER BY ssl DESC LIMIT 1',
  );

describe('TLS to the database', () => {
  it('openWithRetry() connects with TLS when the URL sets sslmode and a file with the certificate authority', async () => {
    await start(`sslmode=verify-full&sslrootcert=${trustedFile}`);
    expect(await readEncryption()).toEqual([{ ssl: true }]);
  });

  it('openWithRetry() accepts an untrusted certificate only with sslmode=no-verify', async () => {
    await start('sslmode=no-verify');
    expect(await readEncryption()).toEqual([{ ssl: true }]);
    await expect(start('sslmode=verify-full')).rejects.toThrow(
      /cannot be used \(DEPTH_ZERO_SELF_SIGNED_CERT\)\. Check DATABASE_URL/,
    );
  });

  it('openWithRetry() fails at once for another certificate, another host name or a missing certificate file', async () => {
    await expect(start(`sslmode=verify-full&sslrootcert=${otherFile}`)).rejects.toThrow(/CERT.*Check DATABASE_URL/);
    await expect(start(`sslmode=verify-full&sslrootcert=${trustedFile}`, 'localhost')).rejects.toThrow(
      /ERR_TLS_CERT_ALTNAME_INVALID.*Check DATABASE_URL/,
    );
    await expect(start(`sslmode=verify-full&sslrootcert=${dir}/none.pem`)).rejects.toThrow(
      /ENOENT.*Check DATABASE_URL/,
    );
  });
});
