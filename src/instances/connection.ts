// One connection of one instance: opens a session with WhatsApp, delivers its signals in order, and closes it.
import type { Clock, Timer } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { runWithoutRequestId } from '../lib/request-id.ts';
import type { Account, OpenSession, Session, SessionOptions, SessionSignal } from '../whatsapp/session.ts';
import { CLOSE_CODE, type PasskeyLinkState } from './disconnect-causes.ts';

/**
 * The signals of the session, and `failed` when the session could not be opened. The last signal is `closed` or
 * `failed`; each connection has exactly one of them, unless it is abandoned.
 */
export type ConnectionSignal = SessionSignal | { type: 'failed'; err: unknown };

export interface Connection {
  /** Undefined before the session is open and after it ended. */
  readonly session: Session | undefined;
  /**
   * Whether credentials of a linked account exist. Before the session is open, this is unknown and the value is true,
   * because the gateway deletes the credentials when a connection ends with the value false.
   */
  readonly isPaired: boolean;
  /** Whether this connection displayed a QR code. */
  readonly hasShownQr: boolean;
  /** The account of the session, also after the session has ended. */
  readonly account: Account | undefined;
  /**
   * The state of linking with a passkey, also after the session has ended. `pending`: the linking has started and is
   * not confirmed. Undefined when no linking with a passkey began, and when the linking is confirmed.
   */
  readonly passkeyLinkState: PasskeyLinkState | undefined;
  /** Whether WhatsApp confirmed that this device is unlinked. */
  readonly isUnlinked: boolean;
  /** Resolves when the socket is closed, or when the connection is abandoned or does not close in time. */
  readonly disposed: Promise<void>;
  /**
   * Closes the socket, and unlinks the device first when `unlink` is true. The signal `closed` follows when the socket
   * is closed. Only the first call has an effect.
   */
  end(options: { unlink: boolean }): void;
  /** Ignores all later signals and resolves `disposed` without waiting for the socket. */
  abandon(): void;
}

export interface ConnectionDeps {
  open: OpenSession;
  options: Omit<SessionOptions, 'onSignal'>;
  /** Resolves when the previous connection of the instance is disposed. The session is opened after that. */
  after: Promise<void>;
  onSignal: (signal: ConnectionSignal) => void;
  clock: Clock;
  log: Log;
  /** Maximum wait for a socket to close, ms. */
  closeTimeout: number;
}

/**
 * Opens a connection. Signals that arrive while the session is being opened are delivered when the session is open. The
 * connection outlives the request that caused it, and therefore runs without the id of the request.
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
    runWithoutRequestId(() => deps.onSignal(signal));
  };
  const dispose = (): void => {
    disposeTimer?.cancel();
    resolveDisposed();
  };
  /** Unlinks the device if requested, and closes the socket. Never rejects. */
  const endSession = async (endingSession: Session, { unlink }: { unlink: boolean }): Promise<void> => {
    try {
      if (unlink && !isOver) {
        await endingSession.logout();
        isUnlinked = true;
      }
    } catch (err) {
      deps.log.warn({ err }, 'instance.logout.failed');
    }
    try {
      await endingSession.close();
    } catch (err) {
      deps.log.error({ err }, 'instance.socket_close.failed');
    }
    emit({ type: 'closed', code: CLOSE_CODE.connectionClosed, reason: 'closed by the gateway' });
    dispose();
  };
  const receive = (signal: SessionSignal): void => {
    if (!session) return void earlySignals.push(signal);
    emit(signal);
    if (signal.type !== 'closed') return;
    disposeTimer ??= deps.clock.after(deps.closeTimeout, dispose);
    // After end(), endSession() is already running.
    if (!endRequest) void endSession(session, { unlink: false });
  };
  const start = async (): Promise<void> => {
    await deps.after;
    if (!endRequest) session = await deps.open({ ...deps.options, onSignal: receive });
    if (!session) {
      emit({ type: 'closed', code: CLOSE_CODE.connectionClosed, reason: 'ended before it was opened' });
      return dispose();
    }
    if (endRequest) return endSession(session, endRequest);
    for (const signal of earlySignals) receive(signal);
  };
  void runWithoutRequestId(start).catch((err: unknown) => {
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
    get passkeyLinkState() {
      if (session?.passkey.failure) return session.passkey.failure;
      const stage = session?.passkey.status()?.stage;
      return stage === undefined || stage === 'confirmed' ? undefined : 'pending';
    },
    get isUnlinked() {
      return isUnlinked;
    },
    end(options) {
      if (endRequest || isOver) return;
      endRequest = options;
      if (session) void endSession(session, options);
    },
    abandon() {
      isOver = true;
      dispose();
    },
  };
}
