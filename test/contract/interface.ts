// The interface specification as data: every operation with its success status and its fields.
// Request and response fields are dotted paths. `[]` is an array element. A trailing `!` marks a required field.

export interface InterfaceOperation {
  method: 'get' | 'put' | 'post' | 'delete';
  path: string;
  /** Success status. Where the interface specification has none, docs/decisions defines it. */
  status: number;
  query?: string[];
  body?: string[];
  reply: string[];
}

const recordFields = [
  'instanceName',
  'instanceId',
  'owner',
  'profileName',
  'profilePictureUrl',
  'profileStatus',
  'status',
]
  .concat('serverUrl', 'apikey', 'integration.integration', 'integration.token')
  .concat('integration.webhook_platform_business')
  .map((field) => `[].instance.${field}`);
const stateFields = ['instance.instanceName', 'instance.state'];
const outcomeFields = ['status', 'error', 'response.message'];
const messageFields = ['key.remoteJid', 'key.fromMe', 'key.id', 'message', 'messageTimestamp', 'status'];
const textFields = [...messageFields, 'message.extendedTextMessage.text'];
const audioFields =
  'url mimetype fileSha256 fileLength seconds ptt mediaKey fileEncSha256 directPath mediaKeyTimestamp';
const audioMessageFields = [
  ...messageFields,
  ...audioFields.split(' ').map((field) => `message.audioMessage.${field}`),
];
const locationFields = 'degreesLatitude degreesLongitude name address contextInfo';
const locationMessageFields = [
  ...messageFields,
  ...locationFields.split(' ').map((field) => `message.locationMessage.${field}`),
];
const groupFields =
  'id! subject! subjectOwner! subjectTime! pictureUrl size! creation! owner! desc descId restrict! announce!';
const groupFieldNames = groupFields.split(' ');
const participants = ['participants[].id', 'participants[].admin'];
const quotedFields = ['remoteJid', 'fromMe', 'id', 'participant']
  .map((field) => `options.quoted.key.${field}`)
  .concat('options.quoted.message.conversation');
const privacyFields = ['readreceipts', 'profile', 'status', 'online', 'last', 'groupadd'];

const instance: InterfaceOperation[] = [
  {
    method: 'get',
    path: '/',
    status: 200,
    reply: ['status', 'message', 'version', 'swagger', 'manager', 'documentation'],
  },
  { method: 'get', path: '/instance/fetchInstances', status: 200, query: ['instanceName'], reply: recordFields },
  { method: 'get', path: '/instance/connectionState/{instance}', status: 200, reply: stateFields },
  { method: 'put', path: '/instance/restart/{instance}', status: 200, reply: stateFields },
  { method: 'delete', path: '/instance/logout/{instance}', status: 200, reply: outcomeFields },
  { method: 'delete', path: '/instance/delete/{instance}', status: 200, reply: outcomeFields },
  { method: 'get', path: '/webhook/find/{instance}', status: 200, reply: ['enabled', 'url', 'events'] },
];

const message: InterfaceOperation[] = [
  {
    method: 'post',
    path: '/message/sendText/{instance}',
    status: 201,
    body: ['number!', 'options.delay', 'options.presence', 'options.linkPreview', ...quotedFields].concat(
      'options.mentions.everyOne',
      'options.mentions.mentioned',
      'textMessage!',
      'textMessage.text',
    ),
    reply: textFields,
  },
  {
    method: 'post',
    path: '/message/sendPlatformAudio/{instance}',
    status: 200,
    body: ['number!', 'options.delay', 'options.presence', 'options.encoding', 'audioMessage!', 'audioMessage.audio'],
    reply: audioMessageFields,
  },
  {
    method: 'post',
    path: '/message/sendLocation/{instance}',
    status: 201,
    body: ['number!', 'options.delay', 'options.presence', 'locationMessage!'].concat(
      ['name', 'address', 'latitude', 'longitude'].map((field) => `locationMessage.${field}`),
    ),
    reply: locationMessageFields,
  },
  {
    method: 'post',
    path: '/message/sendSticker/{instance}',
    status: 201,
    body: ['number!', 'options.delay', 'options.presence', 'stickerMessage!', 'stickerMessage.image'],
    reply: messageFields,
  },
];

