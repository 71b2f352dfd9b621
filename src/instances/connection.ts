// One connection of one instance: opens the session, closes it, and delivers its signals in order.
// The state machine decides what follows a signal.
import type { Clock, Timer } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { runWithoutTrace } from '../lib/request-trace.ts';
import type { Account, OpenSession, Session, SessionOptions, SessionSignal } from '../whatsapp/session.ts';

/**
 * The signals of the session, and `failed` when it could not be opened. `closed` or `failed` comes exactly once, as the
 * last one.
 */
export type ConnectionSignal = SessionSignal | { type: 'failed'; err: unknown };

export interface Connection {
  /** Undefined before the session is open and after it ended. */
  readonly session: Session | undefined;
  /** Whether credentials of a linked account exist. True while unknown, because unpaired credentials are deleted. */
  readonly isPaired: boolean;
  /** Whether this connection displayed a QR code. */
  readonly hasShownQr: boolean;
  /** Account of the session, also after it ended. */
  readonly account: Account | undefined;
  /** Whether the platform confirmed that this device is unlinked. */
  readonly isUnlinked: boolean;
  /** Resolves when the socket is gone, or when the wait for that was given up. */
  readonly disposed: Promise<void>;
  /**
   * Closes the socket, and unlinks the device first when `unlink` is true. `closed` follows when the socket is gone.
   */
  end(unlink: boolean): void;
  /** Ignores all later signals and resolves `disposed` without waiting for the socket. */
  abandon(): void;
}

export interface ConnectionDeps {
  open: OpenSession;
  options: Omit<SessionOptions, 'onSignal'>;
  /** Settles when the previous connection of the instance is gone. */
  after: Promise<void>;
  onSignal: (signal: ConnectionSignal) => void;
  clock: Clock;
  log: Log;
  /** ms that a closed socket may take to disappear. */
  closeTimeout: number;
}

/**
 * Opens a connection once `after` has settled. Signals that arrive before the session is known are delivered
 * afterwards. The connection runs outside of the trace of the request that caused it.
 */
export function openConnection(deps: ConnectionDeps): Connection {
  const { promise: disposed, resolve: resolveDisposed } = Promise.withResolvers<void>();
  const earlySignals: SessionSignal[] = [];
  let session: Session | undefined;
  let endRequest: { unlink: boolean } | undefined;
  let disposeTimer: Timer | undefined;
  let isOver = false;
  let isUnlinked = false;
  let hasShownQr = false;

  const emit = (signal: ConnectionSignal): void => {
    if (isOver) return;
    hasShownQr ||= signal.type === 'qr';
    isOver = signal.type === 'closed' || signal.type === 'failed';
    runWithoutTrace(() => deps.onSignal(signal));
  };
  const dispose = (): void => {
    disposeTimer?.cancel();
    resolveDisposed();
  };
  const receive = (signal: SessionSignal): void => {
    if (!session) return void earlySignals.push(signal);
    emit(signal);
    if (signal.type !== 'closed') return;
    disposeTimer ??= deps.clock.after(deps.closeTimeout, dispose);
    // After end(), its own call of finish() continues.
    if (!endRequest) void finish(session, false);
  };
  const finish = async (ended: Session, unlink: boolean): Promise<void> => {
    try {
      if (unlink && !isOver) {
        await ended.logout();
        isUnlinked = true;
      }
    } catch (err) {
      deps.log.warn({ err }, 'instance.logout.unconfirmed');
    }
    try {
      await ended.close();
    } catch (err) {
      deps.log.error({ err }, 'instance.socket_close.failed');
    }
    emit({ type: 'closed', code: 428, reason: 'closed by the gateway' });
    dispose();
  };
  const start = async (): Promise<void> => {
    await deps.after;
    if (!endRequest) session = await deps.open({ ...deps.options, onSignal: receive });
    if (!session) {
      emit({ type: 'closed', code: 428, reason: 'ended before it was opened' });
      return dispose();
    }
    if (endRequest) return finish(session, endRequest.unlink);
    for (const signal of earlySignals) receive(signal);
  };
  void runWithoutTrace(start).catch((err: unknown) => {
    emit({ type: 'failed', err });
    dispose();
  });

  return {
    disposed,
    get session() {
      return isOver ? undefined : session;
    },
    get isPaired() {
      return session?.isPaired() ?? true;
    },
    get hasShownQr() {
      return hasShownQr;
    },
    get account() {
      return session?.me();
    },
    get isUnlinked() {
      return isUnlinked;
    },
    end(unlink) {
      if (endRequest || isOver) return;
      endRequest = { unlink };
      if (session) void finish(session, unlink);
    },
    abandon() {
      isOver = true;
      dispose();
    },
  };
}
