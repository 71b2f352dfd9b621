// The types of the domain events of an instance and of the data in them. Members are named as in the API. whatsapp/ and
// instances/ produce events, the recorder (recorder.ts) stores them, webhooks/ and sockets/ deliver them. "Not
// published" marks members that are only for the store: the delivered payloads do not contain them.
import type { AffectedPerson, Authored, GroupRecord, GroupUpdate } from './group-types.ts';

export type {
  AffectedPerson,
  Authored,
  GroupParticipant,
  GroupRecord,
  GroupUpdate,
} from './group-types.ts';

/** JSON as it is stored and posted: 64-bit integers are strings, bytes are base64, and enum values are names. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/**
 * Delivery status of a message. Only a higher status replaces the stored one. The order is PENDING, ERROR (WhatsApp did
 * not accept the message), SERVER_ACK, DELIVERY_ACK, READ, PLAYED, DELETED (the message was deleted for everyone).
 * MessageStatus in openapi.yaml describes each status.
 */
export type MessageStatus = 'ERROR' | 'PENDING' | 'SERVER_ACK' | 'DELIVERY_ACK' | 'READ' | 'PLAYED' | 'DELETED';

/**
 * Identifies a message (MessageKey in openapi.yaml). A JID is an address of WhatsApp. A LID is WhatsApp's opaque id of
 * a person, as a JID. When the phone number of a LID is known, the JIDs are phone-number JIDs, and the members that end
 * in `Alt` contain the LIDs.
 */
export interface MessageKey {
  /** The chat. */
  remoteJid: string;
  fromMe: boolean;
  id: string;
  /** The sender, in a group. */
  participant?: string;
  /** LID of the other person in a direct chat, when known. */
  remoteJidAlt?: string;
  /** LID of the group participant, when known. */
  participantAlt?: string;
  /** User name of the other person in a direct chat, when WhatsApp sent it. */
  remoteJidUsername?: string;
  /** User name of the group participant, when WhatsApp sent it. */
  participantUsername?: string;
}

/** A message as it is stored, and returned by the API. */
export interface Message {
  key: MessageKey;
  /** Name that the sender chose. */
  pushName?: string;
  /** WhatsApp's protobuf message as JSON. Its main member is named after the type of the message (`messageType`). */
  message: JsonObject;
  /** Name of the main member of `message`, e.g. `conversation`; `unknown` if there is none. */
  messageType: string;
  /** Seconds since the epoch. */
  messageTimestamp: number;
  status?: MessageStatus;
  /** Time of the last edit, in seconds since the epoch; `message` is the edited content. */
  editedAt?: number;
  /** App of the sender. */
  source: 'android' | 'ios' | 'web' | 'desktop' | 'unknown';
  /** JID of the broadcast list through which the message was sent. Receipts contain this JID. Not published. */
  broadcastList?: string;
  starred?: boolean;
  /** Polls only: the current vote of each person. */
  votes?: Vote[];
}

/** The vote of one person in a poll. `options` is empty when the person retracted the vote. */
export interface Vote {
  /** Id of the vote message. */
  id: string;
  /** Phone-number JID when known, else the LID. */
  voter: string;
  /** LID of the voter, when known. */
  voterAlt?: string;
  /** Texts of the chosen options. */
  options: string[];
  /** Epoch ms. */
  at: number;
}

/** An option of a poll (`name` is its text), and the JIDs of the people who chose it. */
export interface PollResult {
  name: string;
  voters: string[];
}

/** A person that WhatsApp reported. */
export interface Contact {
  /** Phone-number JID when known, else the LID. */
  jid: string;
  lid?: string;
  /** Name that the person chose to show. */
  pushName?: string;
  /** Unique name that others can use in place of the phone number, without `@`. */
  username?: string;
}

/** A chat, or a change of a chat: absent members are unknown or unchanged. */
export interface Chat {
  /** Phone-number JID when known, else the LID; or the group JID. */
  jid: string;
  lid?: string;
  name?: string;
  /** Number of unread messages; -1 when the chat is marked as unread. */
  unread?: number;
  /** Id of the last read message. The store counts the messages after it as unread. Not published. */
  readTo?: string;
  /**
   * When the chat was read, seconds since the epoch. If the message `readTo` is not stored, all messages up to this
   * time count as read. Not published.
   */
  readAt?: number;
  /** Seconds since the epoch. */
  lastMessageAt?: number;
  archived?: boolean;
  pinned?: boolean;
  /** Epoch ms; -1: muted forever, null: not muted. */
  mutedUntil?: number | null;
  /** Seconds after which messages disappear; 0: never. */
  ephemeral?: number;
}

