// One socket generation of one instance: opens it, ends it, and makes its signals orderly. Decides nothing about what follows.
import type { Clock, Timer } from '../lib/clock.ts';
import { runWithoutTrace } from '../lib/request-trace.ts';
import type { Account, OpenSession, Session, SessionOptions, SessionSignal } from '../whatsapp/session.ts';
import type { Log } from './connection-notifier.ts';

/** As the platform's signals, plus the failure to open at all. Exactly one `closed` or `failed` comes, and nothing after it. */
export type ConnectionSignal = SessionSignal | { type: 'failed'; err: unknown };

export interface Connection {
  /** Undefined until opened and after it ended. */
  readonly session: Session | undefined;
  /** Credentials of a linked account exist, or nobody knows: an unknown answer must never cost a link. */
  readonly paired: boolean;
  /** It displayed a QR code. */
  readonly qrShown: boolean;
  /** Account of the session, also after it ended. */
  readonly me: Account | undefined;
  /** The platform was told to unlink this device. */
  readonly unlinked: boolean;
  /** Resolves when the socket is gone or was given up. */
  readonly gone: Promise<void>;
  /** Ends the socket, telling the platform first when `unlink`; `closed` follows when it is gone. */
  end(unlink: boolean): void;
  /** No signal of this generation counts any more, and nobody waits for it. */
  abandon(): void;
}

/**
 * Opens a generation once `after` (its predecessor) is gone. `limit` (ms) bounds how long a closed socket may take to disappear.
 * Signals that arrive before `open` resolves are kept until the session is known. What it hears and does by itself belongs to no request,
 * whichever asked for it.
 */
export function openConnection(deps: {
  open: OpenSession;
  options: Omit<SessionOptions, 'onSignal'>;
  after: Promise<void>;
  onSignal: (signal: ConnectionSignal) => void;
  clock: Clock;
  log: Log;
  limit: number;
}): Connection {
  const { promise: gone, resolve: vanished } = Promise.withResolvers<void>();
  const early: SessionSignal[] = [];
  let session: Session | undefined;
  let ending: { unlink: boolean } | undefined;
  let giveUp: Timer | undefined;
  let over = false;
  let unlinked = false;
  let qrShown = false;

  const signal = (next: ConnectionSignal): void => {
    if (over) return;
    qrShown ||= next.type === 'qr';
    over = next.type === 'closed' || next.type === 'failed';
    runWithoutTrace(() => deps.onSignal(next));
  };
  const vanish = (): void => {
    giveUp?.cancel();
    vanished();
  };
  const receive = (next: SessionSignal): void => {
    if (!session) return void early.push(next);
    signal(next);
    if (next.type !== 'closed') return;
    giveUp ??= deps.clock.after(deps.limit, vanish);
    // When it is being ended, that goes on and knows whether the platform was told.
    if (!ending) void finish(session, false);
  };
  const finish = async (ended: Session, unlink: boolean): Promise<void> => {
    try {
      if (unlink && !over) {
        await ended.logout();
        unlinked = true;
      }
    } catch (err) {
      deps.log.warn({ err }, 'instance.logout.not_told');
    }
    try {
      await ended.close();
    } catch (err) {
      deps.log.error({ err }, 'instance.socket.close_failed');
    }
    signal({ type: 'closed', code: 428, reason: 'closed by the gateway' });
    vanish();
  };
  const start = async (): Promise<void> => {
    await deps.after;
    if (!ending) session = await deps.open({ ...deps.options, onSignal: receive });
    if (!session) {
      signal({ type: 'closed', code: 428, reason: 'ended before it was opened' });
      return vanish();
    }
    if (ending) return finish(session, ending.unlink);
    for (const next of early) receive(next);
  };
  void runWithoutTrace(start).catch((err: unknown) => {
    signal({ type: 'failed', err });
    vanish();
  });

  return {
    gone,
    get session() {
      return over ? undefined : session;
    },
    get paired() {
      return session?.isPaired() ?? true;
    },
    get qrShown() {
      return qrShown;
    },
    get me() {
      return session?.me();
    },
    get unlinked() {
      return unlinked;
    },
    end(unlink) {
      if (ending || over) return;
      ending = { unlink };
      if (session) void finish(session, unlink);
    },
    abandon() {
      over = true;
      vanish();
    },
  };
}
