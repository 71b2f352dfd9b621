// State changes → domain events for the integrator: repeated states and short flaps are left out. Never fails its caller.
import type { BaseLogger } from 'pino';
import type { DomainEvent } from '../events/events.ts';
import type { Clock, Timer } from '../lib/clock.ts';
import type { InstanceRow } from '../storage/instance-row.ts';
import type { Disconnect } from './disconnect-history.ts';
import { infoOf } from './disconnect-reasons.ts';
import { type State, toPublicState } from './state-machine.ts';

export type Log = Pick<BaseLogger, 'debug' | 'info' | 'warn' | 'error'>;
export type StateEvent = Extract<DomainEvent, { type: 'connection.update' }>;

export interface Notifier {
  /** Something happened to the instance; a repeated or flapping connection state is left out. */
  event(event: DomainEvent): void;
  /** Runs `task` after every event so far is stored and before every later one; a failure is logged, not thrown. */
  after(task: () => Promise<void>): void;
  /** From now on nothing is reported any more: a process that ends is not a state of the instance. */
  silence(): void;
  /** Resolves when everything reported so far is stored. */
  idle(): Promise<void>;
}

/**
 * Reports in order through `ingest`. A loss of an open connection is held back for `flapWindow` ms: when the instance is open again by
 * then, neither the loss nor the return is an event (status shows both at once). A close is never held back, nor is the end of a
 * connection that was dead for a minute before it was noticed.
 */
export function createNotifier(deps: {
  ingest: (events: readonly DomainEvent[]) => Promise<void>;
  clock: Clock;
  log: Log;
  flapWindow: number;
}): Notifier {
  let last: StateEvent | undefined;
  let held: { update: StateEvent; timer: Timer } | undefined;
  let tail: Promise<void> = Promise.resolve();
  let silent = false;

  const queue = (task: () => Promise<void>): void => {
    tail = tail.then(task).catch((err: unknown) => deps.log.error({ err }, 'instance.event.lost'));
  };
  const send = (event: DomainEvent): void => queue(() => deps.ingest([event]));
  const release = (): StateEvent | undefined => {
    const update = held?.update;
    held?.timer.cancel();
    held = undefined;
    return update;
  };
  const tell = (update: StateEvent): void => {
    last = update;
    send(update);
  };

  const state = (update: StateEvent): void => {
    const waiting = release();
    if (isRepetition(waiting ?? last, update)) {
      if (waiting) hold(waiting);
    } else if (update.state === 'connecting' && last?.state === 'open' && update.cause !== 'silent') hold(update);
    else if (update.state !== 'open' || last?.state !== 'open') tell(update);
  };

  return {
    event(event) {
      if (silent) return;
      if (event.type === 'connection.update') state(event);
      else send(event);
    },
    after: queue,
    silence() {
      release();
      silent = true;
    },
    async idle() {
      await tail;
    },
  };

  function hold(update: StateEvent): void {
    const timer = deps.clock.after(deps.flapWindow, () => {
      held = undefined;
      tell(update);
    });
    held = { update, timer };
  }
}

/** An attempt after a reported loss is not news, and neither is the same loss once more. */
function isRepetition(last: StateEvent | undefined, update: StateEvent): boolean {
  if (last?.state !== update.state) return false;
  return last.cause === update.cause || (update.state === 'connecting' && update.cause === undefined);
}

/**
 * What integrators hear about a state. `last` is why the previous connection ended; a planned reconnect (515, next
 * QR codes) is not a loss to them.
 */
export function toEvents(
  state: State,
  last: Disconnect | null,
  retryAt: number | null,
  row: InstanceRow,
): DomainEvent[] {
  if (state.phase === 'deleted') return [{ type: 'instance.delete' }, { type: 'remove.instance' }];
  const planned = last?.cause === 'restart_required' || last?.cause === 'qr_expired';
  if (state.phase === 'open' || last === null || planned) {
    const update: StateEvent = { type: 'connection.update', state: toPublicState(state), statusReason: 200 };
    if (state.phase !== 'open') return [update];
    if (row.ownerJid) update.wuid = row.ownerJid;
    if (row.profileName) update.profileName = row.profileName;
    return [update];
  }
  const { message, userAction } = infoOf(last.cause);
  const update: StateEvent = {
    type: 'connection.update',
    state: toPublicState(state),
    statusReason: last.code,
    cause: last.cause,
    message,
    ...(userAction && { userAction }),
    ...(retryAt !== null && { retryAt }),
  };
  if (last.cause === 'qr_exhausted') {
    return [
      { type: 'qrcode.updated', limitReached: true },
      { ...update, state: 'refused', statusReason: 428 },
    ];
  }
  if (state.phase !== 'logged_out' && state.phase !== 'blocked') return [update];
  const at = row.disconnectionAt ?? row.updatedAt;
  const closed: DomainEvent = { type: 'status.instance', code: last.code, cause: last.cause, message, at };
  return state.phase === 'logged_out' ? [update, closed, { type: 'logout.instance' }] : [update, closed];
}
