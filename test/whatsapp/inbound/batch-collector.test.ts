import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Batch } from '../../../src/whatsapp/inbound/batch.ts';
import { BatchCollector } from '../../../src/whatsapp/inbound/batch-collector.ts';

const receivedBatch = (id: string, type: 'notify' | 'append' = 'notify'): Batch => ({
  'messages.upsert': { messages: [{ key: { id } }], type },
  'contacts.update': [{ id: `sender of ${id}` }],
});
const participantRemoval: Batch = {
  'group-participants.update': { id: 'g', author: 'a', participants: [], action: 'remove' },
};

/** Creates a collector. `calls` collects for each batch the ids of its messages, or the names of its other events. */
function createCollector() {
  const calls: string[] = [];
  const storedBatches: (() => void)[] = [];
  const collector = new BatchCollector(
    (batch, onStored) => {
      const ids = (batch['messages.upsert']?.messages ?? []).map(({ key }) => key.id);
      calls.push(ids.join(' ') || Object.keys(batch).join());
      storedBatches.push(onStored);
    },
    () => calls.push('end of turn'),
  );
  return { collector, calls, storedBatches };
}

describe('BatchCollector', () => {
  it('BatchCollector joins only the messages of one event-loop turn', async () => {
    const { collector, calls } = createCollector();
    for (const id of ['1', '2', '3']) void collector.add(receivedBatch(id));
    expect(calls).toEqual([]);
    await setImmediate();
    void collector.add(receivedBatch('4'));
    await setImmediate();
    expect(calls).toEqual(['1 2 3', 'end of turn', '4', 'end of turn']);
  });

  it('BatchCollector keeps the order of messages and other events', async () => {
    const { collector, calls } = createCollector();
    void collector.add(receivedBatch('1'));
    void collector.add(receivedBatch('2', 'append'));
    void collector.add(participantRemoval);
    void collector.add(receivedBatch('3'));
    collector.flush();
    await setImmediate();
    expect(calls).toEqual(['1', '2', 'group-participants.update', '3']);
  });

  it('BatchCollector joins contacts and chats with a message of the same turn, and passes them on at once without one', async () => {
    const { collector, calls } = createCollector();
    void collector.add({ 'contacts.update': [{ id: '1' }] });
    void collector.add(receivedBatch('1'));
    void collector.add({ 'contacts.update': [{ id: '2' }] });
    void collector.add({ 'chats.update': [{ id: '3', archived: false, readOnly: false }] });
    void collector.add(receivedBatch('2'));
    await setImmediate();
    expect(calls).toEqual(['contacts.update', '1 2', 'end of turn']);
  });

  it.each<Batch>([
    { 'chats.update': [{ id: 'c', unreadCount: 0 }] },
    { 'chats.update': [{ id: 'c', archived: true }] },
    { 'contacts.update': [{ id: 'g', imgUrl: 'changed' }] },
  ])('BatchCollector does not join messages across a change by another device or person: %j', async (change) => {
    const { collector, calls } = createCollector();
    void collector.add(receivedBatch('1'));
    void collector.add(change);
    void collector.add(receivedBatch('2'));
    await setImmediate();
    expect(calls).toEqual(['1', Object.keys(change).join(), '2', 'end of turn']);
    void collector.add(receivedBatch('3'));
    void collector.add({ ...receivedBatch('4'), ...change });
    void collector.add(receivedBatch('5'));
    await setImmediate();
    expect(calls.slice(4)).toEqual(['3', '4', '5', 'end of turn']);
  });

  it('BatchCollector joins chat updates that Baileys derives from messages', async () => {
    const { collector, calls } = createCollector();
    const chat = { messages: [], conversationTimestamp: 1_767_225_600, unreadCount: 1 };
    void collector.add({ ...receivedBatch('1'), 'chats.update': [{ id: 'c', ...chat }] });
    void collector.add({
      ...receivedBatch('2'),
      'chats.update': [{ id: 'c', ...chat, archived: false, readOnly: false }],
    });
    await setImmediate();
    expect(calls).toEqual(['1 2', 'end of turn']);
  });

  it('BatchCollector does not join a batch that also contains a change of group participants', async () => {
    const { collector, calls } = createCollector();
    void collector.add(receivedBatch('1'));
    void collector.add({ ...receivedBatch('2'), ...participantRemoval });
    await setImmediate();
    expect(calls).toEqual(['1', '2']);
  });

  it('BatchCollector splits long lists of chats and contacts, and passes them on before the end of the connection', async () => {
    const list = (count: number) => Array.from({ length: count }, (_, n) => ({ id: `${n}` }));
    const portions: Record<string, number>[] = [];
    const onStored: (() => void)[] = [];
    const collector = new BatchCollector(
      (batch, stored) => {
        portions.push(
          Object.fromEntries(
            Object.entries(batch).map(([name, value]) => [name, Array.isArray(value) ? value.length : 1]),
          ),
        );
        onStored.push(stored);
      },
      () => undefined,
    );
    void collector.add(receivedBatch('1'));
    let isStored = false;
    const stored = collector
      .add({
        ...{ 'connection.update': { connection: 'close' }, 'chats.delete': ['a'], ...receivedBatch('2') },
        ...{ 'contacts.upsert': list(101), 'chats.upsert': list(3), 'chats.update': list(250), ...participantRemoval },
      })
      .then(() => {
        isStored = true;
      });
    expect(portions).toEqual([
      { 'messages.upsert': 1, 'contacts.update': 1, 'chats.update': 0 },
      { 'contacts.upsert': 100 },
      { 'contacts.upsert': 1 },
      { 'contacts.update': 1 },
      { 'chats.upsert': 3 },
      { 'messages.upsert': 1, 'group-participants.update': 1 },
      { 'chats.update': 100 },
      { 'chats.update': 100 },
      { 'chats.update': 50 },
      { 'chats.delete': 1, 'connection.update': 1 },
    ]);
    for (const markStored of onStored.slice(0, -1)) markStored();
    await setImmediate();
    expect(isStored).toBe(false);
    onStored.at(-1)?.();
    await stored;
  });

  it('BatchCollector resolves add() of each joined batch when the joined batch is stored', async () => {
    const { collector, storedBatches } = createCollector();
    const [first, second] = [collector.add(receivedBatch('1')), collector.add(receivedBatch('2'))];
    await setImmediate();
    let areStored = false;
    const both = Promise.all([first, second]).then(() => (areStored = true));
    await setImmediate();
    expect(areStored).toBe(false);
    storedBatches[0]?.();
    await both;
  });

  it('BatchCollector does not modify the batches that it receives', async () => {
    const { collector } = createCollector();
    const batch = receivedBatch('1');
    void collector.add(batch);
    void collector.add(receivedBatch('2'));
    await setImmediate();
    expect(batch['messages.upsert']?.messages).toHaveLength(1);
    expect(batch['contacts.update']).toHaveLength(1);
  });
});
