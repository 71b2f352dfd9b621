// The forms of requests that clients of either generation send, and the generation in which the gateway answers. These
// tests cover every rule once. Tests in test/http cover the details.
import { describe, expect, it } from 'vitest';
import { sentInputs, startOpen } from '../http/routes/sent-texts.ts';
import { at } from '../support/api.ts';
import { spec } from '../support/openapi-document.ts';

const number = '15551234567';
const sendTextPath = '/message/sendText/shop';
const jsonHeaders = { 'content-type': 'application/json' };

describe('I1: methods of changes', () => {
  const updates = [
    ...['markMessageAsRead', 'archiveChat', 'markChatUnread', 'updatePrivacySettings', 'updateProfilePicture'].map(
      (name) => `/chat/${name}`,
    ),
    ...['updateMessage', 'updateBlockStatus'].map((name) => `/chat/${name}`),
    ...['Subject', 'Picture', 'Description'].map((name) => `/group/updateGroup${name}`),
    ...['updateParticipant', 'updateSetting', 'toggleEphemeral', 'revokeInviteCode'].map((name) => `/group/${name}`),
    ...['/instance/restart', '/label/handleLabel'],
  ];
  it.each(updates)('the contract documents PUT and POST for %s', (path) => {
    expect(Object.keys(spec.paths[`${path}/{instance}`] ?? {}).sort()).toEqual(['post', 'put']);
  });

  it('the contract documents GET and POST for /chat/findChats', () => {
    expect(Object.keys(spec.paths['/chat/findChats/{instance}'] ?? {}).sort()).toEqual(['get', 'post']);
  });

  it.each([
    '/message/sendPlatformAudio',
    '/message/sendWhatsAppAudio',
    '/message/updateBlockStatus',
    '/chat/updateBlockStatus',
  ])('I5: the contract documents POST for %s, one of two names of an operation', (path) => {
    expect(spec.paths[`${path}/{instance}`]?.post).toBeDefined();
  });
});

