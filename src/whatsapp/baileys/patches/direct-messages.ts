// Handles new messages of common types in chats with one person, in place of Baileys. Decision D-204.
// Why: for each received message, Baileys enters a mutex, starts two timers, passes three events through its event
//   buffer, encodes the receipt byte by byte, and waits for several promises. This took a third of the CPU time of a
//   message.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: a benchmark of received messages shows no difference.

import type { DeviceMessage } from '../auth/stored-session-decryption.ts';
import { isLidUser, jidDecode, jidEncode, jidNormalizedUser, proto, unpadRandomMax16 } from '../library.ts';
import type { Stanza } from '../stanza.ts';
import { takeListener } from '../stanza-listener.ts';
import { writeStanza } from '../stanza-query.ts';
import type { Socket } from '../types.ts';
import type { AccountAddresses } from './receipt-recipients.ts';

const MESSAGE_EVENT = 'CB:message';

/** The sender of a message. */
export interface Sender {
  /** The address in the message stanza: a LID (id that hides the number) or a phone number, with the device. */
  jid: string;
  /** The person's other address: the number if `jid` is a LID, and the LID if `jid` is a number. */
  alternate: string;
  addressing: 'lid' | 'pn';
  /** The LID of the person, with the device: `jid`, or an address made from `alternate`. */
  lid: string;
  /** The phone-number JID of the person: `jid` or `alternate`. */
  numberJid: string;
}

interface DirectMessage {
  /** Message id. */
  id: string;
  sender: Sender;
  encrypted: DeviceMessage;
}

