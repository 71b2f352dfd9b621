// The record of what was done with keys, while the store is slow, down or full.
import { expect, it } from 'vitest';
import { AuditRecorder } from '../../src/access/audit-recorder.ts';
import type { AuditEntry } from '../../src/storage/access-stores.ts';
import { openStorage } from '../../src/storage/open.ts';
import { isRejectedRow } from '../../src/storage/rejected-rows.ts';
import { FakeClock } from '../instances/fakes.ts';

const entry = (requestId: string): Omit<AuditEntry, 'at'> => ({
  ...{ key: 'global', operation: 'sendText', scope: 'send', instance: 'shop', subject: null, status: 201 },
  ...{ requestId, address: '127.0.0.1' },
});

/** An entry that the database rejects: its column has no NULL. */
const rejectedEntry: ReturnType<typeof entry> = { ...entry('rejected'), ...JSON.parse('{"address":null}') };

async function open({ days = 90, count = 100 } = {}) {
  const clock = new FakeClock();
  const { audit: store } = await openStorage({ dataDir: ':memory:', network: 'sandbox' });
  const errors: unknown[] = [];
  const log = { error: (...line: unknown[]) => void errors.push(line) };
  return {
    clock,
    store,
    errors,
    recorder: new AuditRecorder({
      ...{ store, clock, log, isRejected: isRejectedRow },
      ...{ retentionDays: days, retentionCount: count },
    }),
  };
}
const ids = (found: { requestId: string }[]) => found.map(({ requestId }) => requestId);

it('is stored in batches, and read with what is not stored yet', async () => {
  const { clock, store, recorder } = await open();
  let batches = 0;
  const { append } = store;
  store.append = (entries) => {
    batches++;
    return append(entries);
  };
  recorder.record(entry('1'));
  await clock.advance(999);
  recorder.record(entry('2'));
  expect(batches).toBe(0);
  await clock.advance(1);
  await recorder.flush();
  expect(batches).toBe(1);
  recorder.record(entry('3'));
  const found = await recorder.read(0, 10);
  expect(found).toMatchObject([{ ...entry('1'), at: clock.now() - 1000 }, entry('2'), entry('3')]);
  expect(ids(await recorder.read(found[0]?.seq ?? 0, 1))).toEqual(['2']);
});

it('waits for a store that fails, in order, as far as there is room', async () => {
  const { store, errors, recorder } = await open();
  const { append } = store;
  store.append = async () => {
    throw new Error('down');
  };
  recorder.record(entry('first'));
  await recorder.flush();
  for (let n = 0; n < 10_000; n++) recorder.record(entry(String(n)));
  store.append = append;
  expect(ids(await recorder.read(0, 2))).toEqual(['0', '1']);
  expect(errors).toMatchObject([[{ waiting: 1 }, 'audit.write.failed']]);
});

it('drops the oldest entries when a write fails and others have filled the memory meanwhile', async () => {
  const { store, errors, recorder } = await open();
  const { append } = store;
  const { promise: writing, resolve: beginWrite } = Promise.withResolvers<void>();
  const { promise: failure, reject: failWrite } = Promise.withResolvers<never>();
  store.append = () => {
    beginWrite();
    return failure;
  };
  recorder.record(entry('first'));
  const flushed = recorder.flush();
  await writing;
  for (let n = 0; n < 10_000; n++) recorder.record(entry(String(n)));
  failWrite(new Error('down'));
  await flushed;
  expect(errors).toMatchObject([[{ waiting: 10_000, dropped: 1 }, 'audit.write.failed']]);
  store.append = append;
  expect(ids(await recorder.read(0, 1))).toEqual(['0']);
});

it('is stored without an entry that the database rejects', async () => {
  const { errors, recorder } = await open();
  for (const id of ['1', '2']) recorder.record(entry(id));
  recorder.record(rejectedEntry);
  recorder.record(entry('3'));
  expect(ids(await recorder.read(0, 10))).toEqual(['1', '2', '3']);
  recorder.record(entry('4'));
  expect(ids(await recorder.read(3, 10))).toEqual(['4']);
  expect(errors).toMatchObject([[{ requestId: 'rejected', dropped: 1 }, 'audit.entry.rejected']]);
});

it('keeps all entries when the database fails while it stores them one by one', async () => {
  const { store, errors, recorder } = await open();
  const { append } = store;
  let writes = 0;
  store.append = async (entries) => {
    writes += 1;
    // The first write is the batch, the second one the first entry.
    if (writes === 3) throw new Error('down');
    return append(entries);
  };
  for (const id of ['1', '2']) recorder.record(entry(id));
  recorder.record(rejectedEntry);
  recorder.record(entry('3'));
  await recorder.flush();
  expect(errors).toMatchObject([[{ waiting: 3 }, 'audit.write.failed']]);
  expect(ids(await recorder.read(0, 10))).toEqual(['1', '2', '3']);
});

it('forgets what is too old or too much, and keeps nothing when it is switched off', async () => {
  const { clock, recorder } = await open({ days: 1, count: 2 });
  recorder.record(entry('old'));
  await clock.advance(86_400_001);
  for (const id of ['1', '2', '3']) recorder.record(entry(id));
  await recorder.flush();
  await recorder.prune();
  expect(ids(await recorder.read(0, 10))).toEqual(['2', '3']);
  const off = await open({ days: 0 });
  off.recorder.record(entry('never'));
  expect(await off.recorder.read(0, 10)).toEqual([]);
});

it('takes every name that a path can contain', async () => {
  const { recorder } = await open();
  recorder.record({ ...entry('1'), instance: 'a\0b', subject: '\ud800' });
  expect(await recorder.read(0, 1)).toMatchObject([{ instance: 'a\ufffdb', subject: '\ufffd' }]);
});

it('keeps the changes that were made, however many requests were refused since', async () => {
  const { clock, recorder } = await open({ count: 3 });
  recorder.record({ ...entry('delete'), scope: 'admin', operation: 'deleteInstance', status: 200 });
  for (const status of [401, 403, 429, 403, 403]) {
    await clock.advance(60_000);
    recorder.record({ ...entry(`refused ${status}`), scope: 'admin', operation: 'findWebhook', status }, 'reader');
  }
  await recorder.flush();
  await recorder.prune();
  expect(ids(await recorder.read(0, 10))).toEqual(['delete', 'refused 429', 'refused 403', 'refused 403']);
});

it('has ten refused requests of a key in a minute, and all that access control allowed', async () => {
  const { clock, recorder } = await open();
  const refuse = (id: string, callerId: string) => recorder.record({ ...entry(id), status: 403 }, callerId);
  for (let n = 0; n < 50; n++) refuse(`one ${n}`, 'one');
  refuse('two', 'two');
  for (let n = 0; n < 20; n++) recorder.record({ ...entry('sent'), status: 403 });
  await clock.advance(60_000);
  refuse('later', 'one');
  const found = ids(await recorder.read(0, 100));
  const first = Array.from({ length: 10 }, (_, n) => `one ${n}`);
  expect(found).toEqual([...first, 'two', ...Array.from({ length: 20 }, () => 'sent'), 'later']);
});
