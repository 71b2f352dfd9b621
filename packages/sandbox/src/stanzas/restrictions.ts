// WhatsApp's restrictions on starting new chats: locks until a time, and quotas. The clients of an account (its linked
// devices, the companions) query the restrictions (xmlns `w:mex`, queries in JSON) and get notifications of changes. A
// client's message that would start a forbidden chat is refused. The account's phone is not restricted.
import { type BinaryNode, QueryIds, XWAPaths } from '@whiskeysockets/baileys';
import { element, SERVER } from '../lib/binary-node.ts';
import type { Mailbox } from '../phone/mailbox.ts';
import type { Account, World } from '../world/model.ts';
import { queueKey } from '../world/world.ts';
import { type IqHandler, requestOf } from './router.ts';

/** Forbids an account to start new chats. */
export interface Lock {
  /** WhatsApp's term, which clients get as `enforcement_type`. */
  reason: string;
  /** End of the lock, epoch seconds. */
  until: number;
}

/** Limits the number of chats that an account can start. */
export interface Quota {
  /** Maximum number of new chats until `end`. */
  total: number;
  /** Number of new chats that the account has started. */
  used: number;
  /** End of the quota, epoch seconds. */
  end: number;
}

/** WhatsApp's error code for a message that would start a chat while a lock forbids it. */
const LOCKED = '463';
/** WhatsApp's error code for a message that would start a chat when the quota is used up. */
const QUOTA_USED_UP = '475';

/** A quota, and the people whose chats were counted in `quota.used`. */
interface QuotaRecord {
  quota: Quota;
  people: Set<Account>;
}

export class Restrictions {
  readonly #world: World;
  readonly #locks = new Map<Account, Lock>();
  readonly #quotas = new Map<Account, QuotaRecord>();

  constructor(world: World) {
    this.#world = world;
  }

  /** Sets the lock of an account; undefined removes it. Notifies the account's clients unless `isSilent` is true. */
  setLock(number: string, lock: Lock | undefined, { isSilent = false } = {}): void {
    const account = this.#world.account(number);
    if (lock) this.#locks.set(account, lock);
    else this.#locks.delete(account);
    if (isSilent) return;
    const state = lockData(this.#activeLockOf(account));
    this.#notify(account, 'NotificationUserReachoutTimelockUpdate', { xwa2_notify_account_reachout_timelock: state });
  }

  /** Sets the quota of an account; undefined removes it. Notifies the account's clients. */
  setQuota(number: string, quota: Quota | undefined): void {
    const account = this.#world.account(number);
    if (quota) this.#quotas.set(account, { quota: { ...quota }, people: new Set() });
    else this.#quotas.delete(account);
    this.#notifyQuota(account);
  }

  /** Returns the lock and the quota of an account; null for one that was not set or has ended. */
  get(number: string): { lock: Lock | null; quota: Quota | null } {
    const account = this.#world.account(number);
    return { lock: this.#activeLockOf(account) ?? null, quota: this.#activeQuotaOf(account) ?? null };
  }

  /**
   * Decides whether a direct message of a client of `sender` is accepted. Returns WhatsApp's error code for a refused
   * message, and undefined for an accepted one. Only a message of a new chat can be refused. A chat is new until the
   * other person has written to `sender`, because the message of the other person brings the privacy token that
   * WhatsApp requires of `sender`. The first accepted message of a new chat counts against the quota. `mailbox`
   * contains the messages of the sender's phone. A message that is already in `mailbox` is a repetition and is
   * accepted.
   */
  admit(sender: Account, mailbox: Mailbox, { attrs }: BinaryNode): string | undefined {
    // A message that is repeated for another device of the sender has this device in `to` and the chat in `recipient`.
    const { id = '', to = '', recipient = to } = attrs;
    const person = this.#world.byJid(recipient);
    const lock = this.#activeLockOf(sender);
    const quotaRecord = this.#activeQuotaRecordOf(sender);
    if ((!lock && !quotaRecord) || !person || person === sender) return undefined;
    if (mailbox.hasReceivedFrom(person.number) || mailbox.findSent(person.number, id)) return undefined;
    if (lock) return LOCKED;
    if (!quotaRecord) return undefined;
    const { quota, people } = quotaRecord;
    if (isUsedUp(quota)) return QUOTA_USED_UP;
    if (!people.has(person)) {
      people.add(person);
      quota.used++;
      if (isUsedUp(quota)) this.#notifyQuota(sender);
    }
    return undefined;
  }

  /** Answers `w:mex` queries about the lock or the quota of the client's account; undefined for other queries. */
  readonly handleQuery: IqHandler = ({ account }, iq) => {
    switch (requestOf(iq)?.attrs.query_id) {
      case QueryIds.REACHOUT_TIMELOCK:
        return jsonAnswer({ [XWAPaths.xwa2_fetch_account_reachout_timelock]: lockData(this.#activeLockOf(account)) });
      case QueryIds.MESSAGE_CAPPING_INFO:
        return jsonAnswer({ [XWAPaths.xwa2_message_capping_info]: quotaData(this.#activeQuotaOf(account)) });
      default:
        return undefined;
    }
  };

  #activeLockOf(account: Account): Lock | undefined {
    const lock = this.#locks.get(account);
    return lock && lock.until > this.#world.now() ? lock : undefined;
  }

  #activeQuotaRecordOf(account: Account): QuotaRecord | undefined {
    const record = this.#quotas.get(account);
    return record && record.quota.end > this.#world.now() ? record : undefined;
  }

  #activeQuotaOf(account: Account): Quota | undefined {
    return this.#activeQuotaRecordOf(account)?.quota;
  }

  #notifyQuota(account: Account): void {
    const state = { xwa2_notify_new_chat_messages_capping_info_update: quotaData(this.#activeQuotaOf(account)) };
    this.#notify(account, 'MessageCappingInfoNotification', state);
  }

  #notify(account: Account, operation: string, data: object): void {
    for (const companion of account.companions.values()) {
      const attrs = { id: this.#world.nextId(), from: SERVER, type: 'mex', t: String(this.#world.now()) };
      const update = element('update', { op_name: operation }, JSON.stringify({ data }));
      this.#world.deliver(companion, queueKey('notification', attrs), element('notification', attrs, [update]));
    }
  }
}

const jsonAnswer = (data: object) => ({ content: [element('result', {}, JSON.stringify({ data }))] });

const isUsedUp = ({ total, used }: Quota) => used >= total;

const lockData = (lock: Lock | undefined) => ({
  is_active: lock !== undefined,
  time_enforcement_ends: String(lock?.until ?? 0),
  enforcement_type: lock?.reason ?? 'DEFAULT',
});

const quotaData = (quota: Quota | undefined) =>
  quota
    ? {
        capping_status: isUsedUp(quota) ? 'CAPPED' : 'NONE',
        total_quota: quota.total,
        used_quota: quota.used,
        cycle_end_timestamp: String(quota.end),
      }
    : { capping_status: 'NONE' };
