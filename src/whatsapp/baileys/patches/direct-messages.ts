// Handles the usual messages of chats with one person in place of Baileys. Decision D-204.
// Why: for each received message, Baileys enters a mutex, starts two timers, passes three events through its event buffer,
//   encodes the receipt byte by byte, and waits for several promises. This took a fifth of the CPU time of a message.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: a benchmark of received messages shows no difference.

import type { DeviceMessage } from '../auth/stored-session-decryption.ts';
import {
  isLidUser,
  jidDecode,
  jidEncode,
  jidNormalizedUser,
  proto,
  unpadRandomMax16,
  type WAMessage,
} from '../library.ts';
import type { Stanza } from '../stanza.ts';
import { takeListener } from '../stanza-listener.ts';
import { writeStanza } from '../stanza-query.ts';
import type { Socket } from '../types.ts';
import type { AccountAddresses } from './receipt-recipients.ts';

const MESSAGE_EVENT = 'CB:message';

/** The sender of a message: the LID with the number of the device, and the JID of the number. */
export interface Sender {
  lid: string;
  numberJid: string;
  /** The one of both that is the address of the message. */
  addressing: 'lid' | 'pn';
}

export interface DirectMessageHooks {
  /** Aborts when the session ends. */
  ended: AbortSignal;
  /** Returns the linked account; undefined before pairing. */
  account: () => AccountAddresses | undefined;
  /** Reads the Signal session of a message into memory. Returns undefined when it is there. */
  loadSession: (message: DeviceMessage) => Promise<void> | undefined;
  /**
   * Decrypts a message with a Signal session in memory, and stores the plaintext. Returns undefined for a message that
   * Baileys must decrypt. Baileys gets the same plaintext when it decrypts the message afterwards.
   */
  decryptNext: (message: DeviceMessage) => Uint8Array | undefined;
  /** True when Baileys would store nothing new about a sender. */
  isSettled: (sender: Sender) => boolean;
  /** Called when a receipt could not be sent. */
  onReceiptFailure: (error: unknown) => void;
}

/**
 * The types of content that Baileys reports without doing anything else. All others are left to Baileys: changes of
 * messages, reactions, and content for the client itself.
 */
const CONTENT_TYPES: ReadonlySet<string> = new Set([
  'conversation',
  'extendedTextMessage',
  'imageMessage',
  'videoMessage',
  'audioMessage',
  'documentMessage',
  'stickerMessage',
  'locationMessage',
  'contactMessage',
]);

/** The elements of a message that Baileys reads. */
const READ_ELEMENTS: readonly string[] = ['enc', 'plaintext', 'unavailable', 'verified_name'];

type MessageSocket = Pick<
  Socket,
  'authState' | 'ev' | 'logger' | 'messageMutex' | 'sendNode' | 'sendRawMessage' | 'signalRepository' | 'ws'
>;

/**
 * Takes live messages of people away from Baileys' listener: those with one encrypted element, a known sender, the next
 * key of a Signal session, and content of CONTENT_TYPES. Must be called before patchArrivalOrder(), which lets messages
 * come one at a time.
 */
