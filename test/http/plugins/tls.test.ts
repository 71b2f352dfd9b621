// Real TLS on loopback: the gateway's own certificate, and its successor.
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
import { FakeClock } from '../../instances/fakes.ts';
import { emptyWebhookService, KEY, startHttp } from '../routes/fixture.ts';

interface Pair {
  key: string;
  cert: string;
}
let [first, second]: Pair[] = [];

async function make(name: string): Promise<Pair> {
  const made = await generate([{ name: 'commonName', value: name }], {
    ...{ keyType: 'ec', curve: 'P-256', algorithm: 'sha256' },
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
  return { key: made.private, cert: made.cert };
}

beforeAll(async () => {
  [first, second] = await Promise.all([make('first'), make('second')]);
});

/** Files that hold `pair`, and the settings that name them. */
function files(pair: Pair | undefined) {
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

/** GET over a connection of its own that trusts `pair` alone. */
async function get(port: number, pair: Pair | undefined): Promise<{ status: number; body: string }> {
  const asked = request({ host: '127.0.0.1', port, path: '/', ca: pair?.cert, agent: false }).end();
  const [response] = await once(asked, 'response');
  return { status: response.statusCode, body: await text(response) };
}

describe('SERVER_TYPE=https', () => {
  it('serves everything over TLS with the given certificate, and plain HTTP to no client', async () => {
    const { settings } = files(first);
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

  it('closes the connection of a client that does not finish the handshake', async () => {
    const { settings } = files(first);
    const { app } = await startHttp({
      ...{ SERVER_TYPE: 'https', REQUEST_TIMEOUT: '400' },
      ...{ SSL_CONF_PRIVKEY: settings.sslConfPrivkey, SSL_CONF_FULLCHAIN: settings.sslConfFullchain },
    });
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    await once(socket.resume(), 'close');
  });

  it('encrypts a large response in pieces, so that an unread one takes little memory', async () => {
    const { settings } = files(first);
    const event = JSON.stringify('x'.repeat(20_000_000));
    const readEvents = async () => ({ events: [event], next: 'here' });
    const env = {
      ...{ SERVER_TYPE: 'https', SSL_CONF_PRIVKEY: settings.sslConfPrivkey },
      ...{ SSL_CONF_FULLCHAIN: settings.sslConfFullchain },
    };
    const { app } = await startHttp(env, { webhookService: { ...emptyWebhookService, readEvents } });
    const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
    const asked = { host: '127.0.0.1', port, path: '/events/shop', ca: first?.cert, headers: { apikey: KEY } };
    const complete = request({ ...asked, agent: false }).end();
    const [response] = await once(complete, 'response');
    const body = await text(response);
    expect(JSON.parse(body)).toEqual({ events: ['x'.repeat(20_000_000)], next: 'here' });
    expect(response.headers['content-length']).toBe(String(body.length));

    app.server.timeout = 100;
    const unsent = Promise.withResolvers<number>();
    app.server.prependListener('timeout', ({ writableLength }) => unsent.resolve(writableLength));
    const unread = request({ ...asked, agent: false }).on('error', () => undefined);
    unread.on('response', (answer) => answer.on('error', () => undefined).pause());
    onTestFinished(() => void unread.destroy());
    unread.end();
    const waitingBytes = await unsent.promise;
    expect(waitingBytes).toBeGreaterThan(0);
    expect(waitingBytes).toBeLessThan(500_000);
  });

  it('uses a new certificate for new connections, and stays with the old one while the new files are not usable', async () => {
    const { settings, write } = files(first);
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

  it('ends the start with one sentence for files that cannot be used', () => {
    const { settings } = files(undefined);
    expect(() => readCertificate(settings)).toThrow(
      `SSL_CONF_PRIVKEY ${settings.sslConfPrivkey} cannot be read (ENOENT).`,
    );
    const strangers = files({ key: first?.key ?? '', cert: second?.cert ?? '' });
    expect(() => readCertificate(strangers.settings)).toThrow(/are not a key and its certificate/);
    expect(readCertificate({ ...settings, serverType: 'http' })).toBeUndefined();
  });
});
