// Tracks the restrictions that WhatsApp puts on an account: a temporary ban on new chats (`new_chats_locked`) and a
// quota of new chats (`new_chats_capped`). The latest state of each kind is stored with the account's keys. A change is
// published as the event instance.restricted. Decision D-060.
import { isDeepStrictEqual } from 'node:util';
import type { DomainEvent } from '../../events/events.ts';
import { toEpochMilliseconds, toEpochSeconds, toWholeNumber } from '../../lib/whole-number.ts';
import type { AuthState } from '../baileys/auth/auth-state.ts';
import type { ConnectionState, NewChatMessageCapInfo, Socket } from '../baileys/types.ts';
import type { Restriction, Session, SessionRestrictions } from '../session.ts';

type RestrictedEvent = Extract<DomainEvent, { type: 'instance.restricted' }>;

/** Key type of the stored rows. The value must not change, because existing databases contain it. */
const KEY_TYPE = 'standing';
/** Minimum time between two queries by isRestricted(), which can run after every refused message. */
const QUERY_INTERVAL_MS = 60_000;
/** Reason codes without information. A first state with one of them is published only if the account is restricted. */
const INITIAL_REASONS = ['NONE', 'DEFAULT'];

type RestrictionSocket = Pick<Socket, 'ev' | 'fetchAccountReachoutTimelock' | 'fetchNewChatMessageCap'>;

export class AccountRestrictions implements SessionRestrictions {
  readonly #auth: Pick<AuthState, 'set'>;
  readonly #isGuardEnabled: boolean;
  /** The latest state of each kind. It can come from an earlier session. */
  readonly #latest: Map<string, RestrictedEvent>;
  #socket: RestrictionSocket | undefined;
  #session: Session | undefined;
  /** The query in progress. */
  #query: Promise<void> | undefined;
  /** Start of the last query, by performance.now(). */
  #queriedAt = Number.NEGATIVE_INFINITY;
  /** True when WhatsApp answered the last query for the temporary ban. */
  #isBanKnown = false;

  private constructor(auth: Pick<AuthState, 'set'>, isGuardEnabled: boolean, latest: Map<string, RestrictedEvent>) {
    this.#auth = auth;
    this.#isGuardEnabled = isGuardEnabled;
    this.#latest = latest;
  }

  /**
   * Reads the stored states. `isGuardEnabled` is the setting RESTRICTION_GUARD: whether the gateway refuses messages to
   * new contacts while a restriction is active.
   */
  static async open(auth: Pick<AuthState, 'readAll' | 'set'>, isGuardEnabled: boolean): Promise<AccountRestrictions> {
    const rows = await auth.readAll(KEY_TYPE);
    const latest = [...rows].map(([kind, bytes]): [string, RestrictedEvent] => [
      kind,
      JSON.parse(Buffer.from(bytes).toString()),
    ]);
    return new AccountRestrictions(auth, isGuardEnabled, new Map(latest));
  }

