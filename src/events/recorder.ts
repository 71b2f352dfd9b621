// Domain events → one transaction: messages, statuses and contacts are kept, posts are queued. Hot path: no work beyond sorting.

import type { Log } from '../instances/connection-notifier.ts';
import type { Clock } from '../lib/clock.ts';
import type { Storage } from '../storage/storage.ts';
import type { ChatChange, Edit, EventBatch, NewEvent, StatusChange } from './event-batch.ts';
import type { Authority, Contact, DomainEvent, MessageEdit, RecordEvents } from './events.ts';
import { FailedBatchBuffer, isLeaseLost } from './failed-batch-buffer.ts';
import { splitEvent, toUndecryptableReport } from './rejected-events.ts';

export interface EventRecorderDeps {
  messages: Pick<Storage['messages'], 'record'>;
  publish: (instanceId: string, event: DomainEvent) => NewEvent[];
  wake: (instanceId: string) => void;
  /** Something was committed, and these events were new. */
  stored?: (instanceId: string, events: readonly NewEvent[]) => void;
  /** Whether the store rejected rows because of what is in them; without it, every rejection is an outage. */
  isRefused?: (err: unknown) => boolean;
  /** An event, or its posts, were left out. */
  onLeftOut?: () => void;
  clock: Clock;
  log: Log;
}

/** Events and what is stored of them: ids of posts are chosen once. */
interface Batch {
  events: readonly DomainEvent[];
  recording: EventBatch;
}

/**
 * Builds the one way events enter the store. `publish` turns an event into the posts that subscribers want (none when nobody
 * does); `wake` is called after a commit that queued at least one delivery, or may have. The result rejects when storage does; the events are
 * kept all the same and stored, before any newer ones of their instance, as soon as storage takes them; unless the instance is another
 * process's, which has in the store what is not done with. An event that can never be stored is left out and reported. `settle` is for the end
 * of the process: one last try; `part` for an instance that another process is to have.
 */
export function createEventRecorder(
  deps: EventRecorderDeps,
): RecordEvents & { settle(): Promise<void>; part(instanceId: string): Promise<void> } {
  const { messages, wake, stored, isRefused = () => false, onLeftOut, clock, log } = deps;
  const leaveOut = (instanceId: string, err: unknown, { type }: DomainEvent): void => {
    log.warn({ instance: instanceId, event: type, err }, 'ingest.event.skipped');
    onLeftOut?.();
  };
  const toBatch = (instanceId: string, events: readonly DomainEvent[]): Batch => {
    const publish = (event: DomainEvent): NewEvent[] => {
      try {
        return deps.publish(instanceId, event);
      } catch (err) {
        leaveOut(instanceId, err, event);
        return [];
      }
    };
    return { events, recording: toRecording(events, publish, clock.now()) };
  };
  const store = async (instanceId: string, { recording }: Batch, isAgain = false): Promise<void> => {
    const { queued, events, refused } = await messages.record(instanceId, recording);
    if (refused) log.info({ instanceId, changes: refused }, 'message.change.refused');
    // What was refused may have been stored, with only the answer lost: then nothing of it is new, and its posts wait.
    if (queued || isAgain) wake(instanceId);
    stored?.(instanceId, events);
  };
  /** Stores the batch, or event by event when something in it can never be stored. */
  const storeAll = async (instanceId: string, batch: Batch, isAgain = false): Promise<void> => {
    try {
      await store(instanceId, batch, isAgain);
    } catch (err) {
      if (!isRefused(err)) throw err;
      const items = batch.events.flatMap(splitEvent);
      const [only] = items;
      if (items.length > 1) for (const item of items) await storeAll(instanceId, toBatch(instanceId, [item]), isAgain);
      else if (only) {
        leaveOut(instanceId, err, only);
        const report = toUndecryptableReport(only);
        if (report) await storeAll(instanceId, toBatch(instanceId, [report]), isAgain);
      }
    }
  };
  const unstored = new FailedBatchBuffer<Batch>({
    store: (instanceId, batch) => storeAll(instanceId, batch, true),
    clock,
    log,
  });
  const ingest: RecordEvents = async (instanceId, events) => {
    const batch = toBatch(instanceId, events);
    if (Object.values(batch.recording).every((part) => part.length === 0)) return;
    try {
      if (unstored.has(instanceId)) await unstored.flush(instanceId);
      await storeAll(instanceId, batch);
    } catch (err) {
      if (!isLeaseLost(err)) unstored.keep(instanceId, batch);
      throw err;
    }
  };
  return Object.assign(ingest, {
    settle: () => unstored.settle(),
    part: (instanceId: string) => unstored.part(instanceId),
  });
}

