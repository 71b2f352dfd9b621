import { describe, expect, it } from 'vitest';
import { FakeWorld } from '../support/instance-fakes.ts';

/** Creates an instance that displays a QR code. */
async function displayQrCode(world: FakeWorld) {
  const instance = world.instance({ qrLimit: 3 });
  const connecting = instance.connect();
  (await world.link()).qr('qr 1');
  await connecting;
  return instance;
}

const reportedStages = (world: FakeWorld) =>
  world.events.flatMap((event) => (event.type === 'connection.update' && event.passkey ? [event.passkey] : []));

describe('an instance whose account requires a passkey', () => {
  it('an instance shows the stage of linking with a passkey instead of the QR code, and reports each stage once', async () => {
    const world = new FakeWorld();
    const instance = await displayQrCode(world);
    world.lastLink.askForPasskey();
    world.lastLink.askForPasskey();
    expect(instance.status()).toMatchObject({ state: 'connecting', qr: null, passkey: 'required' });
    expect(await instance.connect()).toEqual({
      instance: { instanceName: instance.name, state: 'connecting' },
      passkey: 'required',
    });
    world.lastLink.askForPasskey({ stage: 'confirm', code: 'ABCD-1234' });
    await world.until(() => reportedStages(world).includes('confirm'), 'confirm');
    expect(reportedStages(world)).toEqual(['required', 'confirm']);
    expect(instance.passkeyStatus()).toMatchObject({ stage: 'confirm', code: 'ABCD-1234' });
  });

  it('an instance keeps its QR code when linking with a passkey is switched off', async () => {
    const world = new FakeWorld();
    const instance = await displayQrCode(world);
    world.lastLink.signal({ type: 'passkey', status: null });
    await world.until(() => reportedStages(world).length > 0, 'the event');
    expect(instance.status()).toMatchObject({ qr: { code: 'qr 1' } });
    expect(instance.status().passkey).toBeUndefined();
  });

  it.each([
    ['expired', 'passkey_expired'],
    ['failed', 'passkey_failed'],
  ] as const)('an instance shows new QR codes after linking with a passkey %s, up to the limit', async (failure, cause) => {
    const world = new FakeWorld();
    const instance = await displayQrCode(world);
    world.lastLink.askForPasskey();
    world.lastLink.passkeyFailure = failure;
    world.lastLink.close(408);
    (await world.link(2)).qr('qr 2');
    expect(await world.event('qrcode.updated', 2)).toMatchObject({ code: 'qr 2', count: 2 });
    expect(instance.status()).toMatchObject({ cause, phase: 'pairing' });
    world.lastLink.qr('qr 3');
    await world.event('qrcode.updated', 3);
    world.lastLink.askForPasskey();
    world.lastLink.passkeyFailure = failure;
    world.lastLink.close(408);
    await world.reached('stopped');
    expect(instance.status()).toMatchObject({ cause: 'qr_exhausted' });
  });

  it('an instance reconnects after close code 515 only when the passkey code was confirmed', async () => {
    const world = new FakeWorld();
    const instance = await displayQrCode(world);
    world.lastLink.askForPasskey({ stage: 'confirm', code: 'ABCD-1234' });
    world.lastLink.close(515);
    await world.reached('stopped');
    expect(instance.status()).toMatchObject({ cause: 'passkey_interrupted', state: 'close' });
    const again = instance.connect();
    (await world.link(2)).qr('qr 2');
    await again;
    world.lastLink.askForPasskey({ stage: 'confirmed', code: 'ABCD-1234' });
    world.lastLink.pair();
    (await world.link(3)).open();
    await world.reached('open');
  });
});
