import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MemoryRelease } from '../../src/app/memory-release.ts';
import { turnEnd } from '../../src/lib/event-loop-turn.ts';
import { emptyFolder } from '../support/folder.ts';

const MIB = 2 ** 20;

/** Simulates a process. The test sets its memory and CPU time. A release takes 100 ms and leaves 200 MiB. */
function createProcess() {
  let now = 0;
  let cpu = 0;
  let rss = 250 * MIB;
  let releaseCount = 0;
  let onTimer = () => {};
  const memory = new MemoryRelease({
    clock: {
      now: () => now,
      after(_ms, callback) {
        onTimer = callback;
        return { cancel: () => (onTimer = () => {}) };
      },
    },
    rss: () => rss,
    cpu: () => cpu,
    async release() {
      releaseCount += 1;
      now += 100;
      rss = 200 * MIB;
    },
  });
  memory.start();
  return {
    memory,
    grow: (mib: number) => (rss += mib * MIB),
    /** Advances the clock by 5 s, of which the process is busy for the share `busy`. Returns the number of releases. */
    async passFiveSeconds({ busy }: { busy: number }) {
      now += 5_000;
      cpu += 5_000 * busy;
      onTimer();
      await turnEnd();
      return releaseCount;
    },
  };
}

describe('MemoryRelease', () => {
  it('MemoryRelease releases the memory of the start when the process becomes quiet', async () => {
    const { passFiveSeconds } = createProcess();
    expect(await passFiveSeconds({ busy: 0.9 })).toBe(0);
    expect(await passFiveSeconds({ busy: 0.02 })).toBe(1);
  });

  it('MemoryRelease releases no memory while the process is busy', async () => {
    const { passFiveSeconds, grow } = createProcess();
    await passFiveSeconds({ busy: 0 });
    grow(300);
    for (let n = 0; n < 20; n++) expect(await passFiveSeconds({ busy: 0.3 })).toBe(1);
    expect(await passFiveSeconds({ busy: 0.1 })).toBe(2);
  });

  it('MemoryRelease releases no memory while the memory does not grow', async () => {
    const { passFiveSeconds, grow } = createProcess();
    for (let n = 0; n < 20; n++) expect(await passFiveSeconds({ busy: 0 })).toBe(1);
    grow(10);
    for (let n = 0; n < 20; n++) expect(await passFiveSeconds({ busy: 0 })).toBe(1);
    grow(10);
    expect(await passFiveSeconds({ busy: 0 })).toBe(2);
  });

  it('MemoryRelease waits 300 times the duration of a release before the next one', async () => {
    const { passFiveSeconds, grow } = createProcess();
    await passFiveSeconds({ busy: 0 });
    grow(100);
    for (let n = 0; n < 5; n++) expect(await passFiveSeconds({ busy: 0 })).toBe(1);
    expect(await passFiveSeconds({ busy: 0 })).toBe(2);
  });

  it('MemoryRelease releases no memory after stop()', async () => {
    const { memory, passFiveSeconds } = createProcess();
    await memory.stop();
    expect(await passFiveSeconds({ busy: 0 })).toBe(0);
  });

  it('createMemoryRelease() writes the compile cache at the first release', () => {
    const folder = emptyFolder();
    // Timers of this clock expire in the next turn of the event loop. The first release ends the process with SIGKILL.
    const program = `
      const { createMemoryRelease } = await import(${JSON.stringify(resolve('src/app/memory-release.ts'))});
      let now = 0;
      const after = (ms, callback) => setImmediate(() => { now += ms; callback(); });
      createMemoryRelease({ now: () => now, after }, () => setImmediate(() => process.kill(process.pid, 'SIGKILL'))).start();
    `;
    const args = ['--input-type=module', '--eval', program];
    const { signal, stderr } = spawnSync(process.execPath, args, {
      encoding: 'utf8',
      env: { NODE_COMPILE_CACHE: folder },
    });
    expect({ signal, stderr }).toEqual({ signal: 'SIGKILL', stderr: '' });
    expect(readdirSync(folder, { recursive: true }).length).toBeGreaterThan(1);
  });
});
