import { describe, expect, it } from 'vitest';
import { runWithRequestId } from '../../src/lib/request-id.ts';
import { FakeWorld, opened } from './fakes.ts';

/** `from → to: request`, since the last look. */
const movesOf = (world: FakeWorld): string[] =>
  world.logged.splice(0).flatMap(({ name, fields }) => {
    if (name !== 'instance.state.changed') return [];
    const { from, to, requestId }: { from?: string; to?: string; requestId?: string } = fields;
    return [`${from} → ${to}: ${requestId ?? 'nobody'}`];
  });

describe('the transition log', () => {
  it('has one line per transition, without phone numbers', async () => {
    const world = new FakeWorld();
    const instance = await opened(world);
    await instance.logout();
    const lines = world.logged.filter(({ name }) => name === 'instance.state.changed').map(({ fields }) => fields);
    expect(lines).toEqual([
      { instance: 'shop', from: 'stopped', to: 'connecting', event: 'START', cause: undefined },
      { instance: 'shop', from: 'connecting', to: 'open', event: 'OPEN', cause: undefined },
      { instance: 'shop', from: 'open', to: 'closing(logged_out)', event: 'LOGOUT', cause: 'logout_requested' },
      { instance: 'shop', from: 'closing(logged_out)', to: 'logged_out', event: 'CLOSED', cause: 'logout_requested' },
    ]);
    expect(JSON.stringify(world.logged)).not.toMatch(/\d{10}/);
  });

  it('names the request that caused a transition, and none where the platform did', async () => {
    const world = new FakeWorld();
    const instance = world.instance();
    const connecting = runWithRequestId('req-connect', () => instance.connect());
    const link = await world.link();
    link.open();
    await connecting;
    expect(movesOf(world)).toEqual(['stopped → connecting: req-connect', 'connecting → open: nobody']);
    // What the socket does without a request has no request id.
    expect(link.requestId).toBeUndefined();

    const restarting = runWithRequestId('req-restart', () => instance.restart());
    (await world.link(2)).open();
    await restarting;
    expect(movesOf(world)).toEqual([
      'open → closing(connecting): req-restart',
      'closing(connecting) → connecting: req-restart',
      'connecting → open: nobody',
    ]);

    // An hour later.
    await world.clock.advance(3_600_000);
    world.last.close(503);
    await world.reached('backoff');
    await world.clock.advance(1_000);
    (await world.link(3)).open();
    await world.reached('open', 3);
    expect(movesOf(world)).toEqual([
      'open → backoff: nobody',
      'backoff → connecting: nobody',
      'connecting → open: nobody',
    ]);

    await runWithRequestId('req-logout', () => instance.logout());
    await runWithRequestId('req-delete', () => instance.delete());
    expect(movesOf(world)).toEqual([
      'open → closing(logged_out): req-logout',
      'closing(logged_out) → logged_out: req-logout',
      'logged_out → deleted: req-delete',
    ]);
  });

  it('blames no request for what fell due after it', async () => {
    const world = new FakeWorld();
    const instance = await opened(world);
    world.hangsOnClose = true;
    movesOf(world);
    const restarting = runWithRequestId('req-restart', () => instance.restart());
    await world.clock.advance(10_000);
    await world.link(2);
    await world.clock.advance(30_000);
    await restarting;
    expect(movesOf(world)).toEqual([
      'open → closing(connecting): req-restart',
      // The watchdog only ended the wait.
      'closing(connecting) → connecting: req-restart',
      'connecting → closing(backoff): nobody',
    ]);
    await world.clock.advance(10_000);
    await instance.shutDown();
    expect(movesOf(world)).toEqual(['closing(backoff) → backoff: nobody', 'backoff → stopped: nobody']);
  });

  it('names the last one who wanted something of a connection that is being closed', async () => {
    const world = new FakeWorld();
    const instance = await opened(world);
    movesOf(world);
    const restarting = runWithRequestId('req-restart', () => instance.restart());
    const gone = expect(restarting).rejects.toMatchObject({ code: 'INSTANCE_NOT_FOUND' });
    await runWithRequestId('req-delete', () => instance.delete());
    await gone;
    expect(movesOf(world)).toEqual([
      'open → closing(connecting): req-restart',
      'closing(connecting) → closing(deleted): req-delete',
      'closing(deleted) → deleted: req-delete',
    ]);
  });
});
