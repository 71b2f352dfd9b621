import { expect, it } from 'vitest';
import { oneByOne } from '../../src/lib/one-by-one.ts';

it('oneByOne handles an item at once, and returns nothing, when no other is in progress', () => {
  const handled: number[] = [];
  const handle = oneByOne<number>((item) => void handled.push(item));
  expect(handle(1)).toBeUndefined();
  expect(handle(2)).toBeUndefined();
  expect(handled).toEqual([1, 2]);
});

it('oneByOne lets items wait for an earlier one, also those that need no waiting themselves', async () => {
  const handled: number[] = [];
  const first = Promise.withResolvers<void>();
  const handle = oneByOne<number>((item) => {
    handled.push(item);
    return item === 1 ? first.promise : undefined;
  });
  const all = [1, 2, 3].map(handle);
  expect(handled).toEqual([1]);
  first.resolve();
  await Promise.all(all);
  expect(handled).toEqual([1, 2, 3]);
  expect(handle(4)).toBeUndefined();
});

it('oneByOne gives an error to the caller of its item only', async () => {
  const handle = oneByOne<number>(async (item) => {
    if (item === 1) throw new Error('one');
  });
  const [first, second] = [handle(1), handle(2)];
  await expect(first).rejects.toThrow('one');
  await expect(second).resolves.toBeUndefined();
});
