import { describe, expect, it } from 'vitest';
import type { DomainEvent } from '../../src/events/events.ts';
import { createNotifier, type StateEvent, toEvents } from '../../src/instances/connection-notifier.ts';
import { FakeWorld, tick } from './fakes.ts';

const state = (state: StateEvent['state'], statusReason = 200, cause?: string): StateEvent => ({
  type: 'connection.update',
  state,
  statusReason,
  cause,
});
const open = state('open');
const connecting = state('connecting');
const lost = state('connecting', 428, 'transient');
const close = state('close', 401, 'logged_out');

function notifier() {
  const world = new FakeWorld();
  const events: string[] = [];
  let failing = false;
  const subject = createNotifier({
    ingest: async (batch) => {
      await tick();
      if (failing) throw new Error('no disk');
      for (const event of batch)
        events.push(event.type === 'connection.update' ? `${event.state}:${event.statusReason}` : event.type);
    },
    clock: world.clock,
    log: world.deps().log,
    flapWindow: 3000,
  });
  const fail = (value: boolean): void => {
    failing = value;
  };
  return { world, events, subject, fail };
}

describe('createNotifier', () => {
  it('posts a state once, however often it is reported', async () => {
    const { events, subject } = notifier();
    for (const update of [connecting, connecting, open, open, close, close]) subject.report(update);
    await subject.flush();
    expect(events).toEqual(['connecting:200', 'open:200', 'close:401']);
  });

  it('leaves out a loss that is repaired in time, and the return', async () => {
    const { world, events, subject } = notifier();
    subject.report(open);
    subject.report(lost);
    subject.report(connecting);
    await world.clock.advance(2_900);
    subject.report(open);
    await world.clock.advance(60_000);
    await subject.flush();
    expect(events).toEqual(['open:200']);
  });

  it('reports at once that an open connection was dead, also when it is repaired in time', async () => {
    const { events, subject } = notifier();
    for (const update of [open, state('connecting', 408, 'silent'), connecting, open]) subject.report(update);
    await subject.flush();
    expect(events).toEqual(['open:200', 'connecting:408', 'open:200']);
  });

  it('reports a loss that lasts, once, and the return', async () => {
    const { world, events, subject } = notifier();
    subject.report(open);
    subject.report(lost);
    await world.clock.advance(3_000);
    subject.report(connecting);
    subject.report(lost);
    subject.report(open);
    await subject.flush();
    expect(events).toEqual(['open:200', 'connecting:428', 'open:200']);
  });

  it('reports a loss with the time of the attempt that is next', async () => {
    const { clock, deps } = new FakeWorld();
    const reported: DomainEvent[] = [];
    const ingest = async (events: readonly DomainEvent[]) => void reported.push(...events);
    const subject = createNotifier({ ingest, clock, log: deps().log, flapWindow: 3000 });
    subject.report(open);
    subject.report({ ...lost, retryAt: clock.now() + 1000 });
    await clock.advance(1000);
    subject.report(lost);
    const retryAt = clock.now() + 60_000;
    subject.report({ ...lost, retryAt });
    await clock.advance(3000);
    expect(reported.at(-1)).toEqual({ ...lost, retryAt });
  });

  it('never holds back a close, which makes a held loss pointless', async () => {
    const { world, events, subject } = notifier();
    subject.report(open);
    subject.report(lost);
    subject.report(close);
    await world.clock.advance(60_000);
    await subject.flush();
    expect(events).toEqual(['open:200', 'close:401']);
  });

  it('drops a held loss when the instance is deleted', async () => {
    const { world, events, subject } = notifier();
    for (const update of [open, lost]) subject.report(update);
    subject.report({ type: 'instance.delete' });
    await world.clock.advance(60_000);
    await subject.flush();
    expect(events).toEqual(['open:200', 'instance.delete']);
  });

  it('keeps the order of all events and of what is done between them', async () => {
    const { events, subject } = notifier();
    subject.report(close);
    subject.enqueue(async () => void events.push('between'));
    subject.report({ type: 'logout.instance' });
    await subject.flush();
    expect(events).toEqual(['close:401', 'between', 'logout.instance']);
  });

  it('logs what could not be stored and goes on', async () => {
    const { world, events, subject, fail } = notifier();
    fail(true);
    subject.report(open);
    await subject.flush();
    fail(false);
    subject.report(close);
    await subject.flush();
    expect(events).toEqual(['close:401']);
    expect(world.logged).toContainEqual(expect.objectContaining({ level: 'error', name: 'instance.event.lost' }));
  });

  it('says nothing once silenced, not even what it held', async () => {
    const { world, events, subject } = notifier();
    subject.report(open);
    subject.report(lost);
    subject.mute();
    subject.report(close);
    await world.clock.advance(60_000);
    await subject.flush();
    expect(events).toEqual(['open:200']);
  });
});

describe('toEvents', () => {
  const profilePictureUrl = 'https://pps.whatsapp.net/v/1.jpg';
  const row = new FakeWorld().row({ ownerJid: '49@s.whatsapp.net', profileName: 'Shop', profilePictureUrl });
  const types = (events: DomainEvent[]): string[] => events.map(({ type }) => type);

  it('names the account on open', () => {
    const account = { wuid: '49@s.whatsapp.net', profileName: 'Shop', profilePictureUrl };
    expect(toEvents({ phase: 'open' }, null, null, row)).toEqual([
      { type: 'connection.update', state: 'open', statusReason: 200, ...account },
    ]);
  });

  it('says why, what to do and when it is tried again', () => {
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

  it('does not call a planned reconnect a loss', () => {
    for (const cause of ['restart_required', 'qr_expired'] as const) {
      expect(toEvents({ phase: 'connecting' }, { cause, code: 515 }, null, row)).toEqual([
        { type: 'connection.update', state: 'connecting', statusReason: 200 },
      ]);
    }
  });

  it('has the events of the QR limit, of a logout and of a removal', () => {
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