/** Facts with which the store decides whether a person is allowed to edit or delete a stored message. */
export interface Authority {
  /** The person is an admin of the group or the channel, and is therefore allowed to change messages of others. */
  mayModerate?: boolean;
  /** One person sent the edit or deletion, but it names another person as the author of the message. */
  namesOtherAuthor?: boolean;
  /** Only for a deletion by a group moderator: the author of the message (number or LID), as the deletion names it. */
  namedAuthor?: string;
}

/** An edit of a message. */
export interface MessageEdit {
  /** Key of the edited message. Its members `fromMe` and `participant` identify the person who edited the message. */
  key: MessageKey;
  /** The new content. */
  message: JsonObject;
  /** Text or caption of the new content, if any. */
  text?: string;
  /** Epoch ms. */
  at: number;
}

/** State of the connection to WhatsApp, as the API reports it. */
export type PublicState = 'open' | 'connecting' | 'close';

/**
 * Parts of the history sync, in order: the newest messages of each chat, the last months, and, if requested,
 * everything.
 */
export type HistoryKind = 'INITIAL_BOOTSTRAP' | 'RECENT' | 'FULL';

/** Everything that can happen to an instance. `type` is the name of the event in webhook payloads. */
export type DomainEvent =
  /** A new QR code: `code` is its text, `base64` its image (a data URL), `count` its number since the pairing began. */
  | { type: 'qrcode.updated'; code: string; pairingCode: string | null; base64: string; count: number }
  /** All QR codes of the pairing expired. */
  | { type: 'qrcode.updated'; limitReached: true }
  | {
      type: 'connection.update';
      /** `refused`: all QR codes of the pairing expired. */
      state: PublicState | 'refused';
      /** The code with which WhatsApp closed the connection; 200 without a failure. */
      statusReason: number;
      /** Why the connection ended, such as `qr_exhausted` (instances/disconnect-causes.ts). */
      cause?: string;
      /** The reason for the event, as a sentence. */
      message?: string;
      /** What the user has to do. */
      userAction?: string;
      /** Epoch ms of the next attempt to connect. */
      retryAt?: number;
      /**
       * Linking needs a passkey. `required`: the passkey request waits for an answer. `confirm`: the owner has to
       * confirm that the phone and the gateway show the same code.
       */
      passkey?: 'required' | 'confirm';
      /** Epoch ms at which this attempt to link with a passkey expires. */
      passkeyExpiresAt?: number;
      /** JID of the instance's own account. */
      wuid?: string;
      profileName?: string;
      /** Null when the account has no picture that is known. */
      profilePictureUrl?: string | null;
    }
  | { type: 'messages.upsert'; message: Message }
  | {
      type: 'messages.update';
      key: MessageKey;
      status: MessageStatus;
      /** Epoch ms. */
      at: number;
      /** Status ERROR only: WhatsApp's code. */
      code?: string;
      /** Status ERROR only: the reason as this gateway names it. */
      reason?: string;
    }
  /** The message was starred or unstarred. `at` is epoch ms. */
  | { type: 'messages.update'; key: MessageKey; status?: undefined; at: number; starred: boolean }
  /**
   * A vote arrived. `key` is the key of the poll, `pollUpdates` the result with all votes, `vote` the vote that
   * arrived, `at` epoch ms.
   */
  | { type: 'messages.update'; key: MessageKey; status?: undefined; at: number; pollUpdates: PollResult[]; vote: Vote }
  /** Messages of the history sync, at most 100. */
  | { type: 'messages.set'; messages: Message[] }
  /**
   * Progress of the history sync. `progress` is the received percentage of the part `syncType`, absent when the phone
   * does not report it. `messages` is the number of history messages received since the connection opened. `done`: the
   * part is complete; never true for INITIAL_BOOTSTRAP.
   */
  | { type: 'history.progress'; syncType: HistoryKind; progress?: number; messages: number; done: boolean }
  | { type: 'send.message'; message: Message }
  /** This instance edited a message. `message` is the message with its own id that carries the edit to WhatsApp. */
  | { type: 'send.message.update'; message: Message; edited: MessageEdit }
  | ({ type: 'messages.edited'; authority?: Authority } & MessageEdit)
  /** A message was deleted for everyone, or, with `scope`, on the devices of this account only. `at` is epoch ms. */
  | {
      type: 'messages.delete';
      key: MessageKey;
      authority?: Authority;
      at: number;
      scope?: 'me';
      /** The message that carries the deletion to WhatsApp, when this instance sent it. */
      sent?: Message;
    }
  | {
      type: 'presence.update';
      /** JID of the chat. In a direct chat, the phone-number JID when known. */
      id: string;
      /** LID of the other person in a direct chat, when known. */
      lid?: string;
      /** By JID of the person: the phone-number JID when known (`lid` is then the LID). `lastSeen`: epoch seconds. */
      presences: Record<string, { lastKnownPresence: string; lastSeen?: number; lid?: string }>;
    }
  | { type: 'contacts.upsert' | 'contacts.update'; contacts: Contact[] }
  /** `historySentAt`: when the phone sent this history, seconds since the epoch. Not published. */
  | { type: 'chats.set'; chats: Chat[]; historySentAt?: number }
  | { type: 'chats.upsert'; chats: Chat[] }
  /** `sent` is the message that carries the change to WhatsApp, when this instance sent one. */
  | { type: 'chats.update'; chats: Chat[]; sent?: Message }
  | {
      type: 'chats.delete';
      jids: string[];
      /** The known LIDs of the people whose numbers are in `jids`, by number. Not published. */
      lids?: ReadonlyMap<string, string>;
    }
  /** A label was created, changed or deleted. `predefinedId` is set for the default labels that every account has. */
  | { type: 'labels.edit'; id: string; name: string; color: number; deleted: boolean; predefinedId?: string }
  /** A label was added to or removed from the chat `jid`, or, with `messageId`, a message in this chat. */
  | {
      type: 'labels.association';
      action: 'add' | 'remove';
      labelId: string;
      jid: string;
      lid?: string;
      messageId?: string;
    }
  /** A message arrived that could not be decrypted. */
  | { type: 'messages.undecryptable'; key: MessageKey; pushName?: string; messageTimestamp: number; reason: string }
  | { type: 'groups.upsert'; group: GroupRecord & Authored }
  | { type: 'groups.update'; group: GroupUpdate }
  | ({
      type: 'group-participants.update';
      id: string;
      action: 'add' | 'remove' | 'promote' | 'demote' | 'modify';
      participants: AffectedPerson[];
    } & Authored)
  /**
   * A request to join a group whose admins approve new participants. The person created or revoked the request, or an
   * admin rejected it.
   */
  | ({
      type: 'group.join-request';
      id: string;
      action: 'created' | 'revoked' | 'rejected';
      method?: string;
      participant: AffectedPerson;
    } & Authored)
  | {
      type: 'call';
      id: string;
      /** The caller, or the group of a group call. */
      chatId: string;
      /** The caller: phone-number JID when known, else the LID. */
      from: string;
      /** LID of the caller, when known. */
      fromAlt?: string;
      /** Epoch ms. */
      at: number;
      /** State of the call as WhatsApp reports it: offer, ringing, accept, reject, timeout, terminate, … */
      status: string;
      /** Whether WhatsApp reports the call late, because the instance was offline. */
      offline: boolean;
      isVideo?: boolean;
      isGroup?: boolean;
      groupJid?: string;
      /** The latency of the call that WhatsApp reports, ms. */
      latencyMs?: number;
    }
  /**
   * WhatsApp forbids or limits new chats of the account (`restricted`), or ends such a restriction. `reason` is
   * WhatsApp's term, `until` epoch ms. `quota`: how many new chats are allowed, and how many were started.
   */
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
  /**
   * The instance was created, deleted or unlinked. `remove.instance` follows `instance.delete`, and `logout.instance`
   * follows `connection.update`, because clients of Evolution API expect them.
   */
  | { type: 'instance.create' | 'instance.delete' | 'logout.instance' | 'remove.instance' };

export type EventType = DomainEvent['type'];

/** A function that stores events and queues their deliveries, in one transaction. Rejects when the store fails. */
export type RecordEvents = (instanceId: string, events: readonly DomainEvent[]) => Promise<void>;
