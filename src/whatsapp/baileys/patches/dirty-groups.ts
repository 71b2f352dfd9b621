// Confirms WhatsApp's reports that groups of the account have changed (dirty bits), without fetching the groups.
// Decision D-191.
// Why: Baileys fetches all groups before it confirms a report. When WhatsApp refuses the query, or a group has no id,
//   Baileys never confirms the report, and WhatsApp repeats it after each login. The gateway does not use the fetched
//   groups.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: Baileys confirms the report before it fetches the groups, and has an option not to fetch them.
import { childOf, type Stanza } from '../stanza.ts';
import type { Socket } from '../types.ts';

const DIRTY_EVENT = 'CB:ib,,dirty';
const GROUP_TYPES: readonly unknown[] = ['groups', 'communities'];

/**
 * Replaces Baileys' handling of reports of changed groups. `onGroupsChanged` is called for each report. Baileys has
 * three listeners for reports, in this order: for the account, for groups and for communities. The first one stays.
 * Throws TypeError when their number differs.
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
    // Baileys confirms changes of communities with this type, too.
    await cleanDirtyBits('groups');
  });
}
