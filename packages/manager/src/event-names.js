// The names of the events that a webhook can subscribe to. Generated from src/events by openapi/generate.ts.

/**
 * The form of a webhook has a checkbox for each of these names. Its checkbox for all events stores an empty list
 * instead: the webhook then also gets the events of later versions of the gateway.
 */
export const EVENTS = [
  'APPLICATION_STARTUP',
  'QRCODE_UPDATED',
  'CONNECTION_UPDATE',
  'STATUS_INSTANCE',
  'HISTORY_PROGRESS',
  'INSTANCE_CREATE',
  'INSTANCE_DELETE',
  'INSTANCE_RESTRICTED',
  'REMOVE_INSTANCE',
  'LOGOUT_INSTANCE',
  'MESSAGES_SET',
  'MESSAGES_UPSERT',
  'MESSAGES_EDITED',
  'MESSAGES_UPDATE',
  'MESSAGES_DELETE',
  'MESSAGES_UNDECRYPTABLE',
  'SEND_MESSAGE',
  'SEND_MESSAGE_UPDATE',
  'CONTACTS_UPSERT',
  'CONTACTS_UPDATE',
  'PRESENCE_UPDATE',
  'CHATS_SET',
  'CHATS_UPSERT',
  'CHATS_UPDATE',
  'CHATS_DELETE',
  'LABELS_EDIT',
  'LABELS_ASSOCIATION',
  'CALL',
  'GROUPS_UPSERT',
  'GROUPS_UPDATE',
  'GROUP_PARTICIPANTS_UPDATE',
  'GROUP_JOIN_REQUEST',
];
