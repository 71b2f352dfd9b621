// Real sockets: the address of clients that reset their connection right after the request.
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { KEY, startHttp } from '../../support/http-fixture.ts';
import { waitFor } from '../../support/wait-for.ts';

/** Sends requests with this key, and resets each connection immediately. */
async function resetAfterRequest(port: number, key: string, count: number): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, () => {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined);
      onTestFinished(() => void socket.destroy());
      return new Promise<void>((resolve) => {
        socket.once('connect', () => {
          socket.write(`PUT /instance/restart/shop HTTP/1.1\r\nhost: x\r\napikey: ${key}\r\n\r\n`, () => {
            socket.resetAndDestroy();
            resolve();
          });
        });
      });
    }),
  );
}

async function startServer(env: Record<string, string> = {}) {
  const http = await startHttp(env);
  const { port } = new URL(await http.app.listen({ host: '127.0.0.1', port: 0 }));
  return { ...http, port: Number(port) };
}

describe('clients that reset their connection', () => {
  it('an entry of the audit log has an address, or "unknown", when the client resets its connection', async () => {
    const { port, recorded } = await startServer();
    await resetAfterRequest(port, KEY, 20);
    await waitFor(() => expect(recorded).toHaveLength(20));
    for (const entry of recorded)
      expect(entry).toMatchObject({ address: expect.stringMatching(/^(127\.0\.0\.1|unknown)$/) });
  });

  it('AUTH_FAILURE_LIMIT counts the wrong keys of clients that reset their connection', async () => {
    const { port, log } = await startServer({ AUTH_FAILURE_LIMIT: '5' });
    await resetAfterRequest(port, 'wrong', 20);
    const refusedRequests = () => log.filter(({ msg }) => msg === 'request.refused');
    await waitFor(() => expect(refusedRequests()).toHaveLength(20));
    expect(log.filter(({ level }) => Number(level) >= 50)).toEqual([]);
    expect(refusedRequests().filter(({ code }) => code === 'RATE_LIMITED').length).toBeGreaterThan(0);
  });
});