describe('sendText', () => {
  const wrapped = { number, textMessage: { text: 'hi' } };
  it.each<[string, object, object]>([
    ['I2 wrapped', { ...wrapped, options: { delay: 5 } }, { ...wrapped, options: { delay: 5 } }],
    ['I2 flat', { number, text: 'hi', delay: 5 }, { ...wrapped, options: { delay: 5 } }],
    ['I2 both: the wrapped text wins', { ...wrapped, text: 'flat' }, wrapped],
    ['I2 hybrid', { number, text: 'hi', options: { delay: 5 } }, { ...wrapped, options: { delay: 5 } }],
    [
      'I2 hybrid: the options override flat fields',
      { number, text: 'hi', delay: 9, options: { delay: 5 } },
      { ...wrapped, options: { delay: 5 } },
    ],
    ['I4 everyOne', { number, text: 'hi', everyOne: true }, { options: { mentions: { everyOne: true } } }],
    [
      'I4 mentionsEveryOne',
      { number, text: 'hi', mentionsEveryOne: true },
      { options: { mentions: { everyOne: true } } },
    ],
    ['I4 mentioned', { number, text: 'hi', mentioned: [number] }, { options: { mentions: { mentioned: [number] } } }],
    ['I6 an integer in the field number', { number: Number(number), text: 'hi' }, wrapped],
    [
      'I6 an integer and a boolean as texts',
      { number, text: 'hi', delay: '5', linkPreview: 'false' },
      { options: { delay: 5, linkPreview: false } },
    ],
    ['I10 unknown fields', { ...wrapped, campaign: { id: 7 } }, wrapped],
    ['null for fields without a value', { number, text: 'hi', delay: null, quoted: null, options: null }, wrapped],
    [
      'a quote with only the message id',
      { number, text: 'hi', quoted: { key: { id: 'A' } } },
      { options: { quoted: { key: { id: 'A' } } } },
    ],
    ['keys in another order', { options: { delay: 5 }, textMessage: { text: 'hi' }, number }, wrapped],
  ])('sendText accepts a body in this form: %s', async (_, body, expectedInput) => {
    const http = await startOpen();
    expect((await http.call('POST', sendTextPath, body)).status).toBe(201);
    expect(sentInputs).toMatchObject([expectedInput]);
  });

  it.each([
    ['I8 as a form', sendTextPath, `number=${number}&text=hi`, { 'content-type': 'application/x-www-form-urlencoded' }],
    [
      'I8 as an extended form',
      sendTextPath,
      `number=${number}&textMessage[text]=hi&options[delay]=0&options[mentions][mentioned][]=${number}`,
      { 'content-type': 'application/x-www-form-urlencoded' },
    ],
    [
      'I9 with doubled slashes',
      `/${sendTextPath.replace('/sendText', '//sendText')}`,
      JSON.stringify({ number, text: 'hi' }),
      jsonHeaders,
    ],
    ['I9 in upper case', '/MESSAGE/SENDTEXT/shop', JSON.stringify({ number, text: 'hi' }), jsonHeaders],
    ['I9 with a slash at the end', `${sendTextPath}/`, JSON.stringify({ number, text: 'hi' }), jsonHeaders],
    ['I9 with an encoded name', '/message/sendText/%73hop', JSON.stringify({ number, text: 'hi' }), jsonHeaders],
  ])('sendText accepts a request in this form: %s', async (_, path, body, headers) => {
    const http = await startOpen();
    expect((await http.call('POST', path, body, headers)).status).toBe(201);
    expect(sentInputs).toMatchObject([wrapped]);
  });

  it.each([
    ['auto', { ...wrapped }, 'string', 'extendedTextMessage'],
    ['auto', { number, text: 'hi' }, 'number', 'conversation'],
    ['auto', { number, text: 'hi', options: {} }, 'number', 'conversation'],
    ['v1', { number, text: 'hi' }, 'string', 'extendedTextMessage'],
    ['v2', { ...wrapped }, 'number', 'conversation'],
  ])('sendText with RESPONSE_DIALECT=%s answers %j in the form of the chosen generation', async (dialect, body, kind, content) => {
    const http = await startOpen({ RESPONSE_DIALECT: dialect });
    const answer = await http.call('POST', sendTextPath, body);
    expect(typeof at(answer.body, 'messageTimestamp')).toBe(kind);
    expect(at(answer.body, 'message')).toHaveProperty(content);
  });
});

describe('requests without a body', () => {
  it.each([
    ['PUT', '/instance/restart/shop'],
    ['POST', '/instance/restart/shop'],
    ['GET', '/instance/connectionState/shop'],
    ['DELETE', '/instance/logout/shop'],
  ] as const)('I7: %s %s accepts an empty body with the Content-Type of JSON', async (method, path) => {
    const http = await startOpen();
    const answer = await http.call(method, path, '', jsonHeaders);
    expect(answer.status).toBe(200);
    expect(answer.body).toBeTypeOf('object');
  });
});

