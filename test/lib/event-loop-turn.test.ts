import { describe, expect, it } from 'vitest';
import { atTurnEnd, turnEnd } from '../../src/lib/event-loop-turn.ts';

describe('atTurnEnd', () => {
  it('runs commit callbacks after every collect callback of the turn and what those started, in any order of the calls', async () => {
    const calls: string[] = [];
    const { promise: committed, resolve } = Promise.withResolvers<void>();
    atTurnEnd('commit', () => {
      calls.push('commit');
      resolve();
    });
    atTurnEnd('collect', () => {
      calls.push('collect');
      void Promise.resolve()
        .then(() => Promise.resolve())
        .then(() => calls.push('promise of collect'));
    });
    queueMicrotask(() => atTurnEnd('collect', () => calls.push('late collect')));
    calls.push('turn');
    await committed;
    expect(calls).toEqual(['turn', 'collect', 'promise of collect', 'late collect', 'commit']);
  });
});

describe('turnEnd', () => {
  it('resolves once the callbacks of the turn have run', async () => {
    const calls: string[] = [];
    const end = turnEnd().then(() => calls.push('end'));
    process.nextTick(() => calls.push('tick'));
    queueMicrotask(() => calls.push('microtask'));
    await end;
    expect(calls.sort()).toEqual(['end', 'microtask', 'tick']);
    expect(calls).toHaveLength(3);
  });
});
