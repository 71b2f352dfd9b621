// What can happen to an instance, in the words integrators see. Types only: no imports, no behaviour.
// Produced by platform/ and instances/, stored by storage/, posted by webhooks/.

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
}

/** A contact as the platform told us about it. */
export interface Contact {
  /** Phone-number JID when known, else the LID. */
  jid: string;
  lid?: string;
  pushName?: string;
}

/** What an edit did. */
export interface Edited {
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
  | { type: 'send.message'; message: Message }
  /** `message` is the edit as it was sent, a message with an id of its own. */
  | { type: 'send.message.update'; message: Message; edited: Edited }
  | ({ type: 'messages.edited' } & Edited)
  /** `at` is epoch ms. */
  | { type: 'messages.delete'; key: MessageKey; at: number }
  | {
      type: 'presence.update';
      id: string;
      presences: Record<string, { lastKnownPresence: string; lastSeen?: number }>;
    }
  | { type: 'contacts.upsert'; contacts: Contact[] }
  | { type: 'contacts.update'; contacts: Contact[] }
  | { type: 'messages.undecryptable'; key: MessageKey; pushName?: string; messageTimestamp: number; reason: string }
  | { type: 'logout.instance' }
  | { type: 'remove.instance' };

export type EventType = DomainEvent['type'];

/** Stores what happened and queues its posts, in one transaction. Rejects when it cannot be stored. */
export type Ingest = (instanceId: string, events: readonly DomainEvent[]) => Promise<void>;
