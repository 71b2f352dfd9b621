import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Pairing, renderQr } from '../../src/instances/pairing.ts';
import type { Session } from '../../src/whatsapp/session.ts';
import { FakeWorld, tick } from '../support/instance-fakes.ts';

/** Creates an instance that displays its first QR code. */
async function displayQrCode(world: FakeWorld, number?: string) {
  const instance = world.instance({ qrLimit: 4 });
  const connecting = instance.connect({ number });
  (await world.link()).qr('qr 1');
  return { instance, answer: await connecting };
}

describe('an account that is linked but not logged in yet', () => {
  const linked = { ownerJid: '4915100000001@s.whatsapp.net', desired: 'running' };

  it('a linked account is stored when its connection is lost before the first login, and reconnects', async () => {
    const world = new FakeWorld();
    const { instance } = await displayQrCode(world);
    world.lastLink.accept();
    world.lastLink.close(428);
    await world.reached('backoff');
    await world.until(() => world.rows.get(instance.id)?.ownerJid === linked.ownerJid, 'the account is stored');
    await world.clock.advance(2_000);
    (await world.link(2)).open();
    await world.reached('open');
    expect(world.wipes).toBe(0);
  });

  it('a linked account is stored when the gateway stops before the first login, and connects after the next start', async () => {
    const world = new FakeWorld();
    const { instance } = await displayQrCode(world);
    world.lastLink.accept();
    await instance.shutDown();
    expect(world.rows.get(instance.id)).toMatchObject(linked);
    const { restored } = await world.manager().boot();
    (await world.link(2)).open();
    await restored;
  });

  it('a linked account is stored when the gateway stops before the first login and the socket does not close in time', async () => {
    const world = new FakeWorld();
    const { instance } = await displayQrCode(world);
    world.lastLink.accept();
    world.hangsOnClose = true;
    const stopping = instance.shutDown();
    await world.reached('closing(stopped)');
    await world.clock.advance(10_000);
    await stopping;
    expect(world.rows.get(instance.id)).toMatchObject(linked);
  });
});

describe('QR codes', () => {
  it('each new QR code is reported with a rising count', async () => {
    const world = new FakeWorld();
    const { instance } = await displayQrCode(world);
    world.lastLink.qr('qr 2');
    expect(await world.event('qrcode.updated', 2)).toMatchObject({ code: 'qr 2', count: 2, pairingCode: null });
    expect(instance.status().qr).toMatchObject({ code: 'qr 2', count: 2 });
    expect(await instance.connect()).toMatchObject({ code: 'qr 2', count: 2 });
  });

  it('a new connection continues the QR codes and their count when the previous connection has no more', async () => {
    const world = new FakeWorld();
    const { instance } = await displayQrCode(world);
    world.lastLink.close(408);
    (await world.link(2)).qr('qr 2');
    expect(await world.event('qrcode.updated', 2)).toMatchObject({ code: 'qr 2', count: 2 });
    expect(world.wipes).toBe(1);
    expect(world.reportedStates).toEqual(['connecting:200']);
    expect(instance.status().phase).toBe('pairing');
  });

  it('an instance stops and reports limitReached when the limit of QR codes is reached', async () => {
    const world = new FakeWorld();
    const { instance } = await displayQrCode(world);
    for (const n of [2, 3, 4]) {
      world.lastLink.qr(`qr ${n}`);
      await world.event('qrcode.updated', n);
    }
    world.lastLink.qr('one too many');
    expect(await world.event('qrcode.updated', 5)).toEqual({ type: 'qrcode.updated', limitReached: true });
    await world.until(() => world.reportedStates.includes('refused:428'), 'refused');
    expect(instance.status()).toMatchObject({ state: 'close', phase: 'stopped', cause: 'qr_exhausted', qr: null });
    expect(world.rows.get(instance.id)?.desired).toBe('stopped');
    expect(world.lastLink.isAlive).toBe(false);
  });

  it('an instance stops when its last QR code expires, and connect() starts again with the first QR code', async () => {
    const world = new FakeWorld();
    const { instance } = await displayQrCode(world);
    for (const n of [2, 3, 4]) {
      world.lastLink.qr(`qr ${n}`);
      await world.event('qrcode.updated', n);
    }
    world.lastLink.close(408);
    await world.reached('stopped');
    const again = instance.connect();
    (await world.link(2)).qr('fresh');
    await expect(again).resolves.toMatchObject({ code: 'fresh', count: 1 });
  });

  it('the QR code disappears when the phone accepts, and the account is stored before the new connection opens', async () => {
    const world = new FakeWorld();
    const { instance } = await displayQrCode(world);
    world.lastLink.pair();
    const second = await world.link(2);
    expect(instance.status()).toMatchObject({ state: 'connecting', phase: 'connecting', qr: null });
    // The owner is stored before the connection opens, so that a crash in between does not lose the link.
    expect(world.rows.get(instance.id)?.ownerJid).toBe('4915100000001@s.whatsapp.net');
    second.open();
    await world.reached('open');
    expect(world.wipes).toBe(0);
    expect(world.rows.get(instance.id)).toMatchObject({ ownerLid: '77@lid', profileName: 'Shop' });
    expect(world.reportedStates).toEqual(['connecting:200', 'open:200']);
    expect(world.ofType('connection.update').at(-1)).toMatchObject({
      wuid: '4915100000001@s.whatsapp.net',
      profileName: 'Shop',
    });
  });

  it('instance.connect() waits for the open state when the phone has accepted the QR code, and returns no used code', async () => {
    const world = new FakeWorld();
    const { instance } = await displayQrCode(world);
    world.lastLink.accept();
    expect(instance.status()).toMatchObject({ phase: 'pairing', qr: null });
    const connecting = instance.connect();
    await tick();
    world.lastLink.close(515);
    (await world.link(2)).open();
    expect(await connecting).toEqual({ instance: { instanceName: instance.name, state: 'open' } });
  });

  it('renderQr() returns a PNG data URL in the given color', async () => {
    const [black, green] = await Promise.all([renderQr('text', '#000000'), renderQr('text', '#198754')]);
    expect(black).toMatch(/^data:image\/png;base64,/);
    expect(green).not.toBe(black);
  });
});

