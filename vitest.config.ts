import { defineConfig } from 'vitest/config';
import { MEMORY_FOLDER_ENV } from './test/support/memory-folder.ts';

/**
 * Of the workers of npm test. With a larger space for new objects than the default of 16 MiB, V8 collects them less
 * often: a seventh of the CPU time of tests was that.
 */
const WORKER = { env: MEMORY_FOLDER_ENV, execArgv: ['--max-semi-space-size=32'] };

/** Of every project. The default time limit of expect.poll(), one second, is too short on a busy machine. */
const POLLS = { expect: { poll: { timeout: 60_000 } } };

/** Files that are part of npm run test:slow, beside the code that they test. */
const SLOW_FILES = '**/*.slow.test.ts';

/**
 * Unit (no PostgreSQL), storage (both dialects), e2e (the gateway with the sandbox), slow and slow-interop (not part of
 * npm test).
 */
export default defineConfig({
  test: {
    // By default one worker on two cores; many of these tests wait for processes.
    maxWorkers: 4,
    // npm run coverage: the summary on the terminal, lines in coverage/index.html.
    coverage: {
      include: ['src/**/*.ts', 'packages/sandbox/src/**/*.ts'],
      exclude: ['src/http/schemas/**'],
      reporter: ['text-summary', 'html'],
    },
    projects: [
      {
        test: {
          name: 'unit',
          ...POLLS,
          ...WORKER,
          include: ['{test,packages/*/test}/**/*.test.ts'],
          setupFiles: 'test/support/unit-setup.ts',
          // A time limit only ends a test that hangs. On a machine with ten times the load, the slowest of these takes 30 s.
          testTimeout: 120_000,
          hookTimeout: 120_000,
          exclude: [
            ...['storage', 'e2e', 'regressions', 'slow', 'interop'].map((folder) => `test/${folder}/**`),
            SLOW_FILES,
          ],
          // Loading what a file tests costs more than its tests: the files of a worker share it.
          isolate: false,
        },
      },
      {
        test: {
          name: 'storage',
          ...POLLS,
          ...WORKER,
          include: ['test/storage/**/*.test.ts'],
          exclude: [SLOW_FILES],
          globalSetup: 'test/support/postgres-setup.ts',
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'e2e',
          ...POLLS,
          ...WORKER,
          include: ['test/e2e/**/*.test.ts', 'test/regressions/**/*.test.ts'],
          exclude: [SLOW_FILES],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          globalSetup: 'test/support/postgres-setup.ts',
          isolate: false,
        },
      },
      // Soak, crashes, cluster, browser, image, documented commands, conversions of media, backups, hostile values and a
      // minute of fuzzing, one file after another: npm run test:slow.
      {
        test: {
          name: 'slow',
          ...POLLS,
          include: ['test/slow/**/*.test.ts', `{test,packages/*/test}/${SLOW_FILES}`],
          testTimeout: 600_000,
          hookTimeout: 120_000,
          globalSetup: 'test/support/postgres-setup.ts',
          fileParallelism: false,
        },
      },
      // A client of another make, after the slow ones. The files share what they load; alone, each would load for seconds.
      {
        test: {
          name: 'slow-interop',
          ...POLLS,
          include: ['test/interop/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 60_000,
          fileParallelism: false,
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
