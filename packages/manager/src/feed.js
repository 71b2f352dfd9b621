// What happens to one instance while somebody watches: its stream of events, folded into what the page shows.
import { useEffect, useRef, useState } from 'preact/hooks';
import { at, call, follow } from './api.js';

const KEPT_EVENTS = 200;
const KEPT_MESSAGES = 500;
/** Messages of before that are looked up. */
const PAST = 200;
/** ms that changes may wait for others, so that a burst is drawn once. */
const DRAW_AFTER = 50;
/** ms after which what is shown is drawn again although nothing happened: time goes on. */
const REDRAW = 10_000;

/**
 * From nothing to read; a later status never gives way to an earlier one. What was not sent may prove to have arrived after all, but that
 * it is on its way proves nothing.
 */
const ranks = ['PENDING', 'SERVER_ACK', 'DELIVERY_ACK', 'READ', 'PLAYED'];
const ends = ['ERROR', 'DELETED'];
const isLater = (next, known) =>
  known !== 'DELETED' && (ends.includes(next) || ranks.indexOf(next) > Math.max(0, ranks.indexOf(known)));

const kinds = {
  imageMessage: 'Picture',
  videoMessage: 'Video',
  audioMessage: 'Sound',
  documentMessage: 'File',
  stickerMessage: 'Sticker',
  locationMessage: 'Location',
  contactMessage: 'Contact',
  reactionMessage: 'Reaction',
  pollCreationMessage: 'Poll',
};

function textOf({ message = {}, messageType = '' }) {
  const content = message[messageType];
  if (typeof message.conversation === 'string') return message.conversation;
  if (messageType === 'extendedTextMessage') return content.text;
  const name = kinds[messageType] ?? messageType;
  const said = content?.text ?? content?.caption ?? content?.fileName ?? content?.name ?? content?.displayName;
  return said ? `${name}: ${said}` : name;
}

/** A message of an event, an answer or a search, as it is shown. */
export function toLine({ key, pushName, messageTimestamp, status, messageType, message }) {
  return {
    id: key.id,
    chat: key.remoteJid ?? '',
    fromMe: key.fromMe === true,
    name: pushName ?? '',
    text: textOf({ message, messageType }),
    at: Number(messageTimestamp) * 1000,
    status: status ?? 'PENDING',
  };
}

function createFeed() {
  return {
    isLive: false,
    events: [],
    messages: new Map(),
    /** There are older messages than those that are known. */
    hasMore: false,
    /** Statuses of messages that are not known yet: an ack may be faster than the answer to its send. */
    early: new Map(),
    qrcode: undefined,
    connection: undefined,
    /** What the platform said last of restrictions. */
    restriction: undefined,
    /** How far the past of the phone is taken over. */
    past: undefined,
    /** How far replays are, by replay and receiver. */
    replays: new Map(),
  };
}

/** Sets an entry; the oldest gives way when there are too many. Tells whether one did. */
function keep(map, id, value) {
  map.set(id, value);
  return map.size > KEPT_MESSAGES && map.delete(map.keys().next().value);
}

function addMessage(feed, line) {
  const known = feed.messages.get(line.id);
  const { status, reason } = known ?? feed.early.get(line.id) ?? {};
  const fate = status && !isLater(line.status, status) ? { status, reason } : {};
  if (keep(feed.messages, line.id, { ...known, ...line, ...fate })) feed.hasMore = true;
  feed.early.delete(line.id);
}

function edit(feed, { keyId, editedMessage }) {
  const known = feed.messages.get(keyId);
  if (!known) return;
  const [messageType] = Object.keys(editedMessage);
  feed.messages.set(keyId, { ...known, text: textOf({ message: editedMessage, messageType }), isEdited: true });
}

/** `reason` is why it was not sent. */
function setStatus(feed, id, status, reason) {
  const known = feed.messages.get(id);
  if (!known) keep(feed.early, id, { status, reason });
  else if (isLater(status, known.status)) feed.messages.set(id, { ...known, status, reason });
}

const folds = {
  'messages.upsert': (feed, data) => addMessage(feed, toLine(data)),
  'send.message': (feed, data) => addMessage(feed, toLine(data)),
  // Votes and stars come under this name as well, without a status.
  'messages.update': (feed, { keyId, status, reason }) => status && setStatus(feed, keyId, status, reason),
  'messages.edited': edit,
  'send.message.update': edit,
  'messages.delete': (feed, { keyId }) => setStatus(feed, keyId, 'DELETED'),
  'qrcode.updated': (feed, data) => Object.assign(feed, { qrcode: data }),
  'history.progress': (feed, data) => Object.assign(feed, { past: data }),
  'instance.restricted': (feed, data) => Object.assign(feed, { restriction: data }),
  'replay.progress': (feed, data) => keep(feed.replays, `${data.id} ${data.endpoint.id}`, data),
  'connection.update': (feed, data) =>
    Object.assign(feed, { connection: data, qrcode: data.state === 'open' ? undefined : feed.qrcode }),
};

function fold(feed, event) {
  // What has no id is told to those who look on, and is none of the events that integrators get.
  if (event.id) feed.events.unshift(event);
  feed.events.length = Math.min(feed.events.length, KEPT_EVENTS);
  folds[event.event]?.(feed, event.data);
}

/** Messages from before, below what the stream brought. */
async function loadPast(feed, name, signal) {
  const { messages } = await call('POST', at`chat/findMessages/${name}`, { where: {}, offset: PAST }, signal);
  for (const record of (messages?.records ?? []).toReversed()) {
    if (!feed.messages.has(record.key.id))
      addMessage(feed, toLine({ ...record, status: record.status ?? lastOf(record) }));
  }
  if (messages?.total > PAST) feed.hasMore = true;
}

const lastOf = ({ MessageUpdate: updates = [] }) => updates.at(-1)?.status;

/** The feed of an instance, alive as long as the part that uses it is shown. `feed.add(message)` shows an answer before its event. */
export function useFeed(name) {
  const [, redraw] = useState(0);
  const ref = useRef();
  ref.current ??= createFeed();
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const feed = Object.assign(ref.current, createFeed());
    let timer;
    const changed = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        redraw((n) => n + 1);
      }, DRAW_AFTER);
    };
    feed.add = (message) => {
      addMessage(feed, toLine(message));
      changed();
    };
    let isFirst = true;
    const lookBack = () => loadPast(feed, name, signal).then(changed, () => undefined);
    void follow(name, {
      signal,
      onEvent(event) {
        fold(feed, event);
        changed();
        if (event.event === 'history.progress' && event.data.done) void lookBack();
      },
      onLive(isLive) {
        feed.isLive = isLive;
        changed();
        if (!isLive || !isFirst) return;
        isFirst = false;
        void lookBack();
      },
    });
    const moving = setInterval(changed, REDRAW);
    return () => {
      controller.abort();
      clearTimeout(timer);
      clearInterval(moving);
    };
  }, [name]);
  return ref.current;
}
