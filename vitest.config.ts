import { defineConfig } from 'vitest/config';

/** Three projects: unit (parallel, no sockets held), storage (one file per dialect), e2e (sandbox and real sockets). */
export default defineConfig({
  test: {
    // By default one worker on two cores; many of these tests wait for processes.
    maxWorkers: 3,
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          // A time-out only ends what hangs; on a busy machine the slowest of these takes seconds.
          testTimeout: 30_000,
          exclude: ['test/storage/**', 'test/e2e/**', 'test/regressions/**'],
        },
      },
      { test: { name: 'storage', include: ['test/storage/**/*.test.ts'], testTimeout: 30_000, hookTimeout: 60_000 } },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts', 'test/regressions/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
