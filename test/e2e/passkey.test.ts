import { describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { textAt } from '../support/api.ts';
import { type AssertionChanges, createAuthenticator } from '../support/authenticator.ts';
import { isState, startWorld } from '../support/gateway.ts';
import {
  completeLink,
  linkAgain,
  number,
  PASSKEY_ENV,
  path,
  requirePasskey,
  scan,
  startScanned,
  waitForCause,
  waitForStage,
} from '../support/passkey.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';

const server = sharedPostgres();

describe('accounts that require a passkey', { timeout: 30_000 }, () => {
  it('an account with a passkey is linked with the assertion of its owner and the code that the phone shows', async () => {
    const { world, owner, linked, assert } = await startScanned();
    const request = await world.api('GET', path);
    expect(request).toMatchObject({
      status: 200,
      body: {
        instance: 'shop',
        stage: 'required',
        request: {
          challenge: expect.stringMatching(/^[\w-]{43}$/),
          rpId: 'whatsapp.com',
          allowCredentials: [{ id: owner.id, type: 'public-key', transports: ['internal', 'hybrid'] }],
          userVerification: 'required',
          extensions: { uvm: true },
        },
      },
    });
    expect(await waitForStage(world, 'required')).toMatchObject({
      data: { state: 'connecting', statusReason: 200, passkeyExpiresAt: textAt(request.body, 'expiresAt') },
    });
    expect(await world.api('GET', '/instance/connect/shop')).toMatchObject({
      status: 200,
      body: { instance: { instanceName: 'shop', state: 'connecting' }, passkey: 'required' },
    });
    expect(await world.api('GET', `${path}/confirm`)).toMatchObject({
      status: 409,
      body: { code: 'PASSKEY_WRONG_STAGE' },
    });
    expect(await world.api('POST', path, await assert())).toMatchObject({ status: 200 });
    await waitForStage(world, 'confirm');
    const confirmation = await world.api('GET', `${path}/confirm`);
    const code = world.sandbox.pairing.passkeyLinks.viewOf(number)?.code;
    expect(confirmation).toMatchObject({ status: 200, body: { stage: 'confirm', code } });
    const [record] = (await world.api('GET', '/instance/fetchInstances')).body as unknown[];
    expect(record).toMatchObject({ connectionStatus: 'connecting', passkey: 'confirm' });
    expect(await world.api('POST', `${path}/confirm`, { code })).toMatchObject({
      status: 200,
      body: { stage: 'confirmed' },
    });
    await linked;
    const open = await world.receiver.next(({ body }) => isState(body, 'shop', 'open'));
    expect(open.body).toMatchObject({ sender: `${number}@s.whatsapp.net` });
    expect(await world.api('GET', path)).toMatchObject({ status: 409, body: { code: 'PASSKEY_WRONG_STAGE' } });
    // The stored credentials contain the new secret, with which the phone signed the account.
    // The instance can be open before restart() resolves.
    const after = world.receiver.posts.length;
    await world.restart();
    await world.receiver.next(({ body }) => isState(body, 'shop', 'open'), { after });
  });

  it('an account with a passkey can be linked with a pairing code', async () => {
    const world = await startWorld({ env: PASSKEY_ENV });
    const owner = requirePasskey(world.sandbox);
    await world.api('POST', '/instance/create', { instanceName: 'shop', webhook: world.receiver.url });
    const { body } = await world.api('GET', `/instance/connect/shop?number=${number}`);
    const linked = world.sandbox.pairing.linkWithCode(number, textAt(body, 'pairingCode'));
    await waitForStage(world, 'required');
    await completeLink({ world, owner, linked, assert: async () => ({}) });
    await linked;
  });

  it('an account with a passkey can be linked through a node that does not have the instance', async () => {
    const stage = await startScanned({
      env: { ...PASSKEY_ENV, DATABASE_URL: await server.createDatabase(), LEASE_TTL: '3' },
    });
    const otherNode = await stage.world.join();
    const [record] = (await otherNode.api('GET', '/instance/fetchInstances')).body as unknown[];
    expect(record).toMatchObject({ name: 'shop', passkey: 'required' });
    await completeLink(stage, otherNode.api);
  });

  it.each<[string, AssertionChanges, string, string]>([
    ['another website', { origin: 'https://example.com' }, 'PASSKEY_WRONG_ORIGIN', 'https://web.whatsapp.com'],
    ['a frame of another website', { crossOrigin: true }, 'PASSKEY_WRONG_ORIGIN', 'https://web.whatsapp.com'],
    ['another request', { challenge: 'AAAAAAAAAAAAAAAAAAAAAA' }, 'INVALID_REQUEST', 'clientDataJSON.challenge'],
    ['a registration', { type: 'webauthn.create' }, 'INVALID_REQUEST', 'clientDataJSON.type'],
    ['another relying party', { rpId: 'example.com' }, 'INVALID_REQUEST', 'authenticatorData is not for whatsapp.com'],
    ['a passkey without user verification', { flags: 1 }, 'INVALID_REQUEST', 'not verified'],
  ])('the gateway rejects an assertion of %s, and accepts the right one after it', async (_what, changes, code, text) => {
    const stage = await startScanned();
    const answer = await stage.world.api('POST', path, await stage.assert(changes));
    expect(answer).toMatchObject({ status: 400, body: { code, certain: true } });
    expect(JSON.stringify(answer.body)).toContain(text);
    expect(stage.world.sandbox.pairing.passkeyLinks.viewOf(number)).toEqual({ stage: 'requested' });
    await completeLink(stage);
  });

  it('POST /instance/passkey names the field of a malformed answer', async () => {
    const { world, assert } = await startScanned();
    const good: Record<string, unknown> = { ...(await assert()) };
    const response = { ...(good.response as object) };
    for (const [body, field] of [
      [{}, 'requires property'],
      [{ ...good, rawId: 'a+b=' }, 'rawId'],
      [{ ...good, id: 'AAAA' }, 'id must be the same'],
      [{ ...good, response: { ...response, signature: 'AA' } }, 'response.signature must have'],
      [{ ...good, response: { ...response, clientDataJSON: 'bm90IGpzb24' } }, 'clientDataJSON'],
      [{ ...good, response: { ...response, userHandle: '=' } }, 'response.userHandle'],
      [{ ...good, id: 'AAAA', rawId: 'AAAA' }, 'rawId is not one of the passkeys'],
    ] as const) {
      const answer = await world.api('POST', path, body);
      expect(answer, field).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
      expect(JSON.stringify(answer.body)).toContain(field);
    }
    expect(await world.api('POST', path, '{')).toMatchObject({ status: 400 });
    expect(await world.api('GET', path)).toMatchObject({ status: 200, body: { stage: 'required' } });
  });

  it('a link with a passkey starts again with a new QR code when the platform refuses the signature', async () => {
    const stage = await startScanned();
    const { world } = stage;
    const answer = await world.api('POST', path, await stage.assert({ isForged: true }));
    expect(answer).toMatchObject({ status: 400, body: { code: 'PASSKEY_REFUSED' } });
    const failed = await waitForCause(world, 'passkey_failed');
    expect(failed).toMatchObject({ data: { state: 'connecting', userAction: expect.stringContaining('QR') } });
    await linkAgain(stage);
  });

  it('the gateway rejects a confirmation with another code than the one that it shows', async () => {
    const { world, assert } = await startScanned();
    expect(await world.api('POST', `${path}/confirm`, { code: 'AAAA-AAAA' })).toMatchObject({ status: 409 });
    await world.api('POST', path, await assert());
    expect(await world.api('POST', path, await assert())).toMatchObject({ status: 409 });
    await waitForStage(world, 'confirm');
    const wrong = await world.api('POST', `${path}/confirm`, { code: 'AAAA-AAAA' });
    expect(wrong).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
    expect(await world.api('GET', `${path}/confirm`)).toMatchObject({ body: { stage: 'confirm' } });
  });

  it('a link with a passkey starts again with a new QR code when the owner takes longer than five minutes', async () => {
    const timers: (() => void)[] = [];
    const clock: Clock = {
      ...systemClock,
      after(ms, fn) {
        if (ms !== 300_000) return systemClock.after(ms, fn);
        timers.push(fn);
        return { cancel: () => void timers.splice(timers.indexOf(fn), 1) };
      },
    };
    const stage = await startScanned({ env: PASSKEY_ENV, clock });
    const lateAssertion = await stage.assert();
    timers[0]?.();
    const expired = await waitForCause(stage.world, 'passkey_expired');
    expect(expired).toMatchObject({ data: { state: 'connecting', statusReason: 408 } });
    expect(await stage.world.api('POST', path, lateAssertion)).toMatchObject({
      status: 410,
      body: { code: 'PASSKEY_EXPIRED' },
    });
    await linkAgain(stage);
    expect(timers).toEqual([]);
  });

  it('the gateway reports an assertion that is too late for the platform', async () => {
    let ahead = 0;
    const sandbox = { tlsPort: false, clock: { ...systemClock, now: () => Date.now() + ahead } } as const;
    const stage = await startScanned({ env: PASSKEY_ENV, sandbox });
    ahead = 300_000;
    const answer = await stage.world.api('POST', path, await stage.assert());
    expect(answer).toMatchObject({ status: 400, body: { code: 'PASSKEY_REFUSED' } });
    ahead = 0;
    await linkAgain(stage);
  });

  it('a link with a passkey starts again with a new QR code after a restart in the middle', async () => {
    const stage = await startScanned();
    await stage.world.api('POST', path, await stage.assert());
    await waitForStage(stage.world, 'confirm');
    await stage.world.restart();
    expect(await stage.world.api('GET', path)).toMatchObject({ status: 409, body: { code: 'PASSKEY_WRONG_STAGE' } });
    const { body } = await stage.world.api('GET', '/instance/connect/shop');
    const after = stage.world.receiver.posts.length;
    scan(stage.world, textAt(body, 'code'));
    await waitForStage(stage.world, 'required', after);
    await completeLink(stage);
  });

  it('an instance is closed when the platform asks for a reconnect before the passkey code is confirmed', async () => {
    const { world } = await startScanned();
    world.sandbox.faults.add({ kind: 'close', code: 515 });
    const stopped = await waitForCause(world, 'passkey_interrupted');
    expect(stopped).toMatchObject({ data: { state: 'close', userAction: expect.stringContaining('QR') } });
  });

  it('an account with a passkey is reported and not linked while PASSKEY_LINKING is off', async () => {
    const { world } = await startScanned({});
    expect(await waitForStage(world, 'required')).toMatchObject({
      data: { state: 'connecting', cause: 'passkey_disabled', userAction: expect.stringContaining('PASSKEY_LINKING') },
    });
    for (const [method, where, body] of [
      ['GET', path, undefined],
      ['POST', path, createAuthenticator().assert({ challenge: 'AAAA', rpId: 'whatsapp.com' })],
      ['GET', `${path}/confirm`, undefined],
      ['POST', `${path}/confirm`, { code: 'AAAA-AAAA' }],
    ] as const) {
      expect(await world.api(method, where, body)).toMatchObject({ status: 409, body: { code: 'PASSKEY_DISABLED' } });
    }
  });
});
