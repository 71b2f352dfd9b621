// A feed: the latest messages, events and connection state of one instance. This file changes the feed for each event.
import { senderOf } from './people.js';
import { replayKeyOf } from './replays.js';

/** @typedef {import('./types.d.ts').Feed} Feed */
/** @typedef {import('./types.d.ts').MessageKey} MessageKey */
/** @typedef {import('./types.d.ts').MessageRow} MessageRow */
/** @typedef {import('./types.d.ts').MessageRecord} MessageRecord */
/** @typedef {import('./types.d.ts').StreamData} StreamData */
/** @typedef {import('./types.d.ts').StreamEvent} StreamEvent */

const MAX_EVENTS = 200;
const MAX_MESSAGES = 500;

/** Delivery statuses in the order in which a message gets them. A status replaces only the statuses before it. */
const STATUSES = ['PENDING', 'SERVER_ACK', 'DELIVERY_ACK', 'READ', 'PLAYED'];
/** Statuses that replace every other status except DELETED. */
const OVERRIDING_STATUSES = ['ERROR', 'DELETED'];
/**
 * Whether the status `next` replaces `current`.
 * @param {string} next
 * @param {string} current
 */
function isLater(next, current) {
  if (current === 'DELETED') return false;
  if (OVERRIDING_STATUSES.includes(next)) return true;
  // A failed message can still be acknowledged: ERROR, which is not in STATUSES, ranks like PENDING.
  const currentRank = Math.max(0, STATUSES.indexOf(current));
  return STATUSES.indexOf(next) > currentRank;
}

/**
 * The key of the text that names a kind of message, by `messageType`.
 * @type {Record<string, import('./types.d.ts').TextKey>}
 */
const TYPE_NAMES = {
  imageMessage: 'kind.image',
  videoMessage: 'kind.video',
  audioMessage: 'kind.audio',
  documentMessage: 'kind.document',
  stickerMessage: 'kind.sticker',
  locationMessage: 'kind.location',
  contactMessage: 'kind.contact',
  reactionMessage: 'kind.reaction',
  pollCreationMessage: 'kind.poll',
};

/**
 * The text of a message, such as its caption or file name. `kind` is the text key of its kind in TYPE_NAMES; undefined
 * for text messages and for kinds that TYPE_NAMES lacks.
 * @param {Pick<MessageRecord, 'message' | 'messageType'>} record
 * @returns {Pick<MessageRow, 'kind' | 'text'>}
 */
function textOf({ message = {}, messageType = '' }) {
  if (typeof message.conversation === 'string') return { kind: undefined, text: message.conversation };
  const value = message[messageType];
  const content = typeof value === 'object' ? value : undefined;
  if (messageType === 'extendedTextMessage') return { kind: undefined, text: content?.text ?? '' };
  const kind = TYPE_NAMES[messageType];
  const text = content?.text ?? content?.caption ?? content?.fileName ?? content?.name ?? content?.displayName;
  if (kind) return { kind, text: text ?? '' };
  return { kind, text: text ? `${messageType}: ${text}` : messageType };
}

/**
 * Converts a message of the API to a row of the conversation. Messages in events, in responses to sends and in search
 * results have the same form.
 * @param {MessageRecord} record
 * @returns {MessageRow}
 */
function toRow({ key, pushName, messageTimestamp, status, messageType, message }) {
  return {
    id: key.id,
    chat: key.remoteJid ?? '',
    fromMe: key.fromMe === true,
    name: senderOf(key, pushName),
    ...(key.remoteJidUsername ? { username: key.remoteJidUsername } : {}),
    ...textOf({ message, messageType }),
    at: Number(messageTimestamp) * 1000,
    status: status ?? 'PENDING',
  };
}

/**
 * Whether this change of the connection makes the shown QR code invalid: the connection is open, or linking with a
 * passkey starts. With the cause `passkey_disabled`, linking with a passkey does not start.
 * @param {StreamData['connection.update']} data
 */
const endsQrCode = ({ state, passkey, cause }) => state === 'open' || (passkey && cause !== 'passkey_disabled');

/** An empty feed. types.d.ts describes the fields. @returns {Feed} */
export function createFeed() {
  return {
    isLive: false,
    problem: '',
    events: [],
    messages: new Map(),
    numbers: new Map(),
    hasMore: false,
    earlyStatuses: new Map(),
    qrcode: undefined,
    connection: undefined,
    restriction: undefined,
    history: undefined,
    replays: new Map(),
    add: () => undefined,
  };
}

/**
 * Sets an entry. Removes the oldest entry when the map has more than MAX_MESSAGES. Returns whether it removed one.
 * @template Value
 * @param {Map<string, Value>} map
 * @param {string} id
 * @param {Value} value
 */
function setBounded(map, id, value) {
  map.set(id, value);
  const [oldest] = map.keys();
  return map.size > MAX_MESSAGES && oldest !== undefined && map.delete(oldest);
}

/**
 * The key of a message in the feed. It contains the chat, because messages of different chats can have the same id.
 * @param {string} chat
 * @param {string} id
 */
const toRowKey = (chat, id) => `${chat}\n${id}`;

/** The unique key of a row in the feed. @param {MessageRow} row */
export const rowKeyOf = ({ chat, id }) => toRowKey(chat, id);

/**
 * Returns the key in the feed of the message that `key` identifies. When `key` contains the phone number of a chat
 * (`remoteJid`) and the LID of the chat (`remoteJidAlt`, the address that hides the number), first moves the messages
 * of the chat from the LID to the number.
 * @param {Feed} feed
 * @param {MessageKey} key
 */
