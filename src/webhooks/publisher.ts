// Domain event → rows for the outbox, for whoever subscribed. Runs inside ingest, before the transaction: no I/O, no state.
import { hash, randomUUID } from 'node:crypto';
import { toStoredBody } from '../events/envelope.ts';
import type { NewEvent } from '../events/event-batch.ts';
import type { DomainEvent, Message } from '../events/events.ts';
import { toData } from '../events/payload.ts';
import type { Clock } from '../lib/clock.ts';
import type { ServerUrl } from '../lib/server-url.ts';
import { narrow } from './chat-filter.ts';
import type { Subscriptions } from './subscriptions.ts';

export interface Described {
  id: string;
  name: string;
  ownerJid: string | null;
}

export interface PublisherOptions {
  subscriptions: Pick<Subscriptions, 'matching'>;
  /** Undefined for an instance that is gone: nothing is published. */
  describe: (instanceId: string) => Described | undefined;
  /** Public base URL of the gateway. */
  serverUrl: Pick<ServerUrl, 'current'>;
  /** Whether somebody else than webhooks wants this event of the instance. */
  isWanted?: (instanceId: string, type: string) => boolean;
  /** Where the file of a message can be fetched; undefined when it has none. */
  linkTo?: (instance: Described, message: Message) => string | undefined;
  clock: Clock;
}

export type Publish = (instanceId: string, event: DomainEvent) => NewEvent[];

/** The returned function yields one row, or none when nobody wants it. */
export function createPublisher({
  subscriptions,
  describe,
  serverUrl,
  isWanted,
  linkTo,
  clock,
}: PublisherOptions): Publish {
  return (instanceId, event) => {
    const webhooks = subscriptions.matching(instanceId, event.type);
    if (webhooks.length === 0 && !isWanted?.(instanceId, event.type)) return [];
    const instance = describe(instanceId);
    if (instance === undefined) return [];
    const owner = { id: instance.id, name: instance.name };
    const data = toData(event, { ...owner, linkTo: (message) => linkTo?.(instance, message) });
    const wanting = webhooks.filter(({ chats }) => narrow(chats, event.type, data) !== undefined);
    if (wanting.length === 0 && !isWanted?.(instanceId, event.type)) return [];
    const body = toStoredBody({
      event: event.type,
      instance: instance.name,
      data,
      date_time: new Date(clock.now()).toISOString(),
      sender: instance.ownerJid ?? undefined,
      server_url: serverUrl.current,
    });
    const id = toEventId(instanceId, event);
    return [{ id, type: event.type, lane: toLane(event), body, webhooks: wanting.map((webhook) => webhook.id) }];
  };
}

/** The `webhook-id`: the same whenever the same thing is reported again, random for events that cannot be told apart. */
function toEventId(instanceId: string, event: DomainEvent): string {
  const identity = toIdentity(event);
  if (identity === null) return `evt_${randomUUID().replaceAll('-', '')}`;
  return `evt_${hash('sha256', JSON.stringify([instanceId, event.type, ...identity])).slice(0, 32)}`;
}

function toIdentity(event: DomainEvent): unknown[] | null {
  switch (event.type) {
    case 'messages.upsert':
    case 'send.message':
      return [event.message.key.remoteJid, event.message.key.fromMe, event.message.key.id];
    case 'messages.undecryptable':
      return [event.key.remoteJid, event.key.id];
    case 'messages.update': {
      const { remoteJid, fromMe, id, participant = '' } = event.key;
      if ('starred' in event) return null;
      return 'vote' in event
        ? [remoteJid, fromMe, id, event.vote.voter, event.vote.id]
        : [remoteJid, fromMe, id, participant, event.status];
    }
    case 'messages.set':
      return event.messages.map(({ key }) => [key.remoteJid, key.fromMe, key.id]);
    case 'send.message.update':
      return [event.message.key.remoteJid, event.message.key.id];
    case 'messages.edited':
      return [event.key.remoteJid, event.key.fromMe, event.key.id, event.text ?? event.message, event.at];
    case 'messages.delete':
      return [event.key.remoteJid, event.key.id, ...(event.scope ? [event.scope] : [])];
    default:
      return null;
  }
}

/** Events of one chat share a lane and keep their order; the instance's own share ''. */
function toLane(event: DomainEvent): string {
  switch (event.type) {
    case 'messages.upsert':
    case 'send.message':
    case 'send.message.update':
      return event.message.key.remoteJid;
    case 'messages.edited':
    case 'messages.delete':
    case 'messages.update':
    case 'messages.undecryptable':
      return event.key.remoteJid;
    case 'presence.update':
      return event.id;
    case 'chats.upsert':
    case 'chats.update':
      return event.chats.length === 1 ? (event.chats[0]?.jid ?? '') : '';
    case 'labels.association':
      return event.jid;
    case 'groups.upsert':
    case 'groups.update':
      return event.group.id;
    case 'group-participants.update':
    case 'group.join-request':
      return event.id;
    case 'call':
      return event.chatId;
    default:
      return '';
  }
}
