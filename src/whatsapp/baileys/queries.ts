// What the gateway needs from Baileys for queries that it writes itself: channel queries, group records, app-state
// changes.
export {
  chatModificationToAppPatch as toAppStatePatch,
  QueryIds as CHANNEL_QUERIES,
  XWAPaths as CHANNEL_PATHS,
} from '@whiskeysockets/baileys';
export { extractGroupMetadata as toGroupMetadata } from '@whiskeysockets/baileys/lib/Socket/groups.js';
export { isTcTokenExpired as isPrivacyTokenExpired } from '@whiskeysockets/baileys/lib/Utils/tc-token-utils.js';

/** Value of the attribute `edit` on the stanza of a channel post that was changed. */
export const POST_EDITED = '3';
/** Value of the attribute `edit` on the stanza of a channel post that was deleted. */
export const POST_DELETED = '8';
