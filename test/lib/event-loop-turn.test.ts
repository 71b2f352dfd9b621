import { describe, expect, it } from 'vitest';
import { afterTurnEnd, atTurnEnd, turnEnd } from '../../src/lib/event-loop-turn.ts';

describe('afterTurnEnd', () => {
  it('afterTurnEnd() runs its callbacks after those of atTurnEnd() and the promises that they started', async () => {
    const calls: string[] = [];
    const { promise: finished, resolve } = Promise.withResolvers<void>();
    afterTurnEnd(() => {
      calls.push('after');
      resolve();
    });
    atTurnEnd(() => {
      calls.push('end');
      void Promise.resolve()
        .then(() => Promise.resolve())
        .then(() => calls.push('promise of end'));
    });
    queueMicrotask(() => atTurnEnd(() => calls.push('late end')));
    calls.push('turn');
    await finished;
    expect(calls).toEqual(['turn', 'end', 'promise of end', 'late end', 'after']);
  });
});

describe('turnEnd', () => {
  it('turnEnd() resolves after the callbacks of the turn have run', async () => {
    const calls: string[] = [];
    const end = turnEnd().then(() => calls.push('end'));
    process.nextTick(() => calls.push('tick'));
    queueMicrotask(() => calls.push('microtask'));
    await end;
    expect(calls.sort()).toEqual(['end', 'microtask', 'tick']);
    expect(calls).toHaveLength(3);
  });
});
