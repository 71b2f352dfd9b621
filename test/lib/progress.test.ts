import { describe, expect, it } from 'vitest';
import { createProgress } from '../../src/lib/progress.ts';

const MIB = 2 ** 20;

function shown(
  terminal: { isTTY?: boolean; columns?: number },
  steps: readonly [at: number, done: number][],
): string[] {
  let now = 0;
  const written: string[] = [];
  const progress = createProgress({ ...terminal, write: (text) => written.push(text) }, 'copying', { now: () => now });
  for (const [at, done] of steps) {
    now = at;
    progress.update(done, 10 * MIB);
  }
  progress.end();
  return written;
}

describe('progress', () => {
  it('is a bar that is drawn again in its place, and stays when all is done', () => {
    const steps: [number, number][] = [
      [0, MIB],
      [50, 2 * MIB],
      [100, 5 * MIB],
      [110, 10 * MIB],
    ];
    expect(shown({ isTTY: true, columns: 100 }, steps)).toEqual([
      `\rcopying [${'#'.repeat(15)}${'.'.repeat(15)}] 50 %, 5.0 of 10.0 MiB\u001b[K`,
      `\rcopying [${'#'.repeat(30)}] 100 %, 10.0 of 10.0 MiB\u001b[K`,
      '\n',
    ]);
  });

  it('is figures alone where a terminal is narrow', () => {
    expect(shown({ isTTY: true, columns: 40 }, [[200, MIB]])).toEqual([
      '\rcopying 10 %, 1.0 of 10.0 MiB\u001b[K',
      '\n',
    ]);
  });

  it('is one line for short work and one now and then for long work where there is no terminal', () => {
    const last = 'copying 100 %, 10.0 of 10.0 MiB\n';
    expect(
      shown({}, [
        [0, MIB],
        [4999, 10 * MIB],
      ]),
    ).toEqual([last]);
    expect(
      shown({}, [
        [5000, MIB],
        [6000, 2 * MIB],
        [7000, 10 * MIB],
      ]),
    ).toEqual(['copying 10 %, 1.0 of 10.0 MiB\n', last]);
  });

  it('says nothing of work that never began', () => {
    expect(shown({ isTTY: true }, [])).toEqual([]);
  });
});
