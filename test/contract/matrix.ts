// Every path that clients of either generation call, with each of their methods and forms of body, and the status that
// they expect. The source is the route table of the other gateways. Where this gateway answers with another status, the
// row names the decision.
import { messages } from './matrix-messages.ts';
import { type Fixtures, pixel, type Row } from './matrix-row.ts';

type Rows = (fixtures: Fixtures) => Row[];

/** A change that the older generation makes by PUT and the newer one by POST. `newer` is the body of the POST. */
const putAndPost = (
  path: string,
  status: number,
  body?: Row['body'],
  overrides: Partial<Row> = {},
  newer = body,
): Row[] => [
  { method: 'PUT', path, status, body, ...overrides, dialect: 'v1' },
  { method: 'POST', path, status, body: newer, ...overrides, dialect: 'v2' },
];

const get = (path: string, overrides: Partial<Row> = {}): Row => ({ method: 'GET', path, status: 200, ...overrides });
const post = (path: string, status: number, body?: Row['body'], overrides: Partial<Row> = {}): Row => ({
  ...{ method: 'POST', path, status, body },
  ...overrides,
});

const service: Rows = () => [
  get('/', { isPublic: true }),
  post('/verify-creds', 200, {}, { blank: 200 }),
  get('/instance/fetchInstances'),
  get('/instance/fetchInstances?instanceName=sales', { closed: 200 }),
];

const settings = {
  rejectCall: false,
  groupsIgnore: false,
  alwaysOnline: false,
  readMessages: false,
  readStatus: false,
};
const snakeCaseSettings = {
  ...{ reject_call: false, msg_call: '', groups_ignore: false, always_online: false },
  ...{ read_messages: false, read_status: false, sync_full_history: false },
};

/** The row of a creation. Each request has a new name. */
const createRow = (dialect: Row['dialect'], fields: object): Row => {
  let count = 0;
  const body = () => ({ instanceName: `${dialect}-${++count}`, ...fields });
  return post('/instance/create', 201, body, { dialect });
};

const instances: Rows = ({ hook }) => [
  createRow('v1', { webhook: hook, webhook_by_events: false, events: ['CALL'], ...snakeCaseSettings }),
  createRow('v2.0', { integration: 'WHATSAPP-BAILEYS', webhookUrl: hook, webhookByEvents: true, ...settings }),
  createRow('v2.1', {
    integration: 'WHATSAPP-BAILEYS',
    webhook: { enabled: true, url: hook, byEvents: true },
    ...settings,
  }),
  // A restart changes nothing for an instance that is not linked. test/e2e/lifecycle.test.ts covers other restarts.
  ...putAndPost('/instance/restart/spare', 200, undefined, { closed: 200 }),
  get('/instance/connect/:i', { closed: 'busy' }),
  get('/instance/connectionState/:i', { closed: 200 }),
  post('/instance/setPresence/:i', 201, { presence: 'available' }),
];

/** Rows that end the instance. */
export const finalRows: readonly Row[] = [
  { method: 'DELETE', path: '/instance/logout/:i', status: 200, once: true },
  { method: 'DELETE', path: '/instance/delete/:i', status: 200, once: true },
];

