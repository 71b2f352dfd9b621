// The names of the events that a webhook can subscribe to. test/events/event-descriptors.test.ts compares them with the
// names in the gateway.

/**
 * The form of a webhook has a checkbox for each of these names. Its checkbox for all events stores an empty list
 * instead: the webhook then also gets the events of later versions of the gateway.
 */
export const EVENTS = [
  'APPLICATION_STARTUP',
  'QRCODE_UPDATED',
  'CONNECTION_UPDATE',
  'STATUS_INSTANCE',
  'INSTANCE_RESTRICTED',
  'MESSAGES_SET',
  'MESSAGES_UPSERT',
  'MESSAGES_EDITED',
  'MESSAGES_UPDATE',
  'MESSAGES_DELETE',
  'HISTORY_PROGRESS',
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
  'GROUPS_UPSERT',
  'GROUPS_UPDATE',
  'GROUP_PARTICIPANTS_UPDATE',
  'GROUP_JOIN_REQUEST',
  'LABELS_EDIT',
  'LABELS_ASSOCIATION',
  'CALL',
  'INSTANCE_CREATE',
  'INSTANCE_DELETE',
  'LOGOUT_INSTANCE',
  'REMOVE_INSTANCE',
];
