// A client program of the later generation: flat bodies, POST for changes, a nested create, the key from `hash`, and
// forms with files. Usage: `node v2.ts <baseUrl> <globalKey> <sandboxControlUrl>`. It throws at the first answer or
// event that it cannot read. Its files are on this machine, so the gateway needs EGRESS_ALLOW=127.0.0.1/32.
import { Caller, Phone, textAt } from './caller.ts';
import { film, picture, sound } from './files.ts';
import { startHook } from './hook.ts';
import * as is from './shape.ts';

const [baseUrl = '', globalKey = '', controlUrl = ''] = process.argv.slice(2);
const name = 'later';
const owner = new Phone(controlUrl, '15552000001');
const ada = new Phone(controlUrl, '15552000002');
const bob = new Phone(controlUrl, '15552000003');
const hook = await startHook();
const { events } = hook;
const operator = new Caller(baseUrl, globalKey);

// Create and link the instance.
await operator.call('POST', '/verify-creds', {}, 200, { status: 200, message: 'Credentials are valid' });
await new Caller(baseUrl, 'a wrong key').call('POST', '/instance/create', { instanceName: name }, 401, {
  status: 401,
  error: 'Unauthorized',
  response: { message: 'Unauthorized' },
});
const settings = {
  rejectCall: false,
  msgCall: '',
  groupsIgnore: false,
  alwaysOnline: false,
  readMessages: false,
  readStatus: false,
  syncFullHistory: false,
};
const headers = { authorization: 'Bearer of the receiver' };
const hookBody = { url: `${hook.url}/hook`, headers, byEvents: false, base64: true, events: ['QRCODE_UPDATED'] };
const created = await operator.call(
  'POST',
  '/instance/create',
  { instanceName: name, integration: 'WHATSAPP-BAILEYS', qrcode: true, number: null, webhook: hookBody, ...settings },
  201,
  {
    instance: { instanceName: name, instanceId: is.text, integration: 'WHATSAPP-BAILEYS', status: 'connecting' },
    hash: is.text,
    webhook: { webhookUrl: hookBody.url, webhookHeaders: headers, webhookByEvents: false, webhookBase64: true },
    settings,
    qrcode: { pairingCode: null, code: is.like(/2@/), base64: is.like(/^data:image\/png;base64,/), count: is.number },
  },
);
const instanceId = textAt(created, 'instance.instanceId');
const token = textAt(created, 'hash');
const shop = new Caller(baseUrl, token);
await events.next('qrcode.updated', {
  data: { qrcode: { instance: name, pairingCode: null, code: is.text, base64: is.text } },
});
const webhookRecord = {
  url: hookBody.url,
  enabled: true,
  headers,
  webhookByEvents: false,
  webhookBase64: true,
  id: is.text,
  instanceId,
};
const messageEvents = 'MESSAGES_UPSERT MESSAGES_UPDATE MESSAGES_EDITED MESSAGES_DELETE SEND_MESSAGE'.split(' ');
const otherEvents = 'CONNECTION_UPDATE GROUPS_UPDATE GROUP_PARTICIPANTS_UPDATE LABELS_EDIT LOGOUT_INSTANCE'.split(' ');
const webhook = { ...hookBody, enabled: true, events: [...messageEvents, ...otherEvents] };
const storedWebhook = { ...webhookRecord, events: webhook.events, createdAt: is.text, updatedAt: is.text };
await shop.call('POST', `/webhook/set/${name}`, { webhook }, 201, storedWebhook);
await shop.get(`/webhook/find/${name}`, storedWebhook);
await owner.perform('scan', { code: textAt(created, 'qrcode.code') });
await events.next('connection.update', { data: { instance: name, state: 'open', statusReason: 200, wuid: owner.jid } });
const open = { instance: { instanceName: name, state: 'open' } };
await shop.get(`/instance/connectionState/${name}`, open);
await shop.call('POST', `/instance/setPresence/${name}`, { presence: 'available' }, 201, { presence: 'available' });

// Send every kind of message.
const envelope = {
  instance: name,
  destination: hookBody.url,
  date_time: is.text,
  sender: owner.jid,
  server_url: is.text,
};
const ids: string[] = [];

