// Error texts that clients of other WhatsApp gateways compare literally or parse. Do not reword them.

export const COMPATIBILITY_PHRASES = {
  acceptInvite: 'Accept invite error',
  base64FileName: 'For base64 the file name must be informed.',
  connectionClosed: 'Error: Connection Closed',
  contactsNotFound: 'Contacts not found',
  deleteForEveryone: 'Error while deleting message for everyone',
  groupPicture: 'Error update group picture',
  inviteCode: 'No invite code',
  inviteInfo: 'No invite info',
  leaveGroup: 'Unable to leave the group',
  messageIncompatible: 'Message not compatible',
  notBusinessProfile: 'Not is business profile',
  notMediaType: 'The message is not of the media type',
  notOnWhatsApp: 'Number is not on WhatsApp',
  ownedMedia: 'Owned media must be a url or base64',
  participants: 'No participants',
  reaction: 'Reaction must be a single emoji or empty string',
  remoteJidMismatch: 'RemoteJid does not match',
  revokeInvite: 'Revoke error',
  sendInvite: 'No send invite',
  statusJidList: 'StatusJidList is required',
} as const;

/** Maps the text of a validation error to the lines that clients expect in `response.message` instead of the text. */
export const COMPATIBLE_VALIDATION_MESSAGES: Readonly<Record<string, readonly string[]>> = {
  'instance requires property "groupJid"': [
    'The group id needs to be informed in the query',
    'ex: "groupJid=120362@g.us"',
  ],
  'instance requires property "inviteCode"': [
    'The group invite code id needs to be informed in the query',
    'ex: "inviteCode=F1EX5QZxO181L3TMVP31gY" (Obtained from group join link)',
  ],
  'instance requires property "getParticipants"': ['The getParticipants needs to be informed in the query'],
  'integration is not one of enum values: WHATSAPP-BAILEYS': ['Invalid integration'],
};