export function patchDirectMessages(socket: MessageSocket, hooks: DirectMessageHooks): void {
  const { authState, ev, messageMutex, signalRepository, ws } = socket;
  const baileysListener = takeListener(ws, MESSAGE_EVENT);
  let isOnline = false;
  ev.on('connection.update', (update) => {
    isOnline = update.isOnline ?? isOnline;
  });
  /** Number of tasks in Baileys' message mutex: messages of the time in which the device was offline, and posts. */
  let mutexTasks = 0;
  const { mutex } = messageMutex;
  messageMutex.mutex = (task) => {
    mutexTasks += 1;
    return mutex(task).finally(() => {
      mutexTasks -= 1;
    });
  };
  /** False when a message must not be handled: after the end of the session, and while it would overtake others. */
  const isFree = () => !hooks.ended.aborted && mutexTasks === 0;
  const isMe = ({ lid, numberJid }: Sender): boolean => {
    const me = hooks.account();
    return jidNormalizedUser(lid) === me?.lid || jidNormalizedUser(numberJid) === me?.jid;
  };

  /** Returns the encrypted message in a stanza. Undefined when Baileys must handle the stanza. */
  const encryptedIn = ({ attrs, content }: Stanza): DeviceMessage | undefined => {
    const sender = isFree() ? senderIn(attrs) : undefined;
    if (!sender || isMe(sender) || !hooks.isSettled(sender)) return undefined;
    const element = onlyEncryptedIn(content);
    return element && { ...element, address: signalRepository.jidToSignalProtocolAddress(sender.lid) };
  };

  /** Handles a message without waiting. Returns false when Baileys must handle it. */
  const handle = (attrs: Stanza['attrs'], encrypted: DeviceMessage): boolean => {
    const plaintext = isFree() ? hooks.decryptNext(encrypted) : undefined;
    const content = plaintext && decodeContent(plaintext);
    if (!content) return false;
    const { id = '', from = '' } = attrs;
    const receipt = { tag: 'receipt', attrs: { id, to: from, ...(isOnline ? {} : { type: 'inactive' }) } };
    writeStanza(socket, receipt).catch(hooks.onReceiptFailure);
    // Emits what is buffered, so that events come in the order of their stanzas.
    ev.flush();
    emit(toWireMessage(attrs, content));
    return true;
  };

  const emit = (message: WAMessage): void => {
    const { key, pushName, messageTimestamp: conversationTimestamp = null } = message;
    const id = key.remoteJid ?? '';
    ev.emit('messages.upsert', { messages: [message], type: 'notify' });
    if (pushName) ev.emit('contacts.update', [{ id, notify: pushName }]);
    // Baileys also reports the time of the message and a count of unread messages, which the gateway does not use.
    if (authState.creds.accountSettings?.unarchiveChats)
      ev.emit('chats.update', [{ id, conversationTimestamp, archived: false, readOnly: false }]);
  };

  ws.on(MESSAGE_EVENT, (stanza: Stanza): Promise<void> | undefined => {
    const encrypted = encryptedIn(stanza);
    if (!encrypted) return baileysListener(stanza);
    const handleOrPassOn = () => (handle(stanza.attrs, encrypted) ? undefined : baileysListener(stanza));
    const loaded = hooks.loadSession(encrypted);
    return loaded ? loaded.then(handleOrPassOn) : handleOrPassOn();
  });
}

/** Returns the sender of a live message of a person to this account. Undefined for other messages. */
function senderIn(attrs: Stanza['attrs']): Sender | undefined {
  const { id, from = '', participant, recipient, category, offline, addressing_mode: mode } = attrs;
  const isOther = [participant, recipient, category, offline].some((value) => value !== undefined);
  const addressing = isLidUser(from) ? 'lid' : 'pn';
  const alternate = alternateIn(attrs);
  if (!id || isOther || !alternate || (mode !== undefined && mode !== addressing)) return undefined;
  if (addressing === 'lid') return { lid: from, numberJid: alternate, addressing };
  const lid = jidEncode(jidDecode(alternate)?.user ?? '', 'lid', jidDecode(from)?.device);
  return { lid, numberJid: from, addressing };
}

/** Returns the other address of the sender: the number of a LID, or the LID of a number. */
function alternateIn(attrs: Stanza['attrs']): string | undefined {
  return isLidUser(attrs.from)
    ? attrs.participant_pn || attrs.sender_pn || attrs.peer_recipient_pn
    : attrs.participant_lid || attrs.sender_lid || attrs.peer_recipient_lid;
}

/** Returns the only encrypted element. Undefined when there are several, or when Baileys reads another element, too. */
function onlyEncryptedIn(content: Stanza['content']): Omit<DeviceMessage, 'address'> | undefined {
  const elements = Array.isArray(content) ? content.filter(({ tag }) => READ_ELEMENTS.includes(tag)) : [];
  const [{ tag, attrs: { type, count } = {}, content: ciphertext } = {}] = elements;
  if (elements.length !== 1 || tag !== 'enc' || count !== undefined) return undefined;
  if (!(ciphertext instanceof Uint8Array) || (type !== 'msg' && type !== 'pkmsg')) return undefined;
  return { type, ciphertext };
}

/** Decodes a plaintext. Returns undefined when it is malformed, or has other content than one of CONTENT_TYPES. */
function decodeContent(padded: Uint8Array): proto.IMessage | undefined {
  try {
    const content = proto.Message.decode(unpadRandomMax16(padded));
    const types = Object.keys(content).filter((type) => type !== 'messageContextInfo');
    return types.length > 0 && types.every((type) => CONTENT_TYPES.has(type)) ? content : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a message in the form in which Baileys reports it. */
function toWireMessage(attrs: Stanza['attrs'], message: proto.IMessage): WAMessage {
  const { id, from, t, notify, peer_recipient_username: peerUsername, recipient_username: username } = attrs;
  return {
    key: {
      remoteJid: jidNormalizedUser(from),
      remoteJidAlt: alternateIn(attrs),
      remoteJidUsername: peerUsername || username,
      fromMe: false,
      id,
      participant: '',
      addressingMode: isLidUser(from) ? 'lid' : 'pn',
    },
    messageTimestamp: Number(t),
    pushName: notify,
    broadcast: false,
    message,
  };
}
