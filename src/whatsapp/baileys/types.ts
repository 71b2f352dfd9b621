// Types of Baileys under the names that the gateway uses.
import type { WAMessageAddressingMode, WASocket } from '@whiskeysockets/baileys';

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
} from '@whiskeysockets/baileys';

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
  | 'end'
  | 'ev'
  | 'fetchAccountReachoutTimelock'
  | 'fetchNewChatMessageCap'
  | 'fetchStatus'
  | 'getUSyncDevices'
  | 'messageMutex'
  | 'onWhatsApp'
  | 'presenceSubscribe'
  | 'profilePictureUrl'
  | 'query'
  | 'readMessages'
  | 'receiptMutex'
  | 'rejectCall'
  | 'relayMessage'
  | 'requestPairingCode'
  | 'requestPlaceholderResend'
  | 'sendNode'
  | 'sendPresenceUpdate'
  | 'signalRepository'
  | 'upsertMessage'
  | 'ws'
>;

/** What an account or a contact shows in a chat. */
export type Presence = 'unavailable' | 'available' | 'composing' | 'recording' | 'paused';

/** A member of a group. `id` is its LID or phone-number JID, depending on the group. */
export interface GroupParticipant {
  id: string;
  lid?: string | undefined;
  phoneNumber?: string | undefined;
  admin?: 'admin' | 'superadmin' | null | undefined;
}

/**
 * A group. Times are epoch seconds; a duration is seconds. Authors are JIDs, as LID or phone number; `…Pn` is the phone
 * number of a LID.
 */
export interface GroupMetadata {
  id: string;
  subject: string;
  participants: GroupParticipant[];
  /** Number of members, if WhatsApp sent it. */
  size?: number;
  owner: string | undefined;
  ownerPn?: string | undefined;
  /** Form of the members' addresses. */
  addressingMode?: WAMessageAddressingMode;
  creation?: number;
  subjectOwner?: string;
  subjectOwnerPn?: string;
  subjectTime?: number;
  desc?: string;
  descId?: string;
  /** Only admins change the group's profile. */
  restrict?: boolean;
  /** Only admins send messages. */
  announce?: boolean;
  /** All members may add members. */
  memberAddMode?: boolean;
  /** Admins approve new members. */
  joinApprovalMode?: boolean;
  ephemeralDuration?: number;
  inviteCode?: string;
  isCommunity?: boolean;
  isCommunityAnnounce?: boolean;
  /** The community that the group belongs to. */
  linkedParent?: string;
  /** Author of the change that an event reports. */
  author?: string;
  authorPn?: string;
}

/** The state of a call. */
export interface CallEvent {
  id: string;
  chatId: string;
  from: string;
  /** Phone-number JID of the caller, when `from` is a LID. */
  callerPn?: string;
  isGroup?: boolean;
  groupJid?: string;
  isVideo?: boolean;
  date: Date;
  status: CallStatus;
  /** True when the call arrived while the account was offline. */
  offline: boolean;
  latencyMs?: number;
}

/** The last stanza of a call, named as WhatsApp names it. */
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
