// A client program of the older generation: wrapped bodies, PUT for changes, and the instance key from `hash.apikey`.
// Usage: `node v1.ts <baseUrl> <globalKey> <sandboxControlUrl>`. It throws at the first answer or event that such a
// client cannot read. Its files are on this machine, so the gateway needs EGRESS_ALLOW=127.0.0.1/32.
import { Caller, Phone, textAt } from './caller.ts';
import { picture, sound } from './files.ts';
import { startHook } from './hook.ts';
import * as is from './shape.ts';

const [baseUrl = '', globalKey = '', controlUrl = ''] = process.argv.slice(2);
const name = 'older';
const owner = new Phone(controlUrl, '15551000001');
const ada = new Phone(controlUrl, '15551000002');
const bob = new Phone(controlUrl, '15551000003');
const hook = await startHook({ byEvents: true });
const { events } = hook;
const operator = new Caller(baseUrl, globalKey);

// Create and link the instance.
await operator.get('/', { status: 200, message: is.text, version: is.text, documentation: is.text });
const settings = {
  reject_call: false,
  msg_call: '',
  groups_ignore: false,
  always_online: false,
  read_messages: false,
  read_status: false,
  sync_full_history: false,
};
const url = `${hook.url}/hook`;
const webhookOptions = { webhook_by_events: true, webhook_base64: false, events: ['QRCODE_UPDATED'] };
const identity = { instanceName: name, integration: 'WHATSAPP-BAILEYS', token: 'older-instance-key' };
const created = await operator.call(
  'POST',
  '/instance/create',
  { ...identity, qrcode: true, webhook: url, ...webhookOptions, ...settings },
  201,
  {
    instance: { instanceName: name, instanceId: is.text, status: 'created' },
    webhook: { webhook: url, ...webhookOptions },
    hash: { apikey: 'older-instance-key' },
    settings,
    qrcode: { code: is.like(/2@/), base64: is.like(/^data:image\/png;base64,/), count: is.number },
  },
);
await operator.call('POST', '/instance/create', { instanceName: name }, 403, {
  status: 403,
  error: 'Forbidden',
  response: { message: [`This name "${name}" is already in use.`] },
});
const shop = new Caller(baseUrl, textAt(created, 'hash.apikey'));
const code = textAt(created, 'qrcode.code');
await events.next('qrcode.updated', { data: { qrcode: { instance: name, code, base64: is.text } } });
const names = 'CONNECTION_UPDATE MESSAGES_UPSERT MESSAGES_UPDATE MESSAGES_DELETE SEND_MESSAGE CONTACTS_UPSERT'.split(
  ' ',
);
const moreNames = 'PRESENCE_UPDATE GROUPS_UPSERT GROUP_PARTICIPANTS_UPDATE'.split(' ');
const webhook = { url, enabled: true, webhook_by_events: true, webhook_base64: true, events: [...names, ...moreNames] };
await shop.call('POST', `/webhook/set/${name}`, webhook, 201, { webhook: { instanceName: name, webhook } });
await shop.get(`/webhook/find/${name}`, webhook);
await owner.perform('scan', { code });
await events.next('connection.update', { instance: name, data: { instance: name, state: 'open', statusReason: 200 } });
const open = { instance: { instanceName: name, state: 'open' } };
await shop.get(`/instance/connectionState/${name}`, open);
await shop.get(`/instance/connect/${name}`, open);

// Send every kind of message.
const envelope = {
  instance: name,
  destination: url,
  date_time: is.text,
  sender: owner.jid,
  server_url: is.like(/^http/),
};
const options = { delay: 1, presence: 'composing' };
const ids: Record<string, string> = {};

/** The answer of a send that this generation expects: the raw message, with its time as a text. */
const sentTo = (remoteJid: string, message: is.Shape): is.Shape => ({
  key: { remoteJid, fromMe: true, id: is.text },
  message,
  messageTimestamp: is.digits,
  status: 'PENDING',
});

