import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Client, connect, createAuth } from '../../../test/support/client.ts';
import { createLightSandbox } from '../../../test/support/light-sandbox.ts';
import type { Sandbox } from '../src/sandbox.ts';
import { RawClient } from './raw-client.ts';

let sandbox: Sandbox;
let number = 491_700_400_000;

beforeAll(async () => {
  sandbox = await createLightSandbox();
});
afterEach(() => sandbox.faults.clear());
afterAll(async () => {
  expect(sandbox.unanswered).toEqual([]);
  await sandbox.close();
});
beforeEach(() => {
  number += 1;
});

async function open(auth = createAuth(sandbox.provision(String(number))), config = {}): Promise<Client> {
  const client = connect(sandbox, auth, config);
  await client.open();
  return client;
}

const CODES = [401, 402, 403, 405, 406, 409, 411, 428, 440, 500, 503, 515];

describe('close', () => {
  it.each(CODES)('the fault close closes an open connection so that Baileys reports %i', async (code) => {
    const client = await open();
    sandbox.faults.add({ kind: 'close', code });
    expect(await client.closed()).toBe(code);
  });

  it.each(CODES)('the fault close closes the next login with %i when no client is connected', async (code) => {
    const auth = createAuth(sandbox.provision(String(number)));
    sandbox.faults.add({ number: String(number), kind: 'close', code });
    expect(await connect(sandbox, auth).closed()).toBe(code);
    await open(auth);
  });

  it('the fault close applies `times` times', async () => {
    const client = await open();
    sandbox.faults.add({ number: String(number), kind: 'close', code: 503, times: 3 });
    expect(await client.closed()).toBe(503);
    expect(await connect(sandbox, client.auth).closed()).toBe(503);
    expect(await connect(sandbox, client.auth).closed()).toBe(503);
    await open(client.auth);
  });

  it('the fault close does not affect other numbers', async () => {
    const client = await open();
    sandbox.faults.add({ number: String(number + 500), kind: 'close', code: 503 });
    expect(await client.socket.fetchPrivacySettings(true)).toMatchObject({ last: 'all' });
  });
});

describe('stall', () => {
  it('the fault stall leaves the connection open without answers', async () => {
    const client = await open(undefined, { defaultQueryTimeoutMs: 200 });
    sandbox.faults.add({ number: String(number), kind: 'stall' });
    // A timed-out query resolves with undefined in this version of Baileys, so the destructuring of its answer fails.
    await expect(client.socket.fetchPrivacySettings(true)).rejects.toThrow(TypeError);
    expect(client.socket.ws.isOpen).toBe(true);
    sandbox.faults.clear();
    await client.socket.end(undefined);
    await open(client.auth);
  });

  it('the fault stall prevents the next login from completing', async () => {
    const auth = createAuth(sandbox.provision(String(number)));
    sandbox.faults.add({ number: String(number), kind: 'stall' });
    const client = connect(sandbox, auth);
    let hasOpened = false;
    void client
      .update(({ connection }) => connection === 'open')
      .then(() => {
        hasOpened = true;
      });
    await new Promise((resolve) => client.socket.ws.once('frame', resolve));
    // This client begins its login later. Without the fault, the login of the first client would be complete before.
    await open(createAuth(sandbox.provision(String(number + 500))));
    expect([hasOpened, client.socket.ws.isOpen]).toEqual([false, true]);
  });
});

