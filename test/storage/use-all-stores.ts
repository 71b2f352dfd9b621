// Writes and reads every store, as a running gateway does. For tests of the surroundings of the stores, such as a
// pooler or a migration.
import { expect } from 'vitest';
import type { Storage } from '../../src/storage/storage.ts';
import {
  bytes,
  CHAT,
  change,
  event,
  instance,
  key,
  message,
  queuedFor,
  text,
  toEventBatch,
  webhook,
} from '../support/sample-rows.ts';

/** Creates the instance `id`, uses all stores for it and deletes it. `id` must be unique in the database. */
export async function useAllStores(storage: Storage, id: string): Promise<void> {
  await storage.instances.create(instance(id));
  await storage.webhooks.put(webhook(`hook-${id}`, { instanceId: id }));
  await useAuthKeys(storage, id);
  await useMessages(storage, id);
  await useDeliveries(storage, id);
  await useOtherStores(storage, id);
  expect(await storage.instances.counts(id)).toEqual({ messages: 2, contacts: 1, chats: 1 });
  await storage.instances.update(id, { profileName: 'changed' });
  expect(await storage.instances.get(id)).toMatchObject({ name: `name of ${id}`, profileName: 'changed' });
  expect((await storage.instances.list()).some((row) => row.id === id)).toBe(true);
  await storage.webhooks.delete({ id: `hook-${id}`, instanceId: id });
  await storage.instances.delete(id);
  expect(await storage.instances.get(id)).toBeNull();
}

async function useAuthKeys({ authKeys }: Storage, id: string): Promise<void> {
  await authKeys.setCreds(id, bytes(`creds of ${id}`));
  for (const round of ['first', 'second']) {
    await authKeys.set(id, [{ type: 'session', id: 'x', value: bytes(`${round} of ${id}`) }]);
    await authKeys.set(id, [
      { type: 'pre-key', id: '1', value: bytes(id) },
      { type: 'pre-key', id: '2', value: null },
    ]);
  }
  expect(text((await authKeys.readAll(id, 'session')).get('x'))).toBe(`second of ${id}`);
  expect(text((await authKeys.get(id, 'pre-key', ['1', '2'])).get('1'))).toBe(id);
  expect(text(await authKeys.creds(id))).toBe(`creds of ${id}`);
  await authKeys.wipe(id);
  expect(await authKeys.creds(id)).toBeNull();
}

async function useMessages({ messages, chats, contacts }: Storage, id: string): Promise<void> {
  const messageWithEvent = (name: string) => ({
    message: message(name),
    events: [event(`${id}-${name}`, { webhookIds: [`hook-${id}`] })],
  });
  const recorded = await messages.record(
    id,
    toEventBatch({
      messages: [messageWithEvent('one'), messageWithEvent('two'), messageWithEvent('one')],
      contacts: [{ jid: CHAT, pushName: id }],
      chats: [{ chat: { jid: CHAT, unread: 1 } }],
    }),
  );
  expect(recorded).toMatchObject({
    queued: queuedFor(`hook-${id}`),
    events: [{ id: `${id}-one` }, { id: `${id}-two` }],
  });
  const statuses = (['SERVER_ACK', 'READ'] as const).map((status) => ({ change: change('one', status), events: [] }));
  await messages.record(
    id,
    toEventBatch({
      statuses,
      edits: [{ key: key('two'), text: 'edited', at: 1_700_000_001 }],
      stars: [{ key: key('one'), starred: true }],
    }),
  );
  expect((await messages.get(id, 'one'))?.status).toBe('READ');
  expect(await messages.statuses(id, 'one')).toHaveLength(2);
  const origin = { chat: CHAT, fromMe: true, participant: null };
  expect(await messages.originsByMessageId(id, ['one', 'three'])).toEqual(new Map([['one', [origin]]]));
  expect(await messages.find(id, { chatAddresses: [CHAT] }, { offset: 0, limit: 10 })).toHaveLength(2);
  expect(await messages.count(id, {})).toBe(2);
  expect(await messages.findStatuses(id, { id: 'one' }, { offset: 0, limit: 10 })).toHaveLength(2);
  expect((await chats.list(id)).map(({ jid }) => jid)).toEqual([CHAT]);
  expect(await chats.disappearingTimer(id, CHAT)).toBe(0);
  expect(await chats.countUnread(id, [CHAT])).toBe(1);
  const recipient = { jid: CHAT, lid: null, exists: true, checkedAt: 5 };
  await contacts.saveRecipient(id, '5511', recipient);
  expect(await contacts.recipient(id, '5511')).toEqual(recipient);
  expect(await contacts.find(id, { pushName: id }, { offset: 0, limit: 10 })).toHaveLength(1);
}

async function useDeliveries({ outbox, events, webhooks }: Storage, id: string): Promise<void> {
  const webhookId = `hook-${id}`;
  expect((await webhooks.list()).some((row) => row.id === webhookId)).toBe(true);
  const lane = (await outbox.listWaitingLanes()).find((one) => one.webhookId === webhookId)?.lane ?? -1;
  const [first, second] = await outbox.listPending(webhookId, lane, 0, 10);
  if (!first || !second) throw new Error('two deliveries should wait');
  await outbox.recordAttempts([
    { webhookId, lane, seq: first.seq, outcome: 'delivered' },
    { webhookId, lane, seq: second.seq, outcome: 'dead', attempts: 1, status: 500, error: null },
  ]);
  expect(await outbox.depth(webhookId)).toMatchObject({ waiting: 0, dead: 1 });
  expect(await outbox.requeue(webhookId, [second.seq])).toEqual([second.seq]);
  expect(await outbox.list(webhookId, { instance: id, states: ['waiting'], limit: 10 })).toHaveLength(1);
  await outbox.discard(webhookId, [second.seq]);
  expect((await events.read(id, { after: 0, limit: 10 })).events).toHaveLength(2);
  await events.markRead(id, 7);
  expect(await events.lastReads()).toContainEqual({ instance: id, readAt: 7 });
}

async function useOtherStores({ requests, accessKeys, audit, metadata }: Storage, id: string): Promise<void> {
  const claim = { digest: 'd', messageId: 'm', now: 1000, expiresAt: 2000 };
  expect(await requests.claim(id, 'r', claim)).toBeNull();
  await requests.storeResponse(id, 'r', { status: 201, body: '{}' });
  expect(await requests.claim(id, 'r', claim)).toMatchObject({ response: { status: 201 } });
  await metadata.set(`fact of ${id}`, id);
  expect(await metadata.get(`fact of ${id}`)).toBe(id);
  const keyParts = {
    id: `key of ${id}`,
    name: id,
    digest: `digest of ${id}`,
    hint: 'gwk_abcd',
    scopes: ['read' as const],
  };
  const key = { ...keyParts, instanceId: id, replacedBy: null, createdAt: 1000, expiresAt: null, lastUsedAt: null };
  await accessKeys.insert(key);
  await accessKeys.recordUses([{ id: keyParts.id, at: 3000 }]);
  expect((await accessKeys.list()).find((row) => row.id === keyParts.id)?.lastUsedAt).toBe(3000);
  const auditEntry = {
    at: 1000,
    key: keyParts.id,
    operation: 'sendText',
    scope: 'send' as const,
    instance: id,
    subject: null,
  };
  await audit.append([{ ...auditEntry, status: 201, requestId: id, address: '127.0.0.1' }]);
  expect((await audit.read(0, 1000)).some(({ requestId }) => requestId === id)).toBe(true);
}
