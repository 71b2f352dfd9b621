import { describe, expect, it } from 'vitest';
import { LateBound } from '../../src/lib/late-bound.ts';

describe('LateBound', () => {
  it('LateBound returns the bound value, including undefined', () => {
    const reference = new LateBound<string | undefined>('the cluster');
    expect(reference.isBound).toBe(false);
    expect(reference.bind(undefined)).toBeUndefined();
    expect(reference.isBound).toBe(true);
    expect(reference.current).toBeUndefined();
  });

  it('LateBound throws with its name when it is read before it is bound, and when it is bound twice', () => {
    const reference = new LateBound<string>('the cluster');
    expect(() => reference.current).toThrow('the cluster is used before it is created');
    reference.bind('value');
    expect(() => reference.bind('other')).toThrow('the cluster is bound already');
    expect(reference.current).toBe('value');
  });
});
