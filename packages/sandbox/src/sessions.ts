// The login sessions of each companion: when it was connected, and whether it was connected twice at a time.
import type { Clock } from './lib/clock.ts';
import type { Companion, Connection } from './model.ts';
import { pnJid } from './world.ts';

/** Sessions remembered per device. */
const MAX_SESSIONS = 100;

export interface Session {
  /** Epoch ms of the login and of the end; null: open. */
  from: number;
  to: number | null;
  /** Ended by a later login (440). */
  replaced: boolean;
}

export interface DeviceSessions {
  /** `PN:device@s.whatsapp.net` */
  jid: string;
  logins: number;
  /** Sessions ended by a later login. */
  replaced: number;
  /** Most that were logged in at one moment. A link that a fault has made a dead one (`freeze`) is no second one. */
  mostAtOnce: number;
  /** The last ones, oldest first. */
  sessions: Session[];
}

export class Sessions {
  readonly #clock: Clock;
  readonly #devices = new Map<string, DeviceSessions>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `before` is the connection that was closed in favour of the new one. */
  recordLogin(companion: Companion, before?: Connection): void {
    const device = this.#of(companion);
    const last = device.sessions.at(-1);
    if (before && last) {
      last.replaced = true;
      device.replaced += 1;
    }
    device.logins += 1;
    device.mostAtOnce = Math.max(device.mostAtOnce, before && !before.frozen ? 2 : 1);
    device.sessions.push({ from: this.#clock.now(), to: null, replaced: false });
    if (device.sessions.length > MAX_SESSIONS) device.sessions.shift();
  }

  recordLogout(companion: Companion): void {
    const last = this.#of(companion).sessions.at(-1);
    if (last) last.to ??= this.#clock.now();
  }

  /** Every device that ever logged in, in the order of their first logins. */
  all(): DeviceSessions[] {
    return [...this.#devices.values()];
  }

  get hadConcurrentLogins(): boolean {
    return this.all().some(({ mostAtOnce }) => mostAtOnce > 1);
  }

  #of({ account, device }: Companion): DeviceSessions {
    const jid = pnJid(account, device);
    const existing = this.#devices.get(jid) ?? { jid, logins: 0, replaced: 0, mostAtOnce: 0, sessions: [] };
    this.#devices.set(jid, existing);
    return existing;
  }
}
