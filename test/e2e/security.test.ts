// Two promises of the documentation: no operation sends a request to a forbidden address, and the data folder contains
// no secret in clear.
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openStorage } from '../../src/storage/open.ts';
import { decodeCreds } from '../../src/whatsapp/baileys/auth/codec.ts';
import { at } from '../support/api.ts';
import { isEvent, type World } from '../support/gateway.ts';
import { ada, createOwnGroup, eve, ownNumber, startLinked } from '../support/group.ts';

/** Starts a server in the network of the operator that the gateway must not call. `hits` counts connections. */
async function startCanary() {
  let hits = 0;
  const server = createServer((_, response) => void response.end('secret')).on('connection', () => void hits++);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return { port: typeof address === 'object' && address ? address.port : 0, hits: () => hits };
}

describe('addresses in requests', () => {
  it('an address in the own network is rejected in any field and spelling, and gets no connection', async () => {
    const world = await startLinked();
    const group = await createOwnGroup(world);
    const { port, hits } = await startCanary();
    const requestBuilders: ((url: string) => [string, object])[] = [
      (image) => ['/message/sendSticker/sales', { number: ada, stickerMessage: { image } }],
      (audio) => ['/message/sendPlatformAudio/sales', { number: ada, audioMessage: { audio } }],
      (image) => [`/group/updateGroupPicture/sales?groupJid=${group.id}`, { image }],
      (picture) => ['/chat/updateProfilePicture/sales', { picture }],
    ];
    const urls = [
      `http://127.0.0.1:${port}/a`,
      `http://2130706433:${port}/a`,
      `http://0x7f.1:${port}/a`,
      `http://0177.0.0.1:${port}/a`,
      `http://[::ffff:7f00:1]:${port}/a`,
      `http://localhost:${port}/a`,
      `http://example.com@127.0.0.1:${port}/a`,
      `http://127.0.0.1:${port}#@example.com/`,
      `http:\\\\127.0.0.1:${port}\\a`,
      'http://169.254.169.254/latest/meta-data',
      'http://[fd00:ec2::254]/',
    ];
    for (const buildRequest of requestBuilders) {
      for (const url of urls) {
        const [path, body] = buildRequest(url);
        const { status, body: answer } = await world.api('POST', path, body);
        expect([status, at(answer, 'code'), path, url]).toEqual([400, 'ADDRESS_FORBIDDEN', path, url]);
      }
    }
    // The text is sent without a preview.
    const sent = await world.api('POST', '/message/sendText/sales', {
      number: ada,
      options: { linkPreview: true },
      textMessage: { text: `look http://127.0.0.1:${port}/a` },
    });
    expect(sent.status).toBe(201);
    for (const url of ['http://169.254.169.254/', 'http://2852039166/', 'http://[fe80::1]/', 'file:///etc/passwd']) {
      const set = await world.api('POST', '/webhook/set/sales', { enabled: true, url });
      expect([set.status, url]).toEqual([400, url]);
    }
    expect(hits()).toBe(0);
  });
});

describe('the data folder', () => {
  it('the data folder contains no key, token, secret or credential in clear, in any file', async () => {
    const world = await startLinked();
    await createOwnGroup(world);
    const token = 'a-token-of-an-instance-0123456789';
    await world.api('POST', '/instance/create', { instanceName: 'more', token, webhook: { url: world.receiver.url } });
    const url = `${world.receiver.url.replace('//', '//user:a-password-of-a-receiver@')}/a-path`;
    const headers = { authorization: 'Bearer a-header-of-a-receiver' };
    const set = await world.api('POST', '/webhook/set/sales', { enabled: true, url, headers });
    expect(set.status).toBe(201);
    await world.api('POST', '/message/sendText/sales', { number: ada, textMessage: { text: 'out' } });
    await world.sandbox.phones.phone(eve).send(ownNumber, { text: 'in' });
    await world.receiver.next(({ body }) => isEvent(body, 'messages.upsert'));
    const filesBefore = readFiles(world);
    await world.gateway.stop();
    const filesAfter = readFiles(world);
    const secrets = await secretsOf(world);
    secrets.set('token', Buffer.from(token));
    for (const text of ['a-password-of-a-receiver', 'a-header-of-a-receiver']) secrets.set(text, Buffer.from(text));
    expect(secrets.size).toBeGreaterThan(20);
    for (const [name, bytes] of [...filesBefore, ...filesAfter]) {
      for (const [secretName, secret] of secrets) {
        const encodings = [
          secret,
          ...(['base64', 'base64url', 'hex'] as const).map((form) => Buffer.from(secret.toString(form))),
        ];
        expect(
          encodings.some((form) => bytes.includes(form)),
          `${secretName} in ${name}`,
        ).toBe(false);
      }
    }
  });
});

/** All files except the two whose purpose is to contain a key. */
const readFiles = ({ dataDir }: World): [string, Buffer][] =>
  readdirSync(dataDir)
    .filter((name) => !['encryption-key', 'api-key'].includes(name))
    .map((name) => [name, readFileSync(join(dataDir, name))]);

/** All values that the store encrypts, by name. The gateway must be stopped. */
async function secretsOf({ dataDir }: World): Promise<Map<string, Buffer>> {
  const storage = await openStorage({ dataDir, network: 'sandbox' });
  const found = new Map<string, Buffer>();
  for (const { id, name, token } of await storage.instances.list()) {
    found.set(`token of ${name}`, Buffer.from(token));
    const bytes = await storage.authKeys.creds(id);
    const creds = bytes && decodeCreds(bytes);
    // The secret in the QR code is left out: it was shown and posted, and it has no use after the scan.
    for (const [label, secret] of Object.entries({
      noise: creds?.noiseKey.private,
      identity: creds?.signedIdentityKey.private,
      'signed pre-key': creds?.signedPreKey.keyPair.private,
    })) {
      if (secret) found.set(`${label} of ${name}`, Buffer.from(secret));
    }
    for (const type of ['session', 'pre-key', 'sender-key']) {
      for (const [key, value] of await storage.authKeys.readAll(id, type))
        found.set(`${type} ${key}`, Buffer.from(value.slice(0, 64)));
    }
  }
  for (const { id, secret } of await storage.webhooks.list()) {
    found.set(`secret of ${id}`, Buffer.from(secret.replace('whsec_', ''), 'base64'));
    found.set(`text of secret of ${id}`, Buffer.from(secret));
  }
  await storage.close();
  return found;
}
