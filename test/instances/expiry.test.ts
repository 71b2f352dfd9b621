import { describe, expect, it } from 'vitest';
import { InstanceExpiry } from '../../src/instances/expiry.ts';
import type { InstanceRow } from '../../src/storage/instance-row.ts';
import { type FakeInstance, fakeInstance } from '../support/http-fixture.ts';
import { FakeClock } from '../support/instance-fakes.ts';

const MINUTE = 60_000;
const PHONE = { ownerJid: '15551234567@s.whatsapp.net' };

interface ExpirableFake extends FakeInstance {
  shutDown(): Promise<void>;
}

const expirable = (name: string, patch: Partial<InstanceRow> = {}): ExpirableFake =>
  Object.assign(fakeInstance(name, patch), { shutDown: async () => undefined });

function setUp(minutes: number, ...instances: ExpirableFake[]) {
  const clock = new FakeClock();
  /** ms by which the system time is set forward. */
  let clockOffset = 0;
  const system = { after: clock.after, now: () => clock.now() + clockOffset };
  const log: string[] = [];
  const deleted: string[] = [];
  const remaining = new Set(instances);
  /** Instances whose deletion does not end until they are shut down. */
  const hangingDeletions = new Set<ExpirableFake>();
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
  const recordLog = (_facts: unknown, message?: string) => void log.push(message ?? '');
  const expiry = new InstanceExpiry<ExpirableFake>({
    manager: {
      list: () => [...remaining],
      async delete(instance) {
        remaining.delete(instance);
        deleted.push(instance.name);
        if (!hangingDeletions.has(instance)) return;
        await new Promise<never>((_, reject) => {
          instance.shutDown = async () => reject(new Error('interrupted'));
        });
      },
    },
    clock: system,
    now: clock.now,
    log: { debug: recordLog, info: recordLog, warn: recordLog, error: recordLog },
    maxUnusedMinutes: minutes,
  });
  return {
    ...{ expiry, deleted, log },
    hangOn: (instance: ExpirableFake) => void hangingDeletions.add(instance),
    setPhase(instance: ExpirableFake, phase: string, cause?: string) {
      phases.set(instance, phase);
      if (cause !== undefined) causes.set(instance, cause);
    },
    advance: (ms: number) => clock.advance(ms),
    setForward(ms: number) {
      clockOffset += ms;
    },
  };
}

describe('DEL_INSTANCE', () => {
  it('DEL_INSTANCE deletes and logs an instance that is unused for the set minutes, and never an open instance', async () => {
    const [waiting, open] = [expirable('waiting'), expirable('open', PHONE)];
    const { expiry, setPhase, advance, deleted, log } = setUp(5, waiting, open);
    setPhase(waiting, 'pairing');
    expiry.start();
    await advance(5 * MINUTE - 15_000);
    expect(deleted).toEqual([]);
    await advance(15_000);
    expect(deleted).toEqual(['waiting']);
    expect(log).toContain('instance.expired');
    await advance(60 * MINUTE);
    expect(deleted).toEqual(['waiting']);
  });

  it('DEL_INSTANCE deletes a logged-out instance and a banned account, but not an account that reconnects', async () => {
    const [lost, loggedOut, banned] = [expirable('lost', PHONE), expirable('out'), expirable('banned', PHONE)];
    const { expiry, setPhase, advance, deleted } = setUp(1, lost, loggedOut, banned);
    setPhase(lost, 'backoff');
    setPhase(loggedOut, 'logged_out');
    setPhase(banned, 'blocked', 'banned');
    expiry.start();
    await advance(30 * MINUTE);
    expect(deleted.sort()).toEqual(['banned', 'out']);
  });

  it.each([
    'outdated',
    'unreadable',
  ])('DEL_INSTANCE does not delete a linked account that is blocked with the cause %s', async (cause) => {
    const [linked, empty] = [expirable('linked', PHONE), expirable('empty')];
    const { expiry, setPhase, advance, deleted } = setUp(1, linked, empty);
    setPhase(linked, 'blocked', cause);
    setPhase(empty, 'blocked', cause);
    expiry.start();
    await advance(30 * MINUTE);
    expect(deleted).toEqual(['empty']);
  });

  it('DEL_INSTANCE does not delete a linked account that is stopped, as after an import or an export', async () => {
    const [stopped, empty] = [expirable('moved', PHONE), expirable('empty')];
    const { expiry, setPhase, advance, deleted } = setUp(1, stopped, empty);
    setPhase(stopped, 'stopped');
    setPhase(empty, 'stopped');
    expiry.start();
    await advance(30 * MINUTE);
    expect(deleted).toEqual(['empty']);
  });

  it('DEL_INSTANCE restarts the unused time of an instance that was open, and of one whose linking starts', async () => {
    const [reconnected, linking] = [expirable('back'), expirable('begun')];
    const { expiry, setPhase, advance, deleted } = setUp(2, reconnected, linking);
    setPhase(reconnected, 'logged_out');
    setPhase(linking, 'stopped');
    expiry.start();
    await advance(MINUTE);
    setPhase(reconnected, 'open');
    setPhase(linking, 'connecting');
    await advance(MINUTE);
    setPhase(reconnected, 'logged_out');
    setPhase(linking, 'pairing');
    await advance(MINUTE - 30_000);
    expect(deleted).toEqual([]);
    await advance(MINUTE);
    expect(deleted).toEqual(['begun']);
    await advance(MINUTE);
    expect(deleted).toEqual(['begun', 'back']);
  });

  it('DEL_INSTANCE does not delete an instance earlier when the system time is set forward', async () => {
    const waiting = expirable('waiting');
    const { expiry, setPhase, advance, setForward, deleted } = setUp(5, waiting);
    setPhase(waiting, 'pairing');
    expiry.start();
    setForward(60 * MINUTE);
    await advance(4 * MINUTE);
    expect(deleted).toEqual([]);
    await advance(MINUTE);
    expect(deleted).toEqual(['waiting']);
  });

  it('InstanceExpiry.stop() interrupts the deletion in progress and starts no other deletion', async () => {
    const [first, second] = [expirable('first'), expirable('second')];
    const { expiry, setPhase, advance, deleted, hangOn, log } = setUp(1, first, second);
    setPhase(first, 'logged_out');
    setPhase(second, 'logged_out');
    hangOn(first);
    expiry.start();
    await advance(2 * MINUTE);
    await expiry.stop();
    expect(deleted).toEqual(['first']);
    expect(log).not.toContain('instance.expiry.failed');
  });

  it('DEL_INSTANCE deletes nothing with the value 0', async () => {
    const idle = expirable('idle');
    const { expiry, setPhase, advance, deleted } = setUp(0, idle);
    setPhase(idle, 'stopped');
    expiry.start();
    await advance(60 * MINUTE);
    expect(deleted).toEqual([]);
  });
});
