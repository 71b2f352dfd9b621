// Exports what the gateway needs from Baileys to build queries and read answers itself: channel queries, group
// metadata, app-state changes, expiry of privacy tokens.

export { extractGroupMetadata as toGroupMetadata } from '@whiskeysockets/baileys/lib/Socket/groups.js';
export { isTcTokenExpired as isPrivacyTokenExpired } from '@whiskeysockets/baileys/lib/Utils/tc-token-utils.js';
/** CHANNEL_QUERIES are the ids of the queries, CHANNEL_PATHS the fields of the answers that contain the results. */
export {
  chatModificationToAppPatch as toAppStatePatch,
  QueryIds as CHANNEL_QUERIES,
  XWAPaths as CHANNEL_PATHS,
} from './library.ts';

/** Value of the attribute `edit` in a stanza that changes a channel post. */
export const POST_EDITED = '3';
/** Value of the attribute `edit` in a stanza that deletes a channel post. */
export const POST_DELETED = '8';
