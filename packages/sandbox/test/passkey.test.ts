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
let owner: Authenticator;
/** ms that the sandbox's clock is ahead. */
let ahead = 0;

beforeAll(async () => {
  sandbox = await createLightSandbox({ clock: { ...systemClock, now: () => Date.now() + ahead } });
  control = createControl(sandbox);
  url = await control.listen(0);
});
afterAll(async () => {
  expect(sandbox.unanswered).toEqual([]);
  await control.close();
  await sandbox.close();
});
beforeEach(async () => {
  ahead = 0;
  number = String(Number(number) + 1);
  owner = createAuthenticator();
  await ask('POST', `/phones/${number}/passkey`, { required: true, credentials: [owner.credential] });
});

async function ask(method: string, path: string, body?: object): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${url}${path}`, { method, body: body && JSON.stringify(body) });
  return { status: response.status, body: await response.json() };
}

const passkeyOf = async () => (await ask('GET', `/phones/${number}/passkey`)).body;

/** A client that was scanned and answers the request. */
async function scanned() {
  const passkey = new PasskeyClient(sandbox);
  const [linked] = await passkey.scan(number);
  const answer = async (changes?: AssertionChanges) => owner.assert(await passkey.options(), changes);
  return { passkey, linked, answer };
}

describe('a phone whose account requires a passkey', { timeout: 20_000 }, () => {
  it('asks for an assertion, shows the code that the client shows, and links the client', async () => {
    const { passkey, linked, answer } = await scanned();
    expect(await passkey.options()).toMatchObject({ rpId: 'whatsapp.com', allowCredentials: [{ id: owner.id }] });
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

  it('answers a scan over HTTP before the link is complete', async () => {
    const passkey = new PasskeyClient(sandbox);
    const { qr } = await passkey.client.update((update) => Boolean(update.qr));
    const scan = await ask('POST', `/phones/${number}/scan`, { code: qr });
    expect(scan).toEqual({ status: 202, body: { passkey: 'required' } });
    expect(await ask('POST', `/phones/${number}/scan`, { code: qr })).toMatchObject({ status: 404 });
  });

  it("answers a scan of Baileys' test suite before the link is complete", async () => {
    const passkey = new PasskeyClient(sandbox);
    const { qr } = await passkey.client.update((update) => Boolean(update.qr));
    const scan = await ask('POST', `/admin/mock-phone/scan-qr?number=${number}`, { qr });
    expect(scan).toEqual({ status: 202, body: { passkey: 'required' } });
  });

  it('asks also after a pairing code was entered', async () => {
    const passkey = new PasskeyClient(sandbox);
    await passkey.client.update((update) => Boolean(update.qr));
    const pairingCode = await passkey.client.socket.requestPairingCode(number);
    expect(await ask('POST', `/phones/${number}/link`, { pairingCode })).toMatchObject({ status: 202 });
    expect(await passkey.options()).toMatchObject({ rpId: 'whatsapp.com' });
  });

  it.each<[string, AssertionChanges, RegExp]>([
    ['signed with another key', { isForged: true }, /not-authorized/],
    ['of another page', { origin: 'https://web.whatsapp.com.evil.example' }, /not-authorized/],
    ['inside a frame of another page', { crossOrigin: true }, /not-authorized/],
    ['for another challenge', { challenge: randomBytes(32).toString('base64url') }, /not-authorized/],
    ['of a registration', { type: 'webauthn.create' }, /not-authorized/],
    ['for another relying party', { rpId: 'example.com' }, /not-authorized/],
    ['without verification of the user', { flags: 1 }, /not-authorized/],
  ])('refuses an assertion %s, and gives out another challenge', async (_what, changes, error) => {
    const { passkey, linked, answer } = await scanned();
    await expect(passkey.sendPrologue(await answer(changes))).rejects.toThrow(error);
    await expect(passkey.sendPrologue(await answer())).rejects.toThrow(/conflict/);
    const options = await passkey.ask('get', { tag: 'passkey_request_options', attrs: {} });
    const [node] = Array.isArray(options.content) ? options.content : [];
    await passkey.sendPrologue(owner.assert(JSON.parse(String(node?.content))));
    await passkey.reveal();
    await passkey.sendPairingRequest();
    await linked;
  });

  it('refuses an assertion of a passkey that is not registered, and one whose counter goes back', async () => {
    const stranger = await scanned();
    const other = createAuthenticator().assert(await stranger.passkey.options());
    await expect(stranger.passkey.sendPrologue(other)).rejects.toThrow(/item-not-found/);
    const first = await scanned();
    await first.passkey.sendPrologue(await first.answer({ signCount: 7 }));
    const second = await scanned();
    await expect(second.passkey.sendPrologue(await second.answer({ signCount: 7 }))).rejects.toThrow(/not-authorized/);
  });

  it.each<[string, Parameters<PasskeyClient['sendPrologue']>[1], RegExp]>([
    ['a proof by another secret', { proof: randomBytes(32) }, /not-authorized/],
    ['another reference', { ref: 'made up' }, /bad-request/],
    ['another platform than it registered', { deviceType: 2 }, /bad-request/],
    ['another credential id beside the assertion', { credentialId: randomBytes(20) }, /bad-request/],
  ])('refuses a prologue with %s', async (_what, changes, error) => {
    const { passkey, answer } = await scanned();
    await expect(passkey.sendPrologue(await answer(), changes)).rejects.toThrow(error);
  });

  it('refuses an assertion that comes after five minutes', async () => {
    const { passkey, answer } = await scanned();
    ahead = 5 * 60_000;
    await expect(passkey.sendPrologue(await answer())).rejects.toThrow(/not-authorized/);
  });

  it('refuses a nonce to which the client did not commit itself', async () => {
    const { passkey, linked, answer } = await scanned();
    await passkey.sendPrologue(await answer());
    await expect(passkey.reveal(randomBytes(32))).rejects.toThrow(/bad-request/);
    await expect(linked).rejects.toMatchObject({ reason: 'refused' });
    expect(await passkeyOf()).toMatchObject({ link: { stage: 'failed', problem: expect.stringContaining('nonce') } });
  });

  it.each<[string, Parameters<PasskeyClient['sendPairingRequest']>[0]]>([
    ['for another reference', { ref: 'made up' }],
    ['for another identity', { identity: randomBytes(32) }],
    ['with a short secret', { advSecret: randomBytes(31) }],
  ])('refuses a pairing request %s, and links nothing', async (_what, changes) => {
    const { passkey, linked, answer } = await scanned();
    await passkey.sendPrologue(await answer());
    await passkey.reveal();
    await expect(passkey.sendPairingRequest(changes)).rejects.toThrow(/bad-request/);
    await expect(linked).rejects.toMatchObject({ reason: 'refused' });
    expect(sandbox.world.account(number).companions.size).toBe(0);
  });

  it('waits for the owner to confirm the code on the phone when the client sends no handoff proof', async () => {
    const { passkey, linked, answer } = await scanned();
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

  it('fails when the client leaves before the owner has confirmed the code', async () => {
    const { passkey, linked, answer } = await scanned();
    await passkey.sendPrologue(await answer(), { proof: null });
    const code = await passkey.reveal();
    await passkey.sendPairingRequest();
    await passkey.client.socket.end(undefined);
    await expect(linked).rejects.toMatchObject({ reason: 'refused' });
    expect(await passkeyOf()).toMatchObject({ link: { stage: 'failed' } });
    expect(await ask('POST', `/phones/${number}/passkey/confirm`, { code })).toMatchObject({ status: 404 });
  });

  it('links without a passkey again when the requirement is removed', async () => {
    await ask('POST', `/phones/${number}/passkey`, { required: false });
    const [linked] = await new PasskeyClient(sandbox).scan(number);
    expect(await linked).toMatchObject({ device: 1 });
  });

  it('names the field of a setting that it cannot take', async () => {
    const set = (credentials: unknown) => ask('POST', `/phones/${number}/passkey`, { credentials });
    const error = (text: string) => ({ status: 400, body: { error: expect.stringContaining(text) } });
    expect(await set('x')).toMatchObject(error('credentials must be an array'));
    expect(await set([{ ...owner.credential, id: 'a b' }])).toMatchObject(error('credentials.id'));
    expect(await set([{ ...owner.credential, publicKey: 'AAAA' }])).toMatchObject(error('credentials.publicKey'));
  });
});
