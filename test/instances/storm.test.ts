import { describe, expect, it } from 'vitest';
import type { Instance } from '../../src/instances/instance.ts';
import { FakeWorld, tick } from './fakes.ts';

/** Deterministic numbers between 0 and 1, so that a failing sequence can be run again. */
function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

function pick<T>(random: () => number, list: readonly T[]): T | undefined {
  return list[Math.floor(random() * list.length)];
}

const codes = [401, 408, 428, 440, 500, 503, 515, 1006];

/** One step that people, the platform or time may do next. Commands are not awaited: they pile up as they would over HTTP. */
async function act(world: FakeWorld, instance: Instance, random: () => number, pending: Promise<unknown>[]) {
  const command = (result: Promise<unknown>): void => {
    // Commands may fail in a storm; what counts is the state that all of them leave behind.
    pending.push(result.catch(() => undefined));
  };
  const link = world.links.findLast(({ alive }) => alive);
  const actions = [
    () => command(instance.connect()),
    () => command(instance.connect({ number: '491511234567' })),
    () => command(instance.restart()),
    () => command(instance.logout()),
    () => (random() < 0.1 ? command(instance.delete()) : command(instance.connect())),
    () => link?.qr(),
    () => link?.open(),
    () => link?.pair(),
    () => link?.close(pick(random, codes) ?? 428),
    () => world.clock.advance(random() * 40_000),
    () => tick(),
  ];
  await pick(random, actions)?.();
}

describe('a storm of commands and closes', () => {
  it.each(Array.from({ length: 40 }, (_, seed) => seed + 1))('number %i ends in a consistent state', async (seed) => {
    const world = new FakeWorld();
    const random = sequence(seed);
    const instance = world.instance();
    const pending: Promise<unknown>[] = [];
    for (let step = 0; step < 60; step++) await act(world, instance, random, pending);
    await world.clock.advance(60_000);
    await Promise.all(pending);

    const alive = world.links.filter((link) => link.alive).length;
    const { phase, state, qr } = instance.status();
    expect(world.mostAlive).toBeLessThanOrEqual(1);
    expect(alive).toBe(['connecting', 'pairing', 'open'].includes(phase) ? 1 : 0);
    expect(state === 'open').toBe(phase === 'open');
    if (phase !== 'pairing') expect(qr).toBeNull();
    if (phase === 'logged_out') expect(world.linked.size).toBe(0);
    expect(world.logged.filter(({ level }) => level === 'error')).toEqual([]);

    await instance.delete();
    expect(world.rows.size + world.linked.size).toBe(0);
    expect(world.links.some((link) => link.alive)).toBe(false);
    expect(world.clock.pending).toEqual([]);
  });
});
