import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { rootCertificates } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { getTlsIdentity } from '../../packages/sandbox/src/wire/tls.ts';
import { createEgress, type Egress, type EgressOptions, type EgressStream } from '../../src/egress/http-client.ts';

async function serve(listener: RequestListener): Promise<string> {
  const server = createTlsServer(await getTlsIdentity(), listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function open(hosts: string[], more: Partial<EgressOptions> = {}): Promise<Egress> {
  const { caPem } = await getTlsIdentity();
  const platform = { isHost: (host: string) => hosts.includes(host), ca: [...rootCertificates, caPem] };
  const egress = createEgress({ allow: [], strict: true, isSandbox: true, platform, ...more });
  onTestFinished(() => egress.close());
  return egress;
}

const receive = <T>(egress: Egress, url: string, take: (answer: EgressStream) => Promise<T>, timeout = 5_000) =>
  egress.receive('platform', { method: 'GET', url, timeout }, take);

async function all({ body }: EgressStream): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe('files of the platform', () => {
  it('come as they are sent, over TLS that the endpoint vouches for', async () => {
    const first = Promise.withResolvers<void>();
    const host = await serve(async (_, response) => {
      response.write('one ');
      await first.promise;
      response.end('two');
    });
    const egress = await open([host]);
    const read = await receive(egress, `https://${host}/f`, async (answer) => {
      const chunks: string[] = [];
      for await (const chunk of answer.body) {
        chunks.push(Buffer.from(chunk).toString());
        first.resolve();
      }
      return { status: answer.status, chunks };
    });
    expect(read).toEqual({ status: 200, chunks: ['one ', 'two'] });
  });

  it('come from the hosts of the platform only, by https only, also after a redirect', async () => {
    const asked: string[] = [];
    const other = await serve((request, response) => void response.end(asked.push(`other ${request.url}`)));
    const host = await serve((request, response) => {
      asked.push(request.url ?? '');
      response.writeHead(302, { location: `https://${other}/elsewhere` }).end();
    });
    const egress = await open([host]);
    const forbidden = { code: 'ADDRESS_FORBIDDEN' };
    for (const url of [`https://${other}/f`, `http://${host}/f`, `https://${host}@${other}/f`, `https://${host}/moved`])
      await expect(receive(egress, url, all), url).rejects.toMatchObject(forbidden);
    expect(asked).toEqual(['/moved']);
  });

  it('do not come from private networks when the platform is the real one, nor from anywhere without a platform', async () => {
    const host = await serve((_, response) => void response.end('x'));
    const real = await open([host], { isSandbox: false });
    await expect(receive(real, `https://${host}/f`, all)).rejects.toMatchObject({ code: 'ADDRESS_FORBIDDEN' });
    const none = await open([], { platform: undefined });
    await expect(receive(none, 'https://mmg.whatsapp.net/f', all)).rejects.toMatchObject({ code: 'ADDRESS_FORBIDDEN' });
  });

  it('are not trusted with another certificate', async () => {
    const host = await serve((_, response) => void response.end('x'));
    const egress = await open([host], { platform: { isHost: () => true } });
    await expect(receive(egress, `https://${host}/f`, all)).rejects.toThrow();
  });

  it('may be left in the middle: the connection ends', async () => {
    const gone = Promise.withResolvers<void>();
    const host = await serve((_, response) => {
      response.once('close', () => gone.resolve());
      response.write('x'.repeat(100_000));
    });
    const egress = await open([host]);
    const status = await receive(egress, `https://${host}/f`, async (answer) => answer.status);
    expect(status).toBe(200);
    await gone.promise;
    const failure = receive(egress, `https://${host}/f`, async ({ body }) => {
      for await (const _ of body) throw new Error('enough');
    });
    await expect(failure).rejects.toThrow('enough');
  });

  it('fail when time is up, when they are cut off, and when the caller goes away', async () => {
    const host = await serve((request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('x');
      if (request.url === '/cut') response.destroy();
    });
    const egress = await open([host]);
    await expect(receive(egress, `https://${host}/late`, all, 50)).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    await expect(receive(egress, `https://${host}/cut`, all)).rejects.toThrow();
    const asker = new AbortController();
    const left = egress.receive(
      'platform',
      { method: 'GET', url: `https://${host}/f`, timeout: 5_000, signal: asker.signal },
      async ({ body }) => {
        for await (const _ of body) asker.abort(new Error('left'));
      },
    );
    await expect(left).rejects.toThrow('left');
  });

  it('do not make plain requests any different', async () => {
    const server = createServer((_, response) => void response.end('plain')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const egress = await open([], { strict: false });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const answer = await egress.request('webhook', { method: 'GET', url, timeout: 5_000, maxBytes: 100 });
    expect(answer.body.toString()).toBe('plain');
  });
});