function toRecording(
  events: readonly DomainEvent[],
  publish: (event: DomainEvent) => NewEvent[],
  now: number,
): EventBatch {
  const messages: EventBatch['messages'][number][] = [];
  const statuses: EventBatch['statuses'][number][] = [];
  const edits: Edit[] = [];
  const votes: NonNullable<EventBatch['votes']>[number][] = [];
  const stars: NonNullable<EventBatch['stars']>[number][] = [];
  const contacts: Contact[] = [];
  const chats: ChatChange[] = [];
  const others: NewEvent[] = [];
  for (const event of events) {
    const posts = publish(event);
    chats.push(...toChatChanges(event, now));
    switch (event.type) {
      case 'messages.upsert':
        messages.push({ message: event.message, events: posts });
        break;
      case 'send.message':
        // What was just sent is pending until the platform's ack says otherwise.
        messages.push({ message: { ...event.message, status: event.message.status ?? 'PENDING' }, events: posts });
        break;
      case 'send.message.update':
        messages.push({ message: { ...event.message, status: event.message.status ?? 'PENDING' }, events: posts });
        edits.push(toEdit(event.edited));
        break;
      case 'messages.edited':
        edits.push({ ...toEdit(event), ...toAuthority(event), events: posts });
        break;
      case 'messages.delete':
        // Others still have what this account deleted for itself, and may ask for it again.
        if (event.sent) messages.push({ message: { ...event.sent, status: 'PENDING' }, events: [] });
        if (event.scope) others.push(...posts);
        else statuses.push({ change: toDeletion(event), events: posts, ...toAuthority(event) });
        break;
      case 'messages.set':
        messages.push(...event.messages.map((message) => ({ message, events: [], isPast: true })));
        others.push(...posts);
        break;
      case 'messages.update':
        if (event.status) statuses.push({ change: toChange(event), events: posts });
        else if ('vote' in event) votes.push({ key: event.key, vote: event.vote });
        else stars.push({ key: event.key, starred: event.starred });
        if (!event.status) others.push(...posts);
        break;
      case 'chats.update':
        if (event.sent) messages.push({ message: { ...event.sent, status: 'PENDING' }, events: [] });
        others.push(...posts);
        break;
      case 'contacts.upsert':
      case 'contacts.update':
        contacts.push(...event.contacts);
        others.push(...posts);
        break;
      default:
        others.push(...posts);
    }
  }
  return { messages, statuses, edits, votes, stars, contacts, chats, events: others };
}

const toChange = ({ key, status, at, code, reason }: StatusChange): StatusChange => ({ key, status, at, code, reason });

const toDeletion = ({ key, at }: Extract<DomainEvent, { type: 'messages.delete' }>): StatusChange => ({
  key,
  status: 'DELETED',
  at,
});

/** `now` is epoch ms. */
function toChatChanges(event: DomainEvent, now: number): ChatChange[] {
  if ('chats' in event) return event.chats.map((chat) => ({ chat }));
  if (event.type !== 'chats.delete') return [];
  return event.jids.map((deleted) => ({ deleted, at: Math.floor(now / 1000) }));
}

const toEdit = ({ key, text, at }: MessageEdit): Edit => ({
  key,
  ...(text === undefined ? {} : { text }),
  at: Math.floor(at / 1000),
});

const toAuthority = ({ authority }: { authority?: Authority }): { authority?: Authority } =>
  authority === undefined ? {} : { authority };
