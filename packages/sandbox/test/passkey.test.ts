import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AssertionChanges, type Authenticator, createAuthenticator } from '../../../test/support/authenticator.ts';
import { connect } from '../../../test/support/client.ts';
import { createLightSandbox } from '../../../test/support/light-sandbox.ts';
import { type Control, createControl } from '../src/control/control.ts';
import { systemClock } from '../src/lib/clock.ts';
import type { Sandbox } from '../src/sandbox.ts';
import { PasskeyClient } from './passkey-client.ts';

let sandbox: Sandbox;
let control: Control;
let url: string;
let number = '15550091000';
let authenticator: Authenticator;
/** Milliseconds that the clock of the sandbox is ahead. */
let clockOffset = 0;

beforeAll(async () => {
  sandbox = await createLightSandbox({ clock: { ...systemClock, now: () => Date.now() + clockOffset } });
  control = createControl(sandbox);
  url = await control.listen(0);
});
afterAll(async () => {
  expect(sandbox.unanswered).toEqual([]);
  await control.close();
  await sandbox.close();
});
beforeEach(async () => {
  clockOffset = 0;
  number = String(Number(number) + 1);
  authenticator = createAuthenticator();
  await ask('POST', `/phones/${number}/passkey`, { required: true, credentials: [authenticator.credential] });
});

