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

async function createClient(hosts: string[], overrides: Partial<EgressOptions> = {}): Promise<Egress> {
  const { caPem } = await getTlsIdentity();
  const platform = { isHost: (host: string) => hosts.includes(host), ca: [...rootCertificates, caPem] };
  const egress = createEgress({ allow: [], strict: true, isSandbox: true, platform, ...overrides });
  onTestFinished(() => egress.close());
  return egress;
}

const receive = <T>(egress: Egress, url: string, handle: (answer: EgressStream) => Promise<T>, timeout = 5_000) =>
  egress.receive('platform', { method: 'GET', url, timeout }, handle);

async function readAll({ body }: EgressStream): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe('Egress.receive', () => {
  it('Egress.receive() passes a file on as it arrives, over TLS with the certificates of the endpoint', async () => {
    const firstChunkRead = Promise.withResolvers<void>();
    const host = await serve(async (_, response) => {
      response.write('one ');
      await firstChunkRead.promise;
      response.end('two');
    });
    const egress = await createClient([host]);
    const result = await receive(egress, `https://${host}/f`, async (answer) => {
      const chunks: string[] = [];
      for await (const chunk of answer.body) {
        chunks.push(Buffer.from(chunk).toString());
        firstChunkRead.resolve();
      }
      return { status: answer.status, chunks };
    });
    expect(result).toEqual({ status: 200, chunks: ['one ', 'two'] });
  });

  it('Egress.receive() accepts only https URLs of hosts of the platform, also after a redirect', async () => {
    const requestedPaths: string[] = [];
    const other = await serve((request, response) => void response.end(requestedPaths.push(`other ${request.url}`)));
    const host = await serve((request, response) => {
      requestedPaths.push(request.url ?? '');
      response.writeHead(302, { location: `https://${other}/elsewhere` }).end();
    });
    const egress = await createClient([host]);
    const forbidden = { code: 'ADDRESS_FORBIDDEN' };
    for (const url of [`https://${other}/f`, `http://${host}/f`, `https://${host}@${other}/f`, `https://${host}/moved`])
      await expect(receive(egress, url, readAll), url).rejects.toMatchObject(forbidden);
    expect(requestedPaths).toEqual(['/moved']);
  });

  it('Egress.receive() rejects private addresses on the real platform, and all addresses without a platform', async () => {
    const host = await serve((_, response) => void response.end('x'));
    const realPlatform = await createClient([host], { isSandbox: false });
    await expect(receive(realPlatform, `https://${host}/f`, readAll)).rejects.toMatchObject({
      code: 'ADDRESS_FORBIDDEN',
    });
    const withoutPlatform = await createClient([], { platform: undefined });
    await expect(receive(withoutPlatform, 'https://mmg.whatsapp.net/f', readAll)).rejects.toMatchObject({
      code: 'ADDRESS_FORBIDDEN',
    });
  });

  it('Egress.receive() rejects a certificate that the platform does not trust', async () => {
    const host = await serve((_, response) => void response.end('x'));
    const egress = await createClient([host], { platform: { isHost: () => true } });
    await expect(receive(egress, `https://${host}/f`, readAll)).rejects.toThrow();
  });

  it('Egress.receive() closes the connection when the file is not read to its end', async () => {
    const connectionClosed = Promise.withResolvers<void>();
    const host = await serve((_, response) => {
      response.once('close', () => connectionClosed.resolve());
      response.write('x'.repeat(100_000));
    });
    const egress = await createClient([host]);
    const status = await receive(egress, `https://${host}/f`, async (answer) => answer.status);
    expect(status).toBe(200);
    await connectionClosed.promise;
    const failure = receive(egress, `https://${host}/f`, async ({ body }) => {
      for await (const _ of body) throw new Error('enough');
    });
    await expect(failure).rejects.toThrow('enough');
  });

  it('Egress.receive() rejects after a timeout, after a lost connection and when the caller aborts', async () => {
    const host = await serve((request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('x');
      if (request.url === '/cut') response.destroy();
    });
    const egress = await createClient([host]);
    await expect(receive(egress, `https://${host}/late`, readAll, 50)).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    await expect(receive(egress, `https://${host}/cut`, readAll)).rejects.toThrow();
    const controller = new AbortController();
    const aborted = egress.receive(
      'platform',
      { method: 'GET', url: `https://${host}/f`, timeout: 5_000, signal: controller.signal },
      async ({ body }) => {
        for await (const _ of body) controller.abort(new Error('left'));
      },
    );
    await expect(aborted).rejects.toThrow('left');
  });

  it('Egress.request() still accepts plain HTTP for webhooks', async () => {
    const server = createServer((_, response) => void response.end('plain')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const egress = await createClient([], { strict: false });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const answer = await egress.request('webhook', { method: 'GET', url, timeout: 5_000, maxBytes: 100 });
    expect(answer.body.toString()).toBe('plain');
  });
});
