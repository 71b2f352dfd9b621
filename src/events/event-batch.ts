// What one batch of events becomes in the store: messages, statuses, changes and the events to be posted with them.
import type { Authority, Chat, Contact, Message, MessageKey, MessageStatus, Vote } from './events.ts';

export interface StatusChange {
  key: MessageKey;
  status: MessageStatus;
  /** Epoch ms. */
  at: number;
  code?: string;
  reason?: string;
  /** DELETED by an admin of the group, or by the platform: good for messages of others. */
  byModerator?: true;
}

/** An event ready to be posted: `body` is the JSON object that will be sent, without what differs per webhook (webhooks/envelope.ts). */
export interface NewEvent {
  /** `webhook-id`: derived from what happened, so a redelivery gets the same id and is stored once. No dots. */
  id: string;
  type: string;
  /** Lane key: events with the same key stay in order (the chat JID, or '' for instance-level events). */
  lane: string;
  body: string;
  /** Webhook ids that subscribed to it; no deliveries when empty. */
  webhooks: readonly string[];
}

/** A new text, or caption, of a message that may be stored. */
export interface Edit {
  /** Key of the edited message; its author is the author of the edit. */
  key: MessageKey;
  /** Undefined for an edit that changes nothing that is kept. */
  text?: string;
  /** Seconds since the epoch. */
  at: number;
  authority?: Authority;
  /** Dropped with an edit that its author may not make. */
  events?: readonly NewEvent[];
}

/** What was told of a chat, or that it was deleted at a time (seconds): then it is gone until somebody writes again. */
export type ChatChange = { chat: Chat } | { deleted: string; at: number };

/** One batch of what happened, stored atomically. */
export interface EventBatch {
  /** A message already stored (same instance, chat, id) changes nothing and its events are dropped. */
  messages: readonly {
    message: Message;
    events: readonly NewEvent[];
    /** It is of what the phone handed over at linking. */
    isPast?: boolean;
  }[];
  /**
   * Applied only if the status rises (ERROR only over PENDING); otherwise dropped with its events. `isPassing`: only the stored message
   * shows it, no history does. Refused with its events: DELETED by a person who may not delete the message, and every other status of a
   * message that this account did not send to that chat.
   */
  statuses: readonly {
    change: StatusChange;
    events: readonly NewEvent[];
    isPassing?: boolean;
    authority?: Authority;
  }[];
  /** Applied to stored messages that have a text, if the author may; an edit older than the last one changes nothing. */
  edits?: readonly Edit[];
  /** Kept with the poll of that key, in place of what the voter chose before. */
  votes?: readonly { key: MessageKey; vote: Vote }[];
  stars?: readonly { key: MessageKey; starred: boolean }[];
  contacts: readonly Contact[];
  /** After the messages. What is told later wins; what it leaves out stays as it was. */
  chats?: readonly ChatChange[];
  /** Stored unconditionally (once per id). */
  events: readonly NewEvent[];
}

/** What became of a batch. */
export interface RecordedBatch {
  /** At least one delivery was queued. */
  queued: boolean;
  /** The events that are new: neither dropped with what was known, nor stored before under their id. */
  events: readonly NewEvent[];
  /** How many changes of messages were refused, if any were. */
  refused?: number;
}
