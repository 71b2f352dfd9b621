// A client program of an integrator without a webhook URL. It receives all events over socket.io, in the namespace of
// its instance. Usage: `node socketio.ts <baseUrl> <globalKey> <sandboxControlUrl>`. It throws at the first answer or
// event that it cannot read. The gateway needs WEBSOCKET_ENABLED=true.
import { io } from 'socket.io-client';
import { Caller, Phone, textAt } from './caller.ts';
import { Events } from './events.ts';
import { film, picture, priceList, sound } from './files.ts';
import * as is from './shape.ts';

const [baseUrl = '', globalKey = '', controlUrl = ''] = process.argv.slice(2);
const name = 'listener';
const owner = new Phone(controlUrl, '15553000001');
const ada = new Phone(controlUrl, '15553000002');
const bob = new Phone(controlUrl, '15553000003');
const operator = new Caller(baseUrl, globalKey);
const events = new Events();

/** Opens a socket in the namespace of the instance. */
const openSocket = (apikey: string) =>
  io(`${baseUrl}/${name}`, { transports: ['websocket'], query: { apikey }, forceNew: true, reconnection: false });

// Create the instance and open the socket.
const created = await operator.call(
  'POST',
  '/instance/create',
  { instanceName: name, integration: 'WHATSAPP-BAILEYS', websocket: { enabled: true, events: ['QRCODE_UPDATED'] } },
  201,
  { instance: { instanceName: name, status: 'close' }, hash: is.text, websocket: { enabled: true }, qrcode: is.absent },
);
const instanceId = textAt(created, 'instance.instanceId');
const token = textAt(created, 'hash');
const shop = new Caller(baseUrl, token);
for (const wrongKey of ['', 'a wrong key']) {
  const deniedSocket = openSocket(wrongKey);
  const isRefused = await Promise.race([
    new Promise<boolean>((resolve) => deniedSocket.once('connect_error', () => resolve(true))),
    new Promise<boolean>((resolve) => deniedSocket.once('connect', () => resolve(false))),
  ]);
  if (!isRefused) throw new Error(`the key ${JSON.stringify(wrongKey)} was let in`);
  deniedSocket.close();
}
const socket = openSocket(token);
socket.onAny((event: string, body: unknown) => events.add(event, body));
await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('connect_error', reject));
const websocket = { enabled: true, events: ['MESSAGES_UPSERT', 'MESSAGES_UPDATE', 'MESSAGES_DELETE', 'SEND_MESSAGE'] };
websocket.events.push('QRCODE_UPDATED', 'CONNECTION_UPDATE', 'GROUP_PARTICIPANTS_UPDATE', 'PRESENCE_UPDATE');
const websocketRecord = { ...websocket, id: is.text, instanceId, createdAt: is.text, updatedAt: is.text };
await shop.call('POST', `/websocket/set/${name}`, { websocket }, 201, websocketRecord);
await shop.get(`/websocket/find/${name}`, websocketRecord);

// Link.
await shop.get(`/instance/connect/${name}`, { code: is.like(/2@/), base64: is.text, count: is.number });
const qrcode = { instance: name, code: is.text, base64: is.text };
const qrEvent = await events.next('qrcode.updated', { event: 'qrcode.updated', instance: name, data: { qrcode } });
await owner.perform('scan', { code: textAt(qrEvent, 'data.qrcode.code') });
await events.next('connection.update', { data: { instance: name, state: 'open', statusReason: 200 } });
const open = { instance: { instanceName: name, state: 'open' } };
await shop.get(`/instance/connectionState/${name}`, open);

