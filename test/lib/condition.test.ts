import { describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { Condition } from '../../src/lib/condition.ts';

const clock = systemClock;

describe('Changes', () => {
  it('resolves at once when the fact already holds', async () => {
    expect(await new Condition().waitFor(() => 'here', { clock })).toBe('here');
  });

  it('looks again after every change and no more once settled', async () => {
    const changes = new Condition();
    let looks = 0;
    let value: string | undefined;
    const waiting = changes.waitFor(
      () => {
        looks += 1;
        return value;
      },
      { clock },
    );
    changes.notify();
    value = 'now';
    changes.notify();
    changes.notify();
    expect(await waiting).toBe('now');
    expect(looks).toBe(3);
  });

  it('gives up with undefined after the time', async () => {
    let fire: (() => void) | undefined;
    const fake: Clock = {
      now: () => 0,
      after(_ms, fn) {
        fire = fn;
        return { cancel: () => undefined };
      },
    };
    const waiting = new Condition().waitFor(() => undefined, { clock: fake, ms: 5 });
    fire?.();
    expect(await waiting).toBeUndefined();
  });

  it('rejects with what the check throws', async () => {
    const changes = new Condition();
    let broken = false;
    const waiting = changes.waitFor(
      () => {
        if (broken) throw new Error('named failure');
        return undefined;
      },
      { clock },
    );
    broken = true;
    changes.notify();
    await expect(waiting).rejects.toThrow('named failure');
  });

  it('rejects when aborted, before and while waiting', async () => {
    const changes = new Condition();
    const controller = new AbortController();
    const waiting = changes.waitFor(() => undefined, { clock, signal: controller.signal });
    controller.abort(new Error('client went away'));
    await expect(waiting).rejects.toThrow('client went away');
    await expect(changes.waitFor(() => undefined, { clock, signal: controller.signal })).rejects.toThrow(
      'client went away',
    );
  });
});