const chats: Rows = ({ ada, adaJid, sent, received, image, removable }) => {
  const key = { id: sent, remoteJid: adaJid, fromMe: true };
  const lastMessage = { key: { id: received, remoteJid: adaJid, fromMe: false }, messageTimestamp: 1_767_225_600 };
  const read = [{ id: received, fromMe: false, remoteJid: adaJid }];
  const privacy = { readreceipts: 'all', profile: 'all', status: 'all', online: 'all', last: 'all', groupadd: 'all' };
  const edit = { number: ada, text: 'edited', key };
  return [
    post('/chat/whatsappNumbers/:i', 200, { numbers: [ada] }),
    post('/chat/checkIsWhatsappNumber/:i', 200, { numbers: [ada] }),
    ...putAndPost('/chat/markMessageAsRead/:i', 201, { read_messages: read }, {}, { readMessages: read }),
    ...putAndPost('/chat/archiveChat/:i', 201, { chat: adaJid, archive: false, lastMessage }),
    ...putAndPost('/chat/markChatUnread/:i', 201, { chat: adaJid, lastMessage }),
    {
      ...{ method: 'DELETE', path: '/chat/deleteMessageForEveryone/:i', status: 201, once: true },
      body: { id: removable, fromMe: true, remoteJid: adaJid },
    },
    post('/chat/fetchProfilePictureUrl/:i', 200, { number: ada }, { closed: 200, absent: 200 }),
    post('/chat/fetchProfile/:i', 200, { number: ada }, { blank: 200 }),
    post('/chat/fetchBusinessProfile/:i', 200, { number: ada }),
    ...[
      { where: { id: ada }, limit: 1 },
      { where: { remoteJid: adaJid }, page: 1, offset: 1 },
    ].map((body, index) =>
      post('/chat/findContacts/:i', 200, body, { blank: 200, closed: 200, absent: 200, dialect: index ? 'v2' : 'v1' }),
    ),
    post(
      '/chat/getBase64FromMediaMessage/:i',
      201,
      { message: { key: { id: image } }, convertToMp4: false },
      { closed: 400 },
    ),
    ...[
      { where: { key: { remoteJid: adaJid } }, limit: 1 },
      { where: { key: { remoteJid: adaJid } }, page: 1, offset: 1 },
    ].map((body, index) =>
      post('/chat/findMessages/:i', 200, body, { blank: 200, closed: 200, dialect: index ? 'v2' : 'v1' }),
    ),
    ...[
      { where: { id: sent, remoteJid: adaJid, fromMe: true }, limit: 1 },
      { where: { keyId: sent }, page: 1, offset: 1 },
    ].map((body, index) =>
      post('/chat/findStatusMessage/:i', 200, body, { blank: 200, closed: 200, dialect: index ? 'v2' : 'v1' }),
    ),
    get('/chat/findChats/:i', { dialect: 'v1', closed: 200 }),
    post('/chat/findChats/:i', 200, { where: { remoteJid: adaJid } }, { dialect: 'v2', blank: 200, closed: 200 }),
    get(`/chat/findChatByRemoteJid/:i?remoteJid=${adaJid}`, { closed: 200 }),
    post(
      '/chat/sendPresence/:i',
      201,
      { number: ada, options: { presence: 'composing', delay: 1 } },
      { dialect: 'v1' },
    ),
    post('/chat/sendPresence/:i', 201, { number: ada, presence: 'recording', delay: 1 }, { dialect: 'v2' }),
    get('/chat/fetchPrivacySettings/:i'),
    ...putAndPost('/chat/updatePrivacySettings/:i', 201, { privacySettings: privacy }, {}, privacy),
    post('/chat/updateProfileName/:i', 200, { name: 'Shop' }),
    post('/chat/updateProfileStatus/:i', 200, { status: 'Open' }),
    ...putAndPost('/chat/updateProfilePicture/:i', 200, { picture: pixel }),
    { method: 'DELETE', path: '/chat/removeProfilePicture/:i', status: 200 },
    ...putAndPost('/chat/updateMessage/:i', 200, edit, { absent: 400 }),
    ...putAndPost('/chat/updateBlockStatus/:i', 201, { number: ada, status: 'unblock' }),
    ...putAndPost('/message/updateBlockStatus/:i', 201, { number: ada, status: 'unblock' }),
  ];
};

