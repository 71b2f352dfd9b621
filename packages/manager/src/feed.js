// The feed of one instance: its latest messages, events and state, which the page collects from the event stream.
import { useEffect, useRef, useState } from 'preact/hooks';
import { call, pathOf, streamEvents } from './api.js';
import { senderOf } from './people.js';

/** @typedef {import('../types.d.ts').Feed} Feed */
/** @typedef {import('../types.d.ts').MessageRow} MessageRow */
/** @typedef {import('../types.d.ts').MessageRecord} MessageRecord */
/** @typedef {import('../types.d.ts').StreamData} StreamData */
/** @typedef {import('../types.d.ts').StreamEvent} StreamEvent */

const MAX_EVENTS = 200;
const MAX_MESSAGES = 500;
/** Number of stored messages that are loaded at first. */
const INITIAL_MESSAGES = 200;
/** ms between a change and its rendering, so that a burst of changes is rendered once. */
const RENDER_DELAY = 50;
/** ms between renders without changes, so that charts move with the time. */
const RENDER_INTERVAL = 10_000;

/**
 * Delivery statuses in the order in which a message gets them. A status replaces only those before it.
 */
const STATUSES = ['PENDING', 'SERVER_ACK', 'DELIVERY_ACK', 'READ', 'PLAYED'];
/** Statuses that replace every other one except DELETED. */
const FINAL_STATUSES = ['ERROR', 'DELETED'];
/**
 * Whether `next` replaces `current`. A failed message can still be acknowledged: after ERROR, every status after
 * PENDING is accepted.
 * @param {string} next
 * @param {string} current
 */
const isLater = (next, current) =>
  current !== 'DELETED' &&
  (FINAL_STATUSES.includes(next) || STATUSES.indexOf(next) > Math.max(0, STATUSES.indexOf(current)));

/** The name of a kind of message, by `messageType`. @type {Record<string, import('../types.d.ts').TextKey>} */
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
 * The text of a message, such as its caption or file name. `kind` is the name of the kind, except for text messages.
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
 * Converts a message of the API to a row of the conversation. Events, send responses and searches have the same form.
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
 * Whether the shown QR code is no longer valid after this change of the connection.
 * @param {StreamData['connection.update']} data
 */
const hidesQrCode = ({ state, passkey, cause }) => state === 'open' || (passkey && cause !== 'passkey_disabled');

