import { describe, expect, it } from 'vitest';
import type { Message } from '../../../src/events/events.ts';
import type { AppDeps } from '../../../src/http/deps.ts';
import type { TextInput } from '../../../src/whatsapp/message/text.ts';
import { violations } from '../../contract/document.ts';
import { type Http, startHttp } from './fixture.ts';

const sent: TextInput[] = [];
const operations: AppDeps['operations'] = {
  sendText: async (_: unknown, input: TextInput): Promise<Message> => {
    sent.push(input);
    return {
      key: { remoteJid: `${input.number}@s.whatsapp.net`, fromMe: true, id: '3EB0AABBCCDDEEFF00112233' },
      message: { extendedTextMessage: { text: input.textMessage.text } },
      messageType: 'extendedTextMessage',
      messageTimestamp: 1767225600,
      status: 'PENDING',
      source: 'web',
    };
  },
};

async function startOpen(env?: Record<string, string>): Promise<Http> {
  sent.length = 0;
  const http = await startHttp(env, { operations });
  Object.assign(http.instances.get('shop') ?? {}, { session: () => ({}) });
  return http;
}

const number = '15551234567';
const wrapped = { number, textMessage: { text: 'hi' }, options: { delay: 5, presence: 'composing' } };
const flat = { number, text: 'hi', delay: 5, presence: 'composing' };
const key = { remoteJid: `${number}@s.whatsapp.net`, fromMe: true, id: '3EB0AABBCCDDEEFF00112233' };
const wrappedAnswer = {
  key,
  message: { extendedTextMessage: { text: 'hi' } },
  messageTimestamp: '1767225600',
  status: 'PENDING',
};
const flatAnswer = {
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
    ['the interface’s body', wrapped, wrappedAnswer, 'SentMessage'],
    ['a flat body', flat, flatAnswer, 'SentMessageFlat'],
    ['a flat text with options', { number, text: 'hi', options: wrapped.options }, flatAnswer, 'SentMessageFlat'],
  ])('accepts %s and answers in the same form', async (_, body, expected, schema) => {
    const http = await startOpen();
    const answer = await http.call('POST', '/message/sendText/shop', body);
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual(expected);
    expect(violations(schema, answer.body)).toBeUndefined();
    expect(sent).toMatchObject([wrapped]);
  });

  it('answers in the dialect the operator fixed', async () => {
    const v1 = await startOpen({ RESPONSE_DIALECT: 'v1' });
    expect((await v1.call('POST', '/message/sendText/shop', flat)).body).toEqual(wrappedAnswer);
    const v2 = await startOpen({ RESPONSE_DIALECT: 'v2' });
    expect((await v2.call('POST', '/message/sendText/shop', wrapped)).body).toEqual(flatAnswer);
  });

  it('takes a number as a number, a delay as text and null as not set', async () => {
    const http = await startOpen();
    const body = { number: 15551234567, text: 'hi', delay: '5', presence: null, quoted: null };
    expect((await http.call('POST', '/message/sendText/shop', body)).status).toBe(201);
    expect(sent).toMatchObject([{ number, options: { delay: 5 } }]);
    expect(sent[0]?.options).not.toHaveProperty('presence');
  });

  it('keeps every field of a quoted message', async () => {
    const http = await startOpen();
    const quoted = { key: { id: 'A', fromMe: false }, message: { imageMessage: { caption: 'x', height: 0 } } };
    await http.call('POST', '/message/sendText/shop', { number, text: 'hi', quoted });
    expect(sent[0]?.options?.quoted).toEqual(quoted);
  });

  it.each([
    [{}, ['instance requires property "number"', 'instance requires property "textMessage"']],
    // Only flat clients write a body without any wrapper.
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
    [{ ...wrapped, options: { quoted: { key: {} } } }, ['options.quoted.key requires property "id"']],
    [{ number, text: 'x', mentionsEveryOne: 'all' }, ['mentionsEveryOne is not of a type(s) boolean']],
    [
      { number, text: 'x', presence: 'dancing' },
      ['presence is not one of enum values: unavailable,available,composing,recording,paused'],
    ],
  ])('names the field as the caller wrote it: %j', async (body, message) => {
    const http = await startOpen();
    const answer = await http.call('POST', '/message/sendText/shop', body);
    expect(answer.body).toMatchObject({ status: 400, response: { message: [message] }, code: 'INVALID_REQUEST' });
    expect(sent).toEqual([]);
  });

  it('speaks of the flat field when the operator’s dialect is the flat one', async () => {
    const http = await startOpen({ RESPONSE_DIALECT: 'v2' });
    const { body } = await http.call('POST', '/message/sendText/shop', { number });
    expect(body).toMatchObject({ response: { message: [['instance requires property "text"']] } });
  });
});
