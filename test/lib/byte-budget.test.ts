import { describe, expect, it } from 'vitest';
import { ByteBudget } from '../../src/lib/byte-budget.ts';

describe('a budget of bytes', () => {
  it('gives one client at most half of it, and the others always a part of the rest', () => {
    const budget = new ByteBudget(800);
    expect(budget.take('a', 401)).toBe(false);
    expect(budget.take('a', 300)).toBe(true);
    expect(budget.take('a', 100)).toBe(true);
    expect(budget.take('a', 1)).toBe(false);
    expect(budget.take('b', 201)).toBe(false);
    expect(budget.take('b', 200)).toBe(true);
    expect(budget.take('c', 101)).toBe(false);
    expect(budget.take('c', 100)).toBe(true);
  });

  it('has room again for what was released', () => {
    const budget = new ByteBudget(800);
    expect(budget.take('a', 400)).toBe(true);
    expect(budget.take('b', 200)).toBe(true);
    budget.release('a', 100);
    // The other client holds 200 of 800, so half of the rest is 300.
    expect(budget.take('a', 1)).toBe(false);
    budget.release('b', 200);
    expect(budget.take('a', 100)).toBe(true);
    budget.release('a', 400);
    expect(budget.take('b', 400)).toBe(true);
  });
});
