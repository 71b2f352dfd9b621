// Adds the group to all statuses of a group call. WhatsApp names the group only in the offer, the first status. Chat
// filters of webhooks need the group in each status. Decision D-088.
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { CallEvent } from '../baileys/types.ts';
import type { Batch } from './batch.ts';

/** Maximum number of group calls to remember. Later statuses of an evicted call do not name the group. */
const MAX_CALLS = 500;

export class GroupCalls {
  /** JID of the group by call id. */
  readonly #groups = new BoundedMap<string, string>(MAX_CALLS);

  /**
   * Returns `batch` itself when it has no calls, else a copy in which the statuses of group calls contain the group.
   */
  withGroups(batch: Batch): Batch {
    if (!batch.call) return batch;
    return { ...batch, call: batch.call.map((call) => this.#withGroup(call)) };
  }

  #withGroup(call: CallEvent): CallEvent {
    if (call.groupJid) {
      if (call.id) this.#groups.set(call.id, call.groupJid);
      return call;
    }
    const groupJid = this.#groups.get(call.id);
    return groupJid === undefined ? call : { ...call, isGroup: true, groupJid };
  }
}