function resolveRowKey(feed, { id, remoteJid = '', remoteJidAlt }) {
  if (remoteJid && remoteJidAlt && feed.numbers.get(remoteJidAlt) !== remoteJid) {
    setBounded(feed.numbers, remoteJidAlt, remoteJid);
    moveToNumber(feed, remoteJidAlt, remoteJid);
  }
  return toRowKey(chatOf(feed, remoteJid), id);
}

/**
 * The JID by which the feed names the chat `jid`: its phone number if it is known, else `jid`.
 * @param {Feed} feed
 * @param {string} jid
 */
const chatOf = (feed, jid) => feed.numbers.get(jid) ?? jid;

/** @param {Feed} feed @param {string} lid @param {string} number */
function moveToNumber(feed, lid, number) {
  const prefix = toRowKey(lid, '');
  const toMovedKey = (/** @type {string} */ key) =>
    key.startsWith(prefix) ? toRowKey(number, key.slice(prefix.length)) : key;
  feed.messages = new Map(
    Array.from(feed.messages, ([key, row]) => [toMovedKey(key), row.chat === lid ? { ...row, chat: number } : row]),
  );
  feed.earlyStatuses = new Map(Array.from(feed.earlyStatuses, ([key, status]) => [toMovedKey(key), status]));
}

/**
 * Adds a message, or replaces it. Keeps the status that the feed has for the message if that status is later.
 * @param {Feed} feed
 * @param {MessageRecord} record
 */
export function addRecord(feed, record) {
  const key = resolveRowKey(feed, record.key);
  const row = { ...toRow(record), chat: chatOf(feed, record.key.remoteJid ?? '') };
  const existing = feed.messages.get(key);
  // The sender chooses the id, so a message of the other person can have the id of a message of this account. The feed
  // keeps the message that it already has.
  if (existing && existing.fromMe !== row.fromMe) return;
  const { status, reason } = existing ?? feed.earlyStatuses.get(key) ?? {};
  const keptStatus = status && !isLater(row.status, status) ? { status, reason } : {};
  if (setBounded(feed.messages, key, { ...existing, ...row, ...keptStatus })) feed.hasMore = true;
  feed.earlyStatuses.delete(key);
}

/**
 * Adds stored messages. A message that the feed contains already keeps its content, because the stream can have
 * delivered newer content in the meantime.
 * @param {Feed} feed
 * @param {MessageRecord[]} records oldest first
 */
export function addStored(feed, records) {
  for (const record of records) {
    // `MessageUpdate` contains the statuses of a stored message in rising order.
    const status = record.status ?? record.MessageUpdate?.at(-1)?.status;
    const existing = feed.messages.get(resolveRowKey(feed, record.key));
    if (!existing) addRecord(feed, { ...record, status });
    else if (status && status !== existing.status) setStatus(feed, record.key, status);
  }
}

/** @param {Feed} feed @param {import('./types.d.ts').MessageEdit} edit */
function editMessage(feed, { key, editedMessage }) {
  const rowKey = resolveRowKey(feed, key);
  const existing = feed.messages.get(rowKey);
  if (!existing) return;
  const [messageType] = Object.keys(editedMessage);
  feed.messages.set(rowKey, { ...existing, ...textOf({ message: editedMessage, messageType }), isEdited: true });
}

/**
 * Sets the status of a message, or remembers it when the message is not loaded yet.
 * @param {Feed} feed
 * @param {MessageKey} key
 * @param {string} status
 * @param {string} [reason] why the message was not sent
 */
function setStatus(feed, key, status, reason) {
  const rowKey = resolveRowKey(feed, key);
  const existing = feed.messages.get(rowKey);
  if (!existing) setBounded(feed.earlyStatuses, rowKey, { status, reason });
  else if (isLater(status, existing.status)) feed.messages.set(rowKey, { ...existing, status, reason });
}

/** @type {import('./types.d.ts').Reducers} */
const REDUCERS = {
  'messages.upsert': addRecord,
  'send.message': addRecord,
  // This event also reports votes and stars, which have no status.
  'messages.update': (feed, { key, status, reason }) => status && setStatus(feed, key, status, reason),
  'messages.edited': editMessage,
  'send.message.update': editMessage,
  'messages.delete': (feed, { key }) => setStatus(feed, key, 'DELETED'),
  'qrcode.updated': (feed, data) => Object.assign(feed, { qrcode: data }),
  'history.progress': (feed, data) => Object.assign(feed, { history: data }),
  'instance.restricted': (feed, data) => Object.assign(feed, { restriction: data }),
  'replay.progress': (feed, data) => setBounded(feed.replays, replayKeyOf(data), data),
  'connection.update': (feed, data) =>
    Object.assign(feed, { connection: data, qrcode: endsQrCode(data) ? undefined : feed.qrcode }),
};

/**
 * Whether the name of `event` is `name`. The type of `event.data` follows from the name.
 * @template {keyof StreamData} Name
 * @param {StreamEvent} event
 * @param {Name} name
 * @returns {event is StreamEvent & { data: StreamData[Name] }}
 */
export const isEvent = (event, name) => event.event === name;

/**
 * Applies the event when its name is `name`.
 * @template {keyof StreamData} Name
 * @param {Feed} feed
 * @param {StreamEvent} event
 * @param {Name} name
 */
function reduceAs(feed, event, name) {
  if (isEvent(event, name)) REDUCERS[name](feed, event.data);
}

/** @param {string} name @returns {name is keyof StreamData} */
const isReduced = (name) => Object.hasOwn(REDUCERS, name);

/** Applies an event of the stream. @param {Feed} feed @param {StreamEvent} event */
export function reduce(feed, event) {
  // Events without an id are sent to streams only. The list shows the events that webhooks receive.
  if (event.id) feed.events.unshift(event);
  feed.events.length = Math.min(feed.events.length, MAX_EVENTS);
  if (isReduced(event.event)) reduceAs(feed, event, event.event);
}
