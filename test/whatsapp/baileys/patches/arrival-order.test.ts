import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import type { WASocket } from '../../../../src/whatsapp/baileys/library.ts';
import { patchArrivalOrder } from '../../../../src/whatsapp/baileys/patches/arrival-order.ts';
import { waitUntil } from '../../../support/wait-for.ts';

/** Creates a patched socket. As in Baileys, the handling of a message waits for a read of the key store. */
function setUp() {
  const ws = new EventEmitter();
  const reads = new Map<string, PromiseWithResolvers<void>>();
  const handled: string[] = [];
  ws.on('CB:message', async (id: string) => {
    const read = Promise.withResolvers<void>();
    reads.set(id, read);
    await read.promise;
    handled.push(id);
  });
  patchArrivalOrder({ ws } as unknown as Pick<WASocket, 'ws'>);
  const [listener] = ws.listeners('CB:message');
  if (!listener) throw new Error('there is no listener');
  const arrive = async (id: string): Promise<void> => Reflect.apply(listener, ws, [id]);
  const readOf = (id: string) => waitUntil(() => reads.get(id));
  return { arrive, readOf, reads, handled };
}

it('patchArrivalOrder() handles messages in the order of arrival, even when a read of the key store takes long', async () => {
  const { arrive, readOf, reads, handled } = setUp();
  const ids = ['1', '2', '3'];
  const all = ids.map(arrive);
  await new Promise(setImmediate);
  expect([...reads.keys()]).toEqual(['1']);
  for (const id of ids) (await readOf(id))?.resolve();
  await Promise.all(all);
  expect(handled).toEqual(ids);
});

it('patchArrivalOrder() handles the message after one whose read fails', async () => {
  const { arrive, readOf, handled } = setUp();
  const [first, second] = ['1', '2'].map(arrive);
  (await readOf('1'))?.reject(new Error('the store is down'));
  await expect(first).rejects.toThrow('the store is down');
  (await readOf('2'))?.resolve();
  await second;
  expect(handled).toEqual(['2']);
});
