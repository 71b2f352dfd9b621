// Applies the patches of this folder: installPatches() once per process, createPatchedSocket() and patchSocket() for
// each socket. The inbound buffer (inbound/inbound-buffer.ts) contains four of them, because they use what it stores:
// decryption-hook.ts with device-sent-context.ts, message-order.ts and sender-key-chats.ts. Its functions apply them;
// they are the hooks `wrapRepository` and `onMessageStanza`. README.md of whatsapp/baileys lists the patches and their
// reasons. Decision D-160.

import type { Logger } from 'pino';
import type { DeviceSessions } from '../auth/device-sessions.ts';
import type { SessionStore } from '../auth/session-migration.ts';
import type { SocketConfig, UserFacingSocketConfig, WABrowserDescription, WAMessage } from '../library.ts';
import type { socketOptions } from '../options.ts';
import { createSignalRepository, createSocket } from '../socket.ts';
import type { Stanza } from '../stanza.ts';
import type { Socket } from '../types.ts';
import { patchAppStateAnswers } from './app-state-answers.ts';
import { patchAppStateSync } from './app-state-sync.ts';
import { patchArrivalOrder } from './arrival-order.ts';
import { patchCallIds } from './call-ids.ts';
import { installCertificateBinding } from './certificate-binding.ts';
import { type DirectMessageHooks, patchDirectMessages } from './direct-messages.ts';
import { type DirectRelayDeps, patchDirectRelay } from './direct-relay.ts';
import { patchDirtyGroups } from './dirty-groups.ts';
import { patchEditsAndDeletions } from './edits-and-deletions.ts';
import { createContainedSocket, type SessionErrors } from './error-containment.ts';
import { patchEventBuffer } from './event-buffer.ts';
import { patchFrameOrder } from './frame-order.ts';
import { patchGroupNotifications } from './group-notifications.ts';
import { type GroupRelayDeps, patchGroupRelay } from './group-relay.ts';
import { patchHistoryOnDemand } from './history-on-demand.ts';
import { installInflateLimit } from './inflate-limit.ts';
import { installKeyAgreement } from './key-agreement.ts';
import { installKeyDerivation } from './key-derivation.ts';
import { installLibsignalConsole } from './libsignal-console.ts';
import { type KnownPairs, withLidMappings } from './lid-mapping.ts';
import { type MessageReceiptHooks, patchMessageReceipts } from './message-receipts.ts';
import { type MessageTurns, patchMessageTurns } from './message-turns.ts';
import { patchMissingKeys } from './missing-keys.ts';
import { installNctSalt, patchNctSalt } from './nct-salt.ts';
import { withNewSessions } from './new-sessions.ts';
import { patchNewsletterMessages } from './newsletter-messages.ts';
import { patchNotificationAcks } from './notification-acks.ts';
import { patchPairingAfterLogin } from './pairing-after-login.ts';
import type { PlaceholderRequests } from './placeholder-requests.ts';
import { patchPlaintextMessages } from './plaintext-messages.ts';
import { patchPrivacyTokens } from './privacy-tokens.ts';
import { patchQrCodes } from './qr-codes.ts';
import { patchQueryTimeout } from './query-timeout.ts';
import { patchReceiptOrder } from './receipt-order.ts';
import { type AccountAddresses, patchReceiptRecipients } from './receipt-recipients.ts';
import { patchRefusedUpgrade } from './refused-upgrade.ts';
import { patchRetryCache } from './retry-cache.ts';
import { limitRetryKeys } from './retry-keys.ts';
import { patchRetryReceipts, type RetryReceiptHooks } from './retry-receipts.ts';
import { installRootKey } from './root-key.ts';
import { withSessionEncryption } from './session-encryption.ts';
import { installSessionQueue } from './session-queue.ts';
import { installSessionRollback } from './session-rollback.ts';
import { installSignatureVerification, skipUnusableKeys, type VerifyMode } from './signature-verification.ts';
import { patchCloseTimeout } from './socket-close.ts';
import { patchStatusStanzas } from './status-stanzas.ts';
import { patchTextEncoding } from './text-encoding.ts';
import { installTokenDictionary } from './token-dictionary.ts';
import { patchWriteGate } from './write-gate.ts';

