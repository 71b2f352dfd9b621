import { describe, expect, it } from 'vitest';
import { REQUEST_REWRITES } from '../../../src/http/dialects/request.ts';
import type { ApiDialect, Body } from '../../../src/http/dialects/rewrite.ts';

function rewriteBody(operation: string, body: Body, defaultDialect: ApiDialect = 'v1') {
  const rewrite = REQUEST_REWRITES[operation];
  if (!rewrite) throw new Error(`no dialects for ${operation}`);
  return rewrite(body, defaultDialect);
}

describe('rewrites of sendText bodies', () => {
  const number = '15551234567';
  const quoted = { key: { id: 'A' } };

  it.each<[string, Body, Body, ApiDialect]>([
    [
      'the nested form is unchanged',
      { number, textMessage: { text: 'x' }, options: { delay: 1, quoted } },
      { number, textMessage: { text: 'x' }, options: { delay: 1, quoted } },
      'v1',
    ],
    [
      'flat fields go into textMessage and options',
      { number, text: 'x', delay: 1, linkPreview: false, quoted },
      { number, textMessage: { text: 'x' }, options: { delay: 1, linkPreview: false, quoted } },
      'v2',
    ],
    [
      'flat text with options is flat, and options win over flat fields',
      { number, text: 'x', delay: 1, options: { delay: 2, presence: 'composing' } },
      { number, textMessage: { text: 'x' }, options: { delay: 2, presence: 'composing' } },
      'v2',
    ],
    [
      'a wrapped text wins over a flat one',
      { number, text: 'flat', textMessage: { text: 'wrapped' } },
      { number, textMessage: { text: 'wrapped' } },
      'v1',
    ],
    [
      'all names of the mention fields',
      { number, text: 'x', mentionsEveryOne: true, mentioned: ['1'] },
      { number, textMessage: { text: 'x' }, options: { mentions: { everyOne: true, mentioned: ['1'] } } },
      'v2',
    ],
    [
      'everyOne at the top and mentioned inside options',
      { number, text: 'x', everyOne: true, options: { mentioned: ['1'] } },
      { number, textMessage: { text: 'x' }, options: { mentions: { everyOne: true, mentioned: ['1'] } } },
      'v2',
    ],
    [
      'null counts as not set',
      { number, textMessage: { text: 'x' }, options: null },
      { number, textMessage: { text: 'x' } },
      'v1',
    ],
  ])('REQUEST_REWRITES.sendText rewrites the body and detects its dialect: %s', (_, body, expected, dialect) => {
    const { body: result, dialect: detected } = rewriteBody('sendText', body);
    expect(result).toMatchObject(expected);
    if (expected.options === undefined) expect(result.options).toBeUndefined();
    expect(detected).toBe(dialect);
  });

  it('REQUEST_REWRITES.sendText uses the default dialect for a body that fits both dialects', () => {
    expect(rewriteBody('sendText', { number }, 'v1').dialect).toBe('v1');
    expect(rewriteBody('sendText', { number }, 'v2').dialect).toBe('v2');
  });

  it('REQUEST_REWRITES.sendText returns the names that the caller uses for moved fields', () => {
    const { callerPaths: names } = rewriteBody('sendText', { number, delay: 1, mentionsEveryOne: true });
    expect(Object.fromEntries(names)).toEqual({
      'textMessage.text': 'text',
      'options.delay': 'delay',
      'options.mentions.everyOne': 'mentionsEveryOne',
    });
  });

  it('REQUEST_REWRITES.sendText does not change the object of the caller', () => {
    const body = { number, text: 'x', delay: 1, options: { presence: null } };
    const before = structuredClone(body);
    rewriteBody('sendText', body);
    expect(body).toEqual(before);
  });

  it('REQUEST_REWRITES.sendText leaves options of a wrong type unchanged, so that validation reports them', () => {
    expect(rewriteBody('sendText', { number, text: 'x', delay: 1, options: 'fast' }).body.options).toBe('fast');
  });

  it('REQUEST_REWRITES.sendText does not write to Object.prototype for a field named __proto__', () => {
    const body = JSON.parse('{"number":"1","text":"x","options":{"__proto__":{"delay":1}}}') as Body;
    rewriteBody('sendText', body);
    expect(Reflect.get({}, 'delay')).toBeUndefined();
  });
});

