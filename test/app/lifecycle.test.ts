// The start of a gateway with a stale client version, and the stop of the HTTP server, over real sockets.
import { once } from 'node:events';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import Fastify, { type FastifyInstance } from 'fastify';
import { generate } from 'selfsigned';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HttpShutdown, type StartableParts, startGateway } from '../../src/app/lifecycle.ts';
import { loadConfig } from '../../src/config/load.ts';
import { ServerUrl } from '../../src/lib/server-url.ts';
import { createVersionSource } from '../../src/whatsapp/baileys/client-version.ts';
import { FakeClock, FakeWorld } from '../support/instance-fakes.ts';
import { silent } from '../support/session-fakes.ts';

/** Stops a server after a client has sent `head` and `accepted` was emitted. Resolves when the stop is complete. */
async function stopWithClient(
  app: Pick<FastifyInstance, 'listen' | 'server' | 'close'>,
  acceptedEvent: string,
  head: string,
) {
  const clock = new FakeClock();
  const shutdown = new HttpShutdown(clock, 45_000);
  shutdown.attach(app);
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
  const acceptance = once(app.server, acceptedEvent);
  const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  socket.write(head);
  await acceptance;
  const graceEnd = shutdown.stopAccepting();
  await clock.advance(5_000);
  await graceEnd;
  const closing = shutdown.closeConnections();
  await clock.advance(1_000);
  await closing;
}

/** Parts of which only the instance manager and the HTTP server do something, unless `parts` has others. */
function partsOf(world: FakeWorld, parts: Partial<StartableParts>): StartableParts {
  const config = loadConfig({ API_KEY: 'k'.repeat(32), HOST: '127.0.0.1', PORT: '0', DATA_DIR: tmpdir() });
  const app = Fastify();
  onTestFinished(() => app.close());
  const idlePart = { start: () => undefined };
  return {
    config,
    log: silent,
    serverUrl: new ServerUrl(config),
    access: idlePart,
    subscriptions: { load: async () => undefined },
    webhookService: {
      start: async () => undefined,
      loadReaders: async () => undefined,
      acquire: async () => undefined,
    },
    versionSource: { load: async () => undefined, refresh: async () => undefined, onChange: () => undefined },
    defaultProxy: undefined,
    testProxy: async () => undefined,
    app,
    manager: world.manager(),
    cluster: undefined,
    retention: idlePart,
    expiry: idlePart,
    collectors: undefined,
    memoryRelease: undefined,
    ...parts,
  };
}

describe('startGateway', () => {
  it('startGateway() loads no instance when METRICS_PORT is in use', async () => {
    const manager = new FakeWorld().manager();
    const inUse = new Error('port in use');
    const start = startGateway(
      partsOf(new FakeWorld(), { manager, collectors: { start: () => Promise.reject(inUse) } }),
    );
    await expect(start).rejects.toBe(inUse);
    expect(manager.ready).toBe(false);
  });

  it('startGateway() reconnects instances that WhatsApp refused as outdated when the client version changes', async () => {
    const world = new FakeWorld();
    const row = world.row({ desired: 'running', ownerJid: '4915100000001@s.whatsapp.net' });
    world.rows.set(row.id, row);
    world.linked.add(row.id);
    const page = Promise.withResolvers<string>();
    const versionSource = createVersionSource({
      facts: { get: async () => null, set: async () => undefined },
      network: 'whatsapp',
      override: undefined,
      fetchText: () => page.promise,
      clock: world.clock,
      log: silent,
    });
    const manager = world.manager();
    await startGateway(partsOf(world, { manager, versionSource }));
    (await world.link(1)).close(405);
    await world.reached('blocked(outdated)');
    page.resolve('{"client_revision":1099999999}');
    (await world.link(2)).open();
    await world.reached('open');
    expect(manager.list()[0]?.status()).toMatchObject({ state: 'open', cause: null });
  });
});

describe('HttpShutdown', () => {
  it('HttpShutdown closes a connection whose TLS handshake is not finished', async () => {
    const names = [{ name: 'commonName', value: 'x' }];
    const { private: key, cert } = await generate(names, { keyType: 'ec', curve: 'P-256' });
    const app = Fastify({ https: { key, cert } });
    await stopWithClient(app, 'connection', '');
    expect(app.server.listening).toBe(false);
  });

  it('HttpShutdown closes an upgraded connection', async () => {
    const app = Fastify();
    app.server.on('upgrade', (_request, socket) => socket.on('error', () => undefined));
    await stopWithClient(app, 'upgrade', 'GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n');
    expect(app.server.listening).toBe(false);
  });
});
