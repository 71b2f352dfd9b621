import { describe, expect, it } from 'vitest';
import { createProgress } from '../../src/lib/progress.ts';

const MIB = 2 ** 20;

function outputOf(
  terminal: { isTTY?: boolean; columns?: number },
  steps: readonly [at: number, done: number][],
): string[] {
  let now = 0;
  const output: string[] = [];
  const progress = createProgress({ ...terminal, write: (text) => output.push(text) }, 'copying', { now: () => now });
  for (const [at, done] of steps) {
    now = at;
    progress.update(done, 10 * MIB);
  }
  progress.end();
  return output;
}

describe('createProgress', () => {
  it('createProgress() redraws a bar in its place and leaves the last state on the terminal', () => {
    const steps: [number, number][] = [
      [0, MIB],
      [50, 2 * MIB],
      [100, 5 * MIB],
      [110, 10 * MIB],
    ];
    expect(outputOf({ isTTY: true, columns: 100 }, steps)).toEqual([
      `\rcopying [${'#'.repeat(15)}${'.'.repeat(15)}] 50 %, 5.0 of 10.0 MiB\u001b[K`,
      `\rcopying [${'#'.repeat(30)}] 100 %, 10.0 of 10.0 MiB\u001b[K`,
      '\n',
    ]);
  });

  it('createProgress() shows only figures on a narrow terminal', () => {
    expect(outputOf({ isTTY: true, columns: 40 }, [[200, MIB]])).toEqual([
      '\rcopying 10 %, 1.0 of 10.0 MiB\u001b[K',
      '\n',
    ]);
  });

  it('createProgress() writes one line for short work and several lines for long work when there is no terminal', () => {
    const last = 'copying 100 %, 10.0 of 10.0 MiB\n';
    expect(
      outputOf({}, [
        [0, MIB],
        [4999, 10 * MIB],
      ]),
    ).toEqual([last]);
    expect(
      outputOf({}, [
        [5000, MIB],
        [6000, 2 * MIB],
        [7000, 10 * MIB],
      ]),
    ).toEqual(['copying 10 %, 1.0 of 10.0 MiB\n', last]);
  });

  it('createProgress() writes nothing for work that did not start', () => {
    expect(outputOf({ isTTY: true }, [])).toEqual([]);
  });
});