async function send(kind: string, content: object, message: is.Shape, { status = 201, to = ada.number } = {}) {
  const body = { number: to, options, ...content };
  const jid = to.includes('@') ? to : `${to}@s.whatsapp.net`;
  const sentMessage = await shop.call('POST', `/message/${kind}/${name}`, body, status, sentTo(jid, message));
  const id = textAt(sentMessage, 'key.id');
  ids[kind] = id;
  return { remoteJid: jid, fromMe: true, id };
}

const key = await send(
  'sendText',
  { textMessage: { text: 'Good morning' } },
  { extendedTextMessage: { text: 'Good morning' } },
);
await send(
  'sendText',
  {
    textMessage: { text: 'As I said' },
    options: { ...options, linkPreview: false, quoted: { key, message: { conversation: 'Good morning' } } },
  },
  { extendedTextMessage: { text: 'As I said', contextInfo: { stanzaId: key.id } } },
);
const fileFields = {
  url: is.text,
  mimetype: is.text,
  fileSha256: is.text,
  fileLength: is.digits,
  mediaKey: is.text,
  directPath: is.text,
};
const base64 = picture.toString('base64');
await send(
  'sendMedia',
  { mediaMessage: { mediatype: 'image', media: base64, fileName: 'red.png', caption: 'Red' } },
  { imageMessage: { ...fileFields, caption: 'Red', mediaKeyTimestamp: is.digits } },
);
const image = ids.sendMedia ?? '';
await send(
  'sendMedia',
  { mediaMessage: { mediatype: 'document', media: `${hook.url}/price-list.pdf`, fileName: 'prices.pdf' } },
  { documentMessage: { ...fileFields, fileName: 'prices.pdf', mimetype: 'application/pdf' } },
);
const audio = { audioMessage: { audio: sound.toString('base64') } };
const voiceNote = { audioMessage: { ...fileFields, ptt: true, seconds: is.number } };
await send('sendWhatsAppAudio', { ...audio, options: { ...options, encoding: true } }, voiceNote);
await send('sendPlatformAudio', audio, voiceNote, { status: 200 });
await send('sendSticker', { stickerMessage: { image: `${hook.url}/picture.png` } }, { stickerMessage: fileFields });
await send(
  'sendLocation',
  { locationMessage: { name: 'Café', address: 'Quai 1', latitude: 47.36, longitude: 8.54 } },
  { locationMessage: { degreesLatitude: 47.36, degreesLongitude: 8.54, name: 'Café', address: 'Quai 1' } },
);
await send(
  'sendContact',
  { contactMessage: [{ fullName: 'Bob Doe', wuid: bob.number, phoneNumber: '+1 555 100 0003', organization: 'Doe' }] },
  { contactMessage: { displayName: 'Bob Doe', vcard: is.like(/BEGIN:VCARD[\s\S]*waid=15551000003/) } },
);
await send(
  'sendPoll',
  { pollMessage: { name: 'Lunch?', selectableCount: 1, values: ['Soup', 'Salad'] } },
  { pollCreationMessageV3: { name: 'Lunch?', options: [{ optionName: 'Soup' }, { optionName: 'Salad' }] } },
);
const listRow = { title: 'Soup', description: 'Leek', rowId: 'soup' };
const listFields = { title: 'Menu', description: 'Today', buttonText: 'Look', footerText: 'Until two' };
await send('sendList', { listMessage: { ...listFields, sections: [{ title: 'Warm', rows: [listRow] }] } }, is.object);
const buttons = [{ buttonText: 'Yes', buttonId: 'yes' }];
await send(
  'sendButtons',
  { buttonMessage: { title: 'Agreed?', description: 'Ten', footerText: 'Shop', buttons } },
  is.object,
);
await shop.call(
  'POST',
  `/message/sendReaction/${name}`,
  { reactionMessage: { key, reaction: '👍' } },
  201,
  sentTo(ada.jid, { reactionMessage: { text: '👍', key: { id: key.id } } }),
);
const statusMessage = {
  type: 'text',
  content: 'Open',
  backgroundColor: '#008000',
  font: 1,
  statusJidList: [ada.jid],
  allContacts: false,
};
await shop.call('POST', `/message/sendStatus/${name}`, { statusMessage }, 201, sentTo('status@broadcast', is.object));
await events.next('send.message', { ...envelope, data: { key, owner: name, messageTimestamp: is.number } });
for (const id of Object.values(ids)) {
  await events.next('messages.update', {
    ...envelope,
    data: { remoteJid: ada.jid, id, fromMe: true, status: 'DELIVERY_ACK' },
  });
}
for (const id of Object.values(ids)) await ada.check('messages', is.listWith({ id, from: owner.number }));
await ada.check('messages', is.listWith({ id: key.id, text: 'Good morning', reactions: { [owner.number]: '👍' } }));
const unknownNumberBody = { textMessage: { text: 'Anybody?' }, number: '15551000000' };
await shop.call('POST', `/message/sendText/${name}`, unknownNumberBody, 400, {
  status: 400,
  error: 'Bad Request',
  response: { message: [{ exists: false, jid: '15551000000@s.whatsapp.net', number: '15551000000' }] },
});

