// Pruning that is interrupted when the process stops. It ends after the transaction in progress.
import { expect, it, onTestFinished } from 'vitest';
import { openStorage } from '../../src/storage/open.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { change, event, instance, message, toEventBatch } from '../support/sample-rows.ts';

/** More rows than one transaction deletes. */
const COUNT = 1_500;
const createRows = <T>(create: (id: string) => T): T[] => Array.from({ length: COUNT }, (_, n) => create(`${n}`));
const FUTURE = Date.now() + 60_000;

interface Pruning {
  fill(storage: Storage): Promise<unknown>;
  prune(storage: Storage, signal?: AbortSignal): Promise<number>;
}

const prunings: [name: string, pruning: Pruning][] = [
  [
    'messages',
    {
      fill: ({ messages }) =>
        messages.record('a', toEventBatch({ messages: createRows((id) => ({ message: message(id), events: [] })) })),
      prune: ({ messages }, signal) => messages.prune({ before: FUTURE }, signal),
    },
  ],
  [
    'statuses',
    {
      fill: ({ messages }) =>
        messages.record(
          'a',
          toEventBatch({ statuses: createRows((id) => ({ change: change(id, 'READ'), events: [] })) }),
        ),
      prune: ({ messages }, signal) => messages.pruneStatuses(Number.MAX_SAFE_INTEGER, signal),
    },
  ],
  [
    'requests',
    {
      async fill({ requests }) {
        for (const id of createRows(String))
          await requests.claim('a', id, { digest: '', messageId: id, now: 0, expiresAt: 1 });
      },
      prune: ({ requests }, signal) => requests.prune(2, signal),
    },
  ],
  [
    'events',
    {
      fill: ({ messages }) =>
        messages.record('a', toEventBatch({ events: createRows((id) => event(id, { webhookIds: [] })) })),
      prune: ({ outbox }, signal) => outbox.prune(FUTURE, signal),
    },
  ],
  [
    'audit entries',
    {
      fill: ({ audit }) =>
        audit.append(
          createRows((requestId) => ({
            ...{ requestId, at: 1, key: 'global', operation: 'sendText', scope: 'send', instance: null },
            ...{ subject: null, status: 201, address: '127.0.0.1' },
          })),
        ),
      prune: ({ audit }, signal) => audit.prune({ before: 2, keep: COUNT }, signal),
    },
  ],
];

it.each(prunings)('pruning of %s ends early when its signal is aborted, and the next run deletes the rest', async (_, {
  fill,
  prune,
}) => {
  const storage = await openStorage({ dataDir: ':memory:', network: 'sandbox' });
  onTestFinished(() => storage.close());
  await storage.instances.create(instance('a'));
  await fill(storage);
  const controller = new AbortController();
  const pruning = prune(storage, controller.signal);
  controller.abort();
  const removed = await pruning;
  expect(removed).toBeLessThanOrEqual(1_000);
  expect(await prune(storage)).toBe(COUNT - removed);
});
