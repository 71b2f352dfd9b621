import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { GatewayError } from '../../src/errors.ts';
import { type Database, unavailableError } from '../../src/storage/database.ts';
import { builders } from '../../src/storage/tables.ts';
import { withTiming } from '../../src/storage/timed-database.ts';

/**
 * A database whose calls take `ms` of the mocked clock before they return a promise, as reads of SQLite do.
 * Transactions fail with `failure`.
 */
function synchronousDatabase(ms: number, failure: Error): Database {
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
      throw failure;
    },
    releaseMemory: () => undefined,
    close: async () => undefined,
  };
}

describe('withTiming()', () => {
  it('withTiming() includes the time that the database works before it returns a promise', async () => {
    const calls: unknown[] = [];
    const failure = unavailableError(new Error('disk I/O error'));
    const database = withTiming(synchronousDatabase(7, failure), (...call) => calls.push(call));
    await database.query(builders.sqlite.selectFrom('fact').selectAll());
    await expect(database.transaction(function* () {})).rejects.toBe(failure);
    expect(calls).toEqual([
      ['query', true, 7],
      ['transaction', false, 7],
    ]);
  });

  it.each([
    ['a name that is in use', new GatewayError('INSTANCE_NAME_IN_USE', ['This name "a" is already in use.'])],
    ['a lost lease', new GatewayError('LEASE_LOST', 'The instance belongs to another node now')],
    ['a row that breaks a constraint', unavailableError(Object.assign(new Error('UNIQUE'), { errcode: 2067 }))],
  ])('withTiming() reports no failure of the database when a transaction is refused because of %s', async (_, refusal) => {
    const calls: unknown[] = [];
    const database = withTiming(synchronousDatabase(7, refusal), (...call) => calls.push(call));
    await expect(database.transaction(function* () {})).rejects.toBe(refusal);
    expect(calls).toEqual([['transaction', true, 7]]);
  });
});