describe('rewrites of instance/create bodies', () => {
  it.each<[string, Body, Body, ApiDialect]>([
    [
      'v1: snake_case and a webhook as text',
      { webhook: 'http://h', webhook_by_events: true, events: ['CALL'], reject_call: true },
      { webhook: { url: 'http://h', byEvents: true, events: ['CALL'] }, settings: { rejectCall: true } },
      'v1',
    ],
    [
      'v2.0: flat camelCase',
      {
        webhookUrl: 'http://h',
        webhookByEvents: true,
        webhookBase64: true,
        webhookEvents: ['CALL'],
        groupsIgnore: true,
      },
      {
        webhook: { url: 'http://h', byEvents: true, base64: true, events: ['CALL'] },
        settings: { groupsIgnore: true },
      },
      'v2',
    ],
    [
      'v2.1: nested objects',
      { integration: 'WHATSAPP-BAILEYS', webhook: { url: 'http://h', webhookByEvents: true }, msgCall: 'later' },
      { webhook: { url: 'http://h', byEvents: true }, settings: { msgCall: 'later' } },
      'v2',
    ],
    [
      'v2.0: a setting that only this gateway has',
      { readChannels: true, msgCall: 'later' },
      { settings: { readChannels: true, msgCall: 'later' } },
      'v2',
    ],
    [
      'v1: a setting that only this gateway has',
      { read_channels: true, msg_call: 'later' },
      { settings: { readChannels: true, msgCall: 'later' } },
      'v1',
    ],
    [
      'v1: flat sockets',
      { websocket_enabled: true, websocket_events: ['CALL'] },
      { websocket: { enabled: true, events: ['CALL'] } },
      'v1',
    ],
    [
      'v2.0: flat sockets',
      { websocketEnabled: false, websocketEvents: ['CALL'] },
      { websocket: { enabled: false, events: ['CALL'] } },
      'v2',
    ],
    ['v2.1: nested sockets', { websocket: { events: ['CALL'] } }, { websocket: { events: ['CALL'] } }, 'v2'],
    ['a webhook without a URL is dropped', { webhook: { url: '', events: [] } }, { webhook: undefined }, 'v2'],
    ['a body that fits both dialects has the default dialect', { qrcode: true }, { qrcode: true }, 'v1'],
  ])('REQUEST_REWRITES.createInstance rewrites the body and detects its dialect: %s', (_, body, {
    webhook,
    ...expected
  }, dialect) => {
    const { body: result, dialect: detected } = rewriteBody('createInstance', { instanceName: 'shop', ...body });
    expect(result).toMatchObject({ instanceName: 'shop', ...expected });
    if (webhook === undefined) expect(result.webhook).toBeUndefined();
    else expect(result).toMatchObject({ webhook });
    expect(detected).toBe(dialect);
  });

  it('REQUEST_REWRITES.createInstance drops websocketEvents when websocketEnabled is missing', () => {
    const { body } = rewriteBody('createInstance', { instanceName: 'shop', websocketEvents: ['CALL'] });
    expect(body.websocket).toBeUndefined();
  });
});

describe('rewrites of webhook/set bodies', () => {
  const expected = { enabled: true, url: 'http://h', events: ['CALL'], byEvents: true, base64: true };

  it.each<[string, Body, ApiDialect]>([
    [
      'snake_case',
      { enabled: true, url: 'http://h', events: ['CALL'], webhook_by_events: true, webhook_base64: true },
      'v1',
    ],
    [
      'flat camelCase',
      { enabled: true, url: 'http://h', events: ['CALL'], webhookByEvents: true, webhookBase64: true },
      'v1',
    ],
    ['nested', { webhook: expected }, 'v2'],
    [
      'nested with webhookByEvents and webhookBase64',
      { webhook: { enabled: true, url: 'http://h', events: ['CALL'], webhookByEvents: true, webhookBase64: true } },
      'v2',
    ],
  ])('REQUEST_REWRITES.setWebhook rewrites the body and detects its dialect: %s', (_, body, dialect) => {
    const { body: result, dialect: detected } = rewriteBody('setWebhook', body);
    expect(result.webhook).toMatchObject(expected);
    expect(detected).toBe(dialect);
  });
});

