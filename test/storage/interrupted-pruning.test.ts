// The removal of old rows when the process stops: it ends after the transaction in progress.
import { expect, it, onTestFinished } from 'vitest';
import { openStorage } from '../../src/storage/open.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { change, event, instance, message, recording } from './samples.ts';

/** More rows than any transaction deletes. */
const COUNT = 1_500;
const rows = <T>(create: (id: string) => T): T[] => Array.from({ length: COUNT }, (_, n) => create(`${n}`));
const later = Date.now() + 60_000;

interface Pruning {
  fill(storage: Storage): Promise<unknown>;
  prune(storage: Storage, signal?: AbortSignal): Promise<number>;
}

const prunings: [name: string, pruning: Pruning][] = [
  [
    'messages',
    {
      fill: ({ messages }) =>
        messages.record('a', recording({ messages: rows((id) => ({ message: message(id), events: [] })) })),
      prune: ({ messages }, signal) => messages.prune({ before: later }, signal),
    },
  ],
  [
    'statuses',
    {
      fill: ({ messages }) =>
        messages.record('a', recording({ statuses: rows((id) => ({ change: change(id, 'READ'), events: [] })) })),
      prune: ({ messages }, signal) => messages.pruneStatuses(Number.MAX_SAFE_INTEGER, signal),
    },
  ],
  [
    'requests',
    {
      async fill({ requests }) {
        for (const id of rows(String))
          await requests.claim('a', id, { digest: '', messageId: id, now: 0, expiresAt: 1 });
      },
      prune: ({ requests }, signal) => requests.prune(2, signal),
    },
  ],
  [
    'events',
    {
      fill: ({ messages }) => messages.record('a', recording({ events: rows((id) => event(id, { webhookIds: [] })) })),
      prune: ({ outbox }, signal) => outbox.prune(later, signal),
    },
  ],
  [
    'audit entries',
    {
      fill: ({ audit }) =>
        audit.append(
          rows((requestId) => ({
            ...{ requestId, at: 1, key: 'global', operation: 'sendText', scope: 'send', instance: null },
            ...{ subject: null, status: 201, address: '127.0.0.1' },
          })),
        ),
      prune: ({ audit }, signal) => audit.prune({ before: 2, keep: COUNT }, signal),
    },
  ],
];

it.each(prunings)('the removal of %s can be interrupted, and a later one removes the rest', async (_, {
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
