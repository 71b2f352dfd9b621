import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Batch } from '../../../src/whatsapp/inbound/batch.ts';
import { BatchCollector } from '../../../src/whatsapp/inbound/batch-collector.ts';

const received = (id: string, type: 'notify' | 'append' = 'notify'): Batch => ({
  'messages.upsert': { messages: [{ key: { id } }], type },
  'contacts.update': [{ id: `sender of ${id}` }],
});
const left: Batch = { 'group-participants.update': { id: 'g', author: 'a', participants: [], action: 'remove' } };

/** A collector, and what it passed on: the ids of messages, or the names of other events. */
function collect() {
  const passed: string[] = [];
  const storedBatches: (() => void)[] = [];
  const collector = new BatchCollector(
    (batch, onStored) => {
      const ids = (batch['messages.upsert']?.messages ?? []).map(({ key }) => key.id);
      passed.push(ids.join(' ') || Object.keys(batch).join());
      storedBatches.push(onStored);
    },
    () => passed.push('end of turn'),
  );
  return { collector, passed, storedBatches };
}

describe('BatchCollector', () => {
  it('BatchCollector joins the messages of one turn, and no others', async () => {
    const { collector, passed } = collect();
    for (const id of ['1', '2', '3']) void collector.add(received(id));
    expect(passed).toEqual([]);
    await setImmediate();
    void collector.add(received('4'));
    await setImmediate();
    expect(passed).toEqual(['1 2 3', 'end of turn', '4', 'end of turn']);
  });

  it('BatchCollector keeps the order of messages and other events', async () => {
    const { collector, passed } = collect();
    void collector.add(received('1'));
    void collector.add(received('2', 'append'));
    void collector.add(left);
    void collector.add(received('3'));
    collector.flush();
    await setImmediate();
    expect(passed).toEqual(['1', '2', 'group-participants.update', '3']);
  });

  it('BatchCollector joins names and chats with a message of the same turn, and passes them on at once without one', async () => {
    const { collector, passed } = collect();
    void collector.add({ 'contacts.update': [{ id: '1' }] });
    void collector.add(received('1'));
    void collector.add({ 'contacts.update': [{ id: '2' }] });
    void collector.add({ 'chats.update': [{ id: '3', archived: false, readOnly: false }] });
    void collector.add(received('2'));
    await setImmediate();
    expect(passed).toEqual(['contacts.update', '1 2', 'end of turn']);
  });

  it.each<Batch>([
    { 'chats.update': [{ id: 'c', unreadCount: 0 }] },
    { 'chats.update': [{ id: 'c', archived: true }] },
    { 'contacts.update': [{ id: 'g', imgUrl: 'changed' }] },
  ])('BatchCollector keeps the order of messages and a change that another device or person makes: %j', async (change) => {
    const { collector, passed } = collect();
    void collector.add(received('1'));
    void collector.add(change);
    void collector.add(received('2'));
    await setImmediate();
    expect(passed).toEqual(['1', Object.keys(change).join(), '2', 'end of turn']);
    void collector.add(received('3'));
    void collector.add({ ...received('4'), ...change });
    void collector.add(received('5'));
    await setImmediate();
    expect(passed.slice(4)).toEqual(['3', '4', '5', 'end of turn']);
  });

  it('BatchCollector joins the changes of chats that Baileys makes of messages', async () => {
    const { collector, passed } = collect();
    const chat = { messages: [], conversationTimestamp: 1_767_225_600, unreadCount: 1 };
    void collector.add({ ...received('1'), 'chats.update': [{ id: 'c', ...chat }] });
    void collector.add({ ...received('2'), 'chats.update': [{ id: 'c', ...chat, archived: false, readOnly: false }] });
    await setImmediate();
    expect(passed).toEqual(['1 2', 'end of turn']);
  });

  it('BatchCollector joins no message with an event that its handling may need', async () => {
    const { collector, passed } = collect();
    void collector.add(received('1'));
    void collector.add({ ...received('2'), ...left });
    await setImmediate();
    expect(passed).toEqual(['1', '2']);
  });

  it('BatchCollector passes on long lists of chats and contacts in portions, before the end of the connection', async () => {
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
    void collector.add(received('1'));
    let isStored = false;
    const stored = collector
      .add({
        ...{ 'connection.update': { connection: 'close' }, 'chats.delete': ['a'], ...received('2') },
        ...{ 'contacts.upsert': list(101), 'chats.upsert': list(3), 'chats.update': list(250), ...left },
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
    for (const each of onStored.slice(0, -1)) each();
    await setImmediate();
    expect(isStored).toBe(false);
    onStored.at(-1)?.();
    await stored;
  });

  it('BatchCollector resolves for every message of a joined batch when it is stored', async () => {
    const { collector, storedBatches } = collect();
    const [first, second] = [collector.add(received('1')), collector.add(received('2'))];
    await setImmediate();
    let areStored = false;
    const both = Promise.all([first, second]).then(() => (areStored = true));
    await setImmediate();
    expect(areStored).toBe(false);
    storedBatches[0]?.();
    await both;
  });

  it('BatchCollector does not change the batches of Baileys', async () => {
    const { collector } = collect();
    const batch = received('1');
    void collector.add(batch);
    void collector.add(received('2'));
    await setImmediate();
    expect(batch['messages.upsert']?.messages).toHaveLength(1);
    expect(batch['contacts.update']).toHaveLength(1);
  });
});
