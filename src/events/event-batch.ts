// The parts of a batch that the recorder hands to the store: messages, statuses and other changes, with the event rows
// to store with each.
import type { Authority, Chat, Contact, Message, MessageKey, MessageStatus, Vote } from './events.ts';

export interface StatusChange {
  key: MessageKey;
  status: MessageStatus;
  /** Epoch ms. */
  at: number;
  code?: string;
  reason?: string;
  /** DELETED by an admin of the group, or by WhatsApp: valid for messages of others. */
  byModerator?: true;
}

/**
 * The row of an event, for event log and outbox. `body` is the posted JSON without the members that differ per webhook
 * (envelope.ts).
 */
export interface NewEvent {
  /**
   * `webhook-id`, without dots. Derived from the identity of the event, so that an event reported twice is stored once.
   */
  id: string;
  type: string;
  /** Events of one lane are delivered in order: the chat JID, or '' for events of the instance. */
  lane: string;
  body: string;
  /** Ids of the webhooks to deliver it to. */
  webhooks: readonly string[];
}

/** A new text or caption for a message. The message may be unknown to the store. */
export interface Edit {
  /** Key of the edited message; its author is the author of the edit. */
  key: MessageKey;
  /** Undefined for an edit without a text. */
  text?: string;
  /** Seconds since the epoch. */
  at: number;
  authority?: Authority;
  /** Dropped when the author may not edit the message. */
  events?: readonly NewEvent[];
}

/** A change of a chat, or its deletion at a time (seconds since the epoch). A later message creates the chat again. */
export type ChatChange = { chat: Chat } | { deleted: string; at: number };

/** One batch, stored in one transaction. */
export interface EventBatch {
  /** A message that is already stored (same instance, chat, id) changes nothing, and its events are dropped. */
  messages: readonly {
    message: Message;
    events: readonly NewEvent[];
    /** Part of the history sync. */
    isPast?: boolean;
  }[];
  /**
   * Applied only when the status rises (ERROR only replaces PENDING), else dropped with its events. `isPassing`: stored
   * in the message only, not in the status history. Refused with its events: DELETED by a person who may not delete the
   * message, and every other status of a message that this account did not send to that chat.
   */
  statuses: readonly {
    change: StatusChange;
    events: readonly NewEvent[];
    isPassing?: boolean;
    authority?: Authority;
  }[];
  /**
   * Applied to stored messages with a text when the author may edit them. An edit older than the last one changes
   * nothing.
   */
  edits?: readonly Edit[];
  /** Stored with the poll of that key, replacing the voter's previous vote. */
  votes?: readonly { key: MessageKey; vote: Vote }[];
  stars?: readonly { key: MessageKey; starred: boolean }[];
  contacts: readonly Contact[];
  /** Applied after the messages, in order. Absent members leave the stored value. */
  chats?: readonly ChatChange[];
  /** Stored unconditionally, once per id. */
  events: readonly NewEvent[];
}

/** The result of storing a batch. */
export interface RecordedBatch {
  /** At least one delivery was queued. */
  queued: boolean;
  /** The events that are new: not dropped, and not stored before under their id. */
  events: readonly NewEvent[];
  /** Number of refused changes of messages. */
  refused?: number;
}