describe('pairing codes', () => {
  it('a pairing code is requested once per connection, after the first QR code, and shown with the QR codes', async () => {
    const world = new FakeWorld();
    const instance = world.instance();
    const connecting = instance.connect({ number: '+49 151 1234567' });
    const link = await world.link();
    expect(link.requestedNumbers).toEqual([]);
    link.qr('qr 1');
    expect(await connecting).toMatchObject({ pairingCode: 'CODE0001', code: 'qr 1', count: 1 });
    link.qr('qr 2');
    expect(await world.event('qrcode.updated', 2)).toMatchObject({ pairingCode: 'CODE0001', count: 2 });
    expect(link.requestedNumbers).toEqual(['491511234567']);
    expect(instance.status().qr).toMatchObject({ pairingCode: 'CODE0001' });
  });

  it('instance.connect() returns a pairing code when the instance was created with a number', async () => {
    const world = new FakeWorld();
    const instance = world.instance({}, { number: '491511234567' });
    await instance.start();
    const connecting = instance.connect();
    (await world.link()).qr();
    await expect(connecting).resolves.toMatchObject({ pairingCode: 'CODE0001' });
  });

  it('instance.connect() requests one pairing code for several concurrent callers while a QR code is displayed', async () => {
    const world = new FakeWorld();
    const { instance, answer } = await displayQrCode(world);
    expect(answer).toMatchObject({ pairingCode: null });
    const number = '491511234567';
    const answers = await Promise.all([instance.connect({ number }), instance.connect({ number })]);
    for (const one of answers) expect(one).toMatchObject({ pairingCode: 'CODE0001', code: 'qr 1', count: 1 });
    expect(world.lastLink.requestedNumbers).toEqual([number]);
    expect(world.ofType('qrcode.updated')).toHaveLength(2);
    expect(await instance.connect({ number: '491517654321' })).toMatchObject({ pairingCode: 'CODE0002' });
  });

  it('addPairingCode() requests no pairing code after the phone has accepted', async () => {
    const requested: string[] = [];
    const session: Session = Object.assign(Object.create(null), {
      isPaired: () => true,
      requestPairingCode: async (number: string) => {
        requested.push(number);
        return 'CODE0001';
      },
    });
    const pairing = new Pairing({ qrLimit: 4, qrColor: '#000000', log: new FakeWorld().deps().log });
    await pairing.showQr(session, 'qr 1');
    expect(await pairing.addPairingCode(session, '491511234567')).toBeNull();
    expect(requested).toEqual([]);
  });

  it('instance.connect() rejects when the platform refuses a pairing code, and the QR code stays', async () => {
    const world = new FakeWorld();
    const { instance } = await displayQrCode(world);
    world.rejectsPairingCodes = true;
    const number = '491511234567';
    await expect(instance.connect({ number })).rejects.toMatchObject({ code: 'CONNECT_FAILED' });
    expect(instance.status().qr).toMatchObject({ code: 'qr 1', pairingCode: null });
    world.rejectsPairingCodes = false;
    await expect(instance.connect({ number })).resolves.toMatchObject({ pairingCode: 'CODE0002' });
  });

  it('a refused pairing code is not requested again with the next QR code', async () => {
    const world = new FakeWorld();
    world.rejectsPairingCodes = true;
    const instance = world.instance({}, { number: '491511234567' });
    await instance.start();
    const link = await world.link();
    for (const [index, code] of ['qr 1', 'qr 2'].entries()) {
      link.qr(code);
      expect(await world.event('qrcode.updated', index + 1)).toMatchObject({ code, pairingCode: null });
    }
    expect(link.requestedNumbers).toEqual(['491511234567']);
  });

  it('showQr() does not wait for a late pairing code, and addPendingCode() adds the code later', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const answer = Promise.withResolvers<string>();
    const session: Session = Object.assign(Object.create(null), {
      isPaired: () => false,
      requestPairingCode: () => answer.promise,
    });
    const pairing = new Pairing({ qrLimit: 4, qrColor: '#000000', log: new FakeWorld().deps().log });
    pairing.number = '491511234567';
    const qrPromise = pairing.showQr(session, 'qr 1');
    vi.advanceTimersByTime(2_000);
    expect(await qrPromise).toMatchObject({ code: 'qr 1', pairingCode: null });
    const late = pairing.addPendingCode(session);
    answer.resolve('CODE0001');
    expect(await late).toMatchObject({ code: 'qr 1', count: 1, pairingCode: 'CODE0001' });
  });

  it('a late pairing code is reported when it arrives', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const world = new FakeWorld();
    const codeGate = Promise.withResolvers<void>();
    world.pairingCodeGate = codeGate.promise;
    const connecting = world.instance().connect({ number: '491511234567' });
    (await world.link()).qr('qr 1');
    await vi.waitFor(() => expect(world.ofType('qrcode.updated')).toHaveLength(1), {
      interval: 1_000,
      timeout: 60_000,
    });
    expect(world.ofType('qrcode.updated')).toMatchObject([{ code: 'qr 1', pairingCode: null }]);
    codeGate.resolve();
    expect(await world.event('qrcode.updated', 2)).toMatchObject({ code: 'qr 1', pairingCode: 'CODE0001' });
    expect(await connecting).toMatchObject({ pairingCode: 'CODE0001' });
  });

  it('a pairing code that fails late does not hide the code of a newer number', async () => {
    const world = new FakeWorld();
    const rejections: ((reason: Error) => void)[] = [];
    const session: Session = Object.assign(Object.create(null), {
      isPaired: () => false,
      requestPairingCode: (number: string) =>
        number === '1' ? new Promise<string>((_, reject) => rejections.push(reject)) : Promise.resolve('CODE0002'),
    });
    const pairing = new Pairing({ qrLimit: 4, qrColor: '#000000', log: world.deps().log });
    await pairing.showQr(session, 'qr 1');
    const first = pairing.addPairingCode(session, '1');
    expect(await pairing.addPairingCode(session, '2')).toMatchObject({ pairingCode: 'CODE0002' });
    for (const reject of rejections) reject(new Error('too late'));
    expect(await first).toBeNull();
    expect(pairing.failure).toBeUndefined();
    expect(pairing.hasCodeFor('2')).toBe(true);
  });

  it('a pairing code that is never used leaves no credentials', async () => {
    const world = new FakeWorld();
    const { instance } = await displayQrCode(world, '491511234567');
    world.lastLink.close(428);
    await world.reached('backoff');
    expect(world.wipes).toBe(1);
    await world.clock.advance(1_000);
    (await world.link(2)).qr();
    await world.event('qrcode.updated', 2);
    await instance.shutDown();
    expect(world.wipes).toBe(2);
  });

  it.each([
    'abc',
    'abc12345',
    '12345abc',
    '4915',
    '1'.repeat(21),
  ])('instance.connect() rejects %s, which is not a phone number', async (number) => {
    await expect(new FakeWorld().instance().connect({ number })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    await tick();
  });

  it.each([
    '+49 (151) 123-4567',
    '\u202a+49\u00a0151\u00a01234567\u202c',
    '491511234567:12@s.whatsapp.net',
  ])('instance.connect() accepts the number %s', async (number) => {
    const world = new FakeWorld();
    const connecting = world.instance().connect({ number });
    (await world.link()).qr();
    await connecting;
    expect(world.lastLink.requestedNumbers).toEqual(['491511234567']);
  });
});
