// Real sockets: the address of clients that reset their connection right after the request.
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { KEY, startHttp } from '../routes/fixture.ts';

/** Sends requests with this key, and resets their connections at once. */
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

async function listening(env: Record<string, string> = {}) {
  const http = await startHttp(env);
  const { port } = new URL(await http.app.listen({ host: '127.0.0.1', port: 0 }));
  return { ...http, port: Number(port) };
}

describe('a client that resets its connection', () => {
  it('has an address in the audit log', async () => {
    const { port, recorded } = await listening();
    await resetAfterRequest(port, KEY, 20);
    await waitFor(() => expect(recorded).toHaveLength(20));
    for (const entry of recorded)
      expect(entry).toMatchObject({ address: expect.stringMatching(/^(127\.0\.0\.1|unknown)$/) });
  });

  it('has its wrong keys counted', async () => {
    const { port, log } = await listening({ AUTH_FAILURE_LIMIT: '5' });
    await resetAfterRequest(port, 'wrong', 20);
    const refused = () => log.filter(({ msg }) => msg === 'request.refused');
    await waitFor(() => expect(refused()).toHaveLength(20));
    expect(log.filter(({ level }) => Number(level) >= 50)).toEqual([]);
    expect(refused().filter(({ code }) => code === 'RATE_LIMITED').length).toBeGreaterThan(0);
  });
});
