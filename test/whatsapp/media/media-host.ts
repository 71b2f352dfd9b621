// A media host of WhatsApp that keeps nothing.
import { Agent, createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { getTlsIdentity } from '../../../packages/sandbox/src/wire/tls.ts';

/** A host that answers with `answers` in turn, and what it was asked. */
export async function host(...answers: [status: number, body: object][]) {
  const { cert, key, caPem } = await getTlsIdentity();
  const asked: { url: URL; body: Buffer }[] = [];
  const server = createServer({ cert, key }, async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const [status, body] = answers[asked.length] ?? [500, {}];
    asked.push({ url: new URL(request.url ?? '', 'https://host'), body: Buffer.concat(parts) });
    response.writeHead(status).end(JSON.stringify(body));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { asked, hostname: `127.0.0.1:${port}`, agent: new Agent({ ca: caPem }) };
}
