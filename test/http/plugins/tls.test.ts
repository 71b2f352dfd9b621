// TLS on the loopback interface: the certificate of the gateway, and its renewal.
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import Fastify from 'fastify';
import { generate } from 'selfsigned';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { readCertificate, renewCertificate } from '../../../src/http/plugins/tls.ts';
import { emptyWebhookService, KEY, startHttp } from '../../support/http-fixture.ts';
import { FakeClock } from '../../support/instance-fakes.ts';

interface Pair {
  key: string;
  cert: string;
}
let [first, second]: Pair[] = [];

async function createPair(name: string): Promise<Pair> {
  const generated = await generate([{ name: 'commonName', value: name }], {
    ...{ keyType: 'ec', curve: 'P-256', algorithm: 'sha256' },
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
  return { key: generated.private, cert: generated.cert };
}

beforeAll(async () => {
  [first, second] = await Promise.all([createPair('first'), createPair('second')]);
});

/** Creates files with `pair`. Returns the settings that name them, and a function that replaces their content. */
function createFiles(pair: Pair | undefined) {
  const dir = mkdtempSync(join(tmpdir(), 'tls-test-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')];
  const write = ({ key: keyText, cert: certText }: Partial<Pair>) => {
    if (keyText) writeFileSync(key, keyText);
    if (certText) writeFileSync(cert, certText);
  };
  write(pair ?? {});
  return { write, settings: { serverType: 'https', sslConfPrivkey: key, sslConfFullchain: cert } as const };
}

/** Sends GET / over a new connection that trusts only the certificate of `pair`. */
async function get(port: number, pair: Pair | undefined): Promise<{ status: number; body: string }> {
  const sentRequest = request({ host: '127.0.0.1', port, path: '/', ca: pair?.cert, agent: false }).end();
  const [response] = await once(sentRequest, 'response');
  return { status: response.statusCode, body: await text(response) };
}

describe('SERVER_TYPE=https', () => {
  it('SERVER_TYPE=https serves requests over TLS with the configured certificate, and refuses plain HTTP', async () => {
    const { settings } = createFiles(first);
    const { app } = await startHttp({
      ...{
        SERVER_TYPE: 'https',
        SSL_CONF_PRIVKEY: settings.sslConfPrivkey,
        SSL_CONF_FULLCHAIN: settings.sslConfFullchain,
      },
    });
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    expect(url).toMatch(/^https:/);
    const port = Number(new URL(url).port);
    const { status, body } = await get(port, first);
    expect(status).toBe(200);
    expect(JSON.parse(body).documentation).toBe(`https://127.0.0.1:${port}/openapi.yaml`);
    const answers = await Promise.all(Array.from({ length: 40 }, () => get(port, first)));
    expect(answers.map((answer) => answer.status)).toEqual(Array(40).fill(200));
    await expect(get(port, second)).rejects.toThrow(/certificate|self-signed/);
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
  });

  it('SERVER_TYPE=https closes the connection of a client that does not finish the TLS handshake', async () => {
    const { settings } = createFiles(first);
    const { app } = await startHttp({
      ...{ SERVER_TYPE: 'https', REQUEST_TIMEOUT: '400' },
      ...{ SSL_CONF_PRIVKEY: settings.sslConfPrivkey, SSL_CONF_FULLCHAIN: settings.sslConfFullchain },
    });
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    await once(socket.resume(), 'close');
  });

  it('SERVER_TYPE=https encrypts a large response in pieces, so that an unread response needs little memory', async () => {
    const { settings } = createFiles(first);
    const event = JSON.stringify('x'.repeat(20_000_000));
    const readEvents = async () => ({ events: [event], next: 'here' });
    const env = {
      ...{ SERVER_TYPE: 'https', SSL_CONF_PRIVKEY: settings.sslConfPrivkey },
      ...{ SSL_CONF_FULLCHAIN: settings.sslConfFullchain },
    };
    const { app } = await startHttp(env, { webhookService: { ...emptyWebhookService, readEvents } });
    const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
    const options = { host: '127.0.0.1', port, path: '/events/shop', ca: first?.cert, headers: { apikey: KEY } };
    const completeRequest = request({ ...options, agent: false }).end();
    const [response] = await once(completeRequest, 'response');
    const body = await text(response);
    expect(JSON.parse(body)).toEqual({ events: ['x'.repeat(20_000_000)], next: 'here' });
    expect(response.headers['content-length']).toBe(String(body.length));

    const unsentBytes = Promise.withResolvers<number>();
    app.server.prependListener('timeout', ({ writableLength }) => unsentBytes.resolve(writableLength));
    const unreadRequest = request({ ...options, agent: false }).on('error', () => undefined);
    unreadRequest.on('response', (answer) => answer.on('error', () => undefined).pause());
    // The timeout starts after the first bytes of the response: on a busy machine, it could otherwise pass before.
    app.server.once('secureConnection', (connection) =>
      unreadRequest.once('response', () => connection.setTimeout(100)),
    );
    onTestFinished(() => void unreadRequest.destroy());
    unreadRequest.end();
    const waitingBytes = await unsentBytes.promise;
    expect(waitingBytes).toBeGreaterThan(0);
    expect(waitingBytes).toBeLessThan(500_000);
  });

  it('renewCertificate() uses new files for new connections, and keeps the old certificate while the files do not match', async () => {
    const { settings, write } = createFiles(first);
    const clock = new FakeClock();
    const certificate = readCertificate(settings);
    const app = Fastify({ https: { ...certificate } });
    app.get('/', async () => 'here');
    renewCertificate(app, settings, clock);
    onTestFinished(() => app.close());
    const port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);
    write({ cert: second?.cert });
    await clock.advance(3_600_000);
    expect((await get(port, first)).body).toBe('here');
    write({ key: second?.key });
    await clock.advance(3_600_000);
    expect((await get(port, second)).body).toBe('here');
    await expect(get(port, first)).rejects.toThrow();
  });

  it('readCertificate() throws for missing and mismatched files, and returns undefined without SERVER_TYPE=https', () => {
    const { settings } = createFiles(undefined);
    expect(() => readCertificate(settings)).toThrow(
      `SSL_CONF_PRIVKEY ${settings.sslConfPrivkey} cannot be read (ENOENT).`,
    );
    const mismatched = createFiles({ key: first?.key ?? '', cert: second?.cert ?? '' });
    expect(() => readCertificate(mismatched.settings)).toThrow(/are not a key and its certificate/);
    expect(readCertificate({ ...settings, serverType: 'http' })).toBeUndefined();
  });
});
