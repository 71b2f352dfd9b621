// An integrator's program that has no address of its own: it receives all events over socket.io, one namespace per instance.
// `node socketio.ts <baseUrl> <globalKey> <sandboxControlUrl>`; throws at the first answer or event that it cannot read.
// The gateway needs WEBSOCKET_ENABLED=true.
import { io } from 'socket.io-client';
import { Caller, Phone, textAt } from './caller.ts';
import { Events } from './events.ts';
import { film, picture, priceList, sound } from './files.ts';
import * as is from './shape.ts';

const [baseUrl = '', globalKey = '', controlUrl = ''] = process.argv.slice(2);
const name = 'listener';
const mine = new Phone(controlUrl, '15553000001');
const ada = new Phone(controlUrl, '15553000002');
const bob = new Phone(controlUrl, '15553000003');
const operator = new Caller(baseUrl, globalKey);
const events = new Events();

/** A socket of the instance's namespace. */
const listen = (apikey: string) =>
  io(`${baseUrl}/${name}`, { transports: ['websocket'], query: { apikey }, forceNew: true, reconnection: false });

// Create and listen.
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
for (const wrong of ['', 'a wrong key']) {
  const stranger = listen(wrong);
  const refused = await Promise.race([
    new Promise<boolean>((resolve) => stranger.once('connect_error', () => resolve(true))),
    new Promise<boolean>((resolve) => stranger.once('connect', () => resolve(false))),
  ]);
  if (!refused) throw new Error(`the key ${JSON.stringify(wrong)} was let in`);
  stranger.close();
}
const socket = listen(token);
socket.onAny((event: string, body: unknown) => events.add(event, body));
await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('connect_error', reject));
const websocket = { enabled: true, events: ['MESSAGES_UPSERT', 'MESSAGES_UPDATE', 'MESSAGES_DELETE', 'SEND_MESSAGE'] };
websocket.events.push('QRCODE_UPDATED', 'CONNECTION_UPDATE', 'GROUP_PARTICIPANTS_UPDATE', 'PRESENCE_UPDATE');
const row = { ...websocket, id: is.text, instanceId, createdAt: is.text, updatedAt: is.text };
await shop.call('POST', `/websocket/set/${name}`, { websocket }, 201, row);
await shop.get(`/websocket/find/${name}`, row);

// Link.
await shop.get(`/instance/connect/${name}`, { code: is.like(/2@/), base64: is.text, count: is.number });
const qrcode = { instance: name, code: is.text, base64: is.text };
const shown = await events.next('qrcode.updated', { event: 'qrcode.updated', instance: name, data: { qrcode } });
await mine.do('scan', { code: textAt(shown, 'data.qrcode.code') });
await events.next('connection.update', { data: { instance: name, state: 'open', statusReason: 200 } });
const open = { instance: { instanceName: name, state: 'open' } };
await shop.get(`/instance/connectionState/${name}`, open);

// Send every kind, and receive the events of each.
const envelope = { instance: name, date_time: is.text, sender: mine.jid, server_url: is.text, destination: is.absent };
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
  const sent = await shop.call('POST', `/message/${operation}/${name}`, { number: ada.number, ...body }, 201, shape);
  const id = textAt(sent, 'key.id');
  sentIds.push(id);
  await events.next('send.message', { ...envelope, data: { ...shape, key: { id }, instanceId } });
}
const [first = '', image = ''] = sentIds;
const key = { remoteJid: ada.jid, fromMe: true, id: first };
const reaction = { key: { remoteJid: ada.jid }, messageType: 'reactionMessage' };
await shop.call('POST', `/message/sendReaction/${name}`, { key, reaction: '👍' }, 201, reaction);
const news = { type: 'text', content: 'Open', backgroundColor: '#008000', font: 1, statusJidList: [ada.jid] };
await shop.call('POST', `/message/sendStatus/${name}`, news, 201, { key: { remoteJid: 'status@broadcast' } });
for (const keyId of sentIds) {
  await events.next('messages.update', { ...envelope, data: { keyId, fromMe: true, status: 'DELIVERY_ACK' } });
}

// Receive.
const asked = await ada.do('messages', { to: mine.number, text: 'Are you open?' }, 201);
const question = { remoteJid: ada.jid, fromMe: false, id: textAt(asked, 'id') };
const message = { conversation: 'Are you open?' };
const read = { key: question, pushName: is.text, message, messageType: 'conversation', messageTimestamp: is.number };
await events.next('messages.upsert', {
  ...envelope,
  apikey: is.absent,
  data: { ...read, instanceId, source: is.text },
});
await ada.do('read', { chat: mine.number });
await events.next('messages.update', { data: { keyId: first, status: 'READ' } });

