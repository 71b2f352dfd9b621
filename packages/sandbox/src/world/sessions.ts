// Records the login sessions of each linked device: when it was connected, and whether it ever had two connections at
// once.
import type { Clock } from '../lib/clock.ts';
import type { Companion, Connection } from './model.ts';
import { pnJid } from './world.ts';

/** Maximum number of recorded sessions per device. */
const MAX_SESSIONS = 100;

export interface Session {
  /** Epoch ms of the login. */
  from: number;
  /** Epoch ms of the end; null while the session is open. */
  to: number | null;
  /** Whether a later login of the device ended the session. */
  replaced: boolean;
}

export interface DeviceSessions {
  /** `PN:device@s.whatsapp.net` */
  jid: string;
  logins: number;
  /** Number of sessions that a later login ended. */
  replaced: number;
  /**
   * Maximum number of simultaneous connections, without those that a `freeze` fault cut off: their clients could not
   * notice that another login replaced them.
   */
  mostAtOnce: number;
  /** The last sessions, oldest first. */
  sessions: Session[];
}

export class Sessions {
  readonly #clock: Clock;
  /** By JID. */
  readonly #devices = new Map<string, DeviceSessions>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Starts a session. `previous` is the connection that this login has replaced and closed. */
  recordLogin(companion: Companion, previous?: Connection): void {
    const device = this.#sessionsOf(companion);
    const last = device.sessions.at(-1);
    if (previous && last) {
      last.replaced = true;
      device.replaced += 1;
    }
    device.logins += 1;
    device.mostAtOnce = Math.max(device.mostAtOnce, previous && !previous.frozen ? 2 : 1);
    device.sessions.push({ from: this.#clock.now(), to: null, replaced: false });
    if (device.sessions.length > MAX_SESSIONS) device.sessions.shift();
  }

  /** Ends the last session. */
  recordLogout(companion: Companion): void {
    const last = this.#sessionsOf(companion).sessions.at(-1);
    if (last) last.to ??= this.#clock.now();
  }

  /** Every device that ever logged in, in the order of their first logins. */
  all(): DeviceSessions[] {
    return [...this.#devices.values()];
  }

  /** True once a client logged in while its previous connection was still open. */
  get hadConcurrentLogins(): boolean {
    return this.all().some(({ mostAtOnce }) => mostAtOnce > 1);
  }

  #sessionsOf({ account, device }: Companion): DeviceSessions {
    const jid = pnJid(account, device);
    const existing = this.#devices.get(jid) ?? { jid, logins: 0, replaced: 0, mostAtOnce: 0, sessions: [] };
    this.#devices.set(jid, existing);
    return existing;
  }
}
