// What happens to one instance while somebody watches: its stream of events, folded into what the page shows.
import { useEffect, useRef, useState } from 'preact/hooks';
import { at, call, follow } from './api.js';

const KEPT_EVENTS = 200;
const KEPT_MESSAGES = 500;
/** ms that changes may wait for others, so that a burst is drawn once. */
const DRAW_AFTER = 50;
/** ms of a bar in the charts, and how many there are. */
export const BUCKET = 10_000;
export const BUCKETS = 30;

/** From nothing to read; a later status never gives way to an earlier one. */
const ranks = ['PENDING', 'SERVER_ACK', 'DELIVERY_ACK', 'READ', 'PLAYED'];
const ends = ['ERROR', 'DELETED'];
const isLater = (next, known) => ends.includes(next) || ranks.indexOf(next) > ranks.indexOf(known);

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
    /** Statuses of messages that are not known yet: an ack may be faster than the answer to its send. */
    early: new Map(),
    qrcode: undefined,
    connection: undefined,
    counts: [],
  };
}

function addMessage(feed, line) {
  const known = feed.messages.get(line.id);
  const early = known?.status ?? feed.early.get(line.id);
  const status = early && !isLater(line.status, early) ? early : line.status;
  feed.messages.set(line.id, { ...known, ...line, status });
  feed.early.delete(line.id);
  if (feed.messages.size > KEPT_MESSAGES) feed.messages.delete(feed.messages.keys().next().value);
}

function setStatus(feed, id, status) {
  const known = feed.messages.get(id);
  if (!known) feed.early.set(id, status);
  else if (isLater(status, known.status)) feed.messages.set(id, { ...known, status });
}

function count(feed, what) {
  const start = Math.floor(Date.now() / BUCKET) * BUCKET;
  let last = feed.counts.at(-1);
  if (last?.start !== start) {
    last = { start, sent: 0, received: 0, failed: 0 };
    feed.counts.push(last);
    if (feed.counts.length > BUCKETS) feed.counts.shift();
  }
  last[what]++;
}

const folds = {
  'messages.upsert'(feed, data) {
    addMessage(feed, toLine(data));
    if (!data.key.fromMe) count(feed, 'received');
  },
  'send.message'(feed, data) {
    addMessage(feed, toLine(data));
    count(feed, 'sent');
  },
  'messages.update'(feed, { keyId, status }) {
    if (!status) return;
    setStatus(feed, keyId, status);
    if (status === 'ERROR') count(feed, 'failed');
  },
  'messages.delete': (feed, { keyId }) => setStatus(feed, keyId, 'DELETED'),
  'qrcode.updated': (feed, data) => Object.assign(feed, { qrcode: data }),
  'connection.update': (feed, data) =>
    Object.assign(feed, { connection: data, qrcode: data.state === 'open' ? undefined : feed.qrcode }),
};

function fold(feed, event) {
  feed.events.unshift(event);
  feed.events.length = Math.min(feed.events.length, KEPT_EVENTS);
  folds[event.event]?.(feed, event.data);
}

/** Messages from before, below what the stream brought. */
async function loadPast(feed, name, signal) {
  const { messages } = await call('POST', at`chat/findMessages/${name}`, { where: {}, offset: 50 }, signal);
  for (const record of (messages?.records ?? []).toReversed()) {
    if (!feed.messages.has(record.key.id))
      addMessage(feed, toLine({ ...record, status: record.status ?? lastOf(record) }));
  }
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
    void follow(name, {
      signal,
      onEvent(event) {
        fold(feed, event);
        changed();
      },
      onLive(isLive) {
        feed.isLive = isLive;
        changed();
        if (!isLive || !isFirst) return;
        isFirst = false;
        loadPast(feed, name, signal).then(changed, () => undefined);
      },
    });
    // The bars move on even when nothing happens.
    const moving = setInterval(changed, BUCKET);
    return () => {
      controller.abort();
      clearTimeout(timer);
      clearInterval(moving);
    };
  }, [name]);
  return ref.current;
}