/** @returns {Feed} */
function createFeed() {
  return {
    isLive: false,
    events: [],
    messages: new Map(),
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
 * Moves the messages of a chat from its LID (the address that hides the phone number) to the phone number, once a
 * message contains both.
 * @param {Feed} feed
 * @param {import('../types.d.ts').MessageKey} key
 */
function moveToNumber(feed, { remoteJid, remoteJidAlt }) {
  if (!remoteJid || !remoteJidAlt) return;
  for (const [id, row] of feed.messages) {
    if (row.chat === remoteJidAlt) feed.messages.set(id, { ...row, chat: remoteJid });
  }
}

/** @param {Feed} feed @param {MessageRecord} record */
function addRecord(feed, record) {
  moveToNumber(feed, record.key);
  addMessage(feed, toRow(record));
}

/** @param {Feed} feed @param {MessageRow} row */
function addMessage(feed, row) {
  const existing = feed.messages.get(row.id);
  const { status, reason } = existing ?? feed.earlyStatuses.get(row.id) ?? {};
  const keptStatus = status && !isLater(row.status, status) ? { status, reason } : {};
  if (setBounded(feed.messages, row.id, { ...existing, ...row, ...keptStatus })) feed.hasMore = true;
  feed.earlyStatuses.delete(row.id);
}

/** @param {Feed} feed @param {import('../types.d.ts').MessageEdit} edit */
function editMessage(feed, { keyId, editedMessage }) {
  const existing = feed.messages.get(keyId);
  if (!existing) return;
  const [messageType] = Object.keys(editedMessage);
  feed.messages.set(keyId, { ...existing, ...textOf({ message: editedMessage, messageType }), isEdited: true });
}

/**
 * Sets the status of a message, or remembers it when the message is not loaded yet.
 * @param {Feed} feed
 * @param {string} id
 * @param {string} status
 * @param {string} [reason] why the message was not sent
 */
function setStatus(feed, id, status, reason) {
  const existing = feed.messages.get(id);
  if (!existing) setBounded(feed.earlyStatuses, id, { status, reason });
  else if (isLater(status, existing.status)) feed.messages.set(id, { ...existing, status, reason });
}

/** @type {import('../types.d.ts').Reducers} */
const REDUCERS = {
  'messages.upsert': addRecord,
  'send.message': addRecord,
  // This event also reports votes and stars, which have no status.
  'messages.update': (feed, { keyId, status, reason }) => status && setStatus(feed, keyId, status, reason),
  'messages.edited': editMessage,
  'send.message.update': editMessage,
  'messages.delete': (feed, { keyId }) => setStatus(feed, keyId, 'DELETED'),
  'qrcode.updated': (feed, data) => Object.assign(feed, { qrcode: data }),
  'history.progress': (feed, data) => Object.assign(feed, { history: data }),
  'instance.restricted': (feed, data) => Object.assign(feed, { restriction: data }),
  'replay.progress': (feed, data) => setBounded(feed.replays, `${data.id} ${data.endpoint.id}`, data),
  'connection.update': (feed, data) =>
    Object.assign(feed, { connection: data, qrcode: hidesQrCode(data) ? undefined : feed.qrcode }),
};

/**
 * Whether the name of `event` is `name`, which gives `data` its type.
 * @template {keyof StreamData} Name
 * @param {StreamEvent} event
 * @param {Name} name
 * @returns {event is StreamEvent & { data: StreamData[Name] }}
 */
const isEvent = (event, name) => event.event === name;

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

/** @param {Feed} feed @param {StreamEvent} event */
function reduce(feed, event) {
  // Events without an id are sent to streams only. The list shows the events that webhooks receive.
  if (event.id) feed.events.unshift(event);
  feed.events.length = Math.min(feed.events.length, MAX_EVENTS);
  if (isReduced(event.event)) reduceAs(feed, event, event.event);
}

/**
 * Loads stored messages; messages that the stream delivered are not replaced.
 * @param {Feed} feed
 * @param {string} name
 * @param {AbortSignal} signal
 */
async function loadStored(feed, name, signal) {
  const query = { where: {}, offset: INITIAL_MESSAGES };
  const { messages } = await call('POST', pathOf`chat/findMessages/${name}`, query, signal);
  /** @type {MessageRecord[]} */
  const records = messages?.records ?? [];
  for (const record of records.toReversed()) {
    if (feed.messages.has(record.key.id)) continue;
    addMessage(feed, toRow({ ...record, status: record.status ?? record.MessageUpdate?.at(-1)?.status }));
  }
  if (messages?.total > INITIAL_MESSAGES) feed.hasMore = true;
}

/**
 * The feed of an instance. The component renders again when it changes. The event stream is open while the component is
 * mounted.
 * @param {string} name
 * @returns {Feed}
 */
export function useFeed(name) {
  const [, render] = useState(0);
  const ref = useRef(/** @type {Feed | null} */ (null));
  ref.current ??= createFeed();
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    // The same object, emptied: components keep a reference to it.
    const feed = Object.assign(ref.current ?? {}, createFeed());
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const scheduleRender = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        render((n) => n + 1);
      }, RENDER_DELAY);
    };
    feed.add = (message) => {
      addMessage(feed, toRow(message));
      scheduleRender();
    };
    let isLoadStarted = false;
    const load = () => loadStored(feed, name, signal).then(scheduleRender, () => undefined);
    void streamEvents(name, {
      signal,
      onEvent(event) {
        reduce(feed, event);
        scheduleRender();
        // A finished sync has stored older messages.
        if (isEvent(event, 'history.progress') && event.data.done) void load();
      },
      onLive(isLive) {
        feed.isLive = isLive;
        scheduleRender();
        if (!isLive || isLoadStarted) return;
        isLoadStarted = true;
        void load();
      },
    });
    const interval = setInterval(scheduleRender, RENDER_INTERVAL);
    return () => {
      controller.abort();
      clearTimeout(timer);
      clearInterval(interval);
    };
  }, [name]);
  return ref.current;
}
