// The types of the batch that the recorder (recorder.ts) passes to the store: messages, statuses and other changes, and
// the rows of the events. When a change contains rows of events, these rows are stored only if the change is stored.
import type { Authority, Chat, Contact, Message, MessageKey, MessageStatus, Vote } from './events.ts';

export interface StatusChange {
  key: MessageKey;
  status: MessageStatus;
  /** Epoch ms. */
  at: number;
  /** Status ERROR only: WhatsApp's code. */
  code?: string;
  /** Status ERROR only: the reason as this gateway names it. */
  reason?: string;
  /** Status DELETED only: the deletion comes from a group admin or from WhatsApp. Both may delete any message. */
  byModerator?: true;
}

/** The row of an event for the event log and for the outbox, which is the table of pending deliveries. */
export interface EventRow {
  /**
   * The `webhook-id` header; contains no dots. For most types it is a hash of what identifies the event, so that an
   * event that is reported twice is stored once.
   */
  id: string;
  type: string;
  /**
   * The key of the lane (a queue of a webhook): the JID of the chat, or '' for an event of the instance. Events with
   * the same key are delivered in order. The store hashes the key to the number of a lane.
   */
  lane: string;
  /** The posted JSON without the members that differ per webhook (envelope.ts). */
  body: string;
  /** Ids of the webhooks that receive the event. */
  webhookIds: readonly string[];
}

/** A new text or caption of a message. Its events are stored even if the store does not contain the message. */
export interface Edit {
  /** Key of the edited message. Its members `fromMe` and `participant` identify the person who edited the message. */
  key: MessageKey;
  /** Undefined when the edited content has no text. */
  text?: string;
  /** Seconds since the epoch. */
  at: number;
  /** Facts about the rights of the person who edited the message. */
  authority?: Authority;
  /** Dropped when the person who edited the message is not allowed to edit it. */
  events?: readonly EventRow[];
}

/** A change of a chat, or the deletion of a chat. A message after the deletion creates the chat again. */
export type ChatChange =
  | {
      chat: Chat;
      /** WhatsApp announces the chat, for example a new group. An announcement creates a deleted chat again. */
      source?: 'announcement';
      /** Time of the change. Absent: unknown. */
      atSeconds?: number;
    }
  | {
      chat: Chat;
      /** The phone describes the chat after linking. The history of a chat never replaces a later change. */
      source: 'history';
      /** Time at which the phone sent the history, in seconds since the epoch. Absent: unknown. */
      historySentAt?: number;
    }
  | {
      deletedJid: string;
      /** The LID of the person whose number is `deletedJid`, if it is known. */
      lid?: string | undefined;
      atSeconds: number;
    };

/** One batch, stored in one transaction. */
export interface EventBatch {
  /** A message that is already stored (same instance, chat, id, author) changes nothing, and its events are dropped. */
  messages: readonly {
    message: Message;
    events: readonly EventRow[];
    /** The message is part of the history sync, in which the phone sends older messages after linking. */
    isHistory?: boolean;
  }[];
  /**
   * A status is stored only when it is higher than the stored one (ERROR only replaces PENDING). Otherwise, the change
   * and its events are dropped. A deletion is refused, with its events, when the person who deletes the message is not
   * allowed to. A status other than DELETED is refused when the store shows that this account did not send the
   * message, or sent it to another chat.
   */
  statuses: readonly {
    change: StatusChange;
    events: readonly EventRow[];
    /** The status is written to the message only, not to the status history. */
    isTransient?: boolean;
    /** Status DELETED only: facts about the rights of the person who deletes the message. */
    authority?: Authority;
  }[];
  /**
   * Applied to stored messages with a text, if the author of the edit is allowed to edit them. An edit that is older
   * than the last applied one changes nothing. An edit that arrives before its message is not applied.
   */
  edits?: readonly Edit[];
  /** `key` is the key of the poll. A vote replaces the previous vote of the same person. */
  votes?: readonly { key: MessageKey; vote: Vote }[];
  stars?: readonly { key: MessageKey; starred: boolean }[];
  contacts: readonly Contact[];
  /** Applied after the messages, in order. When a member of `Chat` is absent, its stored value stays. */
  chats?: readonly ChatChange[];
  /** Events that do not depend on one of the changes above. Each id is stored once. */
  events: readonly EventRow[];
  /** All events above in the order in which they happened. Absent: the order of the members above. */
  order?: readonly EventRow[];
}

/** By the id of the webhook: the numbers of the lanes in which deliveries were queued. */
export type QueuedLanes = ReadonlyMap<string, ReadonlySet<number>>;

/** The result of storing a batch. */
export interface RecordedBatch {
  /** The lanes in which deliveries to webhooks were queued; empty when none was queued. */
  queued: QueuedLanes;
  /** The events that this batch added: neither dropped nor stored earlier under the same id. */
  events: readonly EventRow[];
  /** Number of refused statuses and edits. */
  refused?: number;
}
