// The lifecycle of one instance as a pure function of a state and an event. The function returns the next state and the
// effects that StateRunner performs. state-machine.model.test.ts checks every reachable state. Leases, which decide
// which node of a cluster runs an instance, are not part of the state (D-159): the cluster stops the instance when this
// node loses the lease.
import type { PublicState } from '../events/events.ts';
import { type DisconnectCause, type DisconnectOutcome, infoOf } from './disconnect-causes.ts';

/**
 * The possible goals of a closing instance, weakest first. The goal is the state that follows when the socket is
 * closed. While the socket closes, a stronger goal replaces a weaker one. As an exception, START and RESTART replace
 * the goal `stopped` by the weaker goal `connecting`.
 */
const GOALS = ['backoff', 'connecting', 'stopped', 'logged_out', 'deleted'] as const;
export type Goal = (typeof GOALS)[number];

export type State =
  /** The instance is not meant to run. */
  | { phase: 'stopped' }
  /** A socket is being opened. */
  | { phase: 'connecting' }
  /** A QR code or a pairing code is on display. */
  | { phase: 'pairing' }
  | { phase: 'open' }
  /** The connection was lost. A timer starts the next attempt. */
  | { phase: 'backoff' }
  /** The socket is being closed. The state `goal` follows. */
  | { phase: 'closing'; goal: Goal }
  /** The credentials are deleted. The instance must be linked again. */
  | { phase: 'logged_out' }
  /** A retry would do harm or could not succeed. A person has to act. */
  | { phase: 'blocked'; cause: DisconnectCause }
  | { phase: 'deleted' };

export type LifecycleEvent =
  /** Commands. */
  | { type: 'START' | 'STOP' | 'RESTART' | 'LOGOUT' | 'DELETE' }
  /** Reports of the socket. QR_LIMIT: the maximum number of QR codes was displayed. */
  | { type: 'QR' | 'QR_LIMIT' | 'OPEN' }
  /** Timers. */
  | { type: 'RETRY_DUE' | 'CONNECT_TIMEOUT' }
  /** The socket is closed. When `paired` is false, no account is linked, and reduce() deletes the credentials. */
  | { type: 'CLOSED'; cause: DisconnectCause; paired: boolean; code: number }
  /** The socket did not close in time. */
  | { type: 'CLOSE_TIMEOUT'; paired: boolean };

/**
 * What StateRunner does. `arm` starts a timer. A watchdog limits the time in which a socket opens or closes.
 * `wipeCreds` deletes the credentials, `deleteData` all rows of the instance. `emit` reports the new state to webhooks
 * and event streams.
 */
export type Effect =
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

/** Phases in which an instance is at rest: it waits for a request of a client, and has no socket and no timer. */
export const REST_PHASES: ReadonlySet<string> = new Set(['stopped', 'blocked', 'logged_out']);

/** The state after an event, and the effects to perform. */
export type StepResult = [State, Effect[]];
export type Reduce = (state: State, event: LifecycleEvent) => StepResult;

const OPEN_SOCKET: Effect[] = ['openSocket', 'armConnectWatchdog'];

/** Performs one step. For an event without meaning in `state`, returns the same state object and no effects. */
export function reduce(state: State, event: LifecycleEvent): StepResult {
  switch (state.phase) {
    case 'stopped':
    case 'logged_out':
    case 'blocked':
      return reduceAtRest(state, event);
    case 'connecting':
    case 'pairing':
    case 'open':
      return reduceWithSocket(state, event);
    case 'backoff':
      return reduceBackoff(state, event);
    case 'closing':
      return reduceClosing(state, event);
    case 'deleted':
      return [state, []];
  }
}

function reduceAtRest(state: State, event: LifecycleEvent): StepResult {
  switch (event.type) {
    case 'START':
    case 'RESTART':
      return reachGoal('connecting');
    case 'STOP':
      return state.phase === 'blocked' ? reachGoal('stopped') : [state, []];
    case 'LOGOUT':
      // In logged_out, the state was already reported. Only the deletion of the credentials is repeated, in case it
      // failed before.
      return state.phase === 'logged_out' ? [{ phase: 'logged_out' }, ['wipeCreds']] : reachGoal('logged_out');
    case 'DELETE':
      return reachGoal('deleted');
    default:
      return [state, []];
  }
}

function reduceBackoff(state: State, event: LifecycleEvent): StepResult {
  if (event.type === 'RETRY_DUE') return reachGoal('connecting');
  const goal = goalOf(event);
  if (!goal) return [state, []];
  const [next, effects] = reachGoal(goal);
  return [next, ['cancelRetry', ...effects]];
}