export interface DirectMessageHooks {
  /** Aborts when the session ends. */
  ended: AbortSignal;
  /** Returns the linked account; undefined before pairing. */
  account: () => AccountAddresses | undefined;
  /** Reads the Signal session of a message into memory. Returns undefined when it is already in memory. */
  loadSession: (message: DeviceMessage) => Promise<void> | undefined;
  /**
   * Decrypts a message with a Signal session in memory, and stores the plaintext. Returns undefined for a message that
   * Baileys must decrypt. If Baileys decrypts a message after this call, it gets the stored plaintext.
   */
  decryptAndKeep: (message: DeviceMessage) => Uint8Array | undefined;
  /**
   * True when Baileys has nothing to store about a sender: it has stored that both addresses belong together and, for a
   * message that is addressed by LID, has moved the sender's Signal session to the LID.
   */
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

/** Device number of a business account that Meta hosts. Baileys refuses this device on servers that are not hosted. */
const HOSTED_DEVICE = 99;

type MessageSocket = Pick<
  Socket,
  'authState' | 'ev' | 'logger' | 'messageMutex' | 'sendNode' | 'sendRawMessage' | 'signalRepository' | 'ws'
>;

/**
 * Takes messages of people away from Baileys' listener. It takes only live messages (sent while the device was online)
 * that have one encrypted element, a settled sender (`isSettled`) and content of CONTENT_TYPES, and are encrypted with
 * the next key of their Signal session. Call it before patchArrivalOrder(), which then wraps this listener and calls it
 * with one message at a time.
 */
export function patchDirectMessages(socket: MessageSocket, hooks: DirectMessageHooks): void {
  const { authState, ev, messageMutex, signalRepository, ws } = socket;
  const baileysListener = takeListener(ws, MESSAGE_EVENT);
  let isOnline = false;
  ev.on('connection.update', (update) => {
    isOnline = update.isOnline ?? isOnline;
  });
  /**
   * Number of tasks that run or wait in Baileys' message mutex: messages of earlier sessions and of the time in which
   * the device was offline, posts of channels, and the end of the session.
   */
  let mutexTasks = 0;
  const { mutex } = messageMutex;
  messageMutex.mutex = (task) => {
    mutexTasks += 1;
    return mutex(task).finally(() => {
      mutexTasks -= 1;
    });
  };
  /** False after the end of the session, and while a message would overtake the messages in the mutex. */
  const canHandleNow = () => !hooks.ended.aborted && mutexTasks === 0;
  const isMe = ({ lid, numberJid }: Sender): boolean => {
    const me = hooks.account();
    return jidNormalizedUser(lid) === me?.lid || jidNormalizedUser(numberJid) === me?.jid;
  };

  /** Returns the message in a stanza. Undefined when Baileys must handle the stanza. */
  const messageIn = ({ attrs, content }: Stanza): DirectMessage | undefined => {
    const sender = canHandleNow() ? senderIn(attrs) : undefined;
    if (!attrs.id || !sender || isMe(sender) || !hooks.isSettled(sender)) return undefined;
    const element = encryptedElementIn(content);
    if (!element) return undefined;
    const encrypted = { ...element, address: signalRepository.jidToSignalProtocolAddress(sender.lid) };
    return { id: attrs.id, sender, encrypted };
  };

  const emit = (message: ReturnType<typeof toWireMessage>): void => {
    const { key, pushName, messageTimestamp: conversationTimestamp } = message;
    const { remoteJid: chat } = key;
    ev.emit('messages.upsert', { messages: [message], type: 'notify' });
    if (pushName) ev.emit('contacts.update', [{ id: chat, notify: pushName }]);
    // Baileys emits this update for every message. Without `unarchiveChats`, it contains only the time of the message
    // and a count of unread messages, which the gateway does not use.
    if (authState.creds.accountSettings?.unarchiveChats)
      ev.emit('chats.update', [{ id: chat, conversationTimestamp, archived: false, readOnly: false }]);
  };

  /** Handles a message without waiting. Returns false when Baileys must handle it. */
  const handle = (attrs: Stanza['attrs'], { id, sender, encrypted }: DirectMessage): boolean => {
    // Checks again, because loadSession() can have waited.
    const plaintext = canHandleNow() ? hooks.decryptAndKeep(encrypted) : undefined;
    const content = plaintext && decodeContent(plaintext);
    if (!content) return false;
    // As in Baileys, receipts have the type `inactive` while the account is not shown as online.
    const receipt = { tag: 'receipt', attrs: { id, to: sender.jid, ...(isOnline ? {} : { type: 'inactive' }) } };
    writeStanza(socket, receipt).catch(hooks.onReceiptFailure);
    // Emits the buffered events of earlier stanzas first.
    ev.flush();
    emit(toWireMessage(attrs, sender, content));
    return true;
  };

  ws.on(MESSAGE_EVENT, (stanza: Stanza): Promise<void> | undefined => {
    const message = messageIn(stanza);
    if (!message) return baileysListener(stanza);
    const handleOrPassOn = () => (handle(stanza.attrs, message) ? undefined : baileysListener(stanza));
    const loaded = hooks.loadSession(message.encrypted);
    return loaded ? loaded.then(handleOrPassOn) : handleOrPassOn();
  });
}

/** Returns the sender of a live message of a person to this account. Undefined for other messages. */
function senderIn(attrs: Stanza['attrs']): Sender | undefined {
  const { from: jid = '', participant, recipient, category, offline } = attrs;
  // A message of a group or of an own device, and a message that is not live, has one of these attributes.
  if ([participant, recipient, category, offline].some((value) => value !== undefined)) return undefined;
  const addressing = isLidUser(jid) ? 'lid' : 'pn';
  const { addressing_mode: mode = addressing } = attrs;
  const alternate =
    addressing === 'lid'
      ? attrs.participant_pn || attrs.sender_pn || attrs.peer_recipient_pn
      : attrs.participant_lid || attrs.sender_lid || attrs.peer_recipient_lid;
  const { device } = jidDecode(jid) ?? {};
  if (!alternate || mode !== addressing || device === HOSTED_DEVICE) return undefined;
  if (addressing === 'lid') return { jid, alternate, addressing, lid: jid, numberJid: alternate };
  const lid = jidEncode(jidDecode(alternate)?.user ?? '', 'lid', device);
  return { jid, alternate, addressing, lid, numberJid: jid };
}

/** Returns the only encrypted element. Undefined when there are several, or when Baileys reads another element, too. */
function encryptedElementIn(content: Stanza['content']): Omit<DeviceMessage, 'address'> | undefined {
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
function toWireMessage(attrs: Stanza['attrs'], { jid, alternate, addressing }: Sender, message: proto.IMessage) {
  const { id, t, notify, peer_recipient_username: peerUsername, recipient_username: username } = attrs;
  return {
    key: {
      remoteJid: jidNormalizedUser(jid),
      remoteJidAlt: alternate,
      remoteJidUsername: peerUsername || username,
      fromMe: false,
      id,
      participant: '',
      addressingMode: addressing,
    },
    messageTimestamp: Number(t),
    pushName: notify,
    broadcast: false,
    message,
  };
}
