// What the past of one instance's connections says: why the last one ended, how often in a row. Informs people and delays, decides nothing.
import type { CloseContext, DisconnectReason } from './disconnect-reasons.ts';
import type { Event, State } from './state-machine.ts';

export interface Disconnect {
  cause: DisconnectReason;
  /** Platform close code, or the one that fits best when the gateway ended it. */
  code: number;
}

/** A connection that stayed open for so many ms makes the next loss a first one. */
const STABLE = 30_000;
/** ms for which it counts that another connection took over: a rival that comes back does so soon. */
const RIVALRY = 600_000;
/** Losses that count before a retry when a malformed frame ended an open connection: others can cause it, and must not lengthen the wait. */
const MALFORMED_LOSSES = 2;
/** The platform's code for that. */
const REPLACED = 440;

export class DisconnectHistory {
  /** Why the last connection ended; null once open or asked to start. */
  last: Disconnect | null = null;
  #losses = 0;
  #openedAt: number | null = null;
  #streak = { code: 0, length: 0 };
  /** When another connection took over, epoch ms. */
  #taken: number[] = [];

  /** How many closes with this code came in a row by `now` (epoch ms), and how often another connection took over lately, this one included. */
  closed(code: number, now: number): Pick<CloseContext, 'inARow' | 'taken'> {
    this.#streak = { code, length: this.#streak.code === code ? this.#streak.length + 1 : 1 };
    this.#taken = this.#taken.filter((at) => now - at < RIVALRY);
    if (code === REPLACED) this.#taken.push(now);
    return { inARow: this.#streak.length, taken: this.#taken.length };
  }

  /** Number of this loss since the connection was last stable, from 0. */
  loss(): number {
    this.#losses += 1;
    return this.#losses - 1;
  }

  /** Takes note of an event that changed the state from `from` at `now` (epoch ms). Returns the ending that it tells of, if any. */
  note(event: Event, from: State, now: number): Disconnect | null {
    switch (event.type) {
      case 'START':
        this.#taken = [];
        this.#losses = 0;
        this.#streak.length = 0;
        this.last = null;
        return null;
      case 'RESTART':
        this.#taken = [];
        this.last = null;
        return null;
      case 'OPEN':
        this.#openedAt = now;
        this.#streak.length = 0;
        this.last = null;
        return null;
      case 'CONNECT_TIMEOUT':
        return this.#end('transient', 408);
      case 'QR_LIMIT':
        return this.#end('qr_exhausted', 428);
      case 'LOGOUT':
        return this.#end('logout_requested', 401);
      case 'CLOSED':
        if (from.phase === 'open' && this.#openedAt !== null && now - this.#openedAt >= STABLE) this.#losses = 0;
        if (from.phase === 'open' && event.cause === 'malformed')
          this.#losses = Math.min(this.#losses, MALFORMED_LOSSES);
        return isOurs(event.cause, from) ? null : this.#end(event.cause, event.code);
      default:
        return null;
    }
  }

  #end(cause: DisconnectReason, code: number): Disconnect {
    this.last = { cause, code };
    return this.last;
  }
}

/** A socket that we end says nothing new, unless the platform used the moment to end the link. */
function isOurs(cause: DisconnectReason, from: State): boolean {
  if (from.phase !== 'closing') return false;
  return cause !== 'logged_out' || from.goal === 'logged_out' || from.goal === 'deleted';
}
