// Writes one log line per state transition of an instance, and reports the transition to the metrics. The line contains
// the id of the API request that caused the transition, if any. Decision D-138.
import type { Log } from '../lib/log.ts';
import { currentRequestId } from '../lib/request-id.ts';
import { type LifecycleEvent, type State, stateNameOf } from './state-machine.ts';

export interface Transition {
  /** Name of the state before the transition, such as `closing(stopped)`. */
  from: string;
  /** Name of the state after the transition. */
  to: string;
  /** Type of the event of the state machine that caused the transition. */
  event: string;
  /** Why the last connection ended (disconnect-causes.ts). */
  disconnectCause: string | undefined;
}

interface Deps {
  instance: string;
  log: Log;
  onTransition: ((transition: Transition) => void) | undefined;
}

export class TransitionLog {
  readonly #deps: Deps;
  /** Id of the request that set the goal of the current closing state. The goal is the state that follows. */
  #closingRequest: string | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * Records one transition. Must be called in the asynchronous context of the event, which contains the request id if a
   * request caused the event. Exception: the socket or a timer ends a closing state, and their context contains no
   * request id. This transition gets the id of the request that set the goal of the closing state.
   */
  record(from: State, to: State, event: LifecycleEvent['type'], disconnectCause: string | undefined): void {
    const isClosed = from.phase === 'closing' && to.phase !== 'closing';
    const requestId = isClosed ? this.#closingRequest : currentRequestId();
    this.#closingRequest = to.phase === 'closing' ? requestId : undefined;
    const { instance, log, onTransition } = this.#deps;
    const step = { from: stateNameOf(from), to: stateNameOf(to), event };
    log.info({ instance, ...step, cause: disconnectCause, requestId }, 'instance.state.changed');
    onTransition?.({ ...step, disconnectCause });
  }
}
