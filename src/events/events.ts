// The domain events of an instance and the data in them, in the terms of the API. Types only.
// whatsapp/ and instances/ produce events, the recorder stores them, webhooks/ and sockets/ deliver them.
import type { Authored, GroupPerson, GroupRecord, GroupUpdate } from './group-types.ts';

export type { Authored, GroupParticipant, GroupPerson, GroupRecord, GroupUpdate } from './group-types.ts';

/** JSON as stored and posted: 64-bit integers as strings, bytes as base64, enums by name. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/**
 * Delivery status of a message, in rising order. ERROR is final for a message that never reached SERVER_ACK (interface
 * §3), DELETED for a message that was deleted for everyone.
 */
export type MessageStatus = 'ERROR' | 'PENDING' | 'SERVER_ACK' | 'DELIVERY_ACK' | 'READ' | 'PLAYED' | 'DELETED';

/**
 * Message key (interface §2.1). JIDs are phone-number JIDs when the mapping is known, with the LID in the Alt fields.
 */
export interface MessageKey {
  remoteJid: string;
  fromMe: boolean;
  id: string;
  /** Sender inside a group. */
  participant?: string;
  /** LID of the other person in a direct chat, when known. */
  remoteJidAlt?: string;
  /** LID of the group participant, when known. */
  participantAlt?: string;
}

/** A message as stored, returned by the API and posted to webhooks. */
export interface Message {
  key: MessageKey;
  pushName?: string;
  /** The protobuf content as JSON: one content object, named after the kind of message. */
  message: JsonObject;
  /** Name of the content object, e.g. `conversation`, `extendedTextMessage`, or `unknown`. */
  messageType: string;
  /** Seconds since the epoch. */
  messageTimestamp: number;
  status?: MessageStatus;
  /** Seconds since the epoch of the last edit; `message` holds the edited content. */
  editedAt?: number;
  source: 'android' | 'ios' | 'web' | 'desktop' | 'unknown';
  starred?: boolean;
  /** Polls only: the current vote of each person. */
  votes?: Vote[];
}

/** The vote of one person in a poll; no options when the vote was retracted. */
export interface Vote {
  /** Id of the vote message. */
  id: string;
  /** Phone-number JID when known, else the LID. */
  voter: string;
  /** LID of the voter, when known. */
  voterAlt?: string;
  /** Names of the chosen options. */
  options: string[];
  /** Epoch ms. */
  at: number;
}

/** An option of a poll with the JIDs of its voters. */
export interface PollResult {
  name: string;
  voters: string[];
}

/** A contact as reported by WhatsApp. */
export interface Contact {
  /** Phone-number JID when known, else the LID. */
  jid: string;
  lid?: string;
  pushName?: string;
}

/** A chat, or a change of it: absent members are unknown or unchanged. */
export interface Chat {
  /** Phone-number JID when known, else the LID; or the group JID. */
  jid: string;
  lid?: string;
  name?: string;
  /** Unread messages; -1 when the chat is marked as unread. */
  unread?: number;
  /** Id of the last read message; used by the store only. */
  readTo?: string;
  /** Seconds since the epoch. */
  lastMessageAt?: number;
  archived?: boolean;
  pinned?: boolean;
  /** Epoch ms; -1: muted forever, null: not muted. */
  mutedUntil?: number | null;
  /** Seconds after which messages disappear; 0: never. */
  ephemeral?: number;
}

/** What the author of a change may do beyond changing their own messages. */
export interface Authority {
  /** The author is an admin of the group, or of the channel: the change may be about messages of others. */
  mayModerate?: boolean;
  /** The change names a person other than its author as the author of the message. */
  targetsOther?: boolean;
}

/** An edit of a message. */
export interface MessageEdit {
  /** Key of the edited message, with the editor as its author. */
  key: MessageKey;
  /** The new content. */
  message: JsonObject;
  /** Its text or caption, when it has one. */
  text?: string;
  /** Epoch ms. */
  at: number;
}

export type PublicState = 'open' | 'connecting' | 'close';

/**
 * Parts of the history sync, in order: the newest messages of each chat, the last months, and everything if requested.
 */
export type HistoryKind = 'INITIAL_BOOTSTRAP' | 'RECENT' | 'FULL';

