import { Agent } from 'node:https';
import { Curve } from '@whiskeysockets/baileys';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Client, connect, createAuth, pair } from '../../../test/support/client.ts';
import { createLightSandbox } from '../../../test/support/light-sandbox.ts';
import { createSandbox, type Sandbox } from '../src/sandbox.ts';

let sandbox: Sandbox;
let number = 491_700_200_000;

beforeAll(async () => {
  sandbox = await createSandbox({ extraReportedPreKeys: 1 });
});
afterAll(async () => {
  expect(sandbox.unanswered).toEqual([]);
  await sandbox.close();
});
beforeEach(() => {
  number += 1;
});

const provisioned = () => createAuth(sandbox.provision(String(number)));

async function openProvisioned(): Promise<Client> {
  const client = connect(sandbox, provisioned());
  await client.open();
  return client;
}

describe('login', () => {
  it('accepts a linked client without a QR code', async () => {
    const client = await pair(sandbox, String(number));
    await client.socket.end(undefined);
    const again = connect(sandbox, client.auth);
    await again.open();
    expect(await again.update((update) => update.receivedPendingNotifications === true)).toBeDefined();
  });

  it('delivers the history only after the first login', async () => {
    const client = await pair(sandbox, String(number));
    await client.event('messaging-history.set');
    const companion = sandbox.world.companion(`${number}:1@s.whatsapp.net`);
    expect(companion?.syncStarted).toBe(true);
  });

  it('accepts a provisioned client without QR code and key upload', async () => {
    const client = await openProvisioned();
    expect(client.auth.creds.nextPreKeyId).toBe(1);
  });

  it('accepts sixty provisioned clients at once', async () => {
    const clients = Array.from({ length: 60 }, (_, n) =>
      connect(sandbox, createAuth(sandbox.provision(String(491_700_300_001 + n)))),
    );
    await Promise.all(clients.map((client) => client.open()));
    expect(sandbox.connections().total).toBe(60);
    expect(new Set(sandbox.connections().companions.values())).toEqual(new Set([1]));
    await Promise.all(clients.map((client) => client.socket.end(undefined)));
    expect(sandbox.connections().total).toBe(0);
  });

  it('answers 401 to a client with another noise key', async () => {
    const creds = { ...sandbox.provision(String(number)), noiseKey: Curve.generateKeyPair() };
    expect(await connect(sandbox, createAuth(creds)).closed()).toBe(401);
  });

  it('answers 401 to a device that was never linked', async () => {
    const auth = provisioned();
    auth.creds.me = { id: `${number}:7@s.whatsapp.net` };
    expect(await connect(sandbox, auth).closed()).toBe(401);
  });

  it('offers TLS with a certificate of its own authority', async () => {
    const agent = new Agent({ ca: sandbox.caPem });
    const client = connect(sandbox, provisioned(), { waWebSocketUrl: sandbox.secureUrl, agent });
    await client.open();
    const trusting = connect(sandbox, provisioned(), { waWebSocketUrl: sandbox.secureUrl });
    await expect(trusting.open()).rejects.toThrow();
  });
});

describe('two logins of one device', () => {
  it('close the first connection with 440 and are recorded', async () => {
    const first = await openProvisioned();
    const twice = sandbox.sessions.hadConcurrentLogins;
    const second = connect(sandbox, first.auth);
    expect(await first.closed()).toBe(440);
    await second.open();
    expect(twice).toBe(false);
    expect(sandbox.sessions.hadConcurrentLogins).toBe(true);
    const companion = sandbox.world.companion(`${number}:1@s.whatsapp.net`);
    expect(companion && sandbox.connections().companions.get(companion)).toBe(1);
    expect(sandbox.sessions.all().at(-1)).toMatchObject({
      jid: `${number}:1@s.whatsapp.net`,
      logins: 2,
      replaced: 1,
      mostAtOnce: 2,
      sessions: [
        { to: expect.any(Number), replaced: true },
        { to: null, replaced: false },
      ],
    });
  });

  it('do not count as concurrent when the first connection was closed or frozen', async () => {
    const first = await openProvisioned();
    await first.socket.end(undefined);
    const second = connect(sandbox, first.auth);
    await second.open();
    sandbox.faults.add({ number: String(number), kind: 'freeze' });
    await connect(sandbox, first.auth).open();
    const device = sandbox.sessions.all().at(-1);
    expect(device).toMatchObject({ logins: 3, replaced: 1, mostAtOnce: 1 });
    expect(device?.sessions.map(({ to, replaced }) => [to !== null, replaced])).toEqual([
      [true, false],
      [true, true],
      [false, false],
    ]);
  });
});

describe('unlinking', () => {
  it('by the phone closes the client with 401 and refuses its next login', async () => {
    const client = await openProvisioned();
    const companion = sandbox.world.companion(`${number}:1@s.whatsapp.net`);
    if (!companion) throw new Error('not linked');
    sandbox.pairing.unlink(companion);
    expect(await client.closed()).toBe(401);
    expect(await connect(sandbox, client.auth).closed()).toBe(401);
    expect(sandbox.world.account(String(number)).companions.size).toBe(0);
  });

  it('by the client removes the device', async () => {
    const client = await openProvisioned();
    await client.socket.logout();
    expect(await connect(sandbox, client.auth).closed()).toBe(401);
    expect(sandbox.world.account(String(number)).companions.size).toBe(0);
  });

  it('notifies clients that keep a list of the account’s devices', async () => {
    const watcher = connect(sandbox, createAuth(sandbox.provision(String(number + 1_000))));
    await watcher.open();
    const jid = `${number}@s.whatsapp.net`;
    const devices = async () => (await watcher.socket.getUSyncDevices([jid], true, false)).map(({ device }) => device);
    sandbox.provision(String(number));
    expect(await devices()).toEqual([0, 1]);
    const notified = new Promise((resolve) => watcher.socket.ws.once('CB:notification,type:devices', resolve));
    sandbox.provision(String(number));
    await notified;
    // The client forgets the list while it handles the notification, which it has done when the next query comes back.
    await watcher.socket.fetchBlocklist();
    expect(await devices()).toEqual([0, 1, 2]);
  });
});

describe('closing the sandbox', () => {
  it('ends every connection and frees the port', async () => {
    const other = await createLightSandbox();
    const client = connect(other, createAuth(other.provision(String(number))));
    await client.open();
    await other.close();
    expect(await client.closed()).toBe(428);
    const port = Number(new URL(other.platformUrl).port);
    const next = await createSandbox({ port, tlsPort: false });
    await next.close();
  });
});