describe('instance/create', () => {
  const create = { instanceName: 'new' };
  it.each<[string, object, object]>([
    ['I3 snake case', { ...create, reject_call: true, webhook: 'http://h.example/' }, { rejectCall: true }],
    ['I3 camel case', { ...create, rejectCall: true, webhookUrl: 'http://h.example/' }, { rejectCall: true }],
    [
      'I3 nested',
      { ...create, settings: { rejectCall: true }, webhook: { url: 'http://h.example/' } },
      { rejectCall: true },
    ],
    [
      'null for fields without a value',
      { ...create, token: null, number: null, webhook: null, msgCall: null },
      { msgCall: '' },
    ],
  ])('instance/create accepts settings in this form: %s', async (_, body, settings) => {
    const http = await startOpen();
    expect((await http.call('POST', '/instance/create', body)).status).toBe(201);
    expect(http.instances.get('new')?.row.settings).toMatchObject(settings);
  });

  it.each([
    [{ ...create, reject_call: true }, 'hash.apikey'],
    [create, 'hash.apikey'],
    [{ ...create, integration: 'WHATSAPP-BAILEYS' }, 'hash'],
    [{ ...create, webhook: { url: 'http://h.example/' } }, 'hash'],
  ])('instance/create with %j answers with a valid key in the field that the client reads', async (body, keyPath) => {
    const http = await startOpen();
    const created = await http.call('POST', '/instance/create', body);
    const apikey = String(at(created.body, keyPath));
    const state = await http.call('GET', '/instance/connectionState/new', undefined, { apikey });
    expect(state.status).toBe(200);
  });

  it('fetchInstances lists an instance in both forms, with null for every field without a value', async () => {
    const http = await startOpen();
    const [record] = (await http.call('GET', '/instance/fetchInstances')).body as unknown[];
    expect(record).toMatchObject({ name: 'shop', instance: { instanceName: 'shop' } });
    const nullable =
      'ownerJid profileName profilePicUrl number businessId disconnectionReasonCode disconnectionObject disconnectionAt';
    for (const key of `${nullable} Chatwoot Proxy Rabbitmq Sqs Websocket`.split(' '))
      expect(record).toHaveProperty(key, null);
  });
});

describe('settings and webhooks', () => {
  it.each([
    { reject_call: true },
    { rejectCall: 'true' },
    { settings: { reject_call: true } },
  ])('I4: settings/set accepts %j and answers with both spellings of the setting', async (body) => {
    const http = await startOpen();
    const set = await http.call('POST', '/settings/set/shop', body);
    expect(set).toMatchObject({
      status: 201,
      body: { settings: { settings: { rejectCall: true, reject_call: true } } },
    });
  });

  const url = 'http://h.example/';
  it.each([
    { enabled: true, url, webhook_by_events: true, webhook_base64: true },
    { enabled: true, url, webhookByEvents: true, webhookBase64: true },
    { webhook: { enabled: true, url, byEvents: true, base64: true } },
    { webhook: { enabled: true, url, webhookByEvents: true, webhookBase64: true } },
  ])('I3, I4: webhook/set accepts %j, and webhook/find answers with both spellings of its fields', async (body) => {
    const http = await startOpen();
    expect((await http.call('POST', '/webhook/set/shop', body)).status).toBe(201);
    const answer = await http.call('GET', '/webhook/find/shop');
    const both = { webhook_by_events: true, webhookByEvents: true, webhook_base64: true, webhookBase64: true };
    expect(answer.body).toMatchObject({ enabled: true, url, ...both });
  });

  it.each([
    ['v1, by its limit', { limit: 5 }, 'auto', true],
    ['v2, by its page', { page: 1 }, 'auto', false],
    ['v2, by its page size', { offset: 10 }, 'auto', false],
    ['v2, by a time', { where: { messageTimestamp: { gte: '2026-01-01T00:00:00Z' } }, limit: 5 }, 'auto', false],
    ['v2, by a message type', { where: { messageType: 'imageMessage' } }, 'auto', false],
    ['v2, by a device type', { where: { source: 'web' } }, 'auto', false],
    ['v2, by its spelling of the author', { where: { key: { participants: '15551234567' } } }, 'auto', false],
    ['v1, when the body is empty', {}, 'auto', true],
    ['v1, when the body names only a chat', { where: { key: { remoteJid: '15551234567' } } }, 'auto', true],
    ['v1, when the fields of v2 are null', { where: { messageTimestamp: null }, page: null }, 'auto', true],
    ['v2, by RESPONSE_DIALECT', {}, 'v2', false],
    ['v2, by RESPONSE_DIALECT, also with a limit', { where: {}, limit: 5 }, 'v2', false],
  ])('findMessages answers a search in the form of %s', async (_, body, dialect, isList) => {
    const http = await startOpen({ RESPONSE_DIALECT: dialect });
    const answer = await http.call('POST', '/chat/findMessages/shop', body);
    expect(Array.isArray(answer.body)).toBe(isList);
    if (!isList) expect(at(answer.body, 'messages.records')).toEqual([]);
  });
});
