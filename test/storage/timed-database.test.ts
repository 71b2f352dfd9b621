import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Database } from '../../src/storage/database.ts';
import { builders } from '../../src/storage/tables.ts';
import { withTiming } from '../../src/storage/timed-database.ts';

/** A database that works `ms` of the mocked clock in each call before it returns, as SQLite does for a read. */
function synchronousDatabase(ms: number): Database {
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
  const work = async () => {
    now += ms;
    return [];
  };
  return {
    dialect: 'sqlite',
    build: builders.sqlite,
    query: work,
    write: () => Promise.reject(new Error('unused')),
    longTransaction: () => Promise.reject(new Error('unused')),
    transaction: async () => {
      await work();
      throw new Error('failed');
    },
    releaseMemory: () => undefined,
    close: async () => undefined,
  };
}

describe('the duration of database calls', () => {
  it('the duration of a query includes the work that the database does before it returns a promise', async () => {
    const calls: unknown[] = [];
    const database = withTiming(synchronousDatabase(7), (...call) => calls.push(call));
    await database.query(builders.sqlite.selectFrom('fact').selectAll());
    await expect(database.transaction(function* () {})).rejects.toThrow('failed');
    expect(calls).toEqual([
      ['query', true, 7],
      ['transaction', false, 7],
    ]);
  });
});
