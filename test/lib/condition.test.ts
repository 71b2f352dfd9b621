import { describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { Condition } from '../../src/lib/condition.ts';

const clock = systemClock;

describe('Condition', () => {
  it('Condition.waitFor() resolves at once when the check already returns a value', async () => {
    expect(await new Condition().waitFor(() => 'here', { clock })).toBe('here');
  });

  it('Condition.waitFor() checks again after every notify() until it has settled', async () => {
    const condition = new Condition();
    let checks = 0;
    let value: string | undefined;
    const result = condition.waitFor(
      () => {
        checks += 1;
        return value;
      },
      { clock },
    );
    condition.notify();
    value = 'now';
    condition.notify();
    condition.notify();
    expect(await result).toBe('now');
    expect(checks).toBe(3);
  });

  it('Condition.waitFor() resolves with undefined when its time is over', async () => {
    let fire: (() => void) | undefined;
    const fakeClock: Clock = {
      now: () => 0,
      after(_ms, fn) {
        fire = fn;
        return { cancel: () => undefined };
      },
    };
    const result = new Condition().waitFor(() => undefined, { clock: fakeClock, ms: 5 });
    fire?.();
    expect(await result).toBeUndefined();
  });

  it('Condition.waitFor() rejects with the error that the check throws', async () => {
    const condition = new Condition();
    let isBroken = false;
    const result = condition.waitFor(
      () => {
        if (isBroken) throw new Error('named failure');
        return undefined;
      },
      { clock },
    );
    isBroken = true;
    condition.notify();
    await expect(result).rejects.toThrow('named failure');
  });

  it('Condition.waitFor() rejects when its signal is aborted, before and during the wait', async () => {
    const condition = new Condition();
    const controller = new AbortController();
    const result = condition.waitFor(() => undefined, { clock, signal: controller.signal });
    controller.abort(new Error('client went away'));
    await expect(result).rejects.toThrow('client went away');
    await expect(condition.waitFor(() => undefined, { clock, signal: controller.signal })).rejects.toThrow(
      'client went away',
    );
  });
});
