import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silenceConsole } from '../../../test/support/console.ts';
import { type Control, createControl } from '../src/control/control.ts';
import { createSandbox, type Sandbox } from '../src/sandbox.ts';
import { newIdentity, RealClient } from './real-client.ts';

const ada = '15550004001';
const bob = '15550004002';

let sandbox: Sandbox;
let control: Control;
let url: string;

/** The answer of the gateway, which a test sets, and the API key of the last request. */
const gatewayAnswer: { status: number; body: object; key?: string } = { status: 200, body: {} };
const gateway = createServer((incoming, response) => {
  gatewayAnswer.key = String(incoming.headers.apikey);
  response
    .writeHead(gatewayAnswer.status, { 'content-type': 'application/json' })
    .end(JSON.stringify(gatewayAnswer.body));
});

silenceConsole();
beforeAll(async () => {
  sandbox = await createSandbox({ tlsPort: false });
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
  const { port } = gateway.address() as AddressInfo;
  control = createControl(sandbox, { gateway: { url: `http://127.0.0.1:${port}`, apikey: 'the-key' } });
  url = await control.listen(0);
});

afterAll(async () => {
  await control.close();
  await sandbox.close();
  gateway.close();
});

async function call(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

/** Connects a client that shows a QR code. */
async function startPairing() {
  const identity = newIdentity();
  const client = new RealClient(sandbox, identity);
  const qr = await client.until(() => client.qr);
  return { client, identity, qr };
}

describe('linking', () => {
  it('POST /phones/{number}/scan scans a QR text and responds when the client is linked', async () => {
    const { client, identity, qr } = await startPairing();
    const answer = await call('POST', `/phones/${ada}/scan`, { code: qr });
    expect(answer).toMatchObject({
      status: 200,
      body: { number: ada, device: 1, deviceJid: `${ada}:1@s.whatsapp.net` },
    });
    expect(await client.closed()).toBe(515);
    expect(identity.creds.me?.id).toBe(`${ada}:1@s.whatsapp.net`);
  });

  it('POST /phones/{number}/scan fetches the QR text of an instance from the gateway with its API key', async () => {
    const { client, qr } = await startPairing();
    Object.assign(gatewayAnswer, { status: 200, body: { code: qr } });
    expect(await call('POST', `/phones/${ada}/scan`, { instance: 'demo' })).toMatchObject({ status: 200 });
    expect(gatewayAnswer.key).toBe('the-key');
    await client.closed();
  });

  it.each([
    { gatewaySays: 404, body: {}, status: 404, error: 'the gateway has no instance demo' },
    { gatewaySays: 500, body: {}, status: 502, error: 'the gateway answered 500' },
    { gatewaySays: 200, body: { instance: { state: 'open' } }, status: 409, error: 'instance demo shows no QR code' },
  ])('POST /phones/{number}/scan responds $status when the gateway responds $gatewaySays without a QR text', async ({
    gatewaySays,
    body,
    status,
    error,
  }) => {
    Object.assign(gatewayAnswer, { status: gatewaySays, body });
    const answer = await call('POST', `/phones/${ada}/scan`, { instance: 'demo' });
    expect(answer).toMatchObject({ status, body: { error: expect.stringContaining(error) } });
  });

  it('POST /phones/{number}/scan responds 404 for a QR text that no client shows', async () => {
    const answer = await call('POST', `/phones/${ada}/scan`, { code: '2@old,a,b,c,1' });
    expect(answer).toMatchObject({ status: 404, body: { error: expect.stringContaining('QR code') } });
  });

  it('POST /phones/{number}/link links a client with a pairing code', async () => {
    const { client } = await startPairing();
    const pairingCode = await client.sock.requestPairingCode(bob);
    expect(await call('POST', `/phones/${bob}/link`, { pairingCode })).toMatchObject({
      status: 200,
      body: { number: bob },
    });
    expect(await client.closed()).toBe(515);
  });

  it("POST /admin/mock-phone/scan-qr accepts a body that is only the QR text, as Baileys' test suite sends it", async () => {
    const { client, qr } = await startPairing();
    const response = await fetch(`${url}/admin/mock-phone/scan-qr`, { method: 'POST', body: qr });
    expect(response.status).toBe(200);
    expect(await client.closed()).toBe(515);
  });

  it('POST /phones/{number}/unlink unlinks a device and closes its client with 401', async () => {
    const number = '15550004003';
    const creds = sandbox.provision(number);
    const client = new RealClient(sandbox, { creds, keys: new Map() });
    await client.open();
    expect((await call('POST', `/phones/${number}/unlink`, { device: 7 })).status).toBe(404);
    expect(await call('POST', `/phones/${number}/unlink`)).toMatchObject({ status: 200, body: { unlinked: [1] } });
    expect(await client.closed()).toBe(401);
    expect(await call('GET', `/phones/${number}`)).toMatchObject({ body: { devices: [] } });
  });
});

describe('phones', () => {
  it('POST /phones creates a phone with or without a number', async () => {
    const created = await call('POST', '/phones', { number: '+1 555-000-4010', name: 'Ada' });
    expect(created).toMatchObject({
      status: 201,
      body: {
        number: '15550004010',
        jid: '15550004010@s.whatsapp.net',
        lid: expect.stringMatching(/^\d+@lid$/),
        name: 'Ada',
      },
    });
    expect(await call('POST', '/phones')).toMatchObject({
      status: 201,
      body: { number: expect.stringMatching(/^1555/) },
    });
    expect(await call('GET', '/')).toMatchObject({ body: { apikey: 'the-key', phones: expect.any(Array) } });
  });

  it('a phone sends, reads, types and lists its messages over the control API', async () => {
    const sent = await call('POST', `/phones/${ada}/messages`, { to: bob, text: 'hello' });
    expect(sent).toMatchObject({ status: 201, body: { id: expect.any(String) } });
    await call('POST', `/phones/${ada}/typing`, { to: bob, state: 'recording' });
    await call('POST', `/phones/${bob}/presence`, { presence: 'available' });
    expect(await call('GET', `/phones/${bob}`)).toMatchObject({
      body: { presence: 'available', typing: { [ada]: 'recording' } },
    });
    expect(await call('POST', `/phones/${bob}/read`, { chat: ada })).toMatchObject({
      body: { read: [expect.any(String)] },
    });
    const { body } = await call('GET', `/phones/${bob}/messages`);
    expect(body).toMatchObject([{ from: ada, chat: ada, kind: 'text', text: 'hello', fromMe: false, receipts: [] }]);
  });

  it.each([
    'addressing',
    'form',
  ])('POST /phones/{number}/messages sends to the address that %s chooses', async (field) => {
    const [from, to] = ['15550004006', '15550004007'];
    await call('POST', `/phones/${from}/messages`, { to, text: 'hello', [field]: 'lid' });
    await call('POST', `/phones/${from}/messages`, { to, text: 'hello', [field]: 'pn' });
    const { body } = await call('GET', `/phones/${to}/messages`);
    expect(Array.isArray(body) && body.slice(-2)).toMatchObject([{ addressing: 'lid' }, { addressing: 'pn' }]);
  });

  it.each([
    { draft: { location: { latitude: 1, longitude: 2, name: 'Here' } }, kind: 'location' },
    { draft: { contact: { name: 'Bob', number: bob } }, kind: 'contact' },
    { draft: { text: 'both', mentions: [bob] }, kind: 'text' },
  ])('POST /phones/{number}/messages sends a $kind', async ({ draft, kind }) => {
    expect((await call('POST', `/phones/${ada}/messages`, { to: '15550004005', ...draft })).status).toBe(201);
    const { body } = await call('GET', '/phones/15550004005/messages');
    expect(Array.isArray(body) && body.at(-1)).toMatchObject({ kind });
  });
});

describe('invalid requests', () => {
  it.each([
    ['POST', '/phones', { number: 'abc' }, 400, 'number must be a phone number'],
    ['POST', '/phones', { number: ada, name: 5 }, 400, 'name must be a string'],
    ['GET', '/phones/15550010000', undefined, 404, 'is not on the platform'],
    ['POST', `/phones/${ada}/scan`, {}, 400, 'send either code or instance'],
    ['POST', `/phones/${ada}/link`, {}, 400, 'pairingCode is missing'],
    ['POST', `/phones/${ada}/link`, { pairingCode: 'AAAA1111' }, 404, 'no client waits'],
    ['POST', `/phones/${ada}/messages`, { text: 'x' }, 400, 'to must be a phone number'],
    ['POST', `/phones/${ada}/messages`, { to: bob }, 400, 'send exactly one of text'],
    ['POST', `/phones/${ada}/messages`, { to: bob, text: 'x', delete: { id: '1' } }, 400, 'send exactly one of text'],
    ['POST', `/phones/${ada}/messages`, { to: bob, text: 7 }, 400, 'text must be a string'],
    ['POST', `/phones/${ada}/messages`, { to: bob, location: { latitude: 1 } }, 400, 'location.longitude is missing'],
    ['POST', `/phones/${ada}/messages`, { to: bob, text: 'x', quoted: 'NONE' }, 400, 'no message NONE'],
    ['POST', `/phones/${ada}/messages`, { to: '15550010000', text: 'x' }, 400, 'not a number on the platform'],
    ['POST', `/phones/${ada}/read`, {}, 400, 'chat must be a phone number'],
    ['POST', `/phones/${ada}/typing`, { to: bob, state: 'dancing' }, 400, 'state must be one of composing'],
    ['POST', '/faults', { kind: 'meteor' }, 400, 'kind must be one of close'],
    ['POST', '/faults', { kind: 'close', code: 'x' }, 400, 'code must be a number'],
    ['POST', '/faults', { kind: 'nack' }, 400, 'a fault of kind nack needs a code'],
    ['POST', '/faults', { kind: 'http', times: 2 }, 400, 'a fault of kind http needs a code'],
    ['POST', '/faults', { kind: 'upload', code: 1000 }, 400, 'must be an HTTP status from 200 to 599'],
    ['POST', '/faults', { kind: 'http', code: 100 }, 400, 'must be an HTTP status from 200 to 599'],
    ['POST', '/faults', { kind: 'stall', times: -1 }, 400, 'times must be a whole number'],
    ['POST', '/faults', { kind: 'drop', after: 1.5 }, 400, 'after must be a whole number'],
    ['POST', `/phones/${ada}/messages`, { to: bob, text: 'x', addressing: 'x' }, 400, 'addressing must be one of pn'],
    ['POST', `/phones/${ada}/profile`, { name: 'Eve', picture: 'not base64!' }, 400, 'picture must be base64'],
    ['POST', `/phones/${ada}/blocked`, { add: [bob, '15550010000'] }, 400, '15550010000 is not a number'],
    ['GET', `/phones/${ada}/groups/%25`, undefined, 404, 'there is no group'],
    ['POST', `/phones/${ada}/channels/%25/follow`, {}, 404, 'Not Found'],
    ['POST', '/phones', [1], 400, 'body must be a JSON object'],
    ['GET', '/nowhere', undefined, 404, 'there is no GET /nowhere'],
  ])('%s %s %j returns %i: %s', async (method, path, body, status, error) => {
    expect(await call(method, path, body)).toMatchObject({ status, body: { error: expect.stringContaining(error) } });
  });

  it('the control API rejects a body that is not JSON', async () => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}/phones`, { method: 'POST', headers, body: '{' });
    expect([response.status, await response.json()]).toEqual([400, { error: 'body is not valid JSON' }]);
  });

  it('the control API rejects a Host header that is not loopback', async () => {
    const status = await new Promise((resolve) => {
      request(url, { headers: { host: 'evil.example' } }, (response) => resolve(response.statusCode)).end();
    });
    expect(status).toBe(403);
  });
});

describe('faults, sessions and log', () => {
  it('POST /faults adds a fault, which is applied once, and DELETE /faults removes pending faults', async () => {
    const number = '15550004020';
    const client = new RealClient(sandbox, { creds: sandbox.provision(number), keys: new Map() });
    await client.open();
    expect(await call('POST', '/faults', { kind: 'nack', number, code: 479 })).toMatchObject({ status: 201 });
    expect((await call('DELETE', '/faults')).status).toBe(204);
    await client.sock.sendMessage(`${bob}@s.whatsapp.net`, { text: 'goes through' });
    const phone = sandbox.phones.phone(bob);
    await phone.waitFor(() => phone.messages().some(({ text }) => text === 'goes through'));
    expect(await call('POST', '/faults', { kind: 'close', number, code: 503 })).toMatchObject({ status: 201 });
    expect(await client.closed()).toBe(503);
  });

  it('POST /faults freezes the connection of a client', async () => {
    const number = '15550004021';
    const client = new RealClient(sandbox, { creds: sandbox.provision(number), keys: new Map() });
    await client.open();
    expect(await call('POST', '/faults', { kind: 'freeze', number })).toMatchObject({ status: 201 });
    expect(sandbox.world.companion(`${number}:1@s.whatsapp.net`)?.connection?.frozen).toBe(true);
  });

  it('GET /sessions lists the login sessions of each device', async () => {
    const number = '15550004022';
    const client = new RealClient(sandbox, { creds: sandbox.provision(number), keys: new Map() });
    await client.open();
    const { status, body } = await call('GET', '/sessions');
    expect(status).toBe(200);
    const session = { from: expect.any(Number), to: null, replaced: false };
    const device = { jid: `${number}:1@s.whatsapp.net`, logins: 1, replaced: 0, mostAtOnce: 1, sessions: [session] };
    expect(body).toContainEqual(device);
  });

  it('GET /log lists no stanzas when all stanzas were answered', async () => {
    expect(await call('GET', '/log')).toEqual({ status: 200, body: [] });
  });
});