describe('freeze', () => {
  it('the fault freeze stops all answers, even to a WebSocket close', async () => {
    const [frozen, healthy] = await Promise.all(
      [number, number + 500].map((phoneNumber) =>
        RawClient.connect(sandbox.platformUrl, sandbox.provision(String(phoneNumber))),
      ),
    );
    await Promise.all([frozen?.received('success'), healthy?.received('success')]);
    sandbox.faults.add({ number: String(number), kind: 'freeze' });
    frozen?.hangUp();
    healthy?.hangUp();
    await healthy?.until(() => healthy.closed);
    expect(frozen?.closed).toBe(false);
  });

  it('the fault freeze queues stanzas for the next login, which does not count as a concurrent login', async () => {
    const client = await open();
    const before = sandbox.sessions.hadConcurrentLogins;
    sandbox.faults.add({ number: String(number), kind: 'freeze' });
    const id = await sandbox.phones.phone(String(number + 1)).send(String(number), { text: 'meanwhile' });
    const next = connect(sandbox, client.auth);
    const { messages } = await next.event('messages.upsert', ({ messages: [first] }) => first?.key.id === id);
    expect(messages[0]?.message?.conversation).toBe('meanwhile');
    expect(sandbox.sessions.hadConcurrentLogins).toBe(before);
  });

  it('the fault freeze applies to the next login when no client is connected', async () => {
    const auth = createAuth(sandbox.provision(String(number)));
    sandbox.faults.add({ number: String(number), kind: 'freeze' });
    const raw = await RawClient.connect(sandbox.platformUrl, auth.creds);
    await expect.poll(() => sandbox.world.companion(`${number}:1@s.whatsapp.net`)?.connection?.frozen).toBe(true);
    expect(raw.nodes).toEqual([]);
    await open(auth);
  });
});

describe('drop', () => {
  it('the fault drop terminates the socket immediately', async () => {
    const client = await open();
    sandbox.faults.add({ number: String(number), kind: 'drop' });
    expect(await client.closed()).toBe(428);
  });

  it('the fault drop terminates the socket after `after` frames of the client', async () => {
    const client = await open();
    await client.socket.fetchBlocklist();
    sandbox.faults.add({ number: String(number), kind: 'drop', after: 2 });
    await client.socket.fetchBlocklist();
    await client.socket.fetchBlocklist();
    expect(await client.closed()).toBe(428);
  });
});

describe('failNext', () => {
  it('the fault failNext answers the next iq of the xmlns with the code, once', async () => {
    const client = await open();
    sandbox.faults.add({ number: String(number), kind: 'failNext', xmlns: 'status', code: 429 });
    expect(await client.socket.fetchPrivacySettings(true)).toBeDefined();
    await expect(client.socket.updateProfileStatus('busy')).rejects.toMatchObject({ data: 429 });
    await client.socket.updateProfileStatus('busy');
    expect(sandbox.world.account(String(number)).statusText).toBe('busy');
  });
});

describe('duplicate', () => {
  it('the fault duplicate delivers the next stanza twice', async () => {
    const client = await open();
    const companion = sandbox.world.companion(`${number}:1@s.whatsapp.net`);
    if (!companion) throw new Error('not linked');
    let deliveries = 0;
    const done = new Promise<void>((resolve) => {
      client.socket.ws.on('CB:notification,id:n1', () => ++deliveries === 2 && resolve());
    });
    sandbox.faults.add({ kind: 'duplicate' });
    const attrs = { id: 'n1', from: `${number}@s.whatsapp.net`, type: 'devices' };
    sandbox.world.deliver(companion, 'n1', { tag: 'notification', attrs });
    await done;
  });
});

describe('injected stanzas', () => {
  it('inject() rejects a stanza that does not fit in a frame, and the connection continues', async () => {
    const client = await RawClient.connect(sandbox.platformUrl, sandbox.provision(String(number)));
    await client.received('success');
    expect(() => sandbox.inject(String(number), 'stanza', Buffer.alloc(16 * 1024 * 1024 - 1))).toThrow(RangeError);
    await client.goLive();
    expect(client.failures).toEqual([]);
  });
});

describe('http', () => {
  it('the fault http answers the next WebSocket upgrade with the status, once', async () => {
    const auth = createAuth(sandbox.provision(String(number)));
    sandbox.faults.add({ kind: 'http', code: 403 });
    const client = connect(sandbox, auth);
    const status = await new Promise((resolve) => {
      client.socket.ws.on('unexpected-response', (_request: unknown, response: { statusCode: number }) =>
        resolve(response.statusCode),
      );
    });
    expect(status).toBe(403);
    await open(auth);
  });

  it('the fault http cannot be limited to a number, because an upgrade does not identify the account', () => {
    expect(() => sandbox.faults.add({ kind: 'http', code: 403, number: '491700000001' })).toThrow(RangeError);
  });
});
