// The event stream of an instance: server-sent events, with reconnection and resumption after the last event.
import { ApiError, pathOf, request, statusOf } from './api.js';

/** @typedef {import('./types.d.ts').StreamEvent} StreamEvent */

/** Delay before the page reconnects a broken stream. */
const RECONNECT_DELAY_MS = 2000;

/**
 * Streams the events of an instance. A broken stream is reconnected and resumes after the last received event. A hidden
 * page has no stream, because a browser opens only six connections to a host over HTTP/1.1. Resolves when `signal`
 * aborts, when the instance does not exist, and when the API key is not valid for the instance.
 *
 * `onOpen` is called when a stream starts. `hasGap` is true when the page can have missed earlier events.
 * `onClosed` is called when a stream ends or cannot start, and before the next attempt. `problem` is the error text
 * with which the gateway refused the stream. It is empty when the stream broke, when the page is hidden, when the
 * gateway does not respond, and when the gateway no longer has the events after the last received one.
 * @param {string} name
 * @param {{
 *   signal: AbortSignal,
 *   onEvent: (event: StreamEvent) => void,
 *   onOpen: (hasGap: boolean) => void,
 *   onClosed: (problem: string) => void,
 * }} options
 */
export async function streamEvents(name, { signal, onEvent, onOpen, onClosed }) {
  /** Id of the last received event. `latest` requests only events that are published after the stream starts. */
  let after = 'latest';
  for (;;) {
    await waitUntilVisible(signal);
    if (signal.aborted) return;
    const attempt = new AbortController();
    const end = () => attempt.abort();
    const endIfHidden = () => document.hidden && end();
    signal.addEventListener('abort', end);
    document.addEventListener('visibilitychange', endIfHidden);
    let problem = '';
    try {
      const path = `${pathOf`events/${name}`}?after=${encodeURIComponent(after)}`;
      const init = { headers: { accept: 'text/event-stream' }, signal: attempt.signal };
      const response = await request(path, init);
      onOpen(after === 'latest');
      await readStream(response.body, ({ id, data }) => {
        if (id) after = id;
        if (data) onEvent(JSON.parse(data));
      });
    } catch (error) {
      if (signal.aborted || [401, 403, 404].includes(statusOf(error) ?? 0)) return;
      if (error instanceof ApiError && error.code === 'CURSOR_EXPIRED') after = 'latest';
      // The status is 0 when the gateway does not respond.
      else if (error instanceof ApiError && error.status !== 0) problem = error.message;
    } finally {
      signal.removeEventListener('abort', end);
      document.removeEventListener('visibilitychange', endIfHidden);
    }
    onClosed(problem);
    // An aborted attempt needs no delay: the page is hidden, or the stream is no longer wanted.
    if (!attempt.signal.aborted) await new Promise((resolve) => setTimeout(resolve, RECONNECT_DELAY_MS));
  }
}

/**
 * Resolves when the page is visible or `signal` aborts.
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
function waitUntilVisible(signal) {
  if (signal.aborted || !document.hidden) return Promise.resolve();
  return new Promise((resolve) => {
    const check = () => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener('visibilitychange', check);
      signal.removeEventListener('abort', check);
      resolve();
    };
    document.addEventListener('visibilitychange', check);
    signal.addEventListener('abort', check);
  });
}

/**
 * Reads server-sent events until the stream ends, and calls `onMessage` with the fields of each.
 * @param {ReadableStream<Uint8Array> | null} body
 * @param {(fields: Record<string, string>) => void} onMessage
 */
async function readStream(body, onMessage) {
  if (!body) return;
  const decoder = new TextDecoder();
  let text = '';
  const reader = body.getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (text + decoder.decode(value, { stream: true })).split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) onMessage(fieldsOf(block));
  }
}

/** The fields of one server-sent event. @param {string} block */
function fieldsOf(block) {
  /** @type {Record<string, string>} */
  const fields = {};
  for (const line of block.split('\n')) {
    // JSON texts can contain the line separators U+2028 and U+2029, which `.` matches only with the flag `s`.
    const [, name, value = ''] = /^(\w+): ?(.*)$/s.exec(line) ?? [];
    if (name) fields[name] = fields[name] === undefined ? value : `${fields[name]}\n${value}`;
  }
  return fields;
}
