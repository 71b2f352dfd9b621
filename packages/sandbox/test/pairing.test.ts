import { getBinaryNodeChild, initAuthCreds, proto, WA_ADV_ACCOUNT_SIG_PREFIX } from '@whiskeysockets/baileys';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Client, connect, createAuth, pair } from '../../../test/support/client.ts';
import { createLightSandbox } from '../../../test/support/light-sandbox.ts';
import { isValidSignature, withWrongBit } from '../src/crypto/signing.ts';
import type { Sandbox } from '../src/sandbox.ts';

let sandbox: Sandbox;
let number = 491_700_100_000;

beforeAll(async () => {
  sandbox = await createLightSandbox();
});
afterAll(async () => {
  expect(sandbox.unanswered).toEqual([]);
  await sandbox.close();
});
beforeEach(() => {
  number += 1;
});

async function qrOf(client: Client): Promise<string> {
  const { qr = '' } = await client.update((update) => Boolean(update.qr));
  return qr;
}

describe('pairing by QR', () => {
  it('scanQr() links the client, which reconnects after 515 and logs in', async () => {
    const client = await pair(sandbox, String(number));
    const account = sandbox.world.account(String(number));
    expect(client.auth.creds.me?.id).toBe(`${number}:1@s.whatsapp.net`);
    expect(client.auth.creds.me?.lid).toBe(`${account.lid}:1@lid`);
    expect(client.auth.creds.me?.name).toBe(account.name);
    expect([...account.companions.keys()]).toEqual([1]);
    expect(account.companions.get(1)?.connection).toBeDefined();
    expect(sandbox.sessions.hadConcurrentLogins).toBe(false);
  });

  it('scanQr() gives a second client of the same number its own device number', async () => {
    const [first, second] = [await pair(sandbox, String(number)), await pair(sandbox, String(number))];
    expect(first.auth.creds.me?.id).toBe(`${number}:1@s.whatsapp.net`);
    expect(second.auth.creds.me?.id).toBe(`${number}:2@s.whatsapp.net`);
  });

  it('the server answers the pings of a client that shows a QR code', async () => {
    const client = connect(sandbox);
    await qrOf(client);
    const ping = {
      tag: 'iq',
      attrs: { type: 'get', xmlns: 'w:p', to: '@s.whatsapp.net' },
      content: [{ tag: 'ping', attrs: {} }],
    };
    expect(await client.socket.query(ping)).toMatchObject({ tag: 'iq', attrs: { type: 'result' } });
  });

  it('scanQr() rejects a QR code as stale when its client has disconnected', async () => {
    const client = connect(sandbox);
    const qr = await qrOf(client);
    await client.socket.end(undefined);
    await client.closed();
    // The server can notice later than the client that the connection is closed.
    await expect.poll(() => sandbox.connections().total).toBe(0);
    await expect(sandbox.pairing.scanQr(String(number), qr)).rejects.toMatchObject({ reason: 'stale' });
  });

  it('scanQr() links one of two phones that scan at the same time, and rejects the code as stale for the other', async () => {
    const qr = await qrOf(connect(sandbox));
    const other = String(number + 500_000);
    const scans = [String(number), other].map((phone) => sandbox.pairing.scanQr(phone, qr));
    const [first, second] = await Promise.allSettled(scans);
    expect(first).toMatchObject({ status: 'fulfilled' });
    expect(second).toMatchObject({ status: 'rejected', reason: { reason: 'stale' } });
    expect([String(number), other].map((phone) => sandbox.world.account(phone).companions.size)).toEqual([1, 0]);
  });

  it('scanQr() rejects a QR code with other keys than those of the client', async () => {
    const [one, other] = [connect(sandbox), connect(sandbox)];
    const [ref] = (await qrOf(one)).split(',');
    const [, ...keys] = (await qrOf(other)).split(',');
    const mixed = [ref, ...keys].join(',');
    await expect(sandbox.pairing.scanQr(String(number), mixed)).rejects.toMatchObject({ reason: 'stale' });
  });

  it('scanQr() rejects a number that is not on WhatsApp', async () => {
    const client = connect(sandbox);
    await expect(sandbox.pairing.scanQr('4917000000000000', await qrOf(client))).rejects.toThrow(RangeError);
  });

  it('the server closes a client whose pre-key has a wrong signature with 400', async () => {
    const creds = initAuthCreds();
    creds.signedPreKey.signature = withWrongBit(creds.signedPreKey.signature);
    expect(await connect(sandbox, createAuth(creds)).closed()).toBe(400);
  });

  it('scanQr() does not link a client with a wrong device signature', async () => {
    const auth = createAuth();
    const client = connect(sandbox, auth);
    const qr = await qrOf(client);
    // The client signs with a key other than the registered one.
    const { private: other } = initAuthCreds().signedIdentityKey;
    Object.assign(auth.creds.signedIdentityKey, { private: other });
    await expect(sandbox.pairing.scanQr(String(number), qr)).rejects.toMatchObject({ reason: 'refused' });
    expect(sandbox.world.account(String(number)).companions.size).toBe(0);
  });
});

