// Restrictions of new chats, which WhatsApp imposes on accounts: time locks and quotas. Clients query them (xmlns
// `w:mex`, queries in JSON) and get notifications of changes. The sandbox does not enforce them.
import { QueryIds, XWAPaths } from '@whiskeysockets/baileys';
import { element, SERVER } from '../lib/binary-node.ts';
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

export class Restrictions {
  readonly #world: World;
  readonly #locks = new Map<Account, Lock>();
  readonly #quotas = new Map<Account, Quota>();

  constructor(world: World) {
    this.#world = world;
  }

  /** Sets the lock of an account; undefined removes it. Notifies the account's clients unless `isSilent` is true. */
  setLock(number: string, lock: Lock | undefined, { isSilent = false } = {}): void {
    const account = this.#world.account(number);
    if (lock) this.#locks.set(account, lock);
    else this.#locks.delete(account);
    if (isSilent) return;
    const state = lockData(lock);
    this.#notify(account, 'NotificationUserReachoutTimelockUpdate', { xwa2_notify_account_reachout_timelock: state });
  }

  /** Sets the quota of an account; undefined removes it. Notifies the account's clients. */
  setQuota(number: string, quota: Quota | undefined): void {
    const account = this.#world.account(number);
    if (quota) this.#quotas.set(account, quota);
    else this.#quotas.delete(account);
    const state = { xwa2_notify_new_chat_messages_capping_info_update: quotaData(quota) };
    this.#notify(account, 'MessageCappingInfoNotification', state);
  }

  /** Returns the restrictions of an account. */
  get(number: string): { lock: Lock | null; quota: Quota | null } {
    const account = this.#world.account(number);
    return { lock: this.#locks.get(account) ?? null, quota: this.#quotas.get(account) ?? null };
  }

  /** Answers `w:mex` queries about restrictions in JSON; undefined for other queries. */
  readonly handleQuery: IqHandler = ({ account }, iq) => {
    switch (requestOf(iq)?.attrs.query_id) {
      case QueryIds.REACHOUT_TIMELOCK:
        return answer({ [XWAPaths.xwa2_fetch_account_reachout_timelock]: lockData(this.#locks.get(account)) });
      case QueryIds.MESSAGE_CAPPING_INFO:
        return answer({ [XWAPaths.xwa2_message_capping_info]: quotaData(this.#quotas.get(account)) });
      default:
        return undefined;
    }
  };

  #notify(account: Account, operation: string, data: object): void {
    for (const companion of account.companions.values()) {
      const attrs = { id: this.#world.id(), from: SERVER, type: 'mex', t: String(this.#world.now()) };
      const update = element('update', { op_name: operation }, JSON.stringify({ data }));
      this.#world.deliver(companion, queueKey('notification', attrs), element('notification', attrs, [update]));
    }
  }
}

const answer = (data: object) => ({ content: [element('result', {}, JSON.stringify({ data }))] });

const lockData = (lock: Lock | undefined) => ({
  is_active: lock !== undefined,
  time_enforcement_ends: String(lock?.until ?? 0),
  enforcement_type: lock?.reason ?? 'DEFAULT',
});

const quotaData = (quota: Quota | undefined) =>
  quota
    ? {
        capping_status: quota.used >= quota.total ? 'CAPPED' : 'NONE',
        total_quota: quota.total,
        used_quota: quota.used,
        cycle_end_timestamp: String(quota.end),
      }
    : { capping_status: 'NONE' };