  /** Processes the states that WhatsApp sends, until the session ends. */
  listen(socket: RestrictionSocket, session: Session): void {
    this.#socket = socket;
    this.#session = session;
    socket.ev.on('connection.update', ({ reachoutTimeLock }) => {
      if (reachoutTimeLock) this.#update(fromTimeLock(reachoutTimeLock));
    });
    socket.ev.on('message-capping.update', (info) => this.#update(fromNewChatCap(info)));
  }

  /** Returns the state for the API, or undefined when WhatsApp has never sent one. `now` is in epoch ms. */
  current(now = Date.now()): Restriction | undefined {
    const active = this.#findActiveRestriction(now);
    const cap = this.#latest.get('new_chats_capped');
    // Without an active restriction, the reason is that of the ban, or else that of the quota.
    const state = active ?? this.#latest.get('new_chats_locked') ?? cap;
    if (!state) return undefined;
    const quota = cap?.quota && { newChatQuota: { ...cap.quota, until: cap.until ?? null } };
    return { restricted: active !== undefined, reason: state.reason, until: active?.until ?? null, ...quota };
  }

  /**
   * Returns the active restriction when messages to new contacts must be refused. Returns undefined when no restriction
   * is active or the guard is disabled.
   */
  newChatRestriction(now = Date.now()): RestrictedEvent | undefined {
    return this.#isGuardEnabled ? this.#findActiveRestriction(now) : undefined;
  }

  /**
   * Resolves with true when a restriction is active. Queries WhatsApp first, unless the last query is less than a
   * minute old. Resolves with undefined when no active restriction is known and WhatsApp did not answer the last query
   * for the ban.
   */
  async isRestricted(): Promise<boolean | undefined> {
    await this.refresh(QUERY_INTERVAL_MS);
    if (this.#findActiveRestriction(Date.now())) return true;
    return this.#isBanKnown ? false : undefined;
  }

  /** Queries WhatsApp unless the last query is less than `maxAgeMs` old. Joins a running query. Never rejects. */
  refresh(maxAgeMs: number): Promise<void> {
    const socket = this.#socket;
    if (this.#query) return this.#query;
    if (!socket || performance.now() - this.#queriedAt < maxAgeMs) return Promise.resolve();
    this.#queriedAt = performance.now();
    const lock = socket.fetchAccountReachoutTimelock().then((answer) => this.#update(fromTimeLock(answer)));
    const cap = socket.fetchNewChatMessageCap().then((answer) => this.#update(fromNewChatCap(answer)));
    this.#query = Promise.allSettled([lock, cap]).then(([lockResult]) => {
      this.#query = undefined;
      this.#isBanKnown = lockResult.status === 'fulfilled';
      if (!this.#isBanKnown) this.#session?.log.debug('restriction.query.failed');
    });
    return this.#query;
  }

  #findActiveRestriction(now: number): RestrictedEvent | undefined {
    const states = [...this.#latest.values()];
    return states.find(({ restricted, until }) => restricted && (until === undefined || until > now));
  }

  /** Stores and publishes a state that differs from the latest one of its kind. */
  #update(event: RestrictedEvent): void {
    const session = this.#session;
    const { kind, restricted, reason } = event;
    const previous = this.#latest.get(kind);
    if (!session || session.ended.aborted || isDeepStrictEqual(previous, event)) return;
    this.#latest.set(kind, event);
    // The type `object` is needed because Baileys' types do not contain this key type.
    const rows: object = { [KEY_TYPE]: { [kind]: event } };
    // A rejection is ignored here, because a failed write ends the session.
    this.#auth.set(rows).catch(() => undefined);
    // The first report that there is no restriction is not a change.
    if (!previous && !restricted && INITIAL_REASONS.includes(reason)) return;
    if (restricted) session.log.warn({ kind, reason }, 'instance.restricted');
    session.ingest([event]).catch(() => undefined);
  }
}

/** Converts a ban on new chats, which WhatsApp calls a reachout time lock. */
export function fromTimeLock(lock: NonNullable<ConnectionState['reachoutTimeLock']>): RestrictedEvent {
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

/** Converts a quota of new chats. WhatsApp sends the numbers and the end (epoch seconds) of the quota as text. */
export function fromNewChatCap(info: NewChatMessageCapInfo): RestrictedEvent {
  const { capping_status: status = 'NONE' } = info;
  const total = toWholeNumber(info.total_quota);
  const used = toWholeNumber(info.used_quota);
  const restricted = status === 'CAPPED';
  const endSeconds = toEpochSeconds(info.cycle_end_timestamp) ?? 0;
  return {
    type: 'instance.restricted',
    kind: 'new_chats_capped',
    restricted,
    reason: status,
    ...(endSeconds > 0 ? { until: endSeconds * 1000 } : {}),
    ...(total === undefined || used === undefined ? {} : { quota: { total, used } }),
  };
}
