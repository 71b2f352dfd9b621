// Keeps errors of one socket in that socket. Baileys emits frames and stanzas to listeners that may throw or reject, and catches neither:
// without this, one malformed frame ends the process.
import type { BaileysEventMap, WASocket } from '@whiskeysockets/baileys';
import { type Owner, ownedBy } from '../../../lib/containment.ts';
import { FRAME_LIMIT, HISTORY_LIMIT } from './inflate-limit.ts';

/** What an error was confined to. */
export type ErrorScope = 'frame' | 'stanza' | 'listener' | 'message' | 'event' | 'escaped';

export interface SessionErrors {
  /** The session cannot go on after `error`. */
  fail(error: unknown, confined: ErrorScope): void;
  /** Something was left out because of `error`, and the session goes on. */
  skip(error: unknown, confined: ErrorScope): void;
}

/** Stanzas that carry content. The rest of the session does not depend on them, and the platform sends some again until they are acknowledged. */
const CONTENT_STANZAS = new Set<unknown>([
  'message',
  'receipt',
  'notification',
  'call',
  'presence',
  'chatstate',
  'ack',
]);

/**
 * Returns the socket that `make` opens. Every listener runs by itself from now on: an error of one reaches `incidents`, and the others are
 * called all the same. Listeners of Baileys on `ev` are not covered, but their errors have an owner, which ends the session.
 */
export function containSocketErrors<Socket extends Pick<WASocket, 'ws' | 'ev'>>(
  make: () => Socket,
  incidents: SessionErrors,
): Socket {
  const fail: Owner['fail'] = (error) => incidents.fail(error, 'escaped');
  const session: Owner = { fail, inflateLimit: HISTORY_LIMIT };
  const decoding: Owner = { fail, inflateLimit: FRAME_LIMIT };
  const socket = ownedBy(session, make);
  containFrames(socket.ws, incidents, (event) => (event === 'message' ? decoding : session));
  containEvents(socket.ev, incidents);
  return socket;
}

function containFrames(ws: WASocket['ws'], incidents: SessionErrors, ownerOf: (event: unknown) => Owner): void {
  ws.emit = (event: string | symbol, ...args: unknown[]): boolean => {
    if (ws.listenerCount(event) === 0) return false;
    const report = reporterOf(event, args[0], incidents);
    ownedBy(ownerOf(event), () => {
      for (const listener of ws.rawListeners(event)) attempt(() => Reflect.apply(listener, ws, args), report);
    });
    return true;
  };
}

/** What an error in a listener of this event means. */
function reporterOf(event: string | symbol, argument: unknown, incidents: SessionErrors): (error: unknown) => void {
  if (event === 'message') return (error) => incidents.fail(error, 'frame');
  const isContent = typeof argument === 'object' && argument !== null && 'tag' in argument;
  if (isContent && CONTENT_STANZAS.has(argument.tag)) return (error) => incidents.skip(error, 'stanza');
  return (error) => incidents.fail(error, 'stanza');
}

/** A listener that throws would stop rc14 from emptying its buffer of events: every later flush would meet the same event again. */
function containEvents(ev: WASocket['ev'], incidents: SessionErrors): void {
  const { on, off } = ev;
  const contained = new WeakMap<WeakKey, unknown>();
  ev.on = <T extends keyof BaileysEventMap>(event: T, listener: (argument: BaileysEventMap[T]) => void): void => {
    const safe: typeof listener = (argument) =>
      attempt(
        () => listener(argument),
        (error) => incidents.skip(error, 'listener'),
      );
    contained.set(listener, safe);
    on(event, safe);
  };
  ev.off = <T extends keyof BaileysEventMap>(event: T, listener: (argument: BaileysEventMap[T]) => void): void => {
    const safe = contained.get(listener);
    off(event, isListener<typeof listener>(safe) ? safe : listener);
  };
}

const isListener = <Listener>(value: unknown): value is Listener => typeof value === 'function';

/** Calls `work`; tells `report` when it throws or its promise rejects. */
function attempt(work: () => unknown, report: (error: unknown) => void): void {
  try {
    const result = work();
    if (result instanceof Promise) result.catch(report);
  } catch (error) {
    report(error);
  }
}