// Receive.
const questionMessage = await ada.perform('messages', { to: owner.number, text: 'Are you open?' }, 201);
const questionKey = { remoteJid: ada.jid, fromMe: false, id: textAt(questionMessage, 'id') };
await events.next('messages.upsert', {
  ...envelope,
  apikey: is.absent,
  data: {
    key: questionKey,
    pushName: is.text,
    owner: name,
    message: { conversation: 'Are you open?' },
    messageType: 'conversation',
    messageTimestamp: is.number,
    source: is.text,
  },
});
const pictureMessage = await ada.perform(
  'messages',
  { to: owner.number, image: base64, mimetype: 'image/png', caption: 'This?' },
  201,
);
await events.next('messages.upsert', {
  data: {
    key: { id: textAt(pictureMessage, 'id') },
    messageType: 'imageMessage',
    message: { base64, imageMessage: { caption: 'This?' } },
  },
});
await ada.perform('read', { chat: owner.number });
await events.next('messages.update', { data: { id: key.id, owner: name, status: 'READ', datetime: is.number } });

// Chats.
await shop.call('POST', `/chat/whatsappNumbers/${name}`, { numbers: [ada.number, '15551000000'] }, 200, [
  { exists: true, jid: ada.jid, number: ada.number },
  { exists: false, number: '15551000000' },
]);
const chat = (verb: string, path: string, body: unknown, status: number, shape: is.Shape) =>
  shop.call(verb, `/chat/${path}/${name}`, body, status, shape);
