// Reads the permissions of group members, to check incoming deletions and pins. The group comes from the cache, or is
// fetched with a time limit.

import { BoundedMap } from '../../lib/bounded-map.ts';
import { settleWithin } from '../../lib/deadline.ts';
import { toBareJid } from '../address/jid.ts';
import type { GroupMetadata } from '../baileys/types.ts';
import type { GroupCache } from './cache.ts';

/** Milliseconds that a check waits for the metadata of the group. */
const READ_TIMEOUT = 5_000;
/** Milliseconds after a failed fetch during which the group is not fetched again. */
const FAILURE_TTL = 30_000;
/** Maximum number of failed fetches to remember; the oldest are evicted. */
const MAX_FAILURES = 1_000;

export interface MemberPermissions {
  isAdmin: boolean;
  /** True when the member is allowed to change the group's settings, which pinning a message requires too. */
  mayEdit: boolean;
}

const NONE: MemberPermissions = { isAdmin: false, mayEdit: false };

export class GroupPermissions {
  readonly #groups: Pick<GroupCache, 'get'>;
  readonly #whenLoggedIn: Promise<void>;
  /** Time of the last failed fetch (epoch ms), by group. */
  readonly #failures = new BoundedMap<string, number>(MAX_FAILURES);
  readonly #timeout: number;

  /**
   * Fetches no group before `whenLoggedIn` resolves, because a query before the login breaks the handshake. `timeout`
   * is in ms.
   */
  constructor(groups: Pick<GroupCache, 'get'>, whenLoggedIn: Promise<void>, timeout = READ_TIMEOUT) {
    this.#groups = groups;
    this.#timeout = timeout;
    this.#whenLoggedIn = whenLoggedIn;
  }

  /**
   * Returns the permissions of the member with these addresses: phone number, LID (id that hides the number), or both.
   * Returns no permissions for a person who is not a member, and when the group cannot be fetched in time.
   */
  async memberPermissions(group: string, addresses: readonly string[]): Promise<MemberPermissions> {
    const metadata = await this.#read(group);
    const member = metadata?.participants.find(({ id, lid, phoneNumber }) =>
      [id, lid, phoneNumber].some((jid) => jid && addresses.includes(toBareJid(jid))),
    );
    if (!metadata || !member) return NONE;
    const isAdmin = member.admin === 'admin' || member.admin === 'superadmin';
    // `restrict`: only admins may change the settings of the group.
    return { isAdmin, mayEdit: isAdmin || metadata.restrict !== true };
  }

  async #read(group: string): Promise<GroupMetadata | undefined> {
    const failedAt = this.#failures.get(group);
    if (failedAt !== undefined && Date.now() - failedAt < FAILURE_TTL) return undefined;
    this.#failures.delete(group);
    let isLoggedIn = false;
    const fetched = this.#whenLoggedIn.then(() => {
      isLoggedIn = true;
      return this.#groups.get(group);
    });
    const metadata = await settleWithin(fetched, this.#timeout);
    // A timeout before the login is not a failed fetch.
    if (metadata || !isLoggedIn) return metadata;
    this.#failures.set(group, Date.now());
    // When the fetch succeeds after the timeout, the cache contains the group.
    fetched.then(
      () => this.#failures.delete(group),
      () => undefined,
    );
    return undefined;
  }
}
