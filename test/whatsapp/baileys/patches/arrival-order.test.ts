import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { KeyedQueue } from '../../../../src/lib/keyed-queue.ts';
import type { WASocket } from '../../../../src/whatsapp/baileys/library.ts';
import { patchArrivalOrder } from '../../../../src/whatsapp/baileys/patches/arrival-order.ts';

type Patched = Pick<WASocket, 'ws' | 'messageMutex'>;

/** A socket whose messages wait for a read of the key store before they enter the mutex, as those of Baileys do. */
function setUp() {
  const ws = new EventEmitter();
  const queue = new KeyedQueue();
  const messageMutex = { mutex: <T>(handle: () => Promise<T> | T) => queue.run('', async () => handle()) };
  const reads = new Map<string, PromiseWithResolvers<void>>();
  const handled: string[] = [];
  ws.on('CB:message', async (id: string) => {
    const read = Promise.withResolvers<void>();
    reads.set(id, read);
    await read.promise;
    await messageMutex.mutex(() => void handled.push(id));
  });
  patchArrivalOrder({ ws, messageMutex } as unknown as Patched);
  const [listener] = ws.listeners('CB:message');
  if (!listener) throw new Error('there is no listener');
  const arrive = async (id: string): Promise<void> => Reflect.apply(listener, ws, [id]);
  return { arrive, reads, handled };
}

it('handles messages in the order of their arrival, whichever read of the key store ends first', async () => {
  const { arrive, reads, handled } = setUp();
  const ids = ['1', '2', '3'];
  const all = ids.map(arrive);
  for (const id of ids.toReversed()) reads.get(id)?.resolve();
  await Promise.all(all);
  expect(handled).toEqual(ids);
});

it('handles the messages behind one whose read fails', async () => {
  const { arrive, reads, handled } = setUp();
  const [first, second] = ['1', '2'].map(arrive);
  reads.get('2')?.resolve();
  reads.get('1')?.reject(new Error('the store is down'));
  await expect(first).rejects.toThrow('the store is down');
  await second;
  expect(handled).toEqual(['2']);
});