/** The answer of a send that this generation expects: the prepared message, with its time as a number. */
const sentTo = (remoteJid: string, messageType: string, message: is.Shape): is.Shape => ({
  key: { remoteJid, fromMe: true, id: is.text },
  message,
  messageType,
  messageTimestamp: is.number,
  instanceId,
  source: is.text,
  status: 'PENDING',
});

async function send(kind: string, content: object | FormData, messageType: string, message: is.Shape, to = ada.jid) {
  if (content instanceof FormData) content.set('number', to);
  const body = content instanceof FormData ? content : { number: to, ...content };
  const shape = sentTo(to, messageType, { [messageType]: message });
  const sentMessage = await shop.call('POST', `/message/${kind}/${name}`, body, 201, shape);
  const id = textAt(sentMessage, 'key.id');
  ids.push(id);
  return { remoteJid: to, fromMe: true, id };
}

/** A form as client libraries send it: every field is a text, and there is one file. */
function form(bytes: Buffer, type: string, fields: Record<string, string>): FormData {
  const body = new FormData();
  for (const [field, value] of Object.entries(fields)) body.set(field, value);
  body.set('file', new Blob([new Uint8Array(bytes)], { type }), 'file');
  return body;
}

const key = await send('sendText', { text: 'Good morning', delay: 1 }, 'conversation', 'Good morning');
await send(
  'sendText',
  { text: 'As I said', linkPreview: false, quoted: { key: { id: key.id } } },
  'conversation',
  'As I said',
);
const fileFields = { url: is.text, mimetype: is.text, fileLength: is.digits, mediaKey: is.text };
const base64 = picture.toString('base64');
const imageBody = { mediatype: 'image', media: base64, fileName: 'red.png', caption: 'Red' };
const image = await send('sendMedia', imageBody, 'imageMessage', { ...fileFields, caption: 'Red' });
const documentBody = {
  mediatype: 'document',
  mimetype: 'application/pdf',
  media: `${hook.url}/price-list.pdf`,
  fileName: 'prices.pdf',
};
await send('sendMedia', documentBody, 'documentMessage', { ...fileFields, fileName: 'prices.pdf' });
const videoForm = form(film, 'video/mp4', { mediatype: 'video', caption: 'A film', delay: '1', fileName: 'film.mp4' });
await send('sendMedia', videoForm, 'videoMessage', { ...fileFields, caption: 'A film' });
await send('sendPtv', { video: film.toString('base64') }, 'ptvMessage', fileFields);
const voiceNote = { ...fileFields, ptt: true, mimetype: 'audio/ogg; codecs=opus', seconds: is.number };
await send('sendWhatsAppAudio', { audio: sound.toString('base64'), encoding: true }, 'audioMessage', voiceNote);
await send('sendWhatsAppAudio', form(sound, 'audio/wav', { delay: '1' }), 'audioMessage', voiceNote);
await send('sendSticker', { sticker: `${hook.url}/picture.png` }, 'stickerMessage', { mimetype: 'image/webp' });
const place = { name: 'Café', address: 'Quai 1', latitude: 47.36, longitude: 8.54 };
await send('sendLocation', place, 'locationMessage', { degreesLatitude: 47.36, degreesLongitude: 8.54, name: 'Café' });
const contact = [{ fullName: 'Bob Doe', wuid: bob.number, phoneNumber: '+1 555 200 0003', email: 'bob@example.com' }];
await send('sendContact', { contact }, 'contactMessage', {
  displayName: 'Bob Doe',
  vcard: is.like(/waid=15552000003/),
});
const poll = { name: 'Lunch?', selectableCount: 1, values: ['Soup', 'Salad'] };
await send('sendPoll', poll, 'pollCreationMessageV3', {
  name: 'Lunch?',
  options: [{ optionName: 'Soup' }, { optionName: 'Salad' }],
});
const sections = [{ title: 'Warm', rows: [{ title: 'Soup', description: 'Leek', rowId: 'soup' }] }];
const menu = { title: 'Menu', description: 'Today', buttonText: 'Look', footerText: 'Until two', sections };
await send('sendList', menu, 'interactiveMessage', is.object);
const reply = { type: 'reply', displayText: 'Yes', id: 'yes' };
await send(
  'sendButtons',
  { title: 'Agreed?', description: 'Ten', footer: 'Shop', buttons: [reply] },
  'interactiveMessage',
  is.object,
);
const reaction = sentTo(ada.jid, 'reactionMessage', { reactionMessage: { text: '👍', key: { id: key.id } } });
await shop.call('POST', `/message/sendReaction/${name}`, { key, reaction: '👍' }, 201, reaction);
const statusBody = {
  type: 'text',
  content: 'Open',
  backgroundColor: '#008000',
  font: 1,
  allContacts: false,
  statusJidList: [ada.jid],
};
await shop.call('POST', `/message/sendStatus/${name}`, statusBody, 201, {
  key: { remoteJid: 'status@broadcast' },
  status: 'PENDING',
});
await events.next('send.message', {
  ...envelope,
  data: { key, messageType: 'conversation', messageTimestamp: is.number, instanceId },
});
for (const id of ids) {
  const data = { keyId: id, messageId: id, remoteJid: ada.jid, fromMe: true, status: 'DELIVERY_ACK', instanceId };
  await events.next('messages.update', { ...envelope, data });
  await ada.check('messages', is.listWith({ id, from: owner.number }));
}
await ada.check('messages', is.listWith({ quoted: key.id, text: 'As I said' }));
await ada.check('messages', is.listWith({ id: key.id, reactions: { [owner.number]: '👍' } }));
await shop.call('POST', `/message/sendText/${name}`, { number: '15552000000', text: 'Anybody?' }, 400, {
  status: 400,
  error: 'Bad Request',
  response: { message: [{ exists: false, jid: '15552000000@s.whatsapp.net', number: '15552000000' }] },
});
await shop.call('POST', `/message/sendText/${name}`, { number: ada.number }, 400, { response: { message: [is.list] } });

