// Confirms WhatsApp's reports that groups of the account have changed, without fetching the groups. Decision D-191.
// Why: Baileys fetches all groups first. When WhatsApp refuses the query, or a group lacks its id, Baileys never
//   confirms the change, and WhatsApp reports it after each login. The gateway does not use the fetched groups.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: Baileys confirms the change before it fetches the groups, and has an option not to fetch them.
import { childOf, type Stanza } from '../stanza.ts';
import type { Socket } from '../types.ts';

const DIRTY_EVENT = 'CB:ib,,dirty';
const GROUP_TYPES: readonly unknown[] = ['groups', 'communities'];

/**
 * Takes reports of changed groups away from Baileys. `onGroupsChanged` is called for each of them. Throws TypeError
 * unless Baileys has three listeners for these reports: for the account, for groups and for communities, in this order.
 */
export function patchDirtyGroups(
  { ws, cleanDirtyBits }: Pick<Socket, 'ws' | 'cleanDirtyBits'>,
  onGroupsChanged: () => void,
): void {
  const [, ...groupListeners] = ws.listeners(DIRTY_EVENT);
  if (groupListeners.length !== 2) throw new TypeError(`expected three listeners of ${DIRTY_EVENT}`);
  for (const listener of groupListeners) ws.off(DIRTY_EVENT, listener);
  ws.on(DIRTY_EVENT, async (stanza: Stanza) => {
    if (!GROUP_TYPES.includes(childOf(stanza, 'dirty')?.attrs.type)) return;
    onGroupsChanged();
    await cleanDirtyBits('groups');
  });
}