const groups: Rows = ({ bob, group, theirGroup, invitation }) => {
  const groupQuery = `?groupJid=${encodeURIComponent(group)}`;
  const update = (name: string, body?: object, overrides: Partial<Row> = {}): Row[] => [
    { method: 'PUT', path: `/group/${name}/:i${groupQuery}`, status: 201, body, dialect: 'v1', ...overrides },
    {
      method: 'POST',
      path: `/group/${name}/:i`,
      status: 201,
      body: { groupJid: group, ...body },
      dialect: 'v2',
      ...overrides,
    },
  ];
  return [
    post('/group/create/:i', 201, { subject: 'Matrix', description: 'Rows', participants: [bob] }),
    ...update('updateGroupSubject', { subject: 'Ours' }),
    ...update('updateGroupPicture', { image: pixel }),
    ...update('updateGroupDescription', { description: 'Us' }),
    get(`/group/findGroupInfos/:i${groupQuery}`),
    get('/group/fetchAllGroups/:i?getParticipants=false'),
    get(`/group/participants/:i${groupQuery}`),
    get(`/group/inviteCode/:i${groupQuery}`),
    get(`/group/inviteInfo/:i?inviteCode=${invitation}`),
    get(`/group/acceptInviteCode/:i?inviteCode=${invitation}`, { once: true }),
    post('/group/sendInvite/:i', 200, { groupJid: group, description: 'Join us', numbers: [bob] }),
    ...update('revokeInviteCode', undefined, { blank: undefined }),
    ...update('updateParticipant', { action: 'promote', participants: [bob] }),
    ...update('updateSetting', { action: 'unlocked' }),
    ...update('toggleEphemeral', { expiration: 0 }),
    { method: 'DELETE', path: `/group/leaveGroup/:i?groupJid=${theirGroup}`, status: 200, once: true },
  ];
};

const otherRows: Rows = ({ ada, label, hook }) => [
  get('/label/findLabels/:i', { closed: 200 }),
  ...putAndPost('/label/handleLabel/:i', 200, { number: ada, labelId: label, action: 'add' }, { absent: 404 }),
  post(
    '/webhook/set/:i',
    201,
    { enabled: true, url: hook, events: ['CALL'], webhook_by_events: false },
    { dialect: 'v1', closed: 201 },
  ),
  post(
    '/webhook/set/:i',
    201,
    { enabled: true, url: hook, events: [], webhookByEvents: true },
    { dialect: 'v2.0', closed: 201 },
  ),
  post(
    '/webhook/set/:i',
    201,
    { webhook: { enabled: true, url: hook, byEvents: false } },
    { dialect: 'v2.1', closed: 201 },
  ),
  get('/webhook/find/:i', { closed: 200 }),
  post('/settings/set/:i', 201, snakeCaseSettings, { dialect: 'v1', closed: 201 }),
  post('/settings/set/:i', 201, settings, { dialect: 'v2', closed: 201 }),
  get('/settings/find/:i', { closed: 200 }),
  post(
    '/proxy/set/:i',
    201,
    { enabled: false, proxy: { host: '', port: '', protocol: '' } },
    { dialect: 'v1', closed: 201 },
  ),
  post('/proxy/set/:i', 201, { enabled: false, host: '', port: '', protocol: '' }, { dialect: 'v2', closed: 201 }),
  get('/proxy/find/:i', { closed: 200 }),
  ...['websocket', 'rabbitmq', 'sqs', 'pusher', 'nats', 'kafka'].flatMap((name) => [
    post(`/${name}/set/:i`, 201, { enabled: false, events: [] }, { dialect: 'v1', closed: 201 }),
    post(`/${name}/set/:i`, 201, { [name]: { enabled: false, events: [] } }, { dialect: 'v2', closed: 201 }),
    get(`/${name}/find/:i`, { closed: 200 }),
  ]),
  post(
    '/call/offer/:i',
    201,
    { number: ada, isVideo: false, callDuration: 3 },
    { deviation: [501, 'D-106'], closed: 501, absent: 501 },
  ),
];

/** All rows except `finalRows`, in an order in which every request can succeed. */
export const rows: Rows = (fixtures) =>
  [service, instances, messages, chats, groups, otherRows].flatMap((rowsOf) => rowsOf(fixtures));

/** The decision about `absentRoutes`: paths that only some other gateways have or had. */
export const absentRoutesDecision = 'D-114';
export const absentRoutes = [
  ...'onWhatsapp profilePictureUrl assertSessions createParticipantNodes getUSyncDevices generateMessageTag sendNode'
    .concat(' signalRepositoryDecryptMessage getAuthState')
    .split(' ')
    .map((name) => `POST /baileys/${name}/sales`),
  'POST /business/getCatalog/sales',
  'POST /business/getCollections/sales',
  'POST /instance/registerMobileCode/sales',
  'PUT /instance/refreshToken',
  'DELETE /instance/deleteDatabase',
  'GET /store/sales',
];