export interface ProcessPatchOptions {
  /** Root key of the server's certificates, 32 bytes; undefined means WhatsApp's key. */
  rootKey: Uint8Array | undefined;
  /** Whether wrong signatures are rejected or only logged. */
  verify: VerifyMode;
  log: Logger;
}

/** Applies the patches of the process. Idempotent. Throws Error when another root key is already installed. */
export function installPatches({ rootKey, verify, log }: ProcessPatchOptions): void {
  installRootKey(rootKey);
  installSignatureVerification({ verify, log });
  installCertificateBinding({ verify, log });
  installKeyAgreement();
  installKeyDerivation();
  installLibsignalConsole();
  installSessionQueue();
  installSessionRollback();
  installInflateLimit();
  installTokenDictionary();
  installNctSalt();
}

/** The values and callbacks of a session that the patches of its socket use. */
export interface SocketHooks {
  /** ms until an unanswered query fails. */
  queryTimeout: number;
  /** ms until a closing handshake is aborted. */
  closeTimeout: number;
  /** Name that the phone's list of linked devices shows: system, browser, version. */
  browser: WABrowserDescription;
  /** True when the display of QR codes must end as soon as WhatsApp requests a passkey. */
  stopsForPasskey: boolean;
  /** Aborts when the session ends. */
  ended: AbortSignal;
  /** The session's requests to the account's phone for undecryptable messages. */
  placeholderRequests: PlaceholderRequests;
  /** Called when a request to the phone for an undecryptable message could not be sent. */
  onPlaceholderFailure: (error: unknown) => void;
  /** Records which messages Baileys decrypts and emits while it processes one message. */
  messageTurns: MessageTurns;
  /** Called with a new salt of first-contact tokens, or with null when the phone removes the salt. */
  onNctSalt: (salt: Uint8Array | null) => void;
  /** Called with the ids of the messages whose status a receipt reports, before the receipt is handled. */
  onReceipt: (messageIds: readonly string[]) => void;
  /**
   * Called with the receipt of a group member before the socket emits its event. Returns false when an earlier receipt
   * had the same effect: the socket then emits no event.
   */
  recordReceiptIfRelevant: MessageReceiptHooks['recordIfRelevant'];
  /** Called when the acknowledgment of a receipt could not be sent. */
  onReceiptFailure: (error: unknown) => void;
  /** Called when the acknowledgment of a status could not be sent. */
  onStatusFailure: (error: unknown) => void;
  /** Called when a message of a channel could not be processed or acknowledged. */
  onNewsletterFailure: (error: unknown) => void;
  /** Called when WhatsApp reports that the groups of the account have changed. */
  onGroupsChanged: () => void;
  /** Called for each message stanza before Baileys handles it. May change its attributes. */
  onMessageStanza: (stanza: Stanza) => void;
  /** Called with the reason when the server refuses the connection. */
  onRefusedUpgrade: (reason: string) => void;
  /** Resolves when all key writes so far are finished: with false when one of them failed. */
  waitForKeys: () => Promise<boolean>;
  /** Resolves when all events emitted so far are stored. Stays pending when they cannot be stored. */
  waitForEvents: () => Promise<void>;
  /** The linked account; undefined before pairing. */
  account: () => AccountAddresses | undefined;
  /** Resolves with a message that this device has sent, or with undefined when it must not be sent again. */
  findSent: RetryReceiptHooks['findSent'];
  /** Called when a device's request to send a message again could not be answered or acknowledged. */
  onRetryFailure: (error: unknown) => void;
  /** Called when the name of the account could not be sent. */
  onNameFailure: (error: unknown) => void;
  /** For received messages of chats with one person. */
  directMessages: DirectMessageHooks;
  /** For sends to one person. */
  directRelay: DirectRelayDeps;
  /** For sends to groups. */
  groupRelay: GroupRelayDeps;
  /** True for a message that edits or deletes another, and for an encrypted edit, reaction, comment or event answer. */
  isChange: (message: WAMessage) => boolean;
}

/** The parts of a session that the patches of its socket's configuration use. */
export interface ConfigHooks {
  /** The key store of the account. */
  auth: SessionStore;
  /** The numbers and LIDs that belong together. */
  knownPairs: KnownPairs;
  /** The Signal sessions in `auth`. */
  deviceSessions: DeviceSessions;
  /** The same as in SocketHooks. */
  placeholderRequests: PlaceholderRequests;
  /** The same as in SocketHooks. */
  messageTurns: MessageTurns;
  /** Wraps a factory of Signal repositories: the last wrapper, whose repositories Baileys uses. */
  wrapRepository: (create: SocketConfig['makeSignalRepository']) => SocketConfig['makeSignalRepository'];
  log: Logger;
}

