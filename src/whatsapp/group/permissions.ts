// What a member may do in a group, for changes that arrive from it: known groups at once, others are asked for, within bounds.

import { settleWithin } from '../../lib/deadline.ts';
import { toBareJid } from '../address/jid.ts';
import type { GroupMetadata } from '../baileys/types.ts';
import type { GroupCache } from './cache.ts';

/** ms for which a change waits until its group is known. */
const READ_TIMEOUT = 5_000;
/** ms for which a group that could not be read is not asked for again. */
const FAILURE_TTL = 30_000;
/** Groups remembered that could not be read; the oldest go first. */
const MAX_FAILURES = 1_000;

export interface MemberPermissions {
  isAdmin: boolean;
  /** May change what the group shows of itself, pins among it. */
  mayEdit: boolean;
}

const NONE: MemberPermissions = { isAdmin: false, mayEdit: false };

export class GroupPermissions {
  readonly #groups: Pick<GroupCache, 'get'>;
  readonly #login: Promise<void>;
  readonly #failures = new Map<string, number>();
  readonly #timeout: number;

  /** No group is asked for before `login`: a frame before it breaks the handshake. `patience` is in ms. */
  constructor(groups: Pick<GroupCache, 'get'>, login: Promise<void>, patience = READ_TIMEOUT) {
    this.#groups = groups;
    this.#timeout = patience;
    this.#login = login;
  }

  /** Rights of the person with these addresses (PN, LID, or both) in a group. None when the group cannot be read in time. */
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
    const [oldest] = this.#failures.size > MAX_FAILURES ? this.#failures.keys() : [];
    if (oldest !== undefined) this.#failures.delete(oldest);
    return metadata;
  }
}
