// Error texts that clients of other WhatsApp gateways compare literally. Do not correct their grammar.

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
