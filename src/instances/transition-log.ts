// Changes of state as they are written down and counted, each with the request that caused it.
import { currentTrace } from '../lib/request-trace.ts';
import type { Log } from './connection-notifier.ts';
import { type Event, type State, stateNameOf } from './state-machine.ts';

/** In the names of the machine; `cause` is why the last connection ended. */
export interface Transition {
  from: string;
  to: string;
  event: string;
  cause: string | undefined;
}

interface Deps {
  instance: string;
  log: Log;
  onMove: ((move: Transition) => void) | undefined;
}

export class TransitionLog {
  readonly #deps: Deps;
  /** The request that asked for what the instance is closing for. */
  #closingFor: string | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * To be called in the context in which the event was put. That a connection is gone says its socket or the watchdog, in no request's context; when
   * a request wanted it closed, what follows is that request's all the same.
   */
  note(from: State, to: State, event: Event['type'], cause: string | undefined): void {
    const isClosed = from.phase === 'closing' && to.phase !== 'closing';
    const requestId = isClosed ? this.#closingFor : currentTrace();
    this.#closingFor = to.phase === 'closing' ? requestId : undefined;
    const { instance, log, onMove } = this.#deps;
    const move: Transition = { from: stateNameOf(from), to: stateNameOf(to), event, cause };
    log.info({ instance, ...move, requestId }, 'instance.transition');
    onMove?.(move);
  }
}
