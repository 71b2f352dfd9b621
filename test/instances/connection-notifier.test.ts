import { describe, expect, it } from 'vitest';
import type { DomainEvent } from '../../src/events/events.ts';
import { createNotifier, type StateEvent, toEvents } from '../../src/instances/connection-notifier.ts';
import { FakeWorld, tick } from '../support/instance-fakes.ts';

const state = (state: StateEvent['state'], statusReason = 200, cause?: string): StateEvent => ({
  type: 'connection.update',
  state,
  statusReason,
  cause,
});
const open = state('open');
const connecting = state('connecting');
const loss = state('connecting', 428, 'transient');
const close = state('close', 401, 'logged_out');

function setUpNotifier() {
  const world = new FakeWorld();
  const events: string[] = [];
  let isFailing = false;
  const notifier = createNotifier({
    ingest: async (batch) => {
      await tick();
      if (isFailing) throw new Error('no disk');
      for (const event of batch)
        events.push(event.type === 'connection.update' ? `${event.state}:${event.statusReason}` : event.type);
    },
    clock: world.clock,
    log: world.deps().log,
    flapWindow: 3000,
  });
  const setFailing = (value: boolean): void => {
    isFailing = value;
  };
  return { world, events, notifier, setFailing };
}

describe('createNotifier', () => {
  it('the connection notifier reports a repeated connection state once', async () => {
    const { events, notifier } = setUpNotifier();
    for (const update of [connecting, connecting, open, open, close, close]) notifier.report(update);
    await notifier.flush();
    expect(events).toEqual(['connecting:200', 'open:200', 'close:401']);
  });

  it('the connection notifier omits a loss that is repaired within flapWindow, and the new connection', async () => {
    const { world, events, notifier } = setUpNotifier();
    notifier.report(open);
    notifier.report(loss);
    notifier.report(connecting);
    await world.clock.advance(2_900);
    notifier.report(open);
    await world.clock.advance(60_000);
    await notifier.flush();
    expect(events).toEqual(['open:200']);
  });

  it('the connection notifier reports a loss with the cause silent at once, also before a quick reconnect', async () => {
    const { events, notifier } = setUpNotifier();
    for (const update of [open, state('connecting', 408, 'silent'), connecting, open]) notifier.report(update);
    await notifier.flush();
    expect(events).toEqual(['open:200', 'connecting:408', 'open:200']);
  });

  it('the connection notifier reports a loss that outlasts flapWindow once, and then the new connection', async () => {
    const { world, events, notifier } = setUpNotifier();
    notifier.report(open);
    notifier.report(loss);
    await world.clock.advance(3_000);
    notifier.report(connecting);
    notifier.report(loss);
    notifier.report(open);
    await notifier.flush();
    expect(events).toEqual(['open:200', 'connecting:428', 'open:200']);
  });

  it('the connection notifier reports a held loss with the time of the next attempt', async () => {
    const { clock, deps } = new FakeWorld();
    const reported: DomainEvent[] = [];
    const ingest = async (events: readonly DomainEvent[]) => void reported.push(...events);
    const notifier = createNotifier({ ingest, clock, log: deps().log, flapWindow: 3000 });
    notifier.report(open);
    notifier.report({ ...loss, retryAt: clock.now() + 1000 });
    await clock.advance(1000);
    notifier.report(loss);
    const retryAt = clock.now() + 60_000;
    notifier.report({ ...loss, retryAt });
    await clock.advance(3000);
    expect(reported.at(-1)).toEqual({ ...loss, retryAt });
  });

  it('the connection notifier reports the state close at once and drops the held loss', async () => {
    const { world, events, notifier } = setUpNotifier();
    notifier.report(open);
    notifier.report(loss);
    notifier.report(close);
    await world.clock.advance(60_000);
    await notifier.flush();
    expect(events).toEqual(['open:200', 'close:401']);
  });

  it('the connection notifier drops a held loss when the instance is deleted', async () => {
    const { world, events, notifier } = setUpNotifier();
    for (const update of [open, loss]) notifier.report(update);
    notifier.report({ type: 'instance.delete' });
    await world.clock.advance(60_000);
    await notifier.flush();
    expect(events).toEqual(['open:200', 'instance.delete']);
  });

  it('the connection notifier keeps the order of events and of enqueued tasks', async () => {
    const { events, notifier } = setUpNotifier();
    notifier.report(close);
    notifier.enqueue(async () => void events.push('between'));
    notifier.report({ type: 'logout.instance' });
    await notifier.flush();
    expect(events).toEqual(['close:401', 'between', 'logout.instance']);
  });

  it('the connection notifier logs an event that could not be stored, and stores the next event', async () => {
    const { world, events, notifier, setFailing } = setUpNotifier();
    setFailing(true);
    notifier.report(open);
    await notifier.flush();
    setFailing(false);
    notifier.report(close);
    await notifier.flush();
    expect(events).toEqual(['close:401']);
    expect(world.logged).toContainEqual(expect.objectContaining({ level: 'error', name: 'instance.event.lost' }));
  });

  it('the connection notifier reports nothing after mute(), not even a held loss', async () => {
    const { world, events, notifier } = setUpNotifier();
    notifier.report(open);
    notifier.report(loss);
    notifier.mute();
    notifier.report(close);
    await world.clock.advance(60_000);
    await notifier.flush();
    expect(events).toEqual(['open:200']);
  });
});

