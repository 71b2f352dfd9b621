// Turns state changes of an instance into domain events for webhooks and streams. Omits repeated states. Holds back the
// event of a connection loss for a few seconds, and omits the event when the instance reconnects in this time. When
// WhatsApp stopped answering on the connection, the loss is reported at once (D-102). Decision D-059.
import type { DomainEvent } from '../events/events.ts';
import type { Clock, Timer } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { InstanceRow } from '../storage/instance-row.ts';
import type { PasskeyStatus } from '../whatsapp/session.ts';
import { CLOSE_CODE, infoOf } from './disconnect-causes.ts';
import type { Disconnect } from './disconnect-history.ts';
import { type State, toPublicState } from './state-machine.ts';

/** `statusReason` of a state that is not caused by a disconnect. */
const STATUS_OK = 200;

export type StateEvent = Extract<DomainEvent, { type: 'connection.update' }>;

export interface Notifier {
  /** Queues an event for storage. Omits a connection state that repeats the last one. Never throws. */
  report(event: DomainEvent): void;
  /**
   * Adds `task` to the queue of events. It runs after earlier events are stored, and before later events are stored.
   * Logs a failure and does not throw.
   */
  enqueue(task: () => Promise<unknown>): void;
  /**
   * Drops a loss that is held back, and every event that is reported from now on. Call it when this process stops the
   * instance without a change of its stored state: the process ends, or another node takes the instance.
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
 * `flapWindow` ms. When the instance is open again in this time, neither the loss nor the new connection becomes an
 * event. It drops a held loss when the instance is deleted. Two events are never held back: a change to the state
 * `close`, and the loss of a connection on which WhatsApp was silent for a minute.
 */
export function createNotifier(deps: NotifierDeps): Notifier {
  /** The last connection state that was passed on. */
  let lastSent: StateEvent | undefined;
  /** The loss that is held back, and the timer that passes it on. */
  let held: { loss: StateEvent; timer: Timer } | undefined;
  /** Resolves when all queued tasks have run. */
  let queueEnd: Promise<unknown> = Promise.resolve();
  let isMuted = false;

  const enqueue = (task: () => Promise<unknown>): void => {
    queueEnd = queueEnd.then(task).catch((err: unknown) => deps.log.error({ err }, 'instance.event.lost'));
  };
  const send = (event: DomainEvent): void => enqueue(() => deps.ingest([event]));
  const sendState = (update: StateEvent): void => {
    lastSent = update;
    send(update);
  };
  const holdBack = (loss: StateEvent): void => {
    const timer = deps.clock.after(deps.flapWindow, () => {
      held = undefined;
      sendState(loss);
    });
    held = { loss, timer };
  };
  const takeHeldLoss = (): StateEvent | undefined => {
    const loss = held?.loss;
    held?.timer.cancel();
    held = undefined;
    return loss;
  };

  const reportState = (update: StateEvent): void => {
    const heldLoss = takeHeldLoss();
    if (isRepeated(heldLoss ?? lastSent, update)) {
      // The loss is held back for another `flapWindow`, with the new time of the next attempt.
      if (heldLoss) holdBack({ ...heldLoss, retryAt: update.retryAt });
      return;
    }
    // While a loss is held back, `lastSent` stays `open`.
    const wasOpen = lastSent?.state === 'open';
    const mayReconnectSoon = wasOpen && update.state === 'connecting' && update.cause !== 'silent';
    const hasReconnected = wasOpen && update.state === 'open';
    if (mayReconnectSoon) holdBack(update);
    else if (!hasReconnected) sendState(update);
  };

  return {
    report(event) {
      if (isMuted) return;
      if (event.type === 'connection.update') return reportState(event);
      // A deleted instance has no later events.
      if (event.type === 'instance.delete') takeHeldLoss();
      send(event);
    },
    enqueue,
    mute() {
      takeHeldLoss();
      isMuted = true;
    },
    async flush() {
      await queueEnd;
    },
  };
}

/**
 * True when the state, the cause and the stage of linking with a passkey are the same as before. The state `connecting`
 * without a cause also repeats `connecting` with a cause.
 */
function isRepeated(previous: StateEvent | undefined, update: StateEvent): boolean {
  if (previous?.state !== update.state || previous.passkey !== update.passkey) return false;
  return previous.cause === update.cause || (update.state === 'connecting' && update.cause === undefined);
}

/**
 * The event for a stage of linking with a passkey in which the owner has to act. `status` is null when WhatsApp asks
 * for a passkey and linking with a passkey is switched off.
 */
export function toPasskeyEvent(status: PasskeyStatus | null): StateEvent {
  const update = { type: 'connection.update', state: 'connecting', statusReason: STATUS_OK } as const;
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
 * The domain events for a new state. `lastDisconnect` says why the previous connection ended, and `retryAt` is the time
 * of the next attempt (epoch ms). A planned reconnect (close code 515, or the next QR codes) is not reported as a loss.
 */
export function toEvents(
  state: State,
  lastDisconnect: Disconnect | null,
  retryAt: number | null,
  row: InstanceRow,
): DomainEvent[] {
  if (state.phase === 'deleted') return [{ type: 'instance.delete' }, { type: 'remove.instance' }];
  const isPlanned = lastDisconnect?.cause === 'restart_required' || lastDisconnect?.cause === 'qr_expired';
  if (state.phase === 'open' || lastDisconnect === null || isPlanned) {
    const update: StateEvent = { type: 'connection.update', state: toPublicState(state), statusReason: STATUS_OK };
    if (state.phase !== 'open') return [update];
    if (row.ownerJid) update.wuid = row.ownerJid;
    if (row.profileName) update.profileName = row.profileName;
    update.profilePictureUrl = row.profilePictureUrl;
    return [update];
  }
  const { cause, code } = lastDisconnect;
  const { message, userAction } = infoOf(cause);
  const update: StateEvent = {
    type: 'connection.update',
    state: toPublicState(state),
    statusReason: code,
    cause,
    message,
    ...(userAction && { userAction }),
    ...(retryAt !== null && { retryAt }),
  };
  // The state `refused` means that the limit of QR codes was reached.
  if (cause === 'qr_exhausted') {
    return [
      { type: 'qrcode.updated', limitReached: true },
      { ...update, state: 'refused', statusReason: CLOSE_CODE.connectionClosed },
    ];
  }
  if (state.phase !== 'logged_out' && state.phase !== 'blocked') return [update];
  const at = row.disconnectionAt ?? row.updatedAt;
  const statusEvent: DomainEvent = { type: 'status.instance', code, cause, message, at };
  return state.phase === 'logged_out' ? [update, statusEvent, { type: 'logout.instance' }] : [update, statusEvent];
}