// Receive.
const questionMessage = await ada.perform('messages', { to: owner.number, text: 'Are you open?' }, 201);
const questionKey = { remoteJid: ada.jid, fromMe: false, id: textAt(questionMessage, 'id') };
const messageFields = {
  key: questionKey,
  pushName: is.text,
  messageType: 'conversation',
  messageTimestamp: is.number,
  instanceId,
  source: is.text,
};
const message = { conversation: 'Are you open?' };
await events.next('messages.upsert', { ...envelope, apikey: is.absent, data: { ...messageFields, message } });
const pictureMessage = await ada.perform(
  'messages',
  { to: owner.number, image: base64, mimetype: 'image/png', caption: 'This?' },
  201,
);
const pictureContent = { base64, imageMessage: { caption: 'This?' } };
await events.next('messages.upsert', {
  data: { key: { id: textAt(pictureMessage, 'id') }, messageType: 'imageMessage', message: pictureContent },
});
await ada.perform('read', { chat: owner.number });
await events.next('messages.update', { data: { keyId: key.id, remoteJid: ada.jid, status: 'READ' } });

// Chats.
const chat = (path: string, body: unknown, status: number, shape: is.Shape, verb = 'POST') =>
  shop.call(verb, `/chat/${path}/${name}`, body, status, shape);
