// Converts the JID of a group member to the form by which the group addresses its members: phone number, or LID (a
// person's id that hides the number).
import { isLid } from '../address/jid.ts';
import { lookupSessionLidPairs } from '../address/lid-map.ts';
import type { GroupMetadata } from '../baileys/types.ts';
import type { Session } from '../session.ts';

/**
 * Returns `jid` in the form of the group. `alternative` is the member's JID in the other form, when the caller knows
 * it. Otherwise the stored mappings are read. Returns `jid` unchanged when its other form is unknown. Throws the error
 * of lookupSessionLidPairs().
 */
export async function toMemberJid(
  session: Pick<Session, 'ended' | 'socket'>,
  { addressingMode }: GroupMetadata,
  jid: string,
  alternative?: string | null,
): Promise<string> {
  if (isLid(jid) === (addressingMode === 'lid')) return jid;
  if (alternative) return alternative;
  return (await lookupSessionLidPairs(session, [jid])).get(jid) ?? jid;
}
