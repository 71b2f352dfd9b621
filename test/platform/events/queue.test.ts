import { describe, expect, it } from 'vitest';
import type { DomainEvent } from '../../../src/events.ts';
import { EventQueue } from '../../../src/platform/events/queue.ts';

const presence = (id: string): DomainEvent => ({ type: 'presence.update', id, presences: {} });
const ids = (events: readonly DomainEvent[]) => events.map((event) => ('id' in event ? event.id : event.type));

/** A store that finishes one batch per release(). */
function slowStore() {
  const batches: string[][] = [];
  const waiting: PromiseWithResolvers<void>[] = [];
  const store = (events: readonly DomainEvent[]) => {
    batches.push(ids(events));
    const done = Promise.withResolvers<void>();
    waiting.push(done);
    return done.promise;
  };
  return { batches, store, next: () => waiting.shift() };
}

describe('EventQueue', () => {
  it('stores a lone event at once, and what arrives meanwhile together, in order', async () => {
    const { batches, store, next } = slowStore();
    const queue = new EventQueue(store);
    const first = queue.push([presence('a')]);
    const second = queue.push([presence('b'), presence('c')]);
    const third = queue.push([presence('d')]);
    expect(batches).toEqual([['a']]);
    next()?.resolve();
    await first;
    expect(batches).toEqual([['a'], ['b', 'c', 'd']]);
    next()?.resolve();
    await Promise.all([second, third]);
    const later = queue.push([presence('e')]);
    next()?.resolve();
    await later;
    expect(batches).toHaveLength(3);
  });

  it('tells everybody in a batch that it failed, and goes on with the next', async () => {
    const { store, next } = slowStore();
    const queue = new EventQueue(store);
    const first = queue.push([presence('a')]);
    const second = queue.push([presence('b')]);
    next()?.reject(new Error('disk full'));
    await expect(first).rejects.toThrow('disk full');
    next()?.resolve();
    await expect(second).resolves.toBeUndefined();
  });

  it('is idle when everything pushed was stored or refused', async () => {
    const { store, next } = slowStore();
    const queue = new EventQueue(store);
    await queue.idle();
    const refused = expect(queue.push([presence('a')])).rejects.toThrow('no');
    const idle = queue.idle();
    next()?.reject(new Error('no'));
    await Promise.all([idle, refused]);
  });
});
