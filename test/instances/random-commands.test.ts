import { describe, expect, it } from 'vitest';
import type { Instance } from '../../src/instances/instance.ts';
import { FakeWorld, tick } from '../support/instance-fakes.ts';

/** Returns a generator of numbers from 0 to 1. It is deterministic, so that a failing sequence can be repeated. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

function pick<T>(random: () => number, list: readonly T[]): T | undefined {
  return list[Math.floor(random() * list.length)];
}

const CLOSE_CODES = [401, 408, 428, 440, 500, 503, 515, 1006];

/**
 * Performs a random step: a command, an event of the platform, or a passage of time. Commands are not awaited, so they
 * overlap like HTTP requests.
 */
async function performRandomStep(
  world: FakeWorld,
  instance: Instance,
  random: () => number,
  pending: Promise<unknown>[],
) {
  const command = (result: Promise<unknown>): void => {
    // Commands may fail. The test checks the state after all of them.
    pending.push(result.catch(() => undefined));
  };
  const link = world.links.findLast(({ isAlive: alive }) => alive);
  const actions = [
    () => command(instance.connect()),
    () => command(instance.connect({ number: '491511234567' })),
    () => command(instance.restart()),
    () => command(instance.logout()),
    () => (random() < 0.1 ? command(instance.delete()) : command(instance.connect())),
    () => link?.qr(),
    () => link?.open(),
    () => link?.pair(),
    () => link?.close(pick(random, CLOSE_CODES) ?? 428),
    () => world.clock.advance(random() * 40_000),
    () => tick(),
  ];
  await pick(random, actions)?.();
}

describe('random sequences of commands and closes', () => {
  it.each(
    Array.from({ length: 40 }, (_, seed) => seed + 1),
  )('an instance is in a consistent state after random commands and closes with the seed %i', async (seed) => {
    const world = new FakeWorld();
    const random = createRandom(seed);
    const instance = world.instance();
    const pending: Promise<unknown>[] = [];
    for (let step = 0; step < 60; step++) await performRandomStep(world, instance, random, pending);
    await world.clock.advance(60_000);
    await Promise.all(pending);

    const alive = world.links.filter((link) => link.isAlive).length;
    const { phase, state, qr } = instance.status();
    expect(world.maxAliveLinks).toBeLessThanOrEqual(1);
    expect(alive).toBe(['connecting', 'pairing', 'open'].includes(phase) ? 1 : 0);
    expect(state === 'open').toBe(phase === 'open');
    if (phase !== 'pairing') expect(qr).toBeNull();
    if (phase === 'logged_out') expect(world.linked.size).toBe(0);
    expect(world.logged.filter(({ level }) => level === 'error')).toEqual([]);

    await instance.delete();
    expect(world.rows.size + world.linked.size).toBe(0);
    expect(world.links.some((link) => link.isAlive)).toBe(false);
    expect(world.clock.pending).toEqual([]);
  });
});