describe('rewrites of other bodies', () => {
  const number = '15551234567';
  const rows = [{ title: 'Soup', rowId: 'soup' }];
  it.each<[operation: string, body: Body, expected: Body]>([
    [
      'sendPresence',
      { options: { number, presence: 'composing', delay: 1 } },
      { number, options: { presence: 'composing', delay: 1 } },
    ],
    ['sendPresence', { number, presence: 'composing', delay: 1 }, { options: { presence: 'composing', delay: 1 } }],
    ['sendMedia', { mediaType: 'image', media: 'x' }, { mediaMessage: { mediatype: 'image', media: 'x' } }],
    ['sendMedia', { mediaMessage: { mediaType: 'image' } }, { mediaMessage: { mediatype: 'image' } }],
    ['sendSticker', { sticker: 'x' }, { stickerMessage: { image: 'x' } }],
    [
      'sendWhatsAppAudio',
      { audio: 'x', encoding: false },
      { audioMessage: { audio: 'x' }, options: { encoding: false } },
    ],
    ['sendWhatsAppAudio', { text: 'flat', audioMessage: { audio: 'x' } }, { audioMessage: { audio: 'x' } }],
    ['sendList', { title: 'T', footer: 'F', sections: [{ rows }] }, { listMessage: { footerText: 'F' } }],
    ['sendButtons', { buttonMessage: { title: 'T', footerText: 'F' } }, { buttonMessage: { footer: 'F' } }],
    ['sendContact', { contact: [{ fullName: 'Ada' }] }, { contactMessage: [{ fullName: 'Ada' }] }],
    ['sendPoll', { name: 'N', values: ['a'], options: { delay: 1 } }, { pollMessage: { name: 'N', values: ['a'] } }],
    ['markMessageAsRead', { read_messages: [{ id: 'A' }] }, { readMessages: [{ id: 'A' }] }],
    ['updatePrivacySettings', { online: 'all' }, { privacySettings: { online: 'all' } }],
    ['findStatusMessage', { where: { keyId: 'A' }, page: 1 }, { where: { id: 'A' } }],
    ['findMessages', { where: { _id: 'A' } }, { where: { key: { id: 'A' } } }],
    ['setSettings', { reject_call: true, settings: { read_messages: true } }, { rejectCall: true, readMessages: true }],
    ['setSettings', { read_channels: true }, { readChannels: true }],
    ['updateGroupSubject', { subject: { subject: 'G' } }, { subject: 'G' }],
    ['setWebhook', { url: 'http://h', events: ['messages.upsert'] }, { webhook: { events: ['MESSAGES_UPSERT'] } }],
    ['setWebhook', { webhook: { events: ['call', 'nope', 1] } }, { webhook: { events: ['CALL', 'nope', 1] } }],
    ['createInstance', { webhookEvents: ['call'], webhook: 'http://h' }, { webhook: { events: ['CALL'] } }],
    ['createInstance', { websocket: { events: ['labels.edit'] } }, { websocket: { events: ['LABELS_EDIT'] } }],
    ['setWebsocket', { websocket: { events: ['messages.set'] } }, { events: ['MESSAGES_SET'] }],
    ['addWebhook', { events: ['group-participants.update'] }, { events: ['GROUP_PARTICIPANTS_UPDATE'] }],
    ['changeWebhook', { events: ['call'] }, { events: ['CALL'] }],
    ['sendPresence', { number: '1' }, { number: '1', options: {} }],
  ])('REQUEST_REWRITES.%s converts the body %j to the form of the schema', (operation, body, expected) => {
    expect(rewriteBody(operation, body).body).toMatchObject(expected);
  });
});

describe('dialects of findMessages bodies', () => {
  it.each<[Body, ApiDialect, ApiDialect]>([
    [{ limit: 5 }, 'v2', 'v1'],
    [{ limit: 5, page: 2 }, 'v1', 'v2'],
    [{ where: { source: 'android' } }, 'v1', 'v2'],
    [{}, 'v2', 'v2'],
    [{ limit: null, page: null }, 'v2', 'v2'],
  ])('a findMessages body %j with the default dialect %s has the dialect %s', (body, defaultDialect, dialect) => {
    expect(rewriteBody('findMessages', body, defaultDialect).dialect).toBe(dialect);
  });
});
