// Remembers the recent disconnects of one instance. The delay before the next attempt and the cause that is reported
// for the next disconnect depend on why the last connection ended and how many connections ended in a row.
import {
  CLOSE_CODE,
  type CloseContext,
  type DisconnectCause,
  type DisconnectOutcome,
  infoOf,
} from './disconnect-causes.ts';
import type { LifecycleEvent, State } from './state-machine.ts';

export interface Disconnect {
  cause: DisconnectCause;
  /** Close code of WhatsApp, or the code that fits best when the gateway ended the connection. */
  code: number;
}

/**
 * A connection that was open for this long is stable. The loss of a stable connection counts as the first loss. A loss
 * is a close that is followed by a retry.
 */
const STABLE_AFTER_MS = 30_000;
/**
 * Age up to which takeovers are counted together. In a takeover, WhatsApp closes the connection because the same device
 * has opened another one.
 */
const TAKEOVER_WINDOW_MS = 600_000;
/**
 * Maximum count of earlier losses when malformed data ends an open connection. The count determines the retry delay.
 * Other people can send such data, and must not be able to lengthen the delay.
 */
const MAX_LOSSES_AFTER_MALFORMED = 2;
/** The outcomes of a disconnect after which the instance connects again, at once or after a delay. */
const RECONNECTING_OUTCOMES: readonly DisconnectOutcome[] = ['connecting', 'backoff'];

export class DisconnectHistory {
  /**
   * Why the last connection ended. Null while a connection is open, after START or RESTART, and when STOP has canceled
   * the next attempt.
   */
  last: Disconnect | null = null;
  /** Number of losses since the connection was last stable. */
  #losses = 0;
  /** When the last connection opened, in epoch ms. */
  #openedAt: number | null = null;
  /** The last closes in a row with the same code. */
  #streak = { code: 0, length: 0 };
  /** Epoch ms of each recent takeover. */
  #takeovers: number[] = [];

  /** Records a close with `code` at `now` (epoch ms). The returned counts include this close. */
  recordClose(code: number, now: number): Pick<CloseContext, 'closesInARow' | 'takeovers'> {
    this.#streak = { code, length: this.#streak.code === code ? this.#streak.length + 1 : 1 };
    this.#takeovers = this.#takeovers.filter((at) => now - at < TAKEOVER_WINDOW_MS);
    if (code === CLOSE_CODE.connectionReplaced) this.#takeovers.push(now);
    return { closesInARow: this.#streak.length, takeovers: this.#takeovers.length };
  }

  /** Records a loss. Returns the number of earlier losses since the connection was last stable. */
  recordLoss(): number {
    this.#losses += 1;
    return this.#losses - 1;
  }

  /**
   * Records an event that occurs in the state `from` at `now` (epoch ms). Returns the new value of `last` when the
   * event says why a connection ends, else null.
   */
  recordEvent(event: LifecycleEvent, from: State, now: number): Disconnect | null {
    switch (event.type) {
      case 'START':
        this.#takeovers = [];
        this.#losses = 0;
        this.#streak.length = 0;
        this.last = null;
        return null;
      case 'RESTART':
        // Unlike START, RESTART keeps the number of losses, so that restarts do not shorten the retry delay.
        this.#takeovers = [];
        this.last = null;
        return null;
      case 'STOP':
        // The texts of causes with such an outcome say that another connection follows, which is wrong after STOP.
        if (this.last && RECONNECTING_OUTCOMES.includes(infoOf(this.last.cause).next)) this.last = null;
        return null;
      case 'OPEN':
        this.#openedAt = now;
        this.#streak.length = 0;
        this.last = null;
        return null;
      case 'CONNECT_TIMEOUT':
        return this.#setLast('transient', CLOSE_CODE.timedOut);
      case 'QR_LIMIT':
        return this.#setLast('qr_exhausted', CLOSE_CODE.connectionClosed);
      case 'LOGOUT':
        return this.#setLast('logout_requested', CLOSE_CODE.loggedOut);
      case 'CLOSED':
        if (from.phase === 'open' && this.#openedAt !== null && now - this.#openedAt >= STABLE_AFTER_MS) {
          this.#losses = 0;
        }
        if (from.phase === 'open' && event.cause === 'malformed') {
          this.#losses = Math.min(this.#losses, MAX_LOSSES_AFTER_MALFORMED);
        }
        return isRequestedClose(event.cause, from) ? null : this.#setLast(event.cause, event.code);
      default:
        return null;
    }
  }

  #setLast(cause: DisconnectCause, code: number): Disconnect {
    this.last = { cause, code };
    return this.last;
  }
}

/**
 * Whether the gateway requested the close. If WhatsApp logs the device out during the close, the close counts as
 * requested only when its goal is a logout or the deletion of the instance.
 */
function isRequestedClose(cause: DisconnectCause, from: State): boolean {
  if (from.phase !== 'closing') return false;
  return cause !== 'logged_out' || from.goal === 'logged_out' || from.goal === 'deleted';
}
