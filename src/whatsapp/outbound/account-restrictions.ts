// Restrictions of the account: a temporary lock of new chats, or a quota of them. Reports and query answers of WhatsApp
// are stored with the account's keys. A change becomes the event instance.restricted.
import { isDeepStrictEqual } from 'node:util';
import type { DomainEvent } from '../../events/events.ts';
import { toEpochMilliseconds, toEpochSeconds, toWholeNumber } from '../../lib/whole-number.ts';
import type { AuthState } from '../baileys/auth/auth-state.ts';
import type { ConnectionState, NewChatMessageCapInfo, Socket } from '../baileys/types.ts';
import type { Restriction, Session, SessionRestrictions } from '../session.ts';

type Restricted = Extract<DomainEvent, { type: 'instance.restricted' }>;

/** Key type of the rows. It keeps its name because stored rows have it. */
const KEY_TYPE = 'standing';
/** Minimum milliseconds between queries, because each message of a campaign can be refused. */
const QUERY_INTERVAL = 60_000;
/** Reasons of WhatsApp that mean "not restricted". */
const NO_RESTRICTION = ['NONE', 'DEFAULT'];

type RestrictionSocket = Pick<Socket, 'ev' | 'fetchAccountReachoutTimelock' | 'fetchNewChatMessageCap'>;

export class AccountRestrictions implements SessionRestrictions {
  readonly #auth: Pick<AuthState, 'set'>;
  readonly #isGuarded: boolean;
  /** The last report of each kind, including those of earlier sessions. */
  readonly #reported: Map<string, Restricted>;
  #socket: RestrictionSocket | undefined;
  #session: Session | undefined;
  #query: Promise<void> | undefined;
  #queriedAt = Number.NEGATIVE_INFINITY;
  #isAnswered = false;

  private constructor(auth: Pick<AuthState, 'set'>, isGuarded: boolean, reported: Map<string, Restricted>) {
    this.#auth = auth;
    this.#isGuarded = isGuarded;
    this.#reported = reported;
  }

  /**
   * Reads the stored reports. `isGuarded`: refuse messages to new contacts while the account is restricted
   * (RESTRICTION_GUARD).
   */
  static async open(auth: Pick<AuthState, 'all' | 'set'>, isGuarded: boolean): Promise<AccountRestrictions> {
    const rows = await auth.all(KEY_TYPE);
    const reported = [...rows].map(([kind, bytes]): [string, Restricted] => [
      kind,
      JSON.parse(Buffer.from(bytes).toString()),
    ]);
    return new AccountRestrictions(auth, isGuarded, new Map(reported));
  }

  /** Listens to the reports of WhatsApp until the session ends. */
  listen(socket: RestrictionSocket, session: Session): void {
    this.#socket = socket;
    this.#session = session;
    socket.ev.on('connection.update', ({ reachoutTimeLock }) => {
      if (reachoutTimeLock) this.#onReport(fromTimeLock(reachoutTimeLock));
    });
    socket.ev.on('message-capping.update', (info) => this.#onReport(fromCap(info)));
  }

  /** Returns the current state, or undefined when WhatsApp has never reported any. */
  current(now = Date.now()): Restriction | undefined {
    const active = this.#active(now);
    const cap = this.#reported.get('new_chats_capped');
    const report = active ?? this.#reported.get('new_chats_locked') ?? cap;
    if (!report) return undefined;
    const quota = cap?.quota && { newChatQuota: { ...cap.quota, until: cap.until ?? null } };
    return { restricted: active !== undefined, reason: report.reason, until: active?.until ?? null, ...quota };
  }

  /**
   * Returns the restriction that forbids messages to new contacts now. Undefined when there is none or the guard is
   * off.
   */
  newChatRestriction(now = Date.now()): Restricted | undefined {
    return this.#isGuarded ? this.#active(now) : undefined;
  }

  /**
   * Returns whether the account is restricted, after a query unless one was made recently. Undefined when WhatsApp does
   * not answer.
   */
  async isRestricted(): Promise<boolean | undefined> {
    await this.refresh(QUERY_INTERVAL);
    return this.#active(Date.now()) ? true : this.#isAnswered ? false : undefined;
  }

  /**
   * Queries WhatsApp unless the last query is less than `age` ms old. Resolves when no query is running. Never rejects.
   */
  refresh(age: number): Promise<void> {
    const socket = this.#socket;
    if (this.#query) return this.#query;
    if (!socket || performance.now() - this.#queriedAt < age) return Promise.resolve();
    this.#queriedAt = performance.now();
    const lock = socket.fetchAccountReachoutTimelock().then((answer) => this.#onReport(fromTimeLock(answer)));
    const cap = socket.fetchNewChatMessageCap().then((answer) => this.#onReport(fromCap(answer)));
    this.#query = Promise.allSettled([lock, cap]).then(([answer]) => {
      this.#query = undefined;
      this.#isAnswered = answer.status === 'fulfilled';
      if (!this.#isAnswered) this.#session?.log.debug('restriction.query.failed');
    });
    return this.#query;
  }

  #active(now: number): Restricted | undefined {
    const all = [...this.#reported.values()];
    return all.find(({ restricted, until }) => restricted && (until === undefined || until > now));
  }

  #onReport(event: Restricted): void {
    const session = this.#session;
    const { kind, restricted, reason } = event;
    const last = this.#reported.get(kind);
    if (!session || session.ended.aborted || isDeepStrictEqual(last, event)) return;
    this.#reported.set(kind, event);
    // Baileys does not know this key type and does not handle these rows. A failed write ends the session.
    const write: object = { [KEY_TYPE]: { [kind]: event } };
    this.#auth.set(write).catch(() => undefined);
    // A first report without a restriction changes nothing.
    if (!last && !restricted && NO_RESTRICTION.includes(reason)) return;
    if (restricted) session.log.warn({ kind, reason }, 'instance.restricted');
    session.ingest([event]).catch(() => undefined);
  }
}

export function fromTimeLock(lock: NonNullable<ConnectionState['reachoutTimeLock']>): Restricted {
  const { isActive, timeEnforcementEnds, enforcementType = 'DEFAULT' } = lock;
  const restricted = isActive === true;
  const until = toEpochMilliseconds(timeEnforcementEnds?.getTime());
  return {
    type: 'instance.restricted',
    kind: 'new_chats_locked',
    restricted,
    reason: enforcementType,
    ...(restricted && until !== undefined ? { until } : {}),
  };
}

/** The times of a cap are seconds as text. */
export function fromCap(info: NewChatMessageCapInfo): Restricted {
  const { capping_status: status = 'NONE' } = info;
  const [total, used] = [toWholeNumber(info.total_quota), toWholeNumber(info.used_quota)];
  const restricted = status === 'CAPPED';
  const end = toEpochSeconds(info.cycle_end_timestamp) ?? 0;
  return {
    type: 'instance.restricted',
    kind: 'new_chats_capped',
    restricted,
    reason: status,
    ...(end > 0 ? { until: end * 1000 } : {}),
    ...(total === undefined || used === undefined ? {} : { quota: { total, used } }),
  };
}
