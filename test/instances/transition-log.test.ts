import { describe, expect, it } from 'vitest';
import { runWithRequestId } from '../../src/lib/request-id.ts';
import { FakeWorld, openInstance } from '../support/instance-fakes.ts';

/** Removes the logged transitions and returns them as `from → to: request id`. */
const takeTransitions = (world: FakeWorld): string[] =>
  world.logged.splice(0).flatMap(({ name, fields }) => {
    if (name !== 'instance.state.changed') return [];
    const { from, to, requestId }: { from?: string; to?: string; requestId?: string } = fields;
    return [`${from} → ${to}: ${requestId ?? 'nobody'}`];
  });

describe('the transition log', () => {
  it('the transition log has one line per transition, without phone numbers', async () => {
    const world = new FakeWorld();
    const instance = await openInstance(world);
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

  it('the transition log names the request that caused a transition, and none for a transition by the platform', async () => {
    const world = new FakeWorld();
    const instance = world.instance();
    const connecting = runWithRequestId('req-connect', () => instance.connect());
    const link = await world.link();
    link.open();
    await connecting;
    expect(takeTransitions(world)).toEqual(['stopped → connecting: req-connect', 'connecting → open: nobody']);
    // The socket itself works without the id of the request.
    expect(link.requestId).toBeUndefined();

    const restarting = runWithRequestId('req-restart', () => instance.restart());
    (await world.link(2)).open();
    await restarting;
    expect(takeTransitions(world)).toEqual([
      'open → closing(connecting): req-restart',
      'closing(connecting) → connecting: req-restart',
      'connecting → open: nobody',
    ]);

    // An hour later.
    await world.clock.advance(3_600_000);
    world.lastLink.close(503);
    await world.reached('backoff');
    await world.clock.advance(1_000);
    (await world.link(3)).open();
    await world.reached('open', 3);
    expect(takeTransitions(world)).toEqual([
      'open → backoff: nobody',
      'backoff → connecting: nobody',
      'connecting → open: nobody',
    ]);

    await runWithRequestId('req-logout', () => instance.logout());
    await runWithRequestId('req-delete', () => instance.delete());
    expect(takeTransitions(world)).toEqual([
      'open → closing(logged_out): req-logout',
      'closing(logged_out) → logged_out: req-logout',
      'logged_out → deleted: req-delete',
    ]);
  });

  it('the transition log names no request for a transition that a timer causes after the request', async () => {
    const world = new FakeWorld();
    const instance = await openInstance(world);
    world.hangsOnClose = true;
    takeTransitions(world);
    const restarting = runWithRequestId('req-restart', () => instance.restart());
    await world.clock.advance(10_000);
    await world.link(2);
    await world.clock.advance(30_000);
    await restarting;
    expect(takeTransitions(world)).toEqual([
      'open → closing(connecting): req-restart',
      // The watchdog ended the wait for the close. The request is the reason of the transition.
      'closing(connecting) → connecting: req-restart',
      'connecting → closing(backoff): nobody',
    ]);
    await world.clock.advance(10_000);
    await instance.shutDown();
    expect(takeTransitions(world)).toEqual(['closing(backoff) → backoff: nobody', 'backoff → stopped: nobody']);
  });

  it('the transition log names the latest request for a connection that is being closed', async () => {
    const world = new FakeWorld();
    const instance = await openInstance(world);
    takeTransitions(world);
    const restarting = runWithRequestId('req-restart', () => instance.restart());
    const rejection = expect(restarting).rejects.toMatchObject({ code: 'INSTANCE_NOT_FOUND' });
    await runWithRequestId('req-delete', () => instance.delete());
    await rejection;
    expect(takeTransitions(world)).toEqual([
      'open → closing(connecting): req-restart',
      'closing(connecting) → closing(deleted): req-delete',
      'closing(deleted) → deleted: req-delete',
    ]);
  });
});