async function ask(method: string, path: string, body?: object): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${url}${path}`, { method, body: body && JSON.stringify(body) });
  return { status: response.status, body: await response.json() };
}

const passkeyOf = async () => (await ask('GET', `/phones/${number}/passkey`)).body;

/** Connects a client and scans its QR code. `answer` creates the assertion for the request that the client gets. */
async function scanClient() {
  const passkey = new PasskeyClient(sandbox);
  const [linked] = await passkey.scan(number);
  const answer = async (changes?: AssertionChanges) => authenticator.assert(await passkey.options(), changes);
  return { passkey, linked, answer };
}

describe('accounts that require a passkey', { timeout: 20_000 }, () => {
  it('a phone with a passkey requests an assertion, shows the client’s code, and links the client', async () => {
    const { passkey, linked, answer } = await scanClient();
    expect(await passkey.options()).toMatchObject({
      rpId: 'whatsapp.com',
      allowCredentials: [{ id: authenticator.id }],
    });
    expect(await passkeyOf()).toMatchObject({ required: true, link: { stage: 'requested' } });
    await passkey.sendPrologue(await answer());
    const code = await passkey.reveal();
    expect(code).toMatch(/^[1-9A-Z]{4}-[1-9A-Z]{4}$/);
    expect(await passkeyOf()).toMatchObject({ link: { stage: 'compare', code, hasHandoffProof: true } });
    await passkey.sendPairingRequest();
    await linked;
    expect(await passkey.client.closed()).toBe(515);
    const client = connect(sandbox, passkey.client.auth);
    await client.open();
    expect(client.auth.creds.me?.id).toBe(`${number}:1@s.whatsapp.net`);
    expect(await passkeyOf()).toMatchObject({ link: { stage: 'linked' } });
  });

  it('POST /phones/{number}/scan of an account with a passkey responds 202 before the link is complete', async () => {
    const passkey = new PasskeyClient(sandbox);
    const { qr } = await passkey.client.update((update) => Boolean(update.qr));
    const scan = await ask('POST', `/phones/${number}/scan`, { code: qr });
    expect(scan).toEqual({ status: 202, body: { passkey: 'required' } });
    expect(await ask('POST', `/phones/${number}/scan`, { code: qr })).toMatchObject({ status: 404 });
  });

  it('POST /admin/mock-phone/scan-qr of an account with a passkey responds 202 before the link is complete', async () => {
    const passkey = new PasskeyClient(sandbox);
    const { qr } = await passkey.client.update((update) => Boolean(update.qr));
    const scan = await ask('POST', `/admin/mock-phone/scan-qr?number=${number}`, { qr });
    expect(scan).toEqual({ status: 202, body: { passkey: 'required' } });
  });

  it('POST /phones/{number}/link of an account with a passkey responds 202 and requests an assertion', async () => {
    const passkey = new PasskeyClient(sandbox);
    await passkey.client.update((update) => Boolean(update.qr));
    const pairingCode = await passkey.client.socket.requestPairingCode(number);
    expect(await ask('POST', `/phones/${number}/link`, { pairingCode })).toMatchObject({ status: 202 });
    expect(await passkey.options()).toMatchObject({ rpId: 'whatsapp.com' });
  });

  it.each<[string, AssertionChanges, RegExp]>([
    ['signed with another key', { isForged: true }, /not-authorized/],
    ['from another page', { origin: 'https://web.whatsapp.com.evil.example' }, /not-authorized/],
    ['from a frame of another page', { crossOrigin: true }, /not-authorized/],
    ['for another challenge', { challenge: randomBytes(32).toString('base64url') }, /not-authorized/],
    ['with the type of a registration', { type: 'webauthn.create' }, /not-authorized/],
    ['for another relying party', { rpId: 'example.com' }, /not-authorized/],
    ['without user verification', { flags: 1 }, /not-authorized/],
  ])('the server refuses a passkey assertion %s, and sends another challenge', async (_what, changes, error) => {
    const { passkey, linked, answer } = await scanClient();
    await expect(passkey.sendPrologue(await answer(changes))).rejects.toThrow(error);
    await expect(passkey.sendPrologue(await answer())).rejects.toThrow(/conflict/);
    const options = await passkey.ask('get', { tag: 'passkey_request_options', attrs: {} });
    const [node] = Array.isArray(options.content) ? options.content : [];
    await passkey.sendPrologue(authenticator.assert(JSON.parse(String(node?.content))));
    await passkey.reveal();
    await passkey.sendPairingRequest();
    await linked;
  });

  it('the server refuses an assertion of an unregistered passkey, and one whose counter does not increase', async () => {
    const unregistered = await scanClient();
    const other = createAuthenticator().assert(await unregistered.passkey.options());
    await expect(unregistered.passkey.sendPrologue(other)).rejects.toThrow(/item-not-found/);
    const first = await scanClient();
    await first.passkey.sendPrologue(await first.answer({ signCount: 7 }));
    for (const signCount of [7, 6]) {
      const { passkey, answer } = await scanClient();
      await expect(passkey.sendPrologue(await answer({ signCount }))).rejects.toThrow(/not-authorized/);
    }
    const next = await scanClient();
    await next.passkey.sendPrologue(await next.answer({ signCount: 8 }));
  });

  it.each<[string, Parameters<PasskeyClient['sendPrologue']>[1], RegExp]>([
    ['a proof made with another secret', { proof: randomBytes(32) }, /not-authorized/],
    ['another reference', { ref: 'made up' }, /bad-request/],
    ['a platform other than the registered one', { deviceType: 2 }, /bad-request/],
    ['a credential id other than that of the assertion', { credentialId: randomBytes(20) }, /bad-request/],
  ])('the server refuses a passkey prologue with %s', async (_what, changes, error) => {
    const { passkey, answer } = await scanClient();
    await expect(passkey.sendPrologue(await answer(), changes)).rejects.toThrow(error);
  });

  it('the server refuses a passkey assertion that comes after five minutes', async () => {
    const { passkey, answer } = await scanClient();
    clockOffset = 5 * 60_000;
    await expect(passkey.sendPrologue(await answer())).rejects.toThrow(/not-authorized/);
  });

  it('the server refuses a nonce that does not match the commitment of the client', async () => {
    const { passkey, linked, answer } = await scanClient();
    await passkey.sendPrologue(await answer());
    await expect(passkey.reveal(randomBytes(32))).rejects.toThrow(/bad-request/);
    await expect(linked).rejects.toMatchObject({ reason: 'refused' });
    expect(await passkeyOf()).toMatchObject({ link: { stage: 'failed', problem: expect.stringContaining('nonce') } });
  });

  it.each<[string, Parameters<PasskeyClient['sendPairingRequest']>[0]]>([
    ['for another reference', { ref: 'made up' }],
    ['for another identity', { identity: randomBytes(32) }],
    ['with a short secret', { advSecret: randomBytes(31) }],
  ])('the server refuses a pairing request %s, and links nothing', async (_what, changes) => {
    const { passkey, linked, answer } = await scanClient();
    await passkey.sendPrologue(await answer());
    await passkey.reveal();
    await expect(passkey.sendPairingRequest(changes)).rejects.toThrow(/bad-request/);
    await expect(linked).rejects.toMatchObject({ reason: 'refused' });
    expect(sandbox.world.account(number).companions.size).toBe(0);
  });

  it('a passkey link waits for the confirmation of the code on the phone when the client sends no handoff proof', async () => {
    const { passkey, linked, answer } = await scanClient();
    await passkey.sendPrologue(await answer(), { proof: null });
    const code = await passkey.reveal();
    await passkey.sendPairingRequest();
    expect(await passkeyOf()).toMatchObject({ link: { stage: 'linking', hasHandoffProof: false } });
    expect(await ask('POST', `/phones/${number}/passkey/confirm`, { code: 'AAAA-AAAA' })).toMatchObject({
      status: 400,
    });
    expect(await ask('POST', `/phones/${number}/passkey/confirm`, { code })).toMatchObject({ status: 200 });
    await linked;
  });

  it('a passkey link fails when the client disconnects before the code is confirmed on the phone', async () => {
    const { passkey, linked, answer } = await scanClient();
    await passkey.sendPrologue(await answer(), { proof: null });
    const code = await passkey.reveal();
    await passkey.sendPairingRequest();
    await passkey.client.socket.end(undefined);
    await expect(linked).rejects.toMatchObject({ reason: 'refused' });
    expect(await passkeyOf()).toMatchObject({ link: { stage: 'failed' } });
    expect(await ask('POST', `/phones/${number}/passkey/confirm`, { code })).toMatchObject({ status: 404 });
  });

  it('a phone links a client without a passkey again when the requirement is removed', async () => {
    await ask('POST', `/phones/${number}/passkey`, { required: false });
    const [linked] = await new PasskeyClient(sandbox).scan(number);
    expect(await linked).toMatchObject({ device: 1 });
  });

  it('POST /phones/{number}/passkey names the field of an invalid setting', async () => {
    const setCredentials = (credentials: unknown) => ask('POST', `/phones/${number}/passkey`, { credentials });
    const badRequest = (text: string) => ({ status: 400, body: { error: expect.stringContaining(text) } });
    expect(await setCredentials('x')).toMatchObject(badRequest('credentials must be an array'));
    expect(await setCredentials([{ ...authenticator.credential, id: 'a b' }])).toMatchObject(
      badRequest('credentials.id'),
    );
    expect(await setCredentials([{ ...authenticator.credential, publicKey: 'AAAA' }])).toMatchObject(
      badRequest('credentials.publicKey'),
    );
  });
});