const presence = { delay: 1, presence: 'composing' };
await chat('POST', 'sendPresence', { number: ada.number, options: presence }, 201, { presence: 'composing' });
await ada.perform('typing', { to: owner.number });
await events.next('presence.update', {
  data: { id: ada.jid, presences: { [ada.jid]: { lastKnownPresence: 'composing' } } },
});
await chat('PUT', 'markMessageAsRead', { read_messages: [questionKey] }, 201, {
  message: 'Read messages',
  read: 'success',
});
const lastMessage = { key: questionKey };
await chat('PUT', 'archiveChat', { lastMessage, archive: true }, 201, { chatId: ada.jid, archived: true });
await chat('PUT', 'markChatUnread', { lastMessage, chat: ada.jid }, 201, { chatId: ada.jid, markedChatUnread: true });
await chat('PUT', 'updateMessage', { number: ada.number, key, text: 'Good evening' }, 200, {
  key: { remoteJid: ada.jid },
  message: { protocolMessage: { type: 'MESSAGE_EDIT', key: { id: key.id } } },
  messageTimestamp: is.digits,
});
await ada.check('messages', is.listWith({ id: key.id, edited: 'Good evening' }));
const deletedKey = { id: image, remoteJid: ada.jid, fromMe: true };
await chat('POST', 'getBase64FromMediaMessage', { message: { key: deletedKey } }, 201, {
  mediaType: 'imageMessage',
  mimetype: 'image/png',
  size: is.object,
  base64,
});
await chat('DELETE', 'deleteMessageForEveryone', deletedKey, 201, {
  message: { protocolMessage: { type: 'REVOKE', key: { id: image } } },
  messageTimestamp: is.digits,
});
await events.next('messages.delete', { ...envelope, data: { remoteJid: ada.jid, fromMe: true, id: image } });
await chat('POST', 'fetchProfilePictureUrl', { number: ada.number }, 200, { wuid: ada.jid, profilePictureUrl: null });
await chat('POST', 'fetchProfile', { number: ada.number }, 200, {
  wuid: ada.jid,
  numberExists: true,
  isBusiness: false,
});
await chat('POST', 'updateProfileName', { name: 'The shop' }, 200, { update: 'success' });
await chat('POST', 'updateProfileStatus', { status: 'Open daily' }, 200, { update: 'success' });
await chat('PUT', 'updateProfilePicture', { picture: `${hook.url}/picture.png` }, 200, { update: 'success' });
await owner.check('', { name: 'The shop', status: 'Open daily', picture: is.text });
await chat('DELETE', 'removeProfilePicture', undefined, 200, { update: 'success' });
const privacySettings = {
  readreceipts: 'all',
  profile: 'all',
  status: 'contacts',
  online: 'all',
  last: 'all',
  groupadd: 'all',
};
await chat('PUT', 'updatePrivacySettings', { privacySettings }, 201, { update: 'success', data: privacySettings });
await chat('GET', 'fetchPrivacySettings', undefined, 200, privacySettings);
await chat('PUT', 'updateBlockStatus', { number: bob.number, status: 'block' }, 201, { block: 'success' });
await chat('PUT', 'updateBlockStatus', { number: bob.number, status: 'unblock' }, 201, { block: 'success' });
const contact = { id: ada.jid, owner: name };
await chat('POST', 'findContacts', { where: { id: ada.jid } }, 200, [contact]);
await chat('GET', 'findChats', undefined, 200, is.listWith({ id: ada.jid, owner: name }));
const item = { key: questionKey, messageType: 'conversation', message: { conversation: 'Are you open?' }, owner: name };
const searchBody = { where: { key: { remoteJid: ada.jid } }, limit: 50 };
await chat(
  'POST',
  'findMessages',
  searchBody,
  200,
  is.listWith({ ...item, messageTimestamp: is.number, pushName: is.text }),
);
await chat(
  'POST',
  'findStatusMessage',
  { where: { remoteJid: ada.jid, id: key.id }, limit: 10 },
  200,
  is.listWith({ remoteJid: ada.jid, id: key.id, fromMe: true, status: 'READ', datetime: is.number, owner: name }),
);

// Groups.
const group = (verb: string, path: string, query: string, body: unknown, status: number, shape: is.Shape) =>
  shop.call(verb, `/group/${path}/${name}?${query}`, body, status, shape);