// Send every kind of message, and receive its events.
const envelope = { instance: name, date_time: is.text, sender: owner.jid, server_url: is.text, destination: is.absent };
const base64 = picture.toString('base64');
const document = { mediatype: 'document', fileName: 'prices.pdf', media: priceList.toString('base64') };
const place = { name: 'Café', address: 'Quai 1', latitude: 47.36, longitude: 8.54 };
const sections = [{ title: 'Warm', rows: [{ title: 'Soup', rowId: 'soup' }] }];
const kinds: [operation: string, body: object, messageType: string][] = [
  ['sendText', { text: 'Good morning' }, 'conversation'],
  ['sendMedia', { mediatype: 'image', media: base64, fileName: 'red.png', caption: 'Red' }, 'imageMessage'],
  ['sendMedia', { mediatype: 'video', media: film.toString('base64') }, 'videoMessage'],
  ['sendMedia', document, 'documentMessage'],
  ['sendWhatsAppAudio', { audio: sound.toString('base64') }, 'audioMessage'],
  ['sendSticker', { sticker: base64 }, 'stickerMessage'],
  ['sendLocation', place, 'locationMessage'],
  ['sendContact', { contact: [{ fullName: 'Bob Doe', phoneNumber: bob.number }] }, 'contactMessage'],
  ['sendPoll', { name: 'Lunch?', selectableCount: 1, values: ['Soup', 'Salad'] }, 'pollCreationMessageV3'],
  ['sendList', { title: 'Menu', buttonText: 'Look', footerText: 'Until two', sections }, 'interactiveMessage'],
  [
    'sendButtons',
    { title: 'Agreed?', buttons: [{ type: 'reply', displayText: 'Yes', id: 'y' }] },
    'interactiveMessage',
  ],
];
const sentIds: string[] = [];
for (const [operation, body, messageType] of kinds) {
  const shape = { key: { remoteJid: ada.jid, fromMe: true, id: is.text }, messageType, messageTimestamp: is.number };
  const sentMessage = await shop.call(
    'POST',
    `/message/${operation}/${name}`,
    { number: ada.number, ...body },
    201,
    shape,
  );
  const id = textAt(sentMessage, 'key.id');
  sentIds.push(id);
  await events.next('send.message', { ...envelope, data: { ...shape, key: { id }, instanceId } });
}
const [first = '', image = ''] = sentIds;
const key = { remoteJid: ada.jid, fromMe: true, id: first };
const reaction = { key: { remoteJid: ada.jid }, messageType: 'reactionMessage' };
await shop.call('POST', `/message/sendReaction/${name}`, { key, reaction: '👍' }, 201, reaction);
const statusBody = { type: 'text', content: 'Open', backgroundColor: '#008000', font: 1, statusJidList: [ada.jid] };
await shop.call('POST', `/message/sendStatus/${name}`, statusBody, 201, { key: { remoteJid: 'status@broadcast' } });
for (const keyId of sentIds) {
  await events.next('messages.update', { ...envelope, data: { keyId, fromMe: true, status: 'DELIVERY_ACK' } });
}

// Receive.
const questionMessage = await ada.perform('messages', { to: owner.number, text: 'Are you open?' }, 201);
const questionKey = { remoteJid: ada.jid, fromMe: false, id: textAt(questionMessage, 'id') };
const message = { conversation: 'Are you open?' };
const expectedMessage = {
  key: questionKey,
  pushName: is.text,
  message,
  messageType: 'conversation',
  messageTimestamp: is.number,
};
await events.next('messages.upsert', {
  ...envelope,
  apikey: is.absent,
  data: { ...expectedMessage, instanceId, source: is.text },
});
await ada.perform('read', { chat: owner.number });
await events.next('messages.update', { data: { keyId: first, status: 'READ' } });

// Chats.
const chat = (path: string, body: unknown, status: number, shape: is.Shape, verb = 'POST') =>
  shop.call(verb, `/chat/${path}/${name}`, body, status, shape);
