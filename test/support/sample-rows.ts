// Sample rows for the storage tests. Fields that a test does not set have default values.

import type { EventBatch, EventRow, QueuedLanes, StatusChange } from '../../src/events/event-batch.ts';
import type { Message, MessageKey, MessageStatus } from '../../src/events/events.ts';
import type { InstanceRow } from '../../src/storage/instance-row.ts';
import { laneOf } from '../../src/storage/outbox.ts';
import type { WebhookRow } from '../../src/storage/webhook-stores.ts';

export const CHAT = '5511999990000@s.whatsapp.net';

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
export const text = (value: Uint8Array | null | undefined): string | null =>
  value ? new TextDecoder().decode(value) : null;

export const toEventBatch = (part: Partial<EventBatch>): EventBatch => ({
  messages: [],
  statuses: [],
  contacts: [],
  events: [],
  ...part,
});

export const event = (id: string, part: Partial<EventRow> = {}): EventRow => ({
  id,
  type: 'messages.upsert',
  lane: CHAT,
  body: JSON.stringify({ id }),
  webhookIds: ['hook'],
  ...part,
});

/** The lanes of a batch whose events were created with `event()` for one webhook. */
export const queuedFor = (webhookId: string): QueuedLanes => new Map([[webhookId, new Set([laneOf(CHAT)])]]);

export const key = (id: string, part: Partial<MessageKey> = {}): MessageKey => ({
  remoteJid: CHAT,
  fromMe: true,
  id,
  ...part,
});

export const message = (id: string, part: Partial<Message> = {}): Message => ({
  key: key(id),
  message: { conversation: `text of ${id}` },
  messageType: 'conversation',
  messageTimestamp: 1_700_000_000,
  source: 'web',
  ...part,
});

export const change = (id: string, status: MessageStatus, part: Partial<StatusChange> = {}): StatusChange => ({
  key: key(id),
  status,
  at: 1_700_000_000_000,
  ...part,
});

export const instance = (id: string, part: Partial<InstanceRow> = {}): InstanceRow => ({
  id,
  name: `name of ${id}`,
  token: `token-of-${id}`,
  integration: 'WHATSAPP-BAILEYS',
  number: null,
  desired: 'running',
  settings: {
    rejectCall: false,
    msgCall: '',
    groupsIgnore: false,
    alwaysOnline: false,
    readMessages: false,
    readStatus: false,
    syncFullHistory: false,
  },
  ownerJid: null,
  ownerLid: null,
  profileName: null,
  profilePictureUrl: null,
  profileStatus: null,
  disconnectionCode: null,
  disconnectionCause: null,
  disconnectionAt: null,
  createdAt: 1000,
  updatedAt: 1000,
  ...part,
});

export const webhook = (id: string, part: Partial<WebhookRow> = {}): WebhookRow => ({
  id,
  instanceId: 'a',
  enabled: true,
  url: 'http://127.0.0.1:9/hook',
  events: [],
  headers: {},
  byEvents: false,
  base64: false,
  secret: 'whsec_c2VjcmV0',
  createdAt: 1000,
  updatedAt: 1000,
  ...part,
});

/** Statements that undo the migrations from version 12 on. */
export const undoFromMessageTotals = (dialect: 'sqlite' | 'postgres'): readonly string[] => [
  'DROP TABLE reused_message_id',
  ...(dialect === 'sqlite'
    ? ['DROP TRIGGER message_inserted', 'DROP TRIGGER message_deleted']
    : ['DROP FUNCTION add_message_totals CASCADE', 'DROP FUNCTION subtract_message_totals CASCADE']),
  'DROP TABLE message_total',
];

/** The items of all batches. */
export async function itemsOf<T>(batches: AsyncIterable<readonly T[]>): Promise<T[]> {
  const items: T[] = [];
  for await (const batch of batches) items.push(...batch);
  return items;
}