const groupBody = { subject: 'Regulars', description: 'Who comes daily', participants: [ada.number] };
const createdGroup = await group('POST', 'create', '', groupBody, 201, {
  id: is.like(/@g\.us$/),
  subject: 'Regulars',
  owner: owner.jid,
  creation: is.number,
  size: 2,
  participants: is.listWith({ id: ada.jid }),
});
const groupJid = textAt(createdGroup, 'id');
const jidQuery = `groupJid=${encodeURIComponent(groupJid)}`;
const updateResult = { update: 'success' };
await group('PUT', 'updateGroupSubject', jidQuery, { subject: 'Friends' }, 201, updateResult);
await group('PUT', 'updateGroupDescription', jidQuery, { description: 'Who comes often' }, 201, updateResult);
await group('PUT', 'updateGroupPicture', jidQuery, { image: `${hook.url}/picture.png` }, 201, updateResult);
await group('PUT', 'updateSetting', jidQuery, { action: 'locked' }, 201, {});
await group('PUT', 'toggleEphemeral', jidQuery, { expiration: 86400 }, 201, { success: true });
for (const action of ['add', 'promote', 'demote']) {
  const body = { action, participants: [bob.number] };
  const outcome = { updateParticipants: [{ status: '200', jid: bob.jid }] };
  await group('PUT', 'updateParticipant', jidQuery, body, 201, outcome);
}
await events.next('group-participants.update', { data: { id: groupJid, action: 'add', participants: [bob.jid] } });
const record = {
  id: groupJid,
  subject: 'Friends',
  desc: 'Who comes often',
  restrict: true,
  announce: false,
  pictureUrl: is.text,
};
const member = { id: ada.jid, admin: null };
await group('GET', 'findGroupInfos', jidQuery, undefined, 200, { ...record, participants: is.listWith(member) });
await group('GET', 'fetchAllGroups', 'getParticipants=false', undefined, 200, [
  { ...record, size: 3, participants: is.absent },
]);
await group('GET', 'participants', jidQuery, undefined, 200, {
  participants: is.listWith({ id: owner.jid, admin: 'superadmin' }),
});
await send('sendText', { textMessage: { text: 'Hello all' }, options: { mentions: { everyOne: true } } }, is.object, {
  to: groupJid,
});
await events.next('messages.update', { data: { remoteJid: groupJid, id: ids.sendText ?? '', status: 'SERVER_ACK' } });
const invite = await group('GET', 'inviteCode', jidQuery, undefined, 200, { inviteUrl: is.text, inviteCode: is.text });
const inviteCode = `inviteCode=${textAt(invite, 'inviteCode')}`;
await group('GET', 'inviteInfo', inviteCode, undefined, 200, { id: groupJid, subject: 'Friends', size: 3 });
const invitation = { groupJid, description: 'Join us', numbers: [ada.number] };
await group('POST', 'sendInvite', '', invitation, 200, { send: true, inviteUrl: textAt(invite, 'inviteUrl') });
await group('PUT', 'revokeInviteCode', jidQuery, undefined, 201, { revoked: true, inviteCode: is.text });
const adasGroup = await ada.perform('groups', { subject: 'Book club' }, 201);
await group('GET', 'acceptInviteCode', `inviteCode=${textAt(adasGroup, 'inviteCode')}`, undefined, 200, {
  accepted: true,
  groupJid: textAt(adasGroup, 'id'),
});
await group('PUT', 'updateParticipant', jidQuery, { action: 'remove', participants: [bob.number] }, 201, {
  updateParticipants: [{ status: '200', jid: bob.jid }],
});
await group('DELETE', 'leaveGroup', jidQuery, undefined, 200, { groupJid, leave: true });

// Change settings, restart, log out and delete the instance.
await shop.call('POST', `/settings/set/${name}`, { ...settings, read_messages: true }, 201, {
  settings: { instanceName: name, settings: { ...settings, read_messages: true } },
});
await shop.get(`/settings/find/${name}`, { ...settings, read_messages: true });
await shop.call('PUT', `/instance/restart/${name}`, undefined, 200, open);
const recordOf = {
  instanceName: name,
  instanceId: is.text,
  owner: owner.jid,
  profileName: 'The shop',
  status: 'open',
  serverUrl: is.like(/^http/),
};
const ownRecords = [{ instance: { ...recordOf, apikey: 'older-instance-key', integration: is.object } }];
await shop.get('/instance/fetchInstances', ownRecords);
await operator.get(`/instance/fetchInstances?instanceName=${name}`, ownRecords);
const ok = { status: 'SUCCESS', error: false };
await shop.call('DELETE', `/instance/logout/${name}`, undefined, 200, {
  ...ok,
  response: { message: 'Instance logged out' },
});
await shop.get(`/instance/connectionState/${name}`, { instance: { state: 'close' } });
await owner.check('', { devices: [] });
await shop.call('DELETE', `/instance/delete/${name}`, undefined, 200, {
  ...ok,
  response: { message: 'Instance deleted' },
});
await operator.call('GET', `/instance/connectionState/${name}`, undefined, 404, {
  status: 404,
  error: 'Not Found',
  response: { message: [`The "${name}" instance does not exist`] },
});
await operator.call('GET', `/instance/fetchInstances?instanceName=${name}`, undefined, 404, {
  error: 'Not Found',
  response: { message: is.list },
});
await hook.close();
console.log(`v1: ${operator.calls + shop.calls} calls and ${events.count} events as expected`);
