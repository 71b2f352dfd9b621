// Restrictions of new chats, which WhatsApp imposes on accounts: time locks and quotas. Clients query them (xmlns
// `w:mex`, queries in JSON) and get notifications of changes. Messages of clients that would start a forbidden chat are
// refused; those of the account's phone are not.
import { type BinaryNode, QueryIds, XWAPaths } from '@whiskeysockets/baileys';
import { element, SERVER } from '../lib/binary-node.ts';
import type { Mailbox } from '../phone/mailbox.ts';
import type { Account, World } from '../world/model.ts';
import { queueKey } from '../world/world.ts';
import { type IqHandler, requestOf } from './router.ts';

/** An account must not start new chats until `until` (epoch seconds). */
export interface Lock {
  reason: string;
  until: number;
}

/** Maximum number of new chats of an account until `end` (epoch seconds), and the number of started ones. */
export interface Quota {
  total: number;
  used: number;
  end: number;
}

/** WhatsApp's error code for a message that would start a chat while a lock forbids it. */
const LOCKED = '463';
/** WhatsApp's error code for a message that would start a chat when the quota is used. */
const QUOTA_USED = '475';

/** A quota and the people whose chats count against it. */
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
    const state = lockData(this.#lockOf(account));
    this.#notify(account, 'NotificationUserReachoutTimelockUpdate', { xwa2_notify_account_reachout_timelock: state });
  }

  /** Sets the quota of an account; undefined removes it. Notifies the account's clients. */
  setQuota(number: string, quota: Quota | undefined): void {
    const account = this.#world.account(number);
    if (quota) this.#quotas.set(account, { quota: { ...quota }, people: new Set() });
    else this.#quotas.delete(account);
    this.#notifyQuota(account);
  }

  /** Returns the restrictions of an account that have not ended. */
  get(number: string): { lock: Lock | null; quota: Quota | null } {
    const account = this.#world.account(number);
    return { lock: this.#lockOf(account) ?? null, quota: this.#quotaOf(account) ?? null };
  }

  /**
   * Returns the error code with which WhatsApp refuses a direct message of a client of `sender`; undefined for an
   * accepted message. An accepted message that starts a chat counts against the quota. A chat is new until the other
   * person has written to `sender`: with that message, the person's devices give `sender` the privacy token that
   * WhatsApp requires. `mailbox` is that of the phone of `sender`. A message that the mailbox contains already is a
   * repeated one and is accepted.
   */
  admit(sender: Account, mailbox: Mailbox, { attrs }: BinaryNode): string | undefined {
    const { id = '', to = '', recipient = to } = attrs;
    const person = this.#world.byJid(recipient);
    const lock = this.#lockOf(sender);
    const quotaRecord = this.#quotaRecordOf(sender);
    if ((!lock && !quotaRecord) || !person || person === sender) return undefined;
    if (mailbox.hasReceivedFrom(person.number) || mailbox.findSent(person.number, id)) return undefined;
    if (lock) return LOCKED;
    if (!quotaRecord) return undefined;
    const { quota, people } = quotaRecord;
    if (isUsed(quota)) return QUOTA_USED;
    if (!people.has(person)) {
      people.add(person);
      quota.used++;
      if (isUsed(quota)) this.#notifyQuota(sender);
    }
    return undefined;
  }

  /** Answers `w:mex` queries about the lock or the quota of an account; undefined for other queries. */
  readonly handleQuery: IqHandler = ({ account }, iq) => {
    switch (requestOf(iq)?.attrs.query_id) {
      case QueryIds.REACHOUT_TIMELOCK:
        return jsonAnswer({ [XWAPaths.xwa2_fetch_account_reachout_timelock]: lockData(this.#lockOf(account)) });
      case QueryIds.MESSAGE_CAPPING_INFO:
        return jsonAnswer({ [XWAPaths.xwa2_message_capping_info]: quotaData(this.#quotaOf(account)) });
      default:
        return undefined;
    }
  };

  #lockOf(account: Account): Lock | undefined {
    const lock = this.#locks.get(account);
    return lock && lock.until > this.#world.now() ? lock : undefined;
  }

  #quotaRecordOf(account: Account): QuotaRecord | undefined {
    const record = this.#quotas.get(account);
    return record && record.quota.end > this.#world.now() ? record : undefined;
  }

  #quotaOf(account: Account): Quota | undefined {
    return this.#quotaRecordOf(account)?.quota;
  }

  #notifyQuota(account: Account): void {
    const state = { xwa2_notify_new_chat_messages_capping_info_update: quotaData(this.#quotaOf(account)) };
    this.#notify(account, 'MessageCappingInfoNotification', state);
  }

  #notify(account: Account, operation: string, data: object): void {
    for (const companion of account.companions.values()) {
      const attrs = { id: this.#world.id(), from: SERVER, type: 'mex', t: String(this.#world.now()) };
      const update = element('update', { op_name: operation }, JSON.stringify({ data }));
      this.#world.deliver(companion, queueKey('notification', attrs), element('notification', attrs, [update]));
    }
  }
}

const jsonAnswer = (data: object) => ({ content: [element('result', {}, JSON.stringify({ data }))] });

const isUsed = ({ total, used }: Quota) => used >= total;

const lockData = (lock: Lock | undefined) => ({
  is_active: lock !== undefined,
  time_enforcement_ends: String(lock?.until ?? 0),
  enforcement_type: lock?.reason ?? 'DEFAULT',
});

const quotaData = (quota: Quota | undefined) =>
  quota
    ? {
        capping_status: isUsed(quota) ? 'CAPPED' : 'NONE',
        total_quota: quota.total,
        used_quota: quota.used,
        cycle_end_timestamp: String(quota.end),
      }
    : { capping_status: 'NONE' };
