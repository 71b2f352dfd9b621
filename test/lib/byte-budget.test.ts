import { describe, expect, it } from 'vitest';
import { ByteBudget } from '../../src/lib/byte-budget.ts';

describe('ByteBudget', () => {
  it('ByteBudget gives a client at most half of the bytes that the other clients leave', () => {
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

  it('ByteBudget makes released bytes available again', () => {
    const budget = new ByteBudget(800);
    expect(budget.take('a', 400)).toBe(true);
    expect(budget.take('b', 200)).toBe(true);
    budget.release('a', 100);
    // The other client has 200 of 800 bytes, so half of the rest is 300.
    expect(budget.take('a', 1)).toBe(false);
    budget.release('b', 200);
    expect(budget.take('a', 100)).toBe(true);
    budget.release('a', 400);
    expect(budget.take('b', 400)).toBe(true);
  });
});
