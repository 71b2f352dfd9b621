// A fake media host of WhatsApp that discards the uploaded files.
import { Agent, createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { getTlsIdentity } from '../../../packages/sandbox/src/wire/tls.ts';

/** Starts a media host that sends `answers` in turn. `requests` collects the requests. */
export async function startMediaHost(...answers: [status: number, body: object][]) {
  const { cert, key, caPem } = await getTlsIdentity();
  const requests: { url: URL; body: Buffer }[] = [];
  const server = createServer({ cert, key }, async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const [status, body] = answers[requests.length] ?? [500, {}];
    requests.push({ url: new URL(request.url ?? '', 'https://host'), body: Buffer.concat(parts) });
    response.writeHead(status).end(JSON.stringify(body));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { requests, hostname: `127.0.0.1:${port}`, agent: new Agent({ ca: caPem }) };
}
