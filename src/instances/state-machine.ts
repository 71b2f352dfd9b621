// The lifecycle of one instance as a pure function: (state, event) → next state and the effects that make it true.
// It decides everything and does nothing; instance.ts does everything and decides nothing. Proven by machine.model.test.ts.
import type { PublicState } from '../events/events.ts';
import { type DisconnectOutcome, type DisconnectReason, infoOf } from './disconnect-reasons.ts';

/** What a closing instance becomes once its socket is gone, weakest first: a stronger wish replaces a weaker one. */
const goals = ['backoff', 'connecting', 'claiming', 'stopped', 'logged_out', 'deleted'] as const;
export type Goal = (typeof goals)[number];

export type State =
  /** Known, not meant to run. */
  | { phase: 'stopped' }
  /** Wants to run, waiting for the right to. */
  | { phase: 'claiming' }
  /** Socket opening, or resuming after 515. */
  | { phase: 'connecting' }
  /** QR or pairing code on display. */
  | { phase: 'pairing' }
  | { phase: 'open' }
  /** Lost, retries later. */
  | { phase: 'backoff' }
  /** Ending the socket; knows what comes next. `leased`: the right to run is still held. */
  | { phase: 'closing'; goal: Goal; leased: boolean }
  /** Credentials gone, needs pairing. */
  | { phase: 'logged_out' }
  /** Retrying would harm or is useless; needs a person. */
  | { phase: 'blocked'; cause: DisconnectReason }
  | { phase: 'deleted' };

export type Event =
  | {
      type:
        | 'START'
        | 'STOP'
        | 'RESTART'
        | 'LOGOUT'
        | 'DELETE'
        | 'LEASE_WON'
        | 'LEASE_LOST'
        | 'QR'
        | 'QR_LIMIT'
        | 'OPEN';
    }
  | { type: 'RETRY_DUE' | 'CONNECT_TIMEOUT' }
  /** `paired` false: the credentials never reached a linked account, so whatever exists of them must not outlive the socket. */
  | { type: 'CLOSED'; cause: DisconnectReason; paired: boolean; code: number }
  | { type: 'CLOSE_TIMEOUT'; paired: boolean };

export type Effect =
  | 'claimLease'
  | 'releaseLease'
  | 'openSocket'
  | 'endSocket'
  | 'sendLogout'
  | 'armRetry'
  | 'cancelRetry'
  | 'armConnectWatchdog'
  | 'armCloseWatchdog'
  | 'cancelWatchdog'
  | 'wipeCreds'
  | 'deleteData'
  | 'emit';

export type Step = [State, Effect[]];
export type Reduce = (state: State, event: Event) => Step;

const connect: Effect[] = ['openSocket', 'armConnectWatchdog'];

/** One step. Events that mean nothing in a state return that very state and no effects. */
export function reduce(state: State, event: Event): Step {
  switch (state.phase) {
    case 'stopped':
    case 'logged_out':
    case 'blocked':
      return atRest(state, event);
    case 'claiming':
      return claiming(state, event);
    case 'connecting':
    case 'pairing':
    case 'open':
      return alive(state, event);
    case 'backoff':
      return waiting(state, event);
    case 'closing':
      return closing(state, event);
    case 'deleted':
      return [state, []];
  }
}

function atRest(state: State, event: Event): Step {
  switch (event.type) {
    case 'START':
    case 'RESTART':
      return [{ phase: 'claiming' }, ['claimLease']];
    case 'STOP':
      return state.phase === 'blocked' ? [{ phase: 'stopped' }, ['emit']] : [state, []];
    case 'LOGOUT':
      // Again in logged_out: a wipe that failed is repeated, but it is not news.
      return [{ phase: 'logged_out' }, state.phase === 'logged_out' ? ['wipeCreds'] : ['wipeCreds', 'emit']];
    case 'DELETE':
      return [{ phase: 'deleted' }, ['emit', 'deleteData']];
    default:
      return [state, []];
  }
}

function claiming(state: State, event: Event): Step {
  if (event.type === 'LEASE_WON') return [{ phase: 'connecting' }, [...connect, 'emit']];
  const goal = wish(event);
  if (goal === 'stopped' || goal === 'logged_out' || goal === 'deleted') return arrive(goal, true);
  return [state, []];
}

function waiting(state: State, event: Event): Step {
  if (event.type === 'RETRY_DUE') return [{ phase: 'connecting' }, [...connect, 'emit']];
  const goal = wish(event);
  if (!goal) return [state, []];
  const [next, effects] = arrive(goal, event.type !== 'LEASE_LOST');
  return [next, ['cancelRetry', ...effects]];
}

