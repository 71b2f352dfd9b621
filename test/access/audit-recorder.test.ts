// The audit log: batches, failures of the store, and limits.
import { expect, it } from 'vitest';
import { AuditRecorder } from '../../src/access/audit-recorder.ts';
import type { AuditEntry } from '../../src/storage/access-stores.ts';
import { openStorage } from '../../src/storage/open.ts';
import { isRejectedRow } from '../../src/storage/rejected-rows.ts';
import { FakeClock } from '../support/instance-fakes.ts';

const entry = (requestId: string): Omit<AuditEntry, 'at'> => ({
  ...{ key: 'global', operation: 'sendText', scope: 'send', instance: 'shop', subject: null, status: 201 },
  ...{ requestId, address: '127.0.0.1' },
});

/** An entry that the database rejects, because the column of the address does not allow NULL. */
const rejectedEntry: ReturnType<typeof entry> = { ...entry('rejected'), ...JSON.parse('{"address":null}') };

async function openRecorder({ days = 90, count = 100 } = {}) {
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
const ids = (entries: { requestId: string }[]) => entries.map(({ requestId }) => requestId);

it('AuditRecorder stores entries in batches, and read() also returns entries that are not stored yet', async () => {
  const { clock, store, recorder } = await openRecorder();
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
  const entries = await recorder.read(0, 10);
  expect(entries).toMatchObject([{ ...entry('1'), at: clock.now() - 1000 }, entry('2'), entry('3')]);
  expect(ids(await recorder.read(entries[0]?.seq ?? 0, 1))).toEqual(['2']);
});

it('AuditRecorder keeps entries in order while the store fails, and drops the oldest above 10,000 entries', async () => {
  const { store, errors, recorder } = await openRecorder();
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

it('AuditRecorder drops the oldest entries when a write fails and new entries have filled the memory meanwhile', async () => {
  const { store, errors, recorder } = await openRecorder();
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

it('AuditRecorder drops only the entry that the database rejects', async () => {
  const { errors, recorder } = await openRecorder();
  for (const id of ['1', '2']) recorder.record(entry(id));
  recorder.record(rejectedEntry);
  recorder.record(entry('3'));
  expect(ids(await recorder.read(0, 10))).toEqual(['1', '2', '3']);
  recorder.record(entry('4'));
  expect(ids(await recorder.read(3, 10))).toEqual(['4']);
  expect(errors).toMatchObject([[{ requestId: 'rejected', dropped: 1 }, 'audit.entry.rejected']]);
});

it('AuditRecorder keeps all valid entries when the database fails while it stores a batch one by one', async () => {
  const { store, errors, recorder } = await openRecorder();
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

it('AuditRecorder deletes entries beyond its retention, and keeps no entries when the retention is 0 days', async () => {
  const { clock, recorder } = await openRecorder({ days: 1, count: 2 });
  recorder.record(entry('old'));
  await clock.advance(86_400_001);
  for (const id of ['1', '2', '3']) recorder.record(entry(id));
  await recorder.flush();
  await recorder.prune();
  expect(ids(await recorder.read(0, 10))).toEqual(['2', '3']);
  const disabled = await openRecorder({ days: 0 });
  disabled.recorder.record(entry('never'));
  expect(await disabled.recorder.read(0, 10)).toEqual([]);
});

it('AuditRecorder replaces NUL and lone surrogates in the instance and the subject with U+FFFD', async () => {
  const { recorder } = await openRecorder();
  recorder.record({ ...entry('1'), instance: 'a\0b', subject: '\ud800' });
  expect(await recorder.read(0, 1)).toMatchObject([{ instance: 'a\ufffdb', subject: '\ufffd' }]);
});

it('AuditRecorder keeps the entries of changes, regardless of the number of later refused requests', async () => {
  const { clock, recorder } = await openRecorder({ count: 3 });
  recorder.record({ ...entry('delete'), scope: 'admin', operation: 'deleteInstance', status: 200 });
  for (const status of [401, 403, 429, 403, 403]) {
    await clock.advance(60_000);
    recorder.record({ ...entry(`refused ${status}`), scope: 'admin', operation: 'findWebhook', status }, 'reader');
  }
  await recorder.flush();
  await recorder.prune();
  expect(ids(await recorder.read(0, 10))).toEqual(['delete', 'refused 429', 'refused 403', 'refused 403']);
});

it('AuditRecorder stores ten refused requests of a key per minute, and all requests that access control allowed', async () => {
  const { clock, recorder } = await openRecorder();
  const refuse = (id: string, callerId: string) => recorder.record({ ...entry(id), status: 403 }, callerId);
  for (let n = 0; n < 50; n++) refuse(`one ${n}`, 'one');
  refuse('two', 'two');
  for (let n = 0; n < 20; n++) recorder.record({ ...entry('sent'), status: 403 });
  await clock.advance(60_000);
  refuse('later', 'one');
  const foundIds = ids(await recorder.read(0, 100));
  const first = Array.from({ length: 10 }, (_, n) => `one ${n}`);
  expect(foundIds).toEqual([...first, 'two', ...Array.from({ length: 20 }, () => 'sent'), 'later']);
});
