import { describe, expect, it } from 'vitest';
import { FakeWorld } from './fakes.ts';

/** An instance that shows a QR code. */
async function displaying(world: FakeWorld) {
  const instance = world.instance({ qrLimit: 3 });
  const connecting = instance.connect();
  (await world.link()).qr('qr 1');
  await connecting;
  return instance;
}

const updates = (world: FakeWorld) =>
  world.events.flatMap((event) => (event.type === 'connection.update' && event.passkey ? [event.passkey] : []));

describe('an instance whose account requires a passkey', () => {
  it('shows the stage instead of the QR code, and reports each stage once', async () => {
    const world = new FakeWorld();
    const instance = await displaying(world);
    world.last.askForPasskey();
    world.last.askForPasskey();
    expect(instance.status()).toMatchObject({ state: 'connecting', qr: null, passkey: 'required' });
    expect(await instance.connect()).toEqual({
      instance: { instanceName: instance.name, state: 'connecting' },
      passkey: 'required',
    });
    world.last.askForPasskey({ stage: 'confirm', code: 'ABCD-1234' });
    await world.until(() => updates(world).includes('confirm'), 'confirm');
    expect(updates(world)).toEqual(['required', 'confirm']);
    expect(instance.passkeyStatus()).toMatchObject({ stage: 'confirm', code: 'ABCD-1234' });
  });

  it('keeps its QR code while such links are switched off', async () => {
    const world = new FakeWorld();
    const instance = await displaying(world);
    world.last.signal({ type: 'passkey', status: null });
    await world.until(() => updates(world).length > 0, 'the event');
    expect(instance.status()).toMatchObject({ qr: { code: 'qr 1' } });
    expect(instance.status().passkey).toBeUndefined();
  });

  it.each([
    ['expired', 'passkey_expired'],
    ['failed', 'passkey_failed'],
  ] as const)('shows new QR codes after a link that %s, up to the limit', async (failure, cause) => {
    const world = new FakeWorld();
    const instance = await displaying(world);
    world.last.askForPasskey();
    world.last.passkeyFailure = failure;
    world.last.close(408);
    (await world.link(2)).qr('qr 2');
    expect(await world.event('qrcode.updated', 2)).toMatchObject({ code: 'qr 2', count: 2 });
    expect(instance.status()).toMatchObject({ cause, phase: 'pairing' });
    world.last.qr('qr 3');
    await world.event('qrcode.updated', 3);
    world.last.askForPasskey();
    world.last.passkeyFailure = failure;
    world.last.close(408);
    await world.reached('stopped');
    expect(instance.status()).toMatchObject({ cause: 'qr_exhausted' });
  });

  it('does not reconnect after 515 before the code is confirmed, and does after it', async () => {
    const world = new FakeWorld();
    const instance = await displaying(world);
    world.last.askForPasskey({ stage: 'confirm', code: 'ABCD-1234' });
    world.last.close(515);
    await world.reached('stopped');
    expect(instance.status()).toMatchObject({ cause: 'passkey_interrupted', state: 'close' });
    const again = instance.connect();
    (await world.link(2)).qr('qr 2');
    await again;
    world.last.askForPasskey({ stage: 'confirmed', code: 'ABCD-1234' });
    world.last.pair();
    (await world.link(3)).open();
    await world.reached('open');
  });
});