// Chats.
const chat = (path: string, body: unknown, status: number, shape: is.Shape, verb = 'POST') =>
  shop.call(verb, `/chat/${path}/${name}`, body, status, shape);
await chat('whatsappNumbers', { numbers: [ada.number] }, 200, [{ exists: true, jid: ada.jid }]);
const typing = { number: ada.number, presence: 'composing', delay: 1 };
await chat('sendPresence', typing, 201, { presence: 'composing' });
await ada.do('typing', { to: mine.number });
await events.next('presence.update', { data: { id: ada.jid, presences: is.object } });
await chat('markMessageAsRead', { readMessages: [question] }, 201, { read: 'success' });
await chat('archiveChat', { chat: ada.jid, archive: true, lastMessage: { key: question } }, 201, { archived: true });
await chat('updateMessage', { number: ada.number, key, text: 'Good evening' }, 200, { key: { remoteJid: ada.jid } });
await ada.shows('messages', is.listWith({ id: first, edited: 'Good evening' }));
const gone = { id: image, remoteJid: ada.jid, fromMe: true };
await chat('deleteMessageForEveryone', gone, 201, { message: { protocolMessage: { type: 'REVOKE' } } }, 'DELETE');
await events.next('messages.delete', { ...envelope, data: gone });
await chat('findMessages', { where: { key: { remoteJid: ada.jid } }, page: 1, offset: 5 }, 200, {
  messages: { total: is.number, currentPage: 1, records: is.listWith({ key: question, message }) },
});
await chat('findChats', {}, 200, is.listWith({ remoteJid: ada.jid }));

// Groups.
const founding = { subject: 'Regulars', participants: [ada.number] };
const founded = await shop.call('POST', `/group/create/${name}`, founding, 201, { id: is.like(/@g\.us$/), size: 2 });
const groupJid = textAt(founded, 'id');
const group = (path: string) => `/group/${path}/${name}?groupJid=${groupJid}`;
await shop.call('POST', group('updateGroupSubject'), { subject: 'Friends' }, 201, { update: 'success' });
const adding = { action: 'add', participants: [bob.number] };
const added = { updateParticipants: [{ status: '200', jid: bob.jid }] };
await shop.call('POST', group('updateParticipant'), adding, 201, added);
const joined = { id: groupJid, action: 'add', participants: [bob.jid] };
await events.next('group-participants.update', { ...envelope, data: joined });
await shop.get(group('inviteCode'), { inviteUrl: is.text, inviteCode: is.text });
await bob.do('messages', { to: groupJid, text: 'Hello' }, 201);
const fromBob = { key: { remoteJid: groupJid, participant: bob.jid }, message: { conversation: 'Hello' } };
await events.next('messages.upsert', { ...envelope, data: fromBob });
await shop.call('DELETE', group('leaveGroup'), undefined, 200, { leave: true });

// What is switched off is not received; the socket stays.
await shop.call('POST', `/websocket/set/${name}`, { websocket: { enabled: false, events: [] } }, 201, {
  enabled: false,
});
const unheard = await shop.call('POST', `/message/sendText/${name}`, { number: ada.number, text: 'Quiet' }, 201, {});
await shop.call('POST', `/websocket/set/${name}`, { websocket }, 201, row);
const inbound = await shop.call('POST', `/message/sendText/${name}`, { number: ada.number, text: 'Loud' }, 201, {});
await events.next('send.message', { data: { key: { id: textAt(inbound, 'key.id') } } });
if (events.has('send.message', { data: { key: { id: textAt(unheard, 'key.id') } } }))
  throw new Error('inbound too much');

// The end.
const done = { status: 'SUCCESS', error: false };
await operator.get(`/instance/fetchInstances?instanceName=${name}`, [{ name, connectionStatus: 'open', token }]);
await shop.call('DELETE', `/instance/logout/${name}`, undefined, 200, done);
await events.next('connection.update', { data: { state: 'close' } });
const cut = new Promise((resolve) => socket.once('disconnect', resolve));
await shop.call('DELETE', `/instance/delete/${name}`, undefined, 200, done);
await cut;
await operator.call('GET', `/instance/connectionState/${name}`, undefined, 404, { error: 'Not Found' });
socket.close();
console.log(`socketio: ${operator.calls + shop.calls} calls and ${events.count} events as expected`);
