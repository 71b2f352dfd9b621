// Keeps an error in one socket from ending the process.
// Why: Baileys emits frames, stanzas and events to listeners that can throw or reject, and catches neither. One
//   malformed frame ends the process and all sessions in it. An event listener that throws stops the event buffer
//   permanently.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: Baileys catches the errors of its listeners and closes only the socket.

import { type Owner, runOwnedBy } from '../../../lib/containment.ts';
import type { BaileysEventMap, WASocket } from '../library.ts';
import { FRAME_LIMIT, FRAME_LIST_LIMIT, HISTORY_LIMIT } from './inflate-limit.ts';

/**
 * The smallest unit that an error affects. src/whatsapp/inbound reports errors of the units `message` and `event`. An
 * `escaped` error was not caught and affects the whole session.
 */
export type ErrorScope = 'frame' | 'stanza' | 'listener' | 'message' | 'event' | 'escaped';

/** Handles the errors of one session. */
export interface SessionErrors {
  /** The session has to end because of `error`. */
  fail(error: unknown, scope: ErrorScope): void;
  /** One item was dropped because of `error`. The session continues. */
  skip(error: unknown, scope: ErrorScope): void;
}

/**
 * Tags of stanzas with content. An error in such a stanza drops only the stanza, because the connection does not depend
 * on it. WhatsApp sends messages and receipts again until this device acknowledges them. After the next login, WhatsApp
 * sends information of the server (`ib`) again.
 */
const CONTENT_STANZAS = new Set<unknown>([
  'message',
  'status',
  'receipt',
  'notification',
  'call',
  'presence',
  'chatstate',
  'ack',
  'ib',
]);

/**
 * Opens a socket with `create` and returns it. An error in one listener of the socket goes to `errors`, and the other
 * listeners still run. The listeners that Baileys registers on `ev` in `create` are not wrapped: their errors reach
 * `errors` through lib/containment.ts.
 */
export function createContainedSocket<Socket extends Pick<WASocket, 'ws' | 'ev'>>(
  create: () => Socket,
  errors: SessionErrors,
): Socket {
  // All work that a listener starts belongs to an owner (lib/containment.ts), which gets the uncaught errors.
  const fail: Owner['fail'] = (error) => errors.fail(error, 'escaped');
  const sessionOwner: Owner = { fail, inflateLimit: HISTORY_LIMIT };
  const frameOwner: Owner = { fail, inflateLimit: FRAME_LIMIT, listLimit: FRAME_LIST_LIMIT };
  const socket = runOwnedBy(sessionOwner, create);
  containFrames(socket.ws, errors, (event) => (event === 'message' ? frameOwner : sessionOwner));
  containEvents(socket.ev, errors);
  return socket;
}

function containFrames(ws: WASocket['ws'], errors: SessionErrors, ownerOf: (event: unknown) => Owner): void {
  // Baileys emits about 30 events per stanza, most of them with the text of an attribute in their name. Almost none has
  // a listener. A name that is longer than all names with listeners needs no lookup. For the other names, a Set is
  // faster than listenerCount(), which uses each name as a property name.
  const names = new Set([...ws.eventNames(), 'newListener', 'removeListener']);
  let longestName = Math.max(0, ...[...names].map(lengthOf));
  ws.on('newListener', (name: string | symbol) => {
    names.add(name);
    longestName = Math.max(longestName, lengthOf(name));
  });
  ws.on('removeListener', (name: string | symbol) => {
    if (ws.listenerCount(name) === 0) names.delete(name);
  });
  ws.emit = (event: string | symbol, ...args: unknown[]): boolean => {
    if (lengthOf(event) > longestName || !names.has(event)) return false;
    const report = reporterOf(event, args[0], errors);
    runOwnedBy(ownerOf(event), () => {
      for (const listener of ws.rawListeners(event)) callSafely(() => Reflect.apply(listener, ws, args), report);
    });
    return true;
  };
}

const lengthOf = (name: string | symbol): number => (typeof name === 'string' ? name.length : 0);

/** Returns the handler for an error in a listener of this event. */
function reporterOf(event: string | symbol, argument: unknown, errors: SessionErrors): (error: unknown) => void {
  // The event `message` of the WebSocket is not a stanza: its argument is the received bytes, which contain frames.
  if (event === 'message') return (error) => errors.fail(error, 'frame');
  const isStanza = typeof argument === 'object' && argument !== null && 'tag' in argument;
  if (isStanza && CONTENT_STANZAS.has(argument.tag)) return (error) => errors.skip(error, 'stanza');
  return (error) => errors.fail(error, 'stanza');
}

/**
 * Passes the errors of listeners of `ev` to `errors`. A listener that throws would keep the event in the buffer, and
 * every later flush would throw again.
 */
function containEvents(ev: WASocket['ev'], errors: SessionErrors): void {
  const { on, off } = ev;
  const contained = new WeakMap<WeakKey, unknown>();
  ev.on = <T extends keyof BaileysEventMap>(event: T, listener: (argument: BaileysEventMap[T]) => void): void => {
    const safeListener: typeof listener = (argument) =>
      callSafely(
        () => listener(argument),
        (error) => errors.skip(error, 'listener'),
      );
    contained.set(listener, safeListener);
    on(event, safeListener);
  };
  ev.off = <T extends keyof BaileysEventMap>(event: T, listener: (argument: BaileysEventMap[T]) => void): void => {
    const safe = contained.get(listener);
    off(event, isListener<typeof listener>(safe) ? safe : listener);
  };
}

const isListener = <Listener>(value: unknown): value is Listener => typeof value === 'function';

/** Calls `work`. Calls `report` when it throws or its promise rejects. */
function callSafely(work: () => unknown, report: (error: unknown) => void): void {
  try {
    const result = work();
    if (result instanceof Promise) result.catch(report);
  } catch (error) {
    report(error);
  }
}
