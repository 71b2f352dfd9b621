// Where the account stands with the platform: it may be locked out of new chats for a time, or be at the end of a quota of them. What the
// platform says of that, unasked or asked, is kept with the account's keys and becomes instance.restricted when it is news.
import { isDeepStrictEqual } from 'node:util';
import type { DomainEvent } from '../../events/events.ts';
import { toEpochMilliseconds, toEpochSeconds, toWholeNumber } from '../../lib/whole-number.ts';
import type { AuthState } from '../baileys/auth/auth-state.ts';
import type { ConnectionState, NewChatMessageCapInfo, Socket } from '../baileys/types.ts';
import type { Restriction, Session, SessionRestrictions } from '../session.ts';

type Restricted = Extract<DomainEvent, { type: 'instance.restricted' }>;

/** The type of its rows among the keys of the instance. */
const keyType = 'standing';
/** ms between questions: a campaign is refused message by message. */
const askAgainAfter = 60_000;
/** The platform's words for nothing. */
const nothing = ['NONE', 'DEFAULT'];

type Asked = Pick<Socket, 'ev' | 'fetchAccountReachoutTimelock' | 'fetchNewChatMessageCap'>;

export class AccountRestrictions implements SessionRestrictions {
  readonly #auth: Pick<AuthState, 'set'>;
  readonly #guards: boolean;
  /** What the platform said last of each kind, also to earlier sessions. */
  readonly #said: Map<string, Restricted>;
  #socket: Asked | undefined;
  #session: Session | undefined;
  #asking: Promise<void> | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;
  #isAnswered = false;

  private constructor(auth: Pick<AuthState, 'set'>, guards: boolean, said: Map<string, Restricted>) {
    this.#auth = auth;
    this.#guards = guards;
    this.#said = said;
  }

  /** Reads what is known. `guards`: whether messages to strangers are refused while the account may not write to them. */
  static async open(auth: Pick<AuthState, 'all' | 'set'>, guards: boolean): Promise<AccountRestrictions> {
    const known = await auth.all(keyType);
    const said = [...known].map(([kind, bytes]): [string, Restricted] => [
      kind,
      JSON.parse(Buffer.from(bytes).toString()),
    ]);
    return new AccountRestrictions(auth, guards, new Map(said));
  }

  /** Listens until the session ends. */
  follow(socket: Asked, session: Session): void {
    this.#socket = socket;
    this.#session = session;
    socket.ev.on('connection.update', ({ reachoutTimeLock }) => {
      if (reachoutTimeLock) this.#hear(fromTimeLock(reachoutTimeLock));
    });
    socket.ev.on('message-capping.update', (info) => this.#hear(fromCap(info)));
  }

  /** Undefined when the platform never said anything. */
  current(now = Date.now()): Restriction | undefined {
    const held = this.#held(now);
    const cap = this.#said.get('new_chats_capped');
    const shown = held ?? this.#said.get('new_chats_locked') ?? cap;
    if (!shown) return undefined;
    const quota = cap?.quota && { newChatQuota: { ...cap.quota, until: cap.until ?? null } };
    return { restricted: held !== undefined, reason: shown.reason, until: held?.until ?? null, ...quota };
  }

  /** What forbids to write to strangers now, if messages to them are to be refused for it. */
  forbids(now = Date.now()): Restricted | undefined {
    return this.#guards ? this.#held(now) : undefined;
  }

  /** Whether the account is restricted, asked again if that was not lately; undefined when the platform does not say. */
  async isRestricted(): Promise<boolean | undefined> {
    await this.ask(askAgainAfter);
    return this.#held(Date.now()) ? true : this.#isAnswered ? false : undefined;
  }

  /** Asks unless that was less than `age` ms ago. Resolves when there is nothing to wait for any more; never rejects. */
  ask(age: number): Promise<void> {
    const socket = this.#socket;
    if (this.#asking) return this.#asking;
    if (!socket || performance.now() - this.#askedAt < age) return Promise.resolve();
    this.#askedAt = performance.now();
    const lock = socket.fetchAccountReachoutTimelock().then((answer) => this.#hear(fromTimeLock(answer)));
    const cap = socket.fetchNewChatMessageCap().then((answer) => this.#hear(fromCap(answer)));
    this.#asking = Promise.allSettled([lock, cap]).then(([answer]) => {
      this.#asking = undefined;
      this.#isAnswered = answer.status === 'fulfilled';
      if (!this.#isAnswered) this.#session?.log.debug('restriction.question.failed');
    });
    return this.#asking;
  }

  #held(now: number): Restricted | undefined {
    const all = [...this.#said.values()];
    return all.find(({ restricted, until }) => restricted && (until === undefined || until > now));
  }

  #hear(event: Restricted): void {
    const session = this.#session;
    const { kind, restricted, reason } = event;
    const last = this.#said.get(kind);
    if (!session || session.ended.aborted || isDeepStrictEqual(last, event)) return;
    this.#said.set(kind, event);
    // Baileys has no such type of key, and none of this passes through it. A failure has ended the session.
    const write: object = { [keyType]: { [kind]: event } };
    this.#auth.set(write).catch(() => undefined);
    // That all is well is no news to those who never heard otherwise.
    if (!last && !restricted && nothing.includes(reason)) return;
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

/** Times of a cap are seconds as text. */
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
