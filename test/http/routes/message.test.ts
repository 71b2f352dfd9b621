import { describe, expect, it } from 'vitest';
import { schemaViolations } from '../../support/openapi-document.ts';
import { sentInputs, startOpen } from './sent-texts.ts';

const number = '15551234567';
const nestedBody = { number, textMessage: { text: 'hi' }, options: { delay: 5, presence: 'composing' } };
const flatBody = { number, text: 'hi', delay: 5, presence: 'composing' };
const key = { remoteJid: `${number}@s.whatsapp.net`, fromMe: true, id: '3EB0AABBCCDDEEFF00112233' };
const nestedResponse = {
  key,
  message: { extendedTextMessage: { text: 'hi' } },
  messageTimestamp: '1767225600',
  status: 'PENDING',
};
const flatResponse = {
  key,
  message: { conversation: 'hi' },
  messageType: 'conversation',
  messageTimestamp: 1767225600,
  instanceId: 'id-of-shop',
  source: 'web',
  status: 'PENDING',
};

describe('POST /message/sendText', () => {
  it.each([
    ['a nested body', nestedBody, nestedResponse, 'SentMessage'],
    ['a flat body', flatBody, flatResponse, 'SentMessageFlat'],
    ['a flat text with options', { number, text: 'hi', options: nestedBody.options }, flatResponse, 'SentMessageFlat'],
  ])('POST /message/sendText accepts %s and responds in the same dialect', async (_, body, expected, schema) => {
    const http = await startOpen();
    const answer = await http.call('POST', '/message/sendText/shop', body);
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual(expected);
    expect(schemaViolations(schema, answer.body)).toBeUndefined();
    expect(sentInputs).toMatchObject([nestedBody]);
  });

  it('POST /message/sendText responds in the dialect of RESPONSE_DIALECT', async () => {
    const v1 = await startOpen({ RESPONSE_DIALECT: 'v1' });
    expect((await v1.call('POST', '/message/sendText/shop', flatBody)).body).toEqual(nestedResponse);
    const v2 = await startOpen({ RESPONSE_DIALECT: 'v2' });
    expect((await v2.call('POST', '/message/sendText/shop', nestedBody)).body).toEqual(flatResponse);
  });

  it('POST /message/sendText accepts a numeric number, a delay as text, and null for a field that is not set', async () => {
    const http = await startOpen();
    const body = { number: 15551234567, text: 'hi', delay: '5', presence: null, quoted: null };
    expect((await http.call('POST', '/message/sendText/shop', body)).status).toBe(201);
    expect(sentInputs).toMatchObject([{ number, options: { delay: 5 } }]);
    expect(sentInputs[0]?.options).not.toHaveProperty('presence');
  });

  it('POST /message/sendText keeps all fields of a quoted message', async () => {
    const http = await startOpen();
    const quoted = { key: { id: 'A', fromMe: false }, message: { imageMessage: { caption: 'x', height: 0 } } };
    await http.call('POST', '/message/sendText/shop', { number, text: 'hi', quoted });
    expect(sentInputs[0]?.options?.quoted).toEqual(quoted);
  });

  it.each([
    [{}, ['instance requires property "number"', 'instance requires property "textMessage"']],
    // Only clients of dialect v2 send a body without a wrapper.
    [{ number }, ['instance requires property "text"']],
    [{ number, textMessage: {} }, ['textMessage requires property "text"']],
    [{ number, textMessage: { text: '' } }, ['The "text" cannot be empty']],
    [{ text: 'x' }, ['instance requires property "number"']],
    [{ number, delay: 5 }, ['instance requires property "text"']],
    [{ number, text: '' }, ['The "text" cannot be empty']],
    [{ number, text: {} }, ['text is not of a type(s) string']],
    [{ number, text: 'x', delay: 'soon' }, ['delay is not of a type(s) integer']],
    [{ number, text: 'x', options: { delay: 'soon' } }, ['options.delay is not of a type(s) integer']],
    [{ number, text: 'x', quoted: { key: {} } }, ['quoted.key requires property "id"']],
    [{ ...nestedBody, options: { quoted: { key: {} } } }, ['options.quoted.key requires property "id"']],
    [{ number, text: 'x', mentionsEveryOne: 'all' }, ['mentionsEveryOne is not of a type(s) boolean']],
    [
      { number, text: 'x', presence: 'dancing' },
      ['presence is not one of enum values: unavailable,available,composing,recording,paused'],
    ],
  ])('POST /message/sendText reports errors with the field names of the caller: %j', async (body, message) => {
    const http = await startOpen();
    const answer = await http.call('POST', '/message/sendText/shop', body);
    expect(answer.body).toMatchObject({ status: 400, response: { message: [message] }, code: 'INVALID_REQUEST' });
    expect(sentInputs).toEqual([]);
  });

  it('POST /message/sendText reports errors with flat field names when RESPONSE_DIALECT is v2', async () => {
    const http = await startOpen({ RESPONSE_DIALECT: 'v2' });
    const { body } = await http.call('POST', '/message/sendText/shop', { number });
    expect(body).toMatchObject({ response: { message: [['instance requires property "text"']] } });
  });
});
