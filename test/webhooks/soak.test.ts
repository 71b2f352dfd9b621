import { describe, it } from 'vitest';
import { soak } from './soak.ts';

describe('receivers that fail at random, with restarts', () => {
  it.each([1, 2, 3])('a receiver that fails at random gets every event, in order per chat (seed %i)', (seed) =>
    soak({ seed, perChat: 20 }));
});
