import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { DomainEvent } from '../../../src/events/events.ts';
import { EventQueue } from '../../../src/whatsapp/inbound/event-queue.ts';

const presence = (id: string): DomainEvent => ({ type: 'presence.update', id, presences: {} });
const sentMessage = (id: string): DomainEvent => ({
  type: 'send.message',
  message: {
    key: { remoteJid: '15550001002@s.whatsapp.net', fromMe: true, id },
    message: { conversation: 'a' },
    messageType: 'conversation',
    messageTimestamp: 1,
    source: 'web',
  },
});
const ids = (events: readonly DomainEvent[]) =>
  events.map((event) => {
    if (event.type === 'send.message') return event.message.key.id;
    return 'id' in event ? event.id : event.type;
  });

/** Creates a store that keeps each batch pending. `next()` returns the oldest pending batch, for its resolution. */
function slowStore() {
  const batches: string[][] = [];
  const pendingBatches: PromiseWithResolvers<void>[] = [];
  const store = (events: readonly DomainEvent[]) => {
    batches.push(ids(events));
    const completion = Promise.withResolvers<void>();
    pendingBatches.push(completion);
    return completion.promise;
  };
  return { batches, store, next: () => pendingBatches.shift() };
}

describe('EventQueue', () => {
  it('EventQueue stores the events of one event-loop turn in one batch, and later events in order', async () => {
    const { batches, store, next } = slowStore();
    const queue = new EventQueue(store);
    const first = Promise.all([queue.push([presence('0')]), queue.push([presence('a')])]);
    await setImmediate();
    expect(batches).toEqual([['0', 'a']]);
    const second = queue.push([presence('b'), presence('c')]);
    const third = queue.push([presence('d')]);
    next()?.resolve();
    await first;
    expect(batches).toEqual([
      ['0', 'a'],
      ['b', 'c', 'd'],
    ]);
    next()?.resolve();
    await Promise.all([second, third]);
    const later = queue.push([presence('e')]);
    await setImmediate();
    next()?.resolve();
    await later;
    expect(batches).toHaveLength(3);
  });

  it('EventQueue splits updates of 500 chats into batches of up to 200 chats', async () => {
    const sizes: number[] = [];
    const queue = new EventQueue(async (events) => {
      sizes.push(events.flatMap((event) => (event.type === 'chats.update' ? event.chats : [])).length);
    });
    const chats = Array.from({ length: 100 }, (_, n) => ({ jid: `${n}@s.whatsapp.net` }));
    await Promise.all(Array.from({ length: 5 }, () => queue.push([{ type: 'chats.update', chats }])));
    expect(sizes).toEqual([200, 200, 100]);
  });

  it('EventQueue stores a sent message without waiting for earlier events', async () => {
    const { batches, store, next } = slowStore();
    const queue = new EventQueue(store);
    const presencePush = queue.push([presence('a')]);
    await setImmediate();
    const messagePush = queue.push([sentMessage('b')]);
    await setImmediate();
    expect(batches).toEqual([['a'], ['b']]);
    next()?.resolve();
    next()?.resolve();
    await Promise.all([presencePush, messagePush]);
  });

  it('EventQueue stores an event after the sent messages pushed before it, even when their store fails', async () => {
    const { batches, store, next } = slowStore();
    const queue = new EventQueue(store);
    const first = queue.push([sentMessage('a')]);
    await setImmediate();
    const second = expect(queue.push([sentMessage('b')])).rejects.toThrow('disk full');
    const reply = queue.push([presence('c')]);
    await setImmediate();
    expect(batches).toEqual([['a']]);
    next()?.resolve();
    await first;
    await setImmediate();
    expect(batches).toEqual([['a'], ['b']]);
    next()?.reject(new Error('disk full'));
    await second;
    await setImmediate();
    expect(batches).toEqual([['a'], ['b'], ['c']]);
    next()?.resolve();
    await reply;
  });

  it('EventQueue rejects the pushes of a failed batch and stores the next batch', async () => {
    const { store, next } = slowStore();
    const queue = new EventQueue(store);
    const first = expect(queue.push([presence('a')])).rejects.toThrow('disk full');
    await setImmediate();
    const second = queue.push([presence('b')]);
    next()?.reject(new Error('disk full'));
    await first;
    next()?.resolve();
    await expect(second).resolves.toBeUndefined();
  });

  it('EventQueue.waitUntilIdle() resolves when all events are stored or have failed', async () => {
    const { store, next } = slowStore();
    const queue = new EventQueue(store);
    await queue.waitUntilIdle();
    const failedPush = expect(queue.push([presence('a')])).rejects.toThrow('no');
    const idle = queue.waitUntilIdle();
    await setImmediate();
    next()?.reject(new Error('no'));
    await Promise.all([idle, failedPush]);
  });
});
