// The stop of the HTTP server, over real sockets.
import { once } from 'node:events';
import { connect } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { generate } from 'selfsigned';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HttpShutdown } from '../../src/app/lifecycle.ts';
import { FakeClock } from '../instances/fakes.ts';

/** Stops a server after a client has sent `head` and `accepted` was emitted. Resolves when the stop is complete. */
async function stopWithClient(
  app: Pick<FastifyInstance, 'listen' | 'server' | 'close'>,
  accepted: string,
  head: string,
) {
  const clock = new FakeClock();
  const shutdown = new HttpShutdown(clock, 45_000);
  shutdown.attach(app);
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
  const isAccepted = once(app.server, accepted);
  const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  socket.write(head);
  await isAccepted;
  const graceEnd = shutdown.stopAccepting();
  await clock.advance(5_000);
  await graceEnd;
  const closed = shutdown.closeConnections();
  await clock.advance(1_000);
  await closed;
}

describe('a stop closes the connection of a client', () => {
  it('that has not finished the TLS handshake', async () => {
    const names = [{ name: 'commonName', value: 'x' }];
    const { private: key, cert } = await generate(names, { keyType: 'ec', curve: 'P-256' });
    const app = Fastify({ https: { key, cert } });
    await stopWithClient(app, 'connection', '');
    expect(app.server.listening).toBe(false);
  });

  it('that was upgraded', async () => {
    const app = Fastify();
    app.server.on('upgrade', (_request, socket) => socket.on('error', () => undefined));
    await stopWithClient(app, 'upgrade', 'GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n');
    expect(app.server.listening).toBe(false);
  });
});