/** For the phases with a socket: `connecting`, `pairing` and `open`. Of these, only `connecting` has a watchdog. */
function reduceWithSocket(state: State, event: LifecycleEvent): StepResult {
  const cancelWatchdog: Effect[] = state.phase === 'connecting' ? ['cancelWatchdog'] : [];
  switch (event.type) {
    case 'QR':
      return state.phase === 'connecting' ? [{ phase: 'pairing' }, [...cancelWatchdog, 'emit']] : [state, []];
    case 'OPEN':
      return state.phase === 'open' ? [state, []] : [{ phase: 'open' }, [...cancelWatchdog, 'emit']];
    case 'CLOSED':
      return reduceUnrequestedClose(event, cancelWatchdog);
    case 'QR_LIMIT':
      return state.phase === 'open' ? [state, []] : beginClosing('stopped', cancelWatchdog);
    case 'CONNECT_TIMEOUT':
      // The watchdog need not be canceled, because it has fired.
      return state.phase === 'connecting' ? beginClosing('backoff', []) : [state, []];
    default: {
      const goal = goalOf(event);
      if (!goal) return [state, []];
      const isUnlinking = state.phase === 'open' && (goal === 'logged_out' || goal === 'deleted');
      return beginClosing(goal, isUnlinking ? [...cancelWatchdog, 'sendLogout'] : cancelWatchdog);
    }
  }
}

/** The step after a close that was not requested. `before` are effects that come first. */
function reduceUnrequestedClose(
  { cause, paired }: Extract<LifecycleEvent, { type: 'CLOSED' }>,
  before: Effect[],
): StepResult {
  const outcome: DisconnectOutcome = infoOf(cause).next;
  // The effects of the goal logged_out delete the credentials anyway.
  const first: Effect[] = paired || outcome === 'logged_out' ? before : [...before, 'wipeCreds'];
  if (outcome === 'blocked') return [{ phase: 'blocked', cause }, [...first, 'emit']];
  const [next, effects] = reachGoal(outcome);
  return [next, [...first, ...effects]];
}

function reduceClosing(state: Extract<State, { phase: 'closing' }>, event: LifecycleEvent): StepResult {
  if (event.type === 'CLOSED' || event.type === 'CLOSE_TIMEOUT') {
    const isUnlinked = event.type === 'CLOSED' && infoOf(event.cause).next === 'logged_out';
    const goal = isUnlinked ? strongerGoal(state.goal, 'logged_out') : state.goal;
    const before: Effect[] = event.type === 'CLOSED' ? ['cancelWatchdog'] : [];
    // The effects of the goals logged_out and deleted delete the credentials anyway.
    if (!event.paired && goal !== 'logged_out' && goal !== 'deleted') before.push('wipeCreds');
    const [next, effects] = reachGoal(goal);
    return [next, [...before, ...effects]];
  }
  if (state.goal === 'stopped' && (event.type === 'START' || event.type === 'RESTART')) {
    return [{ phase: 'closing', goal: 'connecting' }, []];
  }
  const goal = goalOf(event);
  if (!goal) return [state, []];
  const stronger = strongerGoal(state.goal, goal);
  return stronger === state.goal ? [state, []] : [{ phase: 'closing', goal: stronger }, []];
}

/**
 * The goal that a command sets for a running instance. Undefined for START, because the instance runs already, and for
 * events that are no command.
 */
function goalOf(event: LifecycleEvent): Goal | undefined {
  switch (event.type) {
    case 'RESTART':
      return 'connecting';
    case 'STOP':
      return 'stopped';
    case 'LOGOUT':
      return 'logged_out';
    case 'DELETE':
      return 'deleted';
    default:
      return undefined;
  }
}

function strongerGoal(a: Goal, b: Goal): Goal {
  return GOALS.indexOf(a) > GOALS.indexOf(b) ? a : b;
}

function beginClosing(goal: Goal, before: Effect[]): StepResult {
  return [{ phase: 'closing', goal }, [...before, 'endSocket', 'armCloseWatchdog']];
}

/** The state for `goal` and its effects, for an instance without a socket. */
function reachGoal(goal: Goal): StepResult {
  switch (goal) {
    case 'backoff':
      return [{ phase: 'backoff' }, ['armRetry', 'emit']];
    case 'connecting':
      return [{ phase: 'connecting' }, [...OPEN_SOCKET, 'emit']];
    case 'stopped':
      return [{ phase: 'stopped' }, ['emit']];
    case 'logged_out':
      return [{ phase: 'logged_out' }, ['wipeCreds', 'emit']];
    case 'deleted':
      // `emit` comes first, because it needs rows that deleteData deletes.
      return [{ phase: 'deleted' }, ['emit', 'deleteData']];
  }
}

/**
 * The state in the API (D-006). An instance that closes in order to reconnect is `connecting`, like an instance in
 * backoff.
 */
export function toPublicState(state: State): PublicState {
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

/** The state in log lines and metrics, such as `closing(stopped)`. */
export function stateNameOf(state: State): string {
  if (state.phase === 'closing') return `closing(${state.goal})`;
  return state.phase === 'blocked' ? `blocked(${state.cause})` : state.phase;
}
