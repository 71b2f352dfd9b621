// What the library knows of queries that operations write themselves: ids of channel queries, groups, changes to the app state.
export {
  chatModificationToAppPatch as toAppStatePatch,
  QueryIds as CHANNEL_QUERIES,
  XWAPaths as CHANNEL_PATHS,
} from '@whiskeysockets/baileys';
export { extractGroupMetadata as toGroupMetadata } from '@whiskeysockets/baileys/lib/Socket/groups.js';
export { isTcTokenExpired as isPrivacyTokenExpired } from '@whiskeysockets/baileys/lib/Utils/tc-token-utils.js';
