// Exports types of Baileys under the names that the gateway uses, and defines narrower types for some of Baileys'
// values. The prefix `Wire` distinguishes types of Baileys from the gateway's own types, such as Chat and Message
// (events/events.ts).
import type { WAMessageAddressingMode, WASocket } from './library.ts';

export type {
  AnyMediaMessageContent,
  BaileysEventMap as SocketEvents,
  CacheStore,
  Chat as WireChat,
  ChatModification,
  ChatUpdate,
  ConnectionState,
  Contact as WireContact,
  MessageUserReceiptUpdate,
  NewChatMessageCapInfo,
  SignalKeyStore,
  SignalKeyStoreWithTransaction,
  SocketConfig,
  WAMessage as WireMessage,
  WAMessageKey as WireMessageKey,
  WAMessageUpdate as WireMessageUpdate,
  WAPatchCreate as AppStatePatch,
} from './library.ts';

/**
 * The members of a Baileys socket that the gateway uses. test/whatsapp/baileys/api.test.ts compares them with the
 * installed version.
 */
export type Socket = Pick<
  WASocket,
  | 'appPatch'
  | 'assertSessions'
  | 'authState'
  | 'chatModify'
  | 'cleanDirtyBits'
  | 'end'
  | 'ev'
  | 'fetchAccountReachoutTimelock'
  | 'fetchNewChatMessageCap'
  | 'fetchPrivacySettings'
  | 'generateMessageTag'
  | 'getUSyncDevices'
  | 'logger'
  | 'messageMutex'
  | 'messageRetryManager'
  | 'notificationMutex'
  | 'onWhatsApp'
  | 'presenceSubscribe'
  | 'profilePictureUrl'
  | 'query'
  | 'readMessages'
  | 'receiptMutex'
  | 'rejectCall'
  | 'relayMessage'
  | 'requestPlaceholderResend'
  | 'resyncAppState'
  | 'sendNode'
  | 'sendPresenceUpdate'
  | 'sendRawMessage'
  | 'serverProps'
  | 'signalRepository'
  | 'uploadPreKeys'
  | 'upsertMessage'
  | 'ws'
>;

/** Whether a person is online (`available`) or offline, and what the person is doing in a chat. */
export type Presence = 'unavailable' | 'available' | 'composing' | 'recording' | 'paused';

/**
 * A member of a group. `id` is the phone-number JID or the LID (a person's id that hides the number), depending on the
 * group. The other address, if WhatsApp sent it, is in `lid` or `phoneNumber`.
 */
export interface WireParticipant {
  id: string;
  lid?: string | undefined;
  /** A phone-number JID, not digits only. */
  phoneNumber?: string | undefined;
  username?: string | undefined;
  admin?: 'admin' | 'superadmin' | null | undefined;
}

/**
 * A group. Times are epoch seconds, and a duration is a number of seconds. The JID of a person is a LID or a
 * phone-number JID. If it is a LID, the field with the suffix `Pn` is the phone-number JID.
 */
export interface GroupMetadata {
  id: string;
  subject: string;
  participants: WireParticipant[];
  /** Number of members, if WhatsApp sent it. */
  size?: number;
  owner: string | undefined;
  ownerPn?: string | undefined;
  /** The form of the participants' ids: LIDs or phone-number JIDs. */
  addressingMode?: WAMessageAddressingMode;
  creation?: number;
  subjectOwner?: string;
  subjectOwnerPn?: string;
  subjectTime?: number;
  desc?: string;
  descId?: string;
  /** True when only admins are allowed to change the group's subject, description and picture. */
  restrict?: boolean;
  /** True when only admins are allowed to send messages. */
  announce?: boolean;
  /** True when all members are allowed to add members. */
  memberAddMode?: boolean;
  /** True when an admin must approve new members. */
  joinApprovalMode?: boolean;
  ephemeralDuration?: number;
  inviteCode?: string;
  /** True for a community, which consists of groups. */
  isCommunity?: boolean;
  /** True for the announcement group of a community. All members of the community are in this group. */
  isCommunityAnnounce?: boolean;
  /** JID of the community that the group belongs to. */
  linkedParent?: string;
  /** Only in events about a group: JID of the person whose action the event reports. */
  author?: string;
  authorPn?: string;
}

/** An event that reports one signal of a call. A signal is the element in a `<call>` stanza, such as `<offer>`. */
export interface CallEvent {
  /** Call id. */
  id: string;
  /** Attribute `from` of the stanza: JID of the chat. In a direct call, the chat is the caller. */
  chatId: string;
  /** JID of the person who sent the signal. If the signal does not name its sender, JID of the caller. */
  from: string;
  /** Phone-number JID of the caller, when `from` is a LID. */
  callerPn?: string;
  isGroup?: boolean;
  groupJid?: string;
  isVideo?: boolean;
  date: Date;
  status: CallStatus;
  /** True when the call arrived while this device was offline. */
  offline: boolean;
  /** Only for the status `relaylatency`. */
  latencyMs?: number;
}

/** Baileys' name of the signal. In most cases it is the tag of the signal. */
export type CallStatus =
  | 'offer'
  | 'ringing'
  | 'preaccept'
  | 'transport'
  | 'relaylatency'
  | 'timeout'
  | 'reject'
  | 'accept'
  | 'terminate';
