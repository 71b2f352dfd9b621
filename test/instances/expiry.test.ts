import { describe, expect, it } from 'vitest';
import { InstanceExpiry } from '../../src/instances/expiry.ts';
import type { InstanceRow } from '../../src/storage/instance-row.ts';
import { type FakeInstance, fakeInstance } from '../http/routes/fixture.ts';
import { FakeClock } from './fakes.ts';

const MINUTE = 60_000;
const PHONE = { ownerJid: '15551234567@s.whatsapp.net' };

interface ExpirableFake extends FakeInstance {
  shutDown(): Promise<void>;
}

const expirable = (name: string, patch: Partial<InstanceRow> = {}): ExpirableFake =>
  Object.assign(fakeInstance(name, patch), { shutDown: async () => undefined });

function world(minutes: number, ...instances: ExpirableFake[]) {
  const clock = new FakeClock();
  /** ms by which the system time was set forward. */
  let step = 0;
  const system = { after: clock.after, now: () => clock.now() + step };
  const log: string[] = [];
  const deleted: string[] = [];
  const left = new Set(instances);
  /** Instances whose deletion takes until they are shut down. */
  const hanging = new Set<ExpirableFake>();
  const phases = new Map<ExpirableFake, string>();
  const causes = new Map<ExpirableFake, string>();
  for (const instance of instances) {
    const { status } = instance;
    instance.status = () => ({
      ...status(),
      phase: phases.get(instance) ?? 'open',
      cause: causes.get(instance) ?? null,
    });
  }
  const note = (_facts: unknown, message?: string) => void log.push(message ?? '');
  const expiry = new InstanceExpiry<ExpirableFake>({
    manager: {
      list: () => [...left],
      async delete(instance) {
        left.delete(instance);
        deleted.push(instance.name);
        if (!hanging.has(instance)) return;
        await new Promise<never>((_, reject) => {
          instance.shutDown = async () => reject(new Error('interrupted'));
        });
      },
    },
    clock: system,
    now: clock.now,
    log: { debug: note, info: note, warn: note, error: note },
    maxUnusedMinutes: minutes,
  });
  return {
    ...{ expiry, deleted, log },
    hangOn: (instance: ExpirableFake) => void hanging.add(instance),
    is(instance: ExpirableFake, phase: string, cause?: string) {
      phases.set(instance, phase);
      if (cause !== undefined) causes.set(instance, cause);
    },
    pass: (ms: number) => clock.advance(ms),
    setForward(ms: number) {
      step += ms;
    },
  };
}

describe('DEL_INSTANCE', () => {
  it('deletes what is not open for so long, and says so; never what is open', async () => {
    const [waiting, open] = [expirable('waiting'), expirable('open', PHONE)];
    const { expiry, is, pass, deleted, log } = world(5, waiting, open);
    is(waiting, 'pairing');
    expiry.start();
    await pass(5 * MINUTE - 15_000);
    expect(deleted).toEqual([]);
    await pass(15_000);
    expect(deleted).toEqual(['waiting']);
    expect(log).toContain('instance.expired');
    await pass(60 * MINUTE);
    expect(deleted).toEqual(['waiting']);
  });

  it('never deletes an account that is coming back, but one that was logged out or locked out', async () => {
    const [lost, out, banned] = [expirable('lost', PHONE), expirable('out'), expirable('banned', PHONE)];
    const { expiry, is, pass, deleted } = world(1, lost, out, banned);
    is(lost, 'backoff');
    is(out, 'logged_out');
    is(banned, 'blocked', 'banned');
    expiry.start();
    await pass(30 * MINUTE);
    expect(deleted.sort()).toEqual(['banned', 'out']);
  });

  it.each([
    'outdated',
    'unreadable',
  ])('never deletes a linked account that a fault of the gateway blocks: %s', async (cause) => {
    const [linked, empty] = [expirable('linked', PHONE), expirable('empty')];
    const { expiry, is, pass, deleted } = world(1, linked, empty);
    is(linked, 'blocked', cause);
    is(empty, 'blocked', cause);
    expiry.start();
    await pass(30 * MINUTE);
    expect(deleted).toEqual(['empty']);
  });

  it('never deletes a linked account that is stopped, as after an import or an export', async () => {
    const [moved, empty] = [expirable('moved', PHONE), expirable('empty')];
    const { expiry, is, pass, deleted } = world(1, moved, empty);
    is(moved, 'stopped');
    is(empty, 'stopped');
    expiry.start();
    await pass(30 * MINUTE);
    expect(deleted).toEqual(['empty']);
  });

  it('gives the whole time again to what was open, and when linking starts', async () => {
    const [back, begun] = [expirable('back'), expirable('begun')];
    const { expiry, is, pass, deleted } = world(2, back, begun);
    is(back, 'logged_out');
    is(begun, 'stopped');
    expiry.start();
    await pass(MINUTE);
    is(back, 'open');
    is(begun, 'connecting');
    await pass(MINUTE);
    is(back, 'logged_out');
    is(begun, 'pairing');
    await pass(MINUTE - 30_000);
    expect(deleted).toEqual([]);
    await pass(MINUTE);
    expect(deleted).toEqual(['begun']);
    await pass(MINUTE);
    expect(deleted).toEqual(['begun', 'back']);
  });

  it('deletes nothing earlier because the system time is set forward', async () => {
    const waiting = expirable('waiting');
    const { expiry, is, pass, setForward, deleted } = world(5, waiting);
    is(waiting, 'pairing');
    expiry.start();
    setForward(60 * MINUTE);
    await pass(4 * MINUTE);
    expect(deleted).toEqual([]);
    await pass(MINUTE);
    expect(deleted).toEqual(['waiting']);
  });

  it('interrupts the deletion in progress when it stops, and begins no other', async () => {
    const [first, second] = [expirable('first'), expirable('second')];
    const { expiry, is, pass, deleted, hangOn, log } = world(1, first, second);
    is(first, 'logged_out');
    is(second, 'logged_out');
    hangOn(first);
    expiry.start();
    await pass(2 * MINUTE);
    await expiry.stop();
    expect(deleted).toEqual(['first']);
    expect(log).not.toContain('instance.expiry.failed');
  });

  it('is off unless it is set', async () => {
    const idle = expirable('idle');
    const { expiry, is, pass, deleted } = world(0, idle);
    is(idle, 'stopped');
    expiry.start();
    await pass(60 * MINUTE);
    expect(deleted).toEqual([]);
  });
});
