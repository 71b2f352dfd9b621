// Which LID belongs to which phone number, from the mappings this instance has already learnt. Never asks the network
// (Baileys' own getLIDForPN would), so it may be used on the way of every event.
import { bare, isLid, isUser, userOf } from './jid.ts';

/** From each JID (without device) to its twin: phone-number JID → LID and LID → phone-number JID. */
export type Twins = ReadonlyMap<string, string>;

/** Reads stored mappings: Baileys' key store, or the store behind it while there is no socket. */
export interface TwinKeys {
  get(type: 'lid-mapping', ids: string[]): Promise<Record<string, string>> | Record<string, string>;
}

/** The known twins of `jids`, in both directions; JIDs that are neither phone numbers nor LIDs are passed over. */
export async function findTwins(keys: TwinKeys, jids: Iterable<string>): Promise<Twins> {
  const asked = new Map<string, string>();
  for (const full of jids) {
    const jid = bare(full);
    // Baileys stores both directions under the type `lid-mapping`: user → LID user, and `<LID user>_reverse` → user.
    if (isUser(jid)) asked.set(userOf(jid), jid);
    else if (isLid(jid)) asked.set(`${userOf(jid)}_reverse`, jid);
  }
  const twins = new Map<string, string>();
  if (asked.size === 0) return twins;
  const found = await keys.get('lid-mapping', [...asked.keys()]);
  for (const [id, name] of Object.entries(found)) {
    const jid = asked.get(id);
    if (!jid || !name) continue;
    const twin = isLid(jid) ? `${name}@s.whatsapp.net` : `${name}@lid`;
    twins.set(jid, twin);
    twins.set(twin, jid);
  }
  return twins;
}