describe('toEvents', () => {
  const profilePictureUrl = 'https://pps.whatsapp.net/v/1.jpg';
  const row = new FakeWorld().row({ ownerJid: '49@s.whatsapp.net', profileName: 'Shop', profilePictureUrl });
  const types = (events: DomainEvent[]): string[] => events.map(({ type }) => type);

  it('toEvents() adds the account to the event of the state open', () => {
    const account = { wuid: '49@s.whatsapp.net', profileName: 'Shop', profilePictureUrl };
    expect(toEvents({ phase: 'open' }, null, null, row)).toEqual([
      { type: 'connection.update', state: 'open', statusReason: 200, ...account },
    ]);
  });

  it('toEvents() adds the cause, the message, the user action and the time of the next attempt', () => {
    expect(toEvents({ phase: 'backoff' }, { cause: 'transient', code: 428 }, 5, row)).toEqual([
      {
        type: 'connection.update',
        state: 'connecting',
        statusReason: 428,
        cause: 'transient',
        message: expect.any(String),
        retryAt: 5,
      },
    ]);
    expect(
      toEvents({ phase: 'blocked', cause: 'replaced' }, { cause: 'replaced', code: 440 }, null, row),
    ).toMatchObject([
      { state: 'close', statusReason: 440, cause: 'replaced', userAction: expect.stringContaining('restart') },
      { type: 'status.instance', code: 440, cause: 'replaced' },
    ]);
  });

  it('toEvents() does not report a planned reconnect as a loss', () => {
    for (const cause of ['restart_required', 'qr_expired'] as const) {
      expect(toEvents({ phase: 'connecting' }, { cause, code: 515 }, null, row)).toEqual([
        { type: 'connection.update', state: 'connecting', statusReason: 200 },
      ]);
    }
  });

  it('toEvents() returns additional events for the QR limit, a logout and a deletion', () => {
    const limit = toEvents({ phase: 'stopped' }, { cause: 'qr_exhausted', code: 408 }, null, row);
    expect(limit).toMatchObject([
      { type: 'qrcode.updated', limitReached: true },
      { type: 'connection.update', state: 'refused', statusReason: 428 },
    ]);
    const logout = toEvents({ phase: 'logged_out' }, { cause: 'logged_out', code: 401 }, null, row);
    expect(types(logout)).toEqual(['connection.update', 'status.instance', 'logout.instance']);
    expect(types(toEvents({ phase: 'deleted' }, null, null, row))).toEqual(['instance.delete', 'remove.instance']);
  });
});