await chat('whatsappNumbers', { numbers: [ada.number] }, 200, [{ exists: true, jid: ada.jid, number: ada.number }]);
const presence = { number: ada.number, presence: 'composing', delay: 1 };
await chat('sendPresence', presence, 201, { presence: 'composing' });
await chat('markMessageAsRead', { readMessages: [questionKey] }, 201, { message: 'Read messages', read: 'success' });
const lastMessage = { key: questionKey, messageTimestamp: Math.floor(Date.now() / 1000) };
await chat('archiveChat', { lastMessage, chat: ada.jid, archive: true }, 201, { chatId: ada.jid, archived: true });
await chat('markChatUnread', { lastMessage, chat: ada.jid }, 201, { chatId: ada.jid, markedChatUnread: true });
await chat('updateMessage', { number: ada.number, key, text: 'Good evening' }, 200, {
  message: { protocolMessage: { type: 'MESSAGE_EDIT', key: { id: key.id } } },
});
await chat('getBase64FromMediaMessage', { message: { key: { id: image.id } }, convertToMp4: false }, 201, {
  mediaType: 'imageMessage',
  fileName: is.text,
  mimetype: 'image/png',
  size: { fileLength: is.digits },
  buffer: null,
  base64,
});
const revokeMessage = { message: { protocolMessage: { type: 'REVOKE', key: { id: image.id } } } };
await chat('deleteMessageForEveryone', { ...image, participant: '' }, 201, revokeMessage, 'DELETE');
await events.next('messages.delete', { ...envelope, data: image });
await chat('fetchProfilePictureUrl', { number: ada.number }, 200, { wuid: ada.jid, profilePictureUrl: null });
await chat('fetchProfile', { number: ada.number }, 200, { wuid: ada.jid, numberExists: true, picture: null });
await chat('fetchBusinessProfile', { number: ada.number }, 200, { isBusiness: false });
const success = { update: 'success' };
await chat('updateProfileName', { name: 'The shop' }, 200, success);
await chat('updateProfileStatus', { status: 'Open daily' }, 200, success);
await chat('updateProfilePicture', { picture: base64 }, 200, success);
await owner.check('', { name: 'The shop', status: 'Open daily', picture: is.text });
const privacy = {
  readreceipts: 'all',
  profile: 'contacts',
  status: 'all',
  online: 'all',
  last: 'none',
  groupadd: 'all',
};
await chat('updatePrivacySettings', privacy, 201, { ...success, data: privacy });
await chat('updateBlockStatus', { number: bob.number, status: 'block' }, 201, { block: 'success' });
await chat('updateBlockStatus', { number: bob.number, status: 'unblock' }, 201, { block: 'success' });
const entry = { id: is.text, remoteJid: ada.jid, pushName: is.textOrNull, profilePicUrl: is.textOrNull, instanceId };
await chat('findContacts', { where: { remoteJid: ada.jid } }, 200, [entry]);
const chatRecord = { remoteJid: ada.jid, lastMessage: { key: is.object }, unreadCount: is.number };
await chat('findChats', { where: {} }, 200, is.listWith(chatRecord));
await chat('findMessages', { where: { key: { remoteJid: ada.jid } }, page: 1, offset: 50 }, 200, {
  messages: {
    total: is.number,
    pages: 1,
    currentPage: 1,
    records: is.listWith({ ...messageFields, message, id: is.text, MessageUpdate: is.list }),
  },
});
const statusSearch = { where: { instanceId: name, remoteJid: ada.jid, keyId: key.id }, page: 1, offset: 10 };
const statusRow = { keyId: key.id, remoteJid: ada.jid, fromMe: true, status: 'READ', messageId: key.id, instanceId };
await chat('findStatusMessage', statusSearch, 200, is.listWith(statusRow));
await owner.perform('labels', { id: '7', name: 'Paid', color: 3 }, 201);
await events.next('labels.edit', { data: { id: '7', name: 'Paid', deleted: false, instance: name } });
await shop.get(`/label/findLabels/${name}`, is.listWith({ id: '7', name: 'Paid' }));
const labelBody = { number: ada.number, labelId: '7', action: 'add' };
await shop.call('POST', `/label/handleLabel/${name}`, labelBody, 200, { numberJid: ada.jid, labelId: '7', add: true });

// Groups.
const group = (path: string, query: string, body: unknown, status: number, shape: is.Shape) =>
  shop.call(body === undefined ? 'GET' : 'POST', `/group/${path}/${name}?${query}`, body, status, shape);