/** Everything that can happen to an instance. `type` is the event name in webhook payloads. */
export type DomainEvent =
  | { type: 'qrcode.updated'; code: string; pairingCode: string | null; base64: string; count: number }
  | { type: 'qrcode.updated'; limitReached: true }
  | {
      type: 'connection.update';
      state: PublicState | 'refused';
      /** Close code of WhatsApp; 200 without a failure. */
      statusReason: number;
      cause?: string;
      message?: string;
      userAction?: string;
      /** Epoch ms of the next attempt. */
      retryAt?: number;
      wuid?: string;
      profileName?: string;
    }
  | { type: 'messages.upsert'; message: Message }
  | {
      type: 'messages.update';
      key: MessageKey;
      status: MessageStatus;
      /** Epoch ms. */
      at: number;
      /** Status ERROR only: the code of WhatsApp, and the reason in words of this gateway. */
      code?: string;
      reason?: string;
    }
  | { type: 'messages.update'; key: MessageKey; status?: undefined; at: number; starred: boolean }
  /** A vote: `key` is the key of the poll, `pollUpdates` the result with all votes, `vote` the vote that arrived. */
  | { type: 'messages.update'; key: MessageKey; status?: undefined; at: number; pollUpdates: PollResult[]; vote: Vote }
  /** Messages of the history sync, at most 100. */
  | { type: 'messages.set'; messages: Message[] }
  /**
   * Progress of the history sync: percent of its part when the phone reports it, and messages since the connection
   * opened.
   */
  | { type: 'history.progress'; syncType: HistoryKind; progress?: number; messages: number; done: boolean }
  | { type: 'send.message'; message: Message }
  /** An edit sent by this instance. `message` is the edit as sent, a message with its own id. */
  | { type: 'send.message.update'; message: Message; edited: MessageEdit }
  | ({ type: 'messages.edited'; authority?: Authority } & MessageEdit)
  /** Deleted for everyone; with `scope` on the devices of this account only. `at` is epoch ms. */
  | {
      type: 'messages.delete';
      key: MessageKey;
      authority?: Authority;
      at: number;
      scope?: 'me';
      /** The deletion as a message, when this instance sent it. */
      sent?: Message;
    }
  | {
      type: 'presence.update';
      id: string;
      lid?: string;
      /** By phone-number JID when known, with the LID in `lid`. `lastSeen` is seconds since the epoch. */
      presences: Record<string, { lastKnownPresence: string; lastSeen?: number; lid?: string }>;
    }
  | { type: 'contacts.upsert' | 'contacts.update'; contacts: Contact[] }
  | { type: 'chats.set' | 'chats.upsert'; chats: Chat[] }
  | { type: 'chats.update'; chats: Chat[]; sent?: Message }
  | { type: 'chats.delete'; jids: string[] }
  | { type: 'labels.edit'; id: string; name: string; color: number; deleted: boolean; predefinedId?: string }
  /** A label was added to, or removed from, a message (with `messageId`) or a chat. */
  | {
      type: 'labels.association';
      action: 'add' | 'remove';
      labelId: string;
      jid: string;
      lid?: string;
      messageId?: string;
    }
  | { type: 'messages.undecryptable'; key: MessageKey; pushName?: string; messageTimestamp: number; reason: string }
  | { type: 'groups.upsert'; group: GroupRecord & Authored }
  | { type: 'groups.update'; group: GroupUpdate }
  | ({
      type: 'group-participants.update';
      id: string;
      action: 'add' | 'remove' | 'promote' | 'demote' | 'modify';
      participants: GroupPerson[];
    } & Authored)
  /** A request to join a group that needs approval: created or revoked by the person, or rejected by an admin. */
  | ({
      type: 'group.join-request';
      id: string;
      action: 'created' | 'revoked' | 'rejected';
      method?: string;
      participant: GroupPerson;
    } & Authored)
  | {
      type: 'call';
      id: string;
      /** The caller, or the group of the call. Phone-number JIDs when known. */
      chatId: string;
      from: string;
      /** LID of the caller, when known. */
      fromAlt?: string;
      /** Epoch ms. */
      at: number;
      /** State as WhatsApp reports it: offer, ringing, accept, reject, timeout, terminate, … */
      status: string;
      /** Reported late, because the instance was offline. */
      offline: boolean;
      isVideo?: boolean;
      isGroup?: boolean;
      groupJid?: string;
      latencyMs?: number;
    }
  /** WhatsApp locks or limits new chats of the account, or ends that. `reason` is WhatsApp's term, `until` epoch ms. */
  | {
      type: 'instance.restricted';
      kind: 'new_chats_locked' | 'new_chats_capped';
      restricted: boolean;
      reason: string;
      until?: number;
      quota?: { total: number; used: number };
    }
  /** The gateway started; `startedAt` is epoch ms. */
  | { type: 'application.startup'; startedAt: number }
  /** The connection ended, and the gateway does not reconnect. `at` is epoch ms. */
  | { type: 'status.instance'; code: number; cause: string; message: string; at: number }
  | { type: 'instance.create' | 'instance.delete' | 'logout.instance' | 'remove.instance' };

export type EventType = DomainEvent['type'];

/** Stores events and queues their deliveries, in one transaction. Rejects when the store fails. */
export type RecordEvents = (instanceId: string, events: readonly DomainEvent[]) => Promise<void>;
