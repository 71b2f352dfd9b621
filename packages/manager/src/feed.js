// The feed of one instance: its latest messages, events and state, which the page collects from the event stream.
import { useEffect, useRef, useState } from 'preact/hooks';
import { call, pathOf } from './api.js';
import { streamEvents } from './event-stream.js';
import { addRecord, addStored, createFeed, isEvent, reduce } from './feed-state.js';

/** @typedef {import('./types.d.ts').Feed} Feed */

/** Number of stored messages that are loaded at first. */
const INITIAL_MESSAGES = 200;
/** Delay between a change and its rendering, so that a burst of changes is rendered once. */
const RENDER_DELAY_MS = 50;
/** Interval of renders without changes, so that charts move with the time. */
const RENDER_INTERVAL_MS = 10_000;

/**
 * Loads stored messages; messages that the stream delivered are not replaced.
 * @param {Feed} feed
 * @param {string} name
 * @param {AbortSignal} signal
 */
async function loadStored(feed, name, signal) {
  // `offset` is the number of messages on a page, as in Evolution API.
  const query = { where: {}, offset: INITIAL_MESSAGES };
  const { messages } = await call('POST', pathOf`chat/findMessages/${name}`, query, signal);
  addStored(feed, messages?.records.toReversed() ?? []);
  if (messages?.total > INITIAL_MESSAGES) feed.hasMore = true;
}

/**
 * Fills the feed from the event stream and the stored messages, and calls `onChange` after each change. Resolves when
 * `signal` aborts, when the instance does not exist, and when the API key is not valid for the instance.
 * @param {Feed} feed
 * @param {string} name
 * @param {{ signal: AbortSignal, onChange: () => void }} options
 */
export function followInstance(feed, name, { signal, onChange }) {
  const load = () => loadStored(feed, name, signal).then(onChange, () => undefined);
  let isLoadStarted = false;
  return streamEvents(name, {
    signal,
    onEvent(event) {
      reduce(feed, event);
      onChange();
      // The phone's history is complete. It contains messages that the first load did not find.
      if (isEvent(event, 'history.progress') && event.data.done) void load();
    },
    onOpen(hasGap) {
      Object.assign(feed, { isLive: true, problem: '' });
      // `hasGap`: the page can have missed events, such as a new QR code. Link (link.js) requests the current code.
      if (hasGap) feed.qrcode = undefined;
      onChange();
      if (hasGap || !isLoadStarted) void load();
      isLoadStarted = true;
    },
    onClosed(problem) {
      Object.assign(feed, { isLive: false, problem });
      onChange();
      // `problem` is the error text of a refused stream. Without a stream, the page shows the stored messages.
      if (problem && !isLoadStarted) void load();
      isLoadStarted ||= problem !== '';
    },
  });
}

/**
 * The feed of an instance. The component renders again when the feed changes. The event stream is open while the
 * component is mounted.
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
    // Empties the feed instead of replacing it, because components keep a reference to the object.
    const feed = Object.assign(ref.current ?? {}, createFeed());
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const scheduleRender = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        render((n) => n + 1);
      }, RENDER_DELAY_MS);
    };
    feed.add = (message) => {
      addRecord(feed, message);
      scheduleRender();
    };
    void followInstance(feed, name, { signal, onChange: scheduleRender });
    const interval = setInterval(scheduleRender, RENDER_INTERVAL_MS);
    return () => {
      controller.abort();
      clearTimeout(timer);
      clearInterval(interval);
    };
  }, [name]);
  return ref.current;
}
