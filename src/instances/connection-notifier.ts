// Turns state changes of an instance into domain events for webhooks and streams. Omits repeated states, and losses of
// the connection that are repaired within a few seconds. The loss of a silent connection is always reported (D-102).
// Decision D-059.
import type { DomainEvent } from '../events/events.ts';
import type { Clock, Timer } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { InstanceRow } from '../storage/instance-row.ts';
import type { PasskeyStatus } from '../whatsapp/session.ts';
import type { Disconnect } from './disconnect-history.ts';
import { infoOf } from './disconnect-reasons.ts';
import { type State, toPublicState } from './state-machine.ts';

export type StateEvent = Extract<DomainEvent, { type: 'connection.update' }>;

export interface Notifier {
  /** Queues an event for storage. Omits a connection state that repeats the last one. Never throws. */
  report(event: DomainEvent): void;
  /** Runs `task` after every earlier event is stored and before every later one. Logs a failure and does not throw. */
  enqueue(task: () => Promise<void>): void;
  /**
   * Drops every later event, and a loss that is held back. For an instance that stops here without a change of its
   * state, because the process stops or another node takes it.
   */
  mute(): void;
  /** Resolves when every queued event is stored or has failed. Does not wait for a loss that is held back. */
  flush(): Promise<void>;
}

export interface NotifierDeps {
  ingest: (events: readonly DomainEvent[]) => Promise<void>;
  clock: Clock;
  log: Log;
  /** ms for which the loss of an open connection is held back. */
  flapWindow: number;
}

/**
 * Creates a notifier that passes events in order to `ingest`. It holds back the loss of an open connection for
 * `flapWindow` ms. When the instance is open again by then, neither the loss nor the return becomes an event. A change
 * to `close` and the loss of a connection on which WhatsApp was silent for a minute are never held back.
 */
export function createNotifier(deps: NotifierDeps): Notifier {
  let last: StateEvent | undefined;
  let held: { update: StateEvent; timer: Timer } | undefined;
  let tail: Promise<void> = Promise.resolve();
  let isMuted = false;

  const enqueue = (task: () => Promise<void>): void => {
    tail = tail.then(task).catch((err: unknown) => deps.log.error({ err }, 'instance.event.lost'));
  };
  const send = (event: DomainEvent): void => enqueue(() => deps.ingest([event]));
  const sendState = (update: StateEvent): void => {
    last = update;
    send(update);
  };
  const holdBack = (update: StateEvent): void => {
    const timer = deps.clock.after(deps.flapWindow, () => {
      held = undefined;
      sendState(update);
    });
    held = { update, timer };
  };
  const cancelHeld = (): StateEvent | undefined => {
    const update = held?.update;
    held?.timer.cancel();
    held = undefined;
    return update;
  };

  const reportState = (update: StateEvent): void => {
    const heldLoss = cancelHeld();
    if (isRepeated(heldLoss ?? last, update)) {
      if (heldLoss) holdBack(heldLoss);
    } else if (update.state === 'connecting' && last?.state === 'open' && update.cause !== 'silent') {
      holdBack(update);
    } else if (update.state !== 'open' || last?.state !== 'open') {
      sendState(update);
    }
  };

  return {
    report(event) {
      if (isMuted) return;
      if (event.type === 'connection.update') reportState(event);
      else send(event);
    },
    enqueue,
    mute() {
      cancelHeld();
      isMuted = true;
    },
    async flush() {
      await tail;
    },
  };
}

/**
 * True for the same state with the same cause and the same stage of a link with a passkey, and for `connecting` without
 * a cause after any `connecting`.
 */
function isRepeated(last: StateEvent | undefined, update: StateEvent): boolean {
  if (last?.state !== update.state || last.passkey !== update.passkey) return false;
  return last.cause === update.cause || (update.state === 'connecting' && update.cause === undefined);
}

/**
 * The event for a stage of a link with a passkey in which the owner has to act. `status` is null when WhatsApp asks for
 * a passkey and such links are switched off.
 */
export function toPasskeyEvent(status: PasskeyStatus | null): StateEvent {
  const update = { type: 'connection.update', state: 'connecting', statusReason: 200 } as const;
  if (status?.stage === 'confirm') {
    const message = 'The phone and GET /instance/passkey/{instance}/confirm show a code.';
    const userAction = 'Compare the codes, and confirm when they are equal.';
    return { ...update, passkey: 'confirm', passkeyExpiresAt: status.expiresAt, message, userAction };
  }
  const message = 'The account can be linked only with a passkey.';
  if (status) {
    const userAction = 'Answer the request of GET /instance/passkey/{instance}.';
    return { ...update, passkey: 'required', passkeyExpiresAt: status.expiresAt, message, userAction };
  }
  const userAction = 'Set PASSKEY_LINKING=true, or link another account.';
  return { ...update, passkey: 'required', cause: 'passkey_disabled', message, userAction };
}

/**
 * The domain events for a new state. `last` is the disconnect that ended the previous connection, and `retryAt` is the
 * time of the next attempt (epoch ms). A planned reconnect (close code 515, or the next QR codes) is not a loss.
 */
export function toEvents(
  state: State,
  last: Disconnect | null,
  retryAt: number | null,
  row: InstanceRow,
): DomainEvent[] {
  if (state.phase === 'deleted') return [{ type: 'instance.delete' }, { type: 'remove.instance' }];
  const isPlanned = last?.cause === 'restart_required' || last?.cause === 'qr_expired';
  if (state.phase === 'open' || last === null || isPlanned) {
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
