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

const createProvisionedAuth = () => createAuth(sandbox.provision(String(number)));

async function openProvisioned(): Promise<Client> {
  const client = connect(sandbox, createProvisionedAuth());
  await client.open();
  return client;
}

/** Waits until the server has noticed that every client has disconnected. A client can notice it earlier. */
const waitForNoConnections = () => expect.poll(() => sandbox.connections().total).toBe(0);

describe('login', () => {
  it('a linked client logs in without a QR code', async () => {
    const client = await pair(sandbox, String(number));
    await client.socket.end(undefined);
    await waitForNoConnections();
    const reconnected = connect(sandbox, client.auth);
    await reconnected.open();
    expect(await reconnected.update((update) => update.receivedPendingNotifications === true)).toBeDefined();
  });

  it('a new client receives its history after its first login', async () => {
    const client = await pair(sandbox, String(number));
    await client.event('messaging-history.set');
    const companion = sandbox.world.companion(`${number}:1@s.whatsapp.net`);
    expect(companion?.syncStarted).toBe(true);
  });

  it('a provisioned client logs in without a QR code and without an upload of keys', async () => {
    const client = await openProvisioned();
    expect(client.auth.creds.nextPreKeyId).toBe(1);
  });

  it('sixty provisioned clients can log in at the same time', async () => {
    await waitForNoConnections();
    const clients = Array.from({ length: 60 }, (_, n) =>
      connect(sandbox, createAuth(sandbox.provision(String(491_700_300_001 + n)))),
    );
    await Promise.all(clients.map((client) => client.open()));
    expect(sandbox.connections().total).toBe(60);
    expect(new Set(sandbox.connections().companions.values())).toEqual(new Set([1]));
    await Promise.all(clients.map((client) => client.socket.end(undefined)));
    await waitForNoConnections();
  });

  it('the login of a client with another noise key fails with 401', async () => {
    const creds = { ...sandbox.provision(String(number)), noiseKey: Curve.generateKeyPair() };
    expect(await connect(sandbox, createAuth(creds)).closed()).toBe(401);
  });

  it('the login of a device that was never linked fails with 401', async () => {
    const auth = createProvisionedAuth();
    auth.creds.me = { id: `${number}:7@s.whatsapp.net` };
    expect(await connect(sandbox, auth).closed()).toBe(401);
  });

  it('the sandbox offers TLS with a certificate of its own certificate authority', async () => {
    const agent = new Agent({ ca: sandbox.caPem });
    const client = connect(sandbox, createProvisionedAuth(), { waWebSocketUrl: sandbox.secureUrl, agent });
    await client.open();
    const clientWithoutCa = connect(sandbox, createProvisionedAuth(), { waWebSocketUrl: sandbox.secureUrl });
    await expect(clientWithoutCa.open()).rejects.toThrow();
  });
});

describe('concurrent logins of one device', () => {
  it('a second login of a device closes the first connection with 440 and is recorded', async () => {
    const first = await openProvisioned();
    const hadConcurrentLogins = sandbox.sessions.hadConcurrentLogins;
    const second = connect(sandbox, first.auth);
    expect(await first.closed()).toBe(440);
    await second.open();
    expect(hadConcurrentLogins).toBe(false);
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

  it('a second login is not recorded as concurrent when the first connection was closed or frozen', async () => {
    const first = await openProvisioned();
    await first.socket.end(undefined);
    await waitForNoConnections();
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

describe('unlinked devices', () => {
  it('an unlinked client is closed with 401, and its next login fails with 401', async () => {
    const client = await openProvisioned();
    const companion = sandbox.world.companion(`${number}:1@s.whatsapp.net`);
    if (!companion) throw new Error('not linked');
    sandbox.pairing.unlink(companion);
    expect(await client.closed()).toBe(401);
    expect(await connect(sandbox, client.auth).closed()).toBe(401);
    expect(sandbox.world.account(String(number)).companions.size).toBe(0);
  });

  it('logout() of a client removes its device from the account', async () => {
    const client = await openProvisioned();
    await client.socket.logout();
    expect(await connect(sandbox, client.auth).closed()).toBe(401);
    expect(sandbox.world.account(String(number)).companions.size).toBe(0);
  });

  it('a new device is reported to clients that keep a list of the devices of the account', async () => {
    const watcher = connect(sandbox, createAuth(sandbox.provision(String(number + 1_000))));
    await watcher.open();
    const jid = `${number}@s.whatsapp.net`;
    const devices = async () => (await watcher.socket.getUSyncDevices([jid], true, false)).map(({ device }) => device);
    sandbox.provision(String(number));
    expect(await devices()).toEqual([0, 1]);
    const notified = new Promise((resolve) => watcher.socket.ws.once('CB:notification,type:devices', resolve));
    sandbox.provision(String(number));
    await notified;
    // The client removes its copy of the list when it handles the notification. It has done so when this query returns.
    await watcher.socket.fetchBlocklist();
    expect(await devices()).toEqual([0, 1, 2]);
  });
});

describe('close()', () => {
  it('close() of the sandbox ends every connection and frees the port', async () => {
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