const groupBody = {
  subject: 'Regulars',
  description: 'Who comes daily',
  participants: [ada.number],
  promoteParticipants: true,
};
const member = is.listWith({ id: ada.jid, admin: 'admin' });
const createdGroup = await group('create', '', groupBody, 201, {
  id: is.like(/@g\.us$/),
  subject: 'Regulars',
  participants: member,
});
const groupJid = textAt(createdGroup, 'id');
const jidQuery = `groupJid=${groupJid}`;
await group('updateGroupSubject', jidQuery, { subject: 'Friends' }, 201, success);
await group('updateGroupDescription', jidQuery, { description: 'Who comes often' }, 201, success);
await group('updateGroupPicture', jidQuery, { image: base64 }, 201, success);
await group('updateSetting', '', { groupJid, action: 'announcement' }, 201, {});
await group('toggleEphemeral', jidQuery, { expiration: 604800 }, 201, { success: true });
for (const action of ['add', 'promote', 'demote', 'remove']) {
  const outcome = { updateParticipants: [{ status: '200', jid: bob.jid }] };
  await group('updateParticipant', jidQuery, { action, participants: [bob.number] }, 201, outcome);
}
await events.next('groups.update', { data: is.listWith({ id: groupJid, announce: true }) });
await events.next('group-participants.update', { data: { id: groupJid, action: 'remove', participants: [bob.jid] } });
const record = {
  id: groupJid,
  subject: 'Friends',
  desc: 'Who comes often',
  announce: true,
  pictureUrl: is.text,
  participants: member,
};
await group('findGroupInfos', jidQuery, undefined, 200, record);
await group('fetchAllGroups', 'getParticipants=true', undefined, 200, [record]);
await group('participants', jidQuery, undefined, 200, { participants: member });
const mentionBody = { text: 'Hello all', mentionsEveryOne: true };
const hello = await send('sendText', mentionBody, 'conversation', 'Hello all', groupJid);
await events.next('messages.update', { data: { keyId: hello.id, remoteJid: groupJid, status: 'SERVER_ACK' } });
const invite = await group('inviteCode', jidQuery, undefined, 200, { inviteUrl: is.text, inviteCode: is.text });
await group('inviteInfo', `inviteCode=${textAt(invite, 'inviteCode')}`, undefined, 200, { id: groupJid, size: 2 });
await group('sendInvite', '', { groupJid, description: 'Join us', numbers: [bob.number] }, 200, { send: true });
await group('revokeInviteCode', jidQuery, {}, 201, { revoked: true, inviteCode: is.text });
const adasGroup = await ada.perform('groups', { subject: 'Book club' }, 201);
const accepted = { accepted: true, groupJid: textAt(adasGroup, 'id') };
await group('acceptInviteCode', `inviteCode=${textAt(adasGroup, 'inviteCode')}`, undefined, 200, accepted);
await shop.call('DELETE', `/group/leaveGroup/${name}?${jidQuery}`, {}, 200, { groupJid, leave: true });

// Change settings, restart, log out and delete the instance.
const changed = { ...settings, alwaysOnline: true };
await shop.call('POST', `/settings/set/${name}`, changed, 201, { settings: { instanceName: name, settings: changed } });
await shop.get(`/settings/find/${name}`, changed);
for (const transport of ['websocket', 'rabbitmq', 'sqs']) {
  await shop.get(`/${transport}/find/${name}`, { enabled: false });
}
await shop.call('POST', `/instance/restart/${name}`, {}, 200, open);
const fullRecord = {
  id: instanceId,
  name,
  connectionStatus: 'open',
  ownerJid: owner.jid,
  profileName: 'The shop',
  profilePicUrl: is.textOrNull,
  integration: 'WHATSAPP-BAILEYS',
  number: is.textOrNull,
  token,
  clientName: is.text,
  disconnectionReasonCode: (value: unknown) => (value === undefined ? 'expected a number or null' : undefined),
  disconnectionObject: is.textOrNull,
  disconnectionAt: is.textOrNull,
  createdAt: is.text,
  updatedAt: is.text,
  Chatwoot: null,
  Proxy: null,
  Setting: { ...changed, instanceId },
  _count: { Message: is.number, Contact: is.number, Chat: is.number },
};
await shop.get('/instance/fetchInstances', [fullRecord]);
await operator.get(`/instance/fetchInstances?instanceName=${name}`, [fullRecord]);
await operator.get(`/instance/fetchInstances?instanceId=${instanceId}`, [fullRecord]);
const ok = { status: 'SUCCESS', error: false };
await shop.call('DELETE', `/instance/logout/${name}`, {}, 200, {
  ...ok,
  response: { message: 'Instance logged out' },
});
await events.next('logout.instance', { ...envelope, data: null });
const pairingCodes = { pairingCode: is.like(/^[A-Z0-9]{8}$/), code: is.like(/2@/), base64: is.text, count: is.number };
await shop.get(`/instance/connect/${name}?number=${owner.number}`, pairingCodes);
await shop.call('DELETE', `/instance/delete/${name}`, {}, 200, { ...ok, response: { message: 'Instance deleted' } });
await operator.call('GET', `/instance/connectionState/${name}`, undefined, 404, {
  status: 404,
  error: 'Not Found',
  response: { message: [`The "${name}" instance does not exist`] },
});
const postsWithoutHeader = hook.headers.filter(({ authorization }) => authorization !== headers.authorization);
if (postsWithoutHeader.length > 0)
  throw new Error(`${postsWithoutHeader.length} posts came without the configured header`);
await hook.close();
console.log(`v2: ${operator.calls + shop.calls} calls and ${events.count} events as expected`);
