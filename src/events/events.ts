// What can happen to an instance, in the words integrators see. Types only: no behaviour.
// Produced by platform/ and instances/, stored by storage/, posted by webhooks/.
import type { Authored, GroupPerson, GroupRecord, GroupUpdate } from './group-types.ts';

export type { Authored, GroupParticipant, GroupPerson, GroupRecord, GroupUpdate } from './group-types.ts';

/** JSON as stored and posted: 64-bit integers are strings, bytes are base64 strings, enums are their names. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/**
 * Delivery status of a message, lowest to highest; ERROR ends a message that never reached SERVER_ACK (interface §3), DELETED one
 * that was deleted for everyone.
 */
export type MessageStatus = 'ERROR' | 'PENDING' | 'SERVER_ACK' | 'DELIVERY_ACK' | 'READ' | 'PLAYED' | 'DELETED';

/** Message key (interface §2.1). JIDs are in phone-number form when the mapping is known; the LID twin is in the Alt fields. */
export interface MessageKey {
  remoteJid: string;
  fromMe: boolean;
  id: string;
  /** Sender inside a group. */
  participant?: string;
  /** LID of the chat partner (direct chats), when known. */
  remoteJidAlt?: string;
  /** LID of the group participant, when known. */
  participantAlt?: string;
}

/** One message as kept in the store, answered by the API and posted to webhooks. */
export interface Message {
  key: MessageKey;
  pushName?: string;
  /** protobuf content as JSON, one content object named after the kind. */
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
  /** Polls only: the latest vote of each person. */
  votes?: Vote[];
}

/** What one person chose in a poll; no options when the vote was taken back. */
export interface Vote {
  /** Id of the message that brought it. */
  id: string;
  /** Phone-number JID when known, else the LID. */
  voter: string;
  /** LID of the voter, when known. */
  voterAlt?: string;
  /** Names. */
  options: string[];
  /** Epoch ms. */
  at: number;
}

/** An option of a poll and who chose it, by JID. */
export interface PollResult {
  name: string;
  voters: string[];
}

/** A contact as the platform told us about it. */
export interface Contact {
  /** Phone-number JID when known, else the LID. */
  jid: string;
  lid?: string;
  pushName?: string;
}

/** A chat, or what changed about it: what is absent is unknown, or as it was. */
export interface Chat {
  /** Phone-number JID when known, else the LID; or the group. */
  jid: string;
  lid?: string;
  name?: string;
  /** Unread messages; -1 when it was marked as unread by hand. */
  unread?: number;
  /** Id of the message up to which it was read; for the store. */
  readTo?: string;
  /** Seconds since the epoch. */
  lastMessageAt?: number;
  archived?: boolean;
  pinned?: boolean;
  /** Epoch ms; -1 for ever, null when it is not muted. */
  mutedUntil?: number | null;
  /** Seconds after which messages disappear; 0 when they stay. */
  ephemeral?: number;
}

/** What the author of a change (its `key`) may do beyond changing messages of their own. */
export interface Authority {
  /** An admin of the group made the change, or the platform vouches for it (channels): it may be about messages of others. */
  mayModerate?: boolean;
  /** The change names a person other than its author as the author of the message. */
  targetsOther?: boolean;
}

/** What an edit did. */
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

/** The newest of each chat, then the last months, then all if that was asked for. */
export type HistoryKind = 'INITIAL_BOOTSTRAP' | 'RECENT' | 'FULL';

/** Everything an instance can report. `type` is the event name of the webhook envelope. */
export type DomainEvent =
  | { type: 'qrcode.updated'; code: string; pairingCode: string | null; base64: string; count: number }
  | { type: 'qrcode.updated'; limitReached: true }
  | {
      type: 'connection.update';
      state: PublicState | 'refused';
      /** Platform close code, or 200 when nothing failed. */
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
      /** Why it failed (status ERROR only): platform code and our word for it. */
      code?: string;
      reason?: string;
    }
  /** `key` is the poll's; `pollUpdates` counts all votes, `vote` is the one that came. */
  | { type: 'messages.update'; key: MessageKey; status?: undefined; at: number; starred: boolean }
  | { type: 'messages.update'; key: MessageKey; status?: undefined; at: number; pollUpdates: PollResult[]; vote: Vote }
  /** A portion of the past that the phone handed over, at most 100. */
  | { type: 'messages.set'; messages: Message[] }
  /** How far the past is taken over, in per cent of its kind if the phone says so; `messages` came since the connection opened. */
  | { type: 'history.progress'; syncType: HistoryKind; progress?: number; messages: number; done: boolean }
  | { type: 'send.message'; message: Message }
  /** `message` is the edit as it was sent, a message with an id of its own. */
  | { type: 'send.message.update'; message: Message; edited: MessageEdit }
  | ({ type: 'messages.edited'; authority?: Authority } & MessageEdit)
  /** `at` is epoch ms. Without `scope` it was deleted for everyone, with it on the devices of this account only. */
  | {
      type: 'messages.delete';
      key: MessageKey;
      authority?: Authority;
      at: number;
      scope?: 'me';
      /** The deletion itself, when this instance sent it. */
      sent?: Message;
    }
  | {
      type: 'presence.update';
      id: string;
      lid?: string;
      /** By phone-number JID when known; the LID is beside it then. `lastSeen` is seconds since the epoch. */
      presences: Record<string, { lastKnownPresence: string; lastSeen?: number; lid?: string }>;
    }
  | { type: 'contacts.upsert' | 'contacts.update'; contacts: Contact[] }
  | { type: 'chats.set' | 'chats.upsert'; chats: Chat[] }
  | { type: 'chats.update'; chats: Chat[]; sent?: Message }
  | { type: 'chats.delete'; jids: string[] }
  | { type: 'labels.edit'; id: string; name: string; color: number; deleted: boolean; predefinedId?: string }
  /** The label sticks to a message of the chat when there is a `messageId`, else to the chat. */
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
  /** Somebody wants to join where an admin decides; `rejected` by an admin, `revoked` by themselves. */
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
      /** The caller, or where the call is. Phone-number JIDs when known. */
      chatId: string;
      from: string;
      /** LID of the caller, when known. */
      fromAlt?: string;
      /** Epoch ms. */
      at: number;
      /** The platform's word: offer, ringing, accept, reject, timeout, terminate, … */
      status: string;
      /** It was told late, because we were away. */
      offline: boolean;
      isVideo?: boolean;
      isGroup?: boolean;
      groupJid?: string;
      latencyMs?: number;
    }
  /** The platform locks the account out of new chats, caps their number, or stops doing so. `reason` is its word, `until` epoch ms. */
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
  /** The connection ended and does not come back by itself. `at` is epoch ms. */
  | { type: 'status.instance'; code: number; cause: string; message: string; at: number }
  | { type: 'instance.create' | 'instance.delete' | 'logout.instance' | 'remove.instance' };

export type EventType = DomainEvent['type'];

/** Stores what happened and queues its posts, in one transaction. Rejects when it cannot be stored. */
export type RecordEvents = (instanceId: string, events: readonly DomainEvent[]) => Promise<void>;
