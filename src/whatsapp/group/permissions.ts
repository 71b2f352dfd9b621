// Permissions of group members, to check incoming deletions and pins. Cached groups answer at once; others are fetched
// with a time limit.

import { BoundedMap } from '../../lib/bounded-map.ts';
import { settleWithin } from '../../lib/deadline.ts';
import { toBareJid } from '../address/jid.ts';
import type { GroupMetadata } from '../baileys/types.ts';
import type { GroupCache } from './cache.ts';

/** Milliseconds that a change waits for the metadata of its group. */
const READ_TIMEOUT = 5_000;
/** Milliseconds after a failed fetch before the group is fetched again. */
const FAILURE_TTL = 30_000;
/** Failed groups to remember; the oldest are evicted. */
const MAX_FAILURES = 1_000;

export interface MemberPermissions {
  isAdmin: boolean;
  /** May change the group's settings. Pins need this permission. */
  mayEdit: boolean;
}

const NONE: MemberPermissions = { isAdmin: false, mayEdit: false };

export class GroupPermissions {
  readonly #groups: Pick<GroupCache, 'get'>;
  readonly #login: Promise<void>;
  readonly #failures = new BoundedMap<string, number>(MAX_FAILURES);
  readonly #timeout: number;

  /** Fetches no group before `login`, because a frame before it breaks the handshake. `timeout` is in ms. */
  constructor(groups: Pick<GroupCache, 'get'>, login: Promise<void>, timeout = READ_TIMEOUT) {
    this.#groups = groups;
    this.#timeout = timeout;
    this.#login = login;
  }

  /**
   * Returns the permissions of the member with these addresses (phone number, LID or both); none when the group cannot
   * be fetched in time.
   */
  async memberPermissions(group: string, addresses: readonly string[]): Promise<MemberPermissions> {
    const metadata = await this.#read(group);
    const member = metadata?.participants.find((one) =>
      [one.id, one.lid, one.phoneNumber].some((jid) => jid && addresses.includes(toBareJid(jid))),
    );
    if (!metadata || !member) return NONE;
    const isAdmin = member.admin === 'admin' || member.admin === 'superadmin';
    return { isAdmin, mayEdit: isAdmin || metadata.restrict !== true };
  }

  async #read(group: string): Promise<GroupMetadata | undefined> {
    const failedAt = this.#failures.get(group);
    if (failedAt !== undefined && Date.now() - failedAt < FAILURE_TTL) return undefined;
    this.#failures.delete(group);
    const metadata = await settleWithin(
      this.#login.then(() => this.#groups.get(group)),
      this.#timeout,
    );
    if (!metadata) this.#failures.set(group, Date.now());
    return metadata;
  }
}