/** `connecting`, `pairing` and `open`: a socket is alive. Only `connecting` has a watchdog. */
function alive(state: State, event: Event): Step {
  const unwatch: Effect[] = state.phase === 'connecting' ? ['cancelWatchdog'] : [];
  switch (event.type) {
    case 'QR':
      return state.phase === 'connecting' ? [{ phase: 'pairing' }, [...unwatch, 'emit']] : [state, []];
    case 'OPEN':
      return state.phase === 'open' ? [state, []] : [{ phase: 'open' }, [...unwatch, 'emit']];
    case 'CLOSED':
      return closed(event, unwatch);
    case 'QR_LIMIT':
      return state.phase === 'open' ? [state, []] : leave('stopped', true, unwatch);
    case 'CONNECT_TIMEOUT':
      // Fired by the watchdog itself, so there is nothing left to cancel.
      return state.phase === 'connecting' ? leave('backoff', true, []) : [state, []];
    default: {
      const goal = wish(event);
      if (!goal) return [state, []];
      const unlink = state.phase === 'open' && (goal === 'logged_out' || goal === 'deleted');
      return leave(goal, event.type !== 'LEASE_LOST', unlink ? [...unwatch, 'sendLogout'] : unwatch);
    }
  }
}

/** The platform ended the connection by itself. */
function closed({ cause, paired }: Extract<Event, { type: 'CLOSED' }>, before: Effect[]): Step {
  const outcome: DisconnectOutcome = infoOf(cause).next;
  const wipe: Effect[] = paired || outcome === 'logged_out' ? before : [...before, 'wipeCreds'];
  if (outcome === 'blocked') return [{ phase: 'blocked', cause }, [...wipe, 'releaseLease', 'emit']];
  const [next, effects] = arrive(outcome, true);
  return [next, [...wipe, ...effects]];
}

function closing(state: Extract<State, { phase: 'closing' }>, event: Event): Step {
  if (event.type === 'CLOSED' || event.type === 'CLOSE_TIMEOUT') {
    const unlinked = event.type === 'CLOSED' && infoOf(event.cause).next === 'logged_out';
    const goal = unlinked ? stronger(state.goal, 'logged_out') : state.goal;
    const before: Effect[] = event.type === 'CLOSED' ? ['cancelWatchdog'] : [];
    // Arriving in logged_out or deleted removes the credentials anyway.
    if (!event.paired && goal !== 'logged_out' && goal !== 'deleted') before.push('wipeCreds');
    const [next, effects] = arrive(goal, state.leased);
    return [next, [...before, ...effects]];
  }
  const leased = state.leased && event.type !== 'LEASE_LOST';
  if (state.goal === 'stopped' && (event.type === 'START' || event.type === 'RESTART')) {
    return [{ phase: 'closing', goal: leased ? 'connecting' : 'claiming', leased }, []];
  }
  const goal = wish(event);
  if (!goal) return [state, []];
  const raised = stronger(state.goal, goal);
  return raised === state.goal && leased === state.leased
    ? [state, []]
    : [{ phase: 'closing', goal: raised, leased }, []];
}

/** Where a command or a lost lease wants a running instance to go. */
function wish(event: Event): Goal | undefined {
  switch (event.type) {
    case 'RESTART':
      return 'connecting';
    case 'STOP':
      return 'stopped';
    case 'LOGOUT':
      return 'logged_out';
    case 'DELETE':
      return 'deleted';
    case 'LEASE_LOST':
      return 'claiming';
    default:
      return undefined;
  }
}

function stronger(a: Goal, b: Goal): Goal {
  return goals.indexOf(a) > goals.indexOf(b) ? a : b;
}

function leave(goal: Goal, leased: boolean, before: Effect[]): Step {
  return [{ phase: 'closing', goal, leased }, [...before, 'endSocket', 'armCloseWatchdog']];
}

/** No socket any more: what becoming `goal` takes. Storage comes before the lease, because the lease is the right to write. */
function arrive(goal: Goal, leased: boolean): Step {
  const release: Effect[] = leased ? ['releaseLease'] : [];
  switch (goal) {
    case 'backoff':
      return [{ phase: 'backoff' }, ['armRetry', 'emit']];
    case 'connecting':
      return [{ phase: 'connecting' }, [...connect, 'emit']];
    case 'claiming':
      return [{ phase: 'claiming' }, ['claimLease']];
    case 'stopped':
      return [{ phase: 'stopped' }, [...release, 'emit']];
    case 'logged_out':
      return [{ phase: 'logged_out' }, ['wipeCreds', ...release, 'emit']];
    case 'deleted':
      // The event is stored first: afterwards nothing of the instance exists that could carry it.
      return [{ phase: 'deleted' }, ['emit', 'deleteData', ...release]];
  }
}

/** What the API calls `state`. An instance that closes only to come back is on its way, as one that waits to retry is. */
export function publicState(state: State): PublicState {
  switch (state.phase) {
    case 'open':
      return 'open';
    case 'connecting':
    case 'pairing':
    case 'backoff':
      return 'connecting';
    case 'closing':
      return state.goal === 'connecting' || state.goal === 'backoff' ? 'connecting' : 'close';
    default:
      return 'close';
  }
}

/** The state for a log line. */
export function stateNameOf(state: State): string {
  if (state.phase === 'closing') return `closing(${state.goal})`;
  return state.phase === 'blocked' ? `blocked(${state.cause})` : state.phase;
}