/**
 * Creates a socket whose errors go to `errors`, and whose configuration is `config` with patches. Call patchSocket()
 * next, in the same turn of the event loop.
 */
export const createPatchedSocket = (
  config: ReturnType<typeof socketOptions>,
  hooks: ConfigHooks,
  errors: SessionErrors,
): Socket => createContainedSocket(() => createSocket(patchConfig(config, hooks)), errors);

/** Patches the caches of a configuration and its factory of Signal repositories. */
function patchConfig(config: ReturnType<typeof socketOptions>, hooks: ConfigHooks): UserFacingSocketConfig {
  const withMappings = withLidMappings(createSignalRepository, hooks.auth, hooks.knownPairs);
  const withUsableKeys = skipUnusableKeys(withNewSessions(withMappings, hooks.deviceSessions), hooks.log);
  const withEncryption = withSessionEncryption(withUsableKeys, hooks.deviceSessions);
  return {
    ...limitRetryKeys(hooks.placeholderRequests.wrapCaches(config), hooks.messageTurns),
    makeSignalRepository: hooks.wrapRepository(withEncryption),
  };
}

/**
 * Applies the patches of one socket. The order matters: each wrapper of `ev.emit` and of the message mutex runs outside
 * of the previous one, and a listener that is prepended later runs earlier.
 */
export function patchSocket(socket: Socket, hooks: SocketHooks): void {
  const { ws } = socket;
  patchFrameOrder(socket);
  // The next seven patches expect only one listener per kind of stanza, so the patches that add listeners follow.
  patchDirectMessages(socket, hooks.directMessages);
  patchArrivalOrder(socket);
  patchCallIds(socket);
  patchGroupNotifications(socket);
  patchNewsletterMessages(socket, { waitForEvents: hooks.waitForEvents, onFailure: hooks.onNewsletterFailure });
  const { waitForEvents, account, onReceipt, findSent, onRetryFailure } = hooks;
  patchRetryReceipts(socket, { account, findSent, group: hooks.groupRelay.group, onRetryFailure });
  const { onReceiptFailure: onFailure, recordReceiptIfRelevant: recordIfRelevant } = hooks;
  patchMessageReceipts(socket, { waitForEvents, onFailure, account, onReceipt, recordIfRelevant });
  patchPrivacyTokens(socket.authState.keys);
  ws.prependListener('CB:message', hooks.onMessageStanza);
  patchPlaintextMessages(socket);
  patchMissingKeys(socket);
  patchQueryTimeout(ws, hooks.queryTimeout);
  patchAppStateAnswers(ws);
  patchAppStateSync(socket.authState.keys);
  patchCloseTimeout(ws, hooks.closeTimeout);
  patchWriteGate(socket, hooks.waitForKeys);
  patchReceiptOrder(socket, hooks.waitForEvents);
  patchNotificationAcks(socket, hooks.waitForEvents);
  patchRefusedUpgrade(ws, hooks.onRefusedUpgrade);
  hooks.placeholderRequests.patch(socket, hooks.ended, hooks.onPlaceholderFailure);
  patchQrCodes(socket, hooks);
  patchPairingAfterLogin(socket);
  patchDirtyGroups(socket, hooks.onGroupsChanged);
  patchEventBuffer(socket);
  patchHistoryOnDemand(socket);
  patchEditsAndDeletions(socket, hooks.isChange);
  patchReceiptRecipients(socket, hooks.account);
  patchNctSalt(socket, hooks.onNctSalt);
  patchMessageTurns(socket, hooks.messageTurns);
  patchRetryCache(socket, hooks.messageTurns);
  patchDirectRelay(socket, hooks.directRelay);
  patchGroupRelay(socket, hooks.groupRelay);
  patchStatusStanzas(socket, { waitForEvents: hooks.waitForEvents, onFailure: hooks.onStatusFailure });
  patchTextEncoding(socket, hooks.directRelay.queries, hooks.onNameFailure);
}