const chat: InterfaceOperation[] = [
  {
    method: 'post',
    path: '/chat/sendPresence/{instance}',
    status: 201,
    body: ['number!', 'options!', 'options.delay', 'options.presence'],
    reply: ['presence'],
  },
  {
    method: 'put',
    path: '/chat/updateMessage/{instance}',
    status: 200,
    body: ['number', 'text', 'key.remoteJid', 'key.fromMe', 'key.id'],
    reply: messageFields,
  },
  {
    method: 'post',
    path: '/chat/findStatusMessage/{instance}',
    status: 200,
    body: ['where._id', 'where.id', 'where.remoteJid', 'where.fromMe', 'limit'],
    reply: ['[].remoteJid', '[].id', '[].fromMe', '[].status'],
  },
  {
    method: 'post',
    path: '/chat/findMessages/{instance}',
    status: 200,
    body: ['where.key.remoteJid'],
    reply: ['[].key.remoteJid', '[].key.fromMe', '[].key.id', '[].message'],
  },
  {
    method: 'post',
    path: '/chat/fetchProfilePictureUrl/{instance}',
    status: 200,
    body: ['number'],
    reply: ['wuid', 'profilePictureUrl'],
  },
  {
    method: 'post',
    path: '/chat/updateProfileStatus/{instance}',
    status: 200,
    body: ['status'],
    reply: ['update'],
  },
  {
    method: 'put',
    path: '/chat/updatePrivacySettings/{instance}',
    status: 201,
    body: privacyFields.map((field) => `privacySettings.${field}`),
    reply: ['update', ...privacyFields.map((field) => `data.${field}`)],
  },
];

const groupUpdate = (name: string, body: string[], reply: string[]): InterfaceOperation => ({
  method: 'put',
  path: `/group/${name}/{instance}`,
  status: 201,
  query: ['groupJid!'],
  body,
  reply,
});

const groups: InterfaceOperation[] = [
  {
    method: 'get',
    path: '/group/findGroupInfos/{instance}',
    status: 200,
    query: ['groupJid!'],
    reply: [...groupFieldNames, ...participants],
  },
  {
    method: 'get',
    path: '/group/fetchAllGroups/{instance}',
    status: 200,
    query: ['getParticipants!'],
    reply: groupFieldNames.map((field) => `[].${field}`),
  },
  {
    method: 'post',
    path: '/group/create/{instance}',
    status: 201,
    body: ['subject', 'description', 'participants[]'],
    reply: groupFieldNames,
  },
  groupUpdate('updateParticipant', ['action', 'participants[]'], ['updateParticipants[].status']),
  groupUpdate('updateSetting', ['action'], []),
  groupUpdate('toggleEphemeral', ['expiration!'], ['success']),
  groupUpdate('updateGroupDescription', ['description'], ['update']),
  groupUpdate('updateGroupPicture', ['image'], ['update']),
  groupUpdate('updateGroupSubject', ['subject'], ['update']),
  {
    method: 'get',
    path: '/group/inviteCode/{instance}',
    status: 200,
    query: ['groupJid!'],
    reply: ['inviteUrl', 'inviteCode'],
  },
  {
    method: 'get',
    path: '/group/acceptInviteCode/{instance}',
    status: 200,
    query: ['inviteCode!'],
    reply: ['accepted', 'groupJid'],
  },
  {
    method: 'get',
    path: '/group/inviteInfo/{instance}',
    status: 200,
    query: ['inviteCode'],
    reply: ['id', 'subject'],
  },
];

export const interfaceOperations: InterfaceOperation[] = [...instance, ...message, ...chat, ...groups];
