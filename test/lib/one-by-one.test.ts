import { expect, it } from 'vitest';
import { handleOneByOne } from '../../src/lib/one-by-one.ts';

it('handleOneByOne() handles an item at once and returns undefined when no other item is in progress', () => {
  const handled: number[] = [];
  const handle = handleOneByOne<number>((item) => void handled.push(item));
  expect(handle(1)).toBeUndefined();
  expect(handle(2)).toBeUndefined();
  expect(handled).toEqual([1, 2]);
});

it('handleOneByOne() lets items wait for an earlier one, including items that it could handle at once', async () => {
  const handled: number[] = [];
  const first = Promise.withResolvers<void>();
  const handle = handleOneByOne<number>((item) => {
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

it('handleOneByOne() passes an error only to the caller of the failed item', async () => {
  const handle = handleOneByOne<number>(async (item) => {
    if (item === 1) throw new Error('one');
  });
  const [first, second] = [handle(1), handle(2)];
  await expect(first).rejects.toThrow('one');
  await expect(second).resolves.toBeUndefined();
});