describe('pairing by code', () => {
  async function codeOf(client: Client): Promise<string> {
    await qrOf(client);
    return client.socket.requestPairingCode(String(number));
  }

  it('linkWithCode() links the client that shows the code', async () => {
    const fresh = connect(sandbox);
    const code = await codeOf(fresh);
    await sandbox.pairing.linkWithCode(String(number), `${code.slice(0, 4)}-${code.slice(4).toLowerCase()}`);
    expect(await fresh.closed()).toBe(515);
    const client = connect(sandbox, fresh.auth);
    await client.open();
    expect(client.auth.creds.me?.id).toBe(`${number}:1@s.whatsapp.net`);
  });

  it('linkWithCode() rejects a wrong code and accepts the correct one afterwards', async () => {
    const fresh = connect(sandbox);
    const code = await codeOf(fresh);
    const wrong = code === 'AAAAAAAA' ? 'BBBBBBBB' : 'AAAAAAAA';
    await expect(sandbox.pairing.linkWithCode(String(number), wrong)).rejects.toMatchObject({ reason: 'wrong_code' });
    await sandbox.pairing.linkWithCode(String(number), code);
    expect(await fresh.closed()).toBe(515);
  });

  it('linkWithCode() rejects a number for which no client requested a code', async () => {
    await expect(sandbox.pairing.linkWithCode(String(number), 'ABCD1234')).rejects.toMatchObject({ reason: 'stale' });
  });
});

describe('protocol violations', () => {
  it('the violation hmac prevents a client from being linked', async () => {
    const client = connect(sandbox);
    const qr = await qrOf(client);
    sandbox.violations.hmac = true;
    await expect(sandbox.pairing.scanQr(String(number), qr)).rejects.toMatchObject({ reason: 'refused' });
    sandbox.violations.hmac = false;
    expect(await client.closed()).toBe(500);
    expect(sandbox.world.account(String(number)).companions.size).toBe(0);
  });

  it.each([
    false,
    true,
  ])('the server sends a valid account signature except for the violation accountSignature (%s)', async (isForged) => {
    const client = connect(sandbox);
    const qr = await qrOf(client);
    const wire = new Promise<Uint8Array>((resolve) => {
      client.socket.ws.on('CB:iq,,pair-success', (node) => {
        resolve(getBinaryNodeChild(getBinaryNodeChild(node, 'pair-success'), 'device-identity')?.content as Uint8Array);
      });
    });
    sandbox.violations.accountSignature = isForged;
    // A client may link or refuse: Baileys alone does not check this signature.
    await sandbox.pairing.scanQr(String(number), qr).catch(() => undefined);
    sandbox.violations.accountSignature = false;
    const { details } = proto.ADVSignedDeviceIdentityHMAC.decode(await wire);
    const signed = proto.ADVSignedDeviceIdentity.decode(details ?? new Uint8Array());
    const message = Buffer.concat([
      WA_ADV_ACCOUNT_SIG_PREFIX,
      signed.details ?? new Uint8Array(),
      client.auth.creds.signedIdentityKey.public,
    ]);
    const valid = isValidSignature(
      signed.accountSignatureKey ?? new Uint8Array(),
      message,
      signed.accountSignature ?? new Uint8Array(),
    );
    expect(valid).toBe(!isForged);
  });
});