await chat('whatsappNumbers', { numbers: [ada.number] }, 200, [{ exists: true, jid: ada.jid }]);
const presence = { number: ada.number, presence: 'composing', delay: 1 };
await chat('sendPresence', presence, 201, { presence: 'composing' });
await ada.perform('typing', { to: owner.number });
await events.next('presence.update', { data: { id: ada.jid, presences: is.object } });
await chat('markMessageAsRead', { readMessages: [questionKey] }, 201, { read: 'success' });
await chat('archiveChat', { chat: ada.jid, archive: true, lastMessage: { key: questionKey } }, 201, { archived: true });
await chat('updateMessage', { number: ada.number, key, text: 'Good evening' }, 200, { key: { remoteJid: ada.jid } });
await ada.check('messages', is.listWith({ id: first, edited: 'Good evening' }));
const deletedKey = { id: image, remoteJid: ada.jid, fromMe: true };
await chat('deleteMessageForEveryone', deletedKey, 201, { message: { protocolMessage: { type: 'REVOKE' } } }, 'DELETE');
await events.next('messages.delete', { ...envelope, data: deletedKey });
await chat('findMessages', { where: { key: { remoteJid: ada.jid } }, page: 1, offset: 5 }, 200, {
  messages: { total: is.number, currentPage: 1, records: is.listWith({ key: questionKey, message }) },
});
await chat('findChats', {}, 200, is.listWith({ remoteJid: ada.jid }));

// Groups.
const groupBody = { subject: 'Regulars', participants: [ada.number] };
const createdGroup = await shop.call('POST', `/group/create/${name}`, groupBody, 201, {
  id: is.like(/@g\.us$/),
  size: 2,
});
const groupJid = textAt(createdGroup, 'id');
const groupPath = (path: string) => `/group/${path}/${name}?groupJid=${groupJid}`;
await shop.call('POST', groupPath('updateGroupSubject'), { subject: 'Friends' }, 201, { update: 'success' });
const addBody = { action: 'add', participants: [bob.number] };
const addResult = { updateParticipants: [{ status: '200', jid: bob.jid }] };
await shop.call('POST', groupPath('updateParticipant'), addBody, 201, addResult);
const joinEvent = { id: groupJid, action: 'add', participants: [bob.jid] };
await events.next('group-participants.update', { ...envelope, data: joinEvent });
await shop.get(groupPath('inviteCode'), { inviteUrl: is.text, inviteCode: is.text });
await bob.perform('messages', { to: groupJid, text: 'Hello' }, 201);
const fromBob = { key: { remoteJid: groupJid, participant: bob.jid }, message: { conversation: 'Hello' } };
await events.next('messages.upsert', { ...envelope, data: fromBob });
await shop.call('DELETE', groupPath('leaveGroup'), undefined, 200, { leave: true });

// Disabled events do not arrive. The socket stays open.
await shop.call('POST', `/websocket/set/${name}`, { websocket: { enabled: false, events: [] } }, 201, {
  enabled: false,
});
const quietMessage = await shop.call(
  'POST',
  `/message/sendText/${name}`,
  { number: ada.number, text: 'Quiet' },
  201,
  {},
);
await shop.call('POST', `/websocket/set/${name}`, { websocket }, 201, websocketRecord);
const loudMessage = await shop.call('POST', `/message/sendText/${name}`, { number: ada.number, text: 'Loud' }, 201, {});
await events.next('send.message', { data: { key: { id: textAt(loudMessage, 'key.id') } } });
if (events.has('send.message', { data: { key: { id: textAt(quietMessage, 'key.id') } } }))
  throw new Error('inbound too much');

// Log out and delete the instance.
const ok = { status: 'SUCCESS', error: false };
await operator.get(`/instance/fetchInstances?instanceName=${name}`, [{ name, connectionStatus: 'open', token }]);
await shop.call('DELETE', `/instance/logout/${name}`, undefined, 200, ok);
await events.next('connection.update', { data: { state: 'close' } });
const disconnected = new Promise((resolve) => socket.once('disconnect', resolve));
await shop.call('DELETE', `/instance/delete/${name}`, undefined, 200, ok);
await disconnected;
await operator.call('GET', `/instance/connectionState/${name}`, undefined, 404, { error: 'Not Found' });
socket.close();
console.log(`socketio: ${operator.calls + shop.calls} calls and ${events.count} events as expected`);
