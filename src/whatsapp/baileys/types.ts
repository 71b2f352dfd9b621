// Types of Baileys under the names that the gateway uses.
import type { WASocket } from '@whiskeysockets/baileys';

export type {
  AnyMediaMessageContent,
  BaileysEventMap as SocketEvents,
  CacheStore,
  Chat as WireChat,
  ChatModification,
  ChatUpdate,
  ConnectionState,
  Contact as WireContact,
  GroupMetadata,
  GroupParticipant,
  MessageUserReceiptUpdate,
  NewChatMessageCapInfo,
  SignalKeyStore,
  SignalKeyStoreWithTransaction,
  SocketConfig,
  WACallEvent as CallEvent,
  WAMessage as WireMessage,
  WAMessageKey as WireMessageKey,
  WAMessageUpdate as WireMessageUpdate,
  WAPatchCreate as AppStatePatch,
  WAPresence as Presence,
} from '@whiskeysockets/baileys';

/** The members of a Baileys socket that the gateway uses. test/whatsapp/baileys/api.test.ts compares them with the installed version. */
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
