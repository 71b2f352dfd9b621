// Limits the DNS lookups of names that callers choose. Node resolves names in libuv's thread pool, at most five names at
// once (app/preload.js sets the size of the pool). The time limit of a connection does not end its lookup. Without
// limits, a few names whose name server does not answer delay all other connections of the process for minutes, also
// those to WhatsApp. Lookups over the limit wait in this file and not in the pool, because lookups for connections to
// WhatsApp would wait behind them in the pool. The gateway has two of these limits: webhooks and media have one, proxies
// have the other. Together they admit four lookups, so one of the five stays available for connections to WhatsApp.
import type { LookupFunction } from 'node:net';
import { BoundedMap } from '../lib/bounded-map.ts';

/** Maximum number of unanswered lookups per limit. */
const MAX_LOOKUPS = 2;
/** A lookup that takes longer than this, in ms, is slow. */
const SLOW_MS = 1_000;
/** Maximum number of remembered slow names, that is, names whose last lookup was slow. */
const MAX_SLOW_NAMES = 1_000;
/** A lookup that has waited longer than this, in ms, fails. By then its connection has reached the time limit. */
const MAX_WAIT_MS = 10_000;

/** The arguments of one lookup: host name, options and callback. */
type LookupArguments = Parameters<LookupFunction>;

/** Returns a lookup that joins the lookup in flight for the same name and options, if there is one. */
export function shareLookups(lookup: LookupFunction): LookupFunction {
  const inFlight = new Map<string, LookupArguments[2][]>();
  return (hostname, options, callback) => {
    const key = JSON.stringify([hostname, options]);
    const joined = inFlight.get(key);
    if (joined) {
      joined.push(callback);
      return;
    }
    const callbacks = [callback];
    inFlight.set(key, callbacks);
    lookup(hostname, options, (...result) => {
      inFlight.delete(key);
      for (const each of callbacks) each(...result);
    });
  };
}

/**
 * Returns a lookup that makes at most two lookups at once. While a slow lookup runs, a name whose last lookup was slow
 * is not looked up, so that one of the two lookups stays available for other names. The lookups over these limits wait.
 * A lookup that has waited for more than ten seconds fails with EAI_AGAIN. `now` returns monotonic ms.
 */
export function limitLookups(lookup: LookupFunction, now = () => performance.now()): LookupFunction {
  const running = new Set<{ hostname: string; startedAt: number }>();
  const waiting = new Set<{ request: LookupArguments; since: number }>();
  const slowNames = new BoundedMap<string, true>(MAX_SLOW_NAMES);

  const isSlowLookupRunning = () =>
    [...running].some(({ hostname, startedAt }) => slowNames.has(hostname) || now() - startedAt > SLOW_MS);
  const canStart = ([hostname]: LookupArguments) =>
    running.size < MAX_LOOKUPS && !(slowNames.has(hostname) && isSlowLookupRunning());

  function start([hostname, options, callback]: LookupArguments): void {
    const entry = { hostname, startedAt: now() };
    running.add(entry);
    lookup(hostname, options, (...result) => {
      running.delete(entry);
      if (now() - entry.startedAt > SLOW_MS) slowNames.set(hostname, true);
      else slowNames.delete(hostname);
      startWaiting();
      callback(...result);
    });
  }

  function startWaiting(): void {
    for (const entry of waiting) {
      const isLate = now() - entry.since > MAX_WAIT_MS;
      if (!isLate && !canStart(entry.request)) continue;
      waiting.delete(entry);
      if (isLate) refuse(entry.request);
      else start(entry.request);
    }
  }

  return (...request) => {
    if (canStart(request)) start(request);
    else waiting.add({ request, since: now() });
  };
}

function refuse([hostname, , callback]: LookupArguments): void {
  const message = `the DNS lookup of "${hostname}" was not made, because other lookups are not answered`;
  const error = Object.assign(new Error(message), { code: 'EAI_AGAIN', syscall: 'getaddrinfo', hostname });
  process.nextTick(() => callback(error, '', 0));
}
