import { proto } from '@whiskeysockets/baileys';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import type { Message } from '../../../src/events/events.ts';
import { sendText, type TextInput } from '../../../src/whatsapp/message/text.ts';
import { toSentMessage } from '../../../src/whatsapp/outbound/send-result.ts';
import { QueryRefusal } from '../../../src/whatsapp/query.ts';
import { type FakeSession, fakeSession, me } from '../../support/session-fakes.ts';
import { waitFor } from '../../support/wait-for.ts';

const number = '4915112345678';
const jid = `${number}@s.whatsapp.net`;
const group = '120363025246125486@g.us';
const textInput = (body: string, options?: TextInput['options'], to = number): TextInput => ({
  number: to,
  textMessage: { text: body },
  options,
});
const relayedMessages = (session: FakeSession) =>
  session.calls
    .filter(([name]) => name === 'relayMessage')
    .map(([, to, content, id]) => ({ to, content: content as proto.IMessage, id }));
const contextOf = (session: FakeSession) => relayedMessages(session)[0]?.content.extendedTextMessage?.contextInfo;
const failUnexpected = (): never => {
  throw new Error('it was sent');
};
const boomError = (message: string, statusCode: number) =>
  Object.assign(new Error(message), { output: { statusCode } });
const storedMessage = (parts: Partial<Message> = {}): Message => ({
  key: { remoteJid: jid, fromMe: false, id: 'Q1' },
  message: { conversation: 'the question' },
  messageType: 'conversation',
  messageTimestamp: 1,
  source: 'android',
  ...parts,
});

describe('sendText', () => {
  it('sendText() sends an extendedTextMessage, records it as PENDING and returns it', async () => {
    const session = fakeSession();
    const message = await sendText(session, textInput('hello'));
    const [sent] = relayedMessages(session);
    expect(sent).toMatchObject({ to: jid, id: message.key.id, content: { extendedTextMessage: { text: 'hello' } } });
    expect(sent?.content.messageContextInfo?.messageSecret).toHaveLength(32);
    expect(session.ingested).toEqual([{ type: 'send.message', message }]);
    expect(session.acks).toEqual([message.key.id]);
    expect(message).toMatchObject({
      key: { remoteJid: jid, fromMe: true },
      pushName: 'Shop',
      messageType: 'extendedTextMessage',
      status: 'PENDING',
      source: 'web',
    });
    expect(toSentMessage(message)).toEqual({
      key: { remoteJid: jid, fromMe: true, id: message.key.id },
      message: { extendedTextMessage: { text: 'hello' } },
      messageTimestamp: expect.stringMatching(/^\d{10}$/),
      status: 'PENDING',
    });
  });

  it('sendText() returns the JID of the account as the participant of a group message', async () => {
    const message = await sendText(fakeSession(), textInput('hello', {}, group));
    expect(toSentMessage(message).key).toEqual({
      remoteJid: group,
      fromMe: true,
      id: message.key.id,
      participant: me.jid,
    });
  });

  it('sendText() keeps the order of calls within a chat', async () => {
    const gates: (() => void)[] = [];
    const order: unknown[] = [];
    const session = fakeSession({
      relayMessage: (_, content) => {
        order.push(content.extendedTextMessage?.text);
        return new Promise((resolve) => gates.push(() => resolve('')));
      },
    });
    const sends = ['one', 'two', 'three'].map((body) => sendText(session, textInput(body)));
    for (let i = 1; i <= 3; i++) {
      await waitFor(() => expect(gates).toHaveLength(i));
      gates.at(-1)?.();
    }
    await Promise.all(sends);
    expect(order).toEqual(['one', 'two', 'three']);
  });

  it('sendText() rejects an unknown number with certain: true and sends nothing', async () => {
    const session = fakeSession();
    await expect(sendText(session, textInput('hello', {}, '4915112340000'))).rejects.toMatchObject({ certain: true });
    expect(relayedMessages(session)).toEqual([]);
    expect(session.ingested).toEqual([]);
  });
});

describe('texts', () => {
  it.each(['   ', '\n\t'])('sendText() rejects a blank text with certain: true: %j', async (blank) => {
    const session = fakeSession({ relayMessage: failUnexpected });
    const refusal = { code: 'INVALID_REQUEST', certain: true, responseMessage: [['The "text" cannot be empty']] };
    await expect(sendText(session, textInput(blank))).rejects.toMatchObject(refusal);
  });

  it('sendText() repairs a text that was cut within a character', async () => {
    const session = fakeSession();
    const message = await sendText(session, textInput('smile \u{1F600}'.slice(0, -1)));
    expect(message.message).toMatchObject({ extendedTextMessage: { text: 'smile \uFFFD' } });
  });
});

describe('failed sends', () => {
  const createFailingSession = (error: unknown) => fakeSession({ relayMessage: () => Promise.reject(error) });
  const sendAndFail = (session: FakeSession): Promise<GatewayError> =>
    sendText(session, textInput('hello')).then(failUnexpected, (error) => error);

  it.each([
    ['a closed socket', boomError('Connection Closed', 428), 'INSTANCE_NOT_OPEN'],
    ['a query that ended with the socket', 1006, 'INSTANCE_NOT_OPEN'],
    ['a refused query', boomError('not-authorized', 500), 'SEND_REFUSED'],
    ['an encryption that fails for all devices', boomError('All encryptions failed', 500), 'SEND_REFUSED'],
    ['a group that cannot be read', new QueryRefusal(403, 'forbidden', undefined), 'SEND_REFUSED'],
    ['an error with certain: true', new GatewayError('GROUP_FORBIDDEN', ['x'], { certain: true }), 'GROUP_FORBIDDEN'],
  ])('a send that fails before the write rejects with certain: true and is not recorded: %s', async (_, error, code) => {
    const session = createFailingSession(error);
    expect(await sendAndFail(session)).toMatchObject({ code, certain: true });
    expect(session.ingested).toEqual([]);
  });

  it.each([
    ['a failed write', new Error('write EPIPE')],
    ['a failed commit of the key store', new Error('disk full')],
  ])('a send that fails at or after the write rejects with certain: false and is recorded: %s', async (_, error) => {
    const session = createFailingSession(error);
    const thrown = await sendAndFail(session);
    expect(thrown).toMatchObject({ code: 'SEND_INTERRUPTED', status: 504, certain: false });
    expect(session.ingested).toMatchObject([{ type: 'send.message', message: { key: { id: thrown.messageId } } }]);
  });

  it('a send that is in progress at the end of the session rejects with certain: false', async () => {
    const session = fakeSession({ relayMessage: () => new Promise(() => undefined) });
    const thrown = sendAndFail(session);
    await waitFor(() => expect(session.acks).toHaveLength(1));
    session.end();
    expect(await thrown).toMatchObject({ code: 'SEND_INTERRUPTED', certain: false, messageId: session.acks[0] });
  });

  it('a send whose message cannot be stored rejects with certain: false', async () => {
    const session = fakeSession({}, { ingest: () => Promise.reject(new Error('disk full')) });
    expect(await sendAndFail(session)).toMatchObject({
      code: 'STORAGE_UNAVAILABLE',
      certain: false,
      messageId: session.acks[0],
    });
  });

  it('a send after the end of the session rejects with certain: true and relays no message', async () => {
    const session = fakeSession();
    await sendText(session, textInput('so that the number is known'));
    session.end();
    expect(await sendAndFail(session)).toMatchObject({ code: 'INSTANCE_NOT_OPEN', certain: true });
    expect(relayedMessages(session)).toHaveLength(1);
  });
});

describe('slow sends', () => {
  const createSlowSession = () => {
    const relay = Promise.withResolvers<string>();
    const session = fakeSession({ relayMessage: () => relay.promise }, { sendTimeout: 5 });
    return { session, relay };
  };

  it('a send that exceeds its deadline rejects with certain: false and is recorded', async () => {
    const { session } = createSlowSession();
    const thrown: GatewayError = await sendText(session, textInput('hello')).then(failUnexpected, (error) => error);
    expect(thrown).toMatchObject({ code: 'SEND_TIMEOUT', status: 504, certain: false, messageId: session.acks[0] });
    expect(session.ingested).toHaveLength(1);
  });

  it('a send that fails before the write, but after its deadline, gets the status ERROR', async () => {
    const { session, relay } = createSlowSession();
    await expect(sendText(session, textInput('hello'))).rejects.toMatchObject({ code: 'SEND_TIMEOUT' });
    relay.reject(boomError('Connection Closed', 428));
    await waitFor(() => expect(session.ingested).toHaveLength(2));
    expect(session.ingested[1]).toMatchObject({
      type: 'messages.update',
      key: { id: session.acks[0] },
      status: 'ERROR',
      reason: 'not_sent',
    });
  });
});

describe('delays and presences', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const visibleCalls = (session: FakeSession) =>
    session.calls.filter(([name]) => name !== 'onWhatsApp').map(([name, value]) => [name, value]);

  it.each([
    [undefined, 'composing'],
    ['recording', 'recording'],
  ] as const)('a send with a delay and the presence %s shows %s during the delay and then sends', async (presence, expected) => {
    const session = fakeSession();
    const sent = sendText(session, textInput('hello', { delay: 1_500, presence }));
    await vi.advanceTimersByTimeAsync(1_499);
    expect(visibleCalls(session)).toEqual([
      ['presenceSubscribe', jid],
      ['sendPresenceUpdate', expected],
    ]);
    await vi.advanceTimersByTimeAsync(1);
    await sent;
    expect(visibleCalls(session).slice(2)).toEqual([
      ['sendPresenceUpdate', 'paused'],
      ['relayMessage', jid],
    ]);
  });

  it('a send with a long delay repeats the presence every 20 s', async () => {
    const session = fakeSession();
    const sent = sendText(session, textInput('hello', { delay: 45_000 }));
    await vi.advanceTimersByTimeAsync(45_000);
    await sent;
    expect(visibleCalls(session).filter(([, value]) => value === 'composing')).toHaveLength(3);
  });

  it('a send with the delay 0 shows no presence', async () => {
    const session = fakeSession();
    await sendText(session, textInput('hello', { presence: 'composing', delay: 0 }));
    expect(visibleCalls(session)).toEqual([['relayMessage', jid]]);
  });

  it('a send with a delay above the limit rejects with certain: true', async () => {
    const session = fakeSession();
    await expect(sendText(session, textInput('hello', { delay: 60_001 }))).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      certain: true,
    });
    expect(session.calls).toEqual([]);
  });

  it('a delay postpones later sends only in the same chat', async () => {
    const session = fakeSession();
    const sends = [sendText(session, textInput('first', { delay: 1_000 })), sendText(session, textInput('second'))];
    await sendText(session, textInput('elsewhere', {}, '4915112345679'));
    expect(relayedMessages(session).map(({ to }) => to)).toEqual(['4915112345679@s.whatsapp.net']);
    await vi.advanceTimersByTimeAsync(1_000);
    await Promise.all(sends);
    expect(relayedMessages(session).map(({ content }) => content.extendedTextMessage?.text)).toEqual([
      'elsewhere',
      'first',
      'second',
    ]);
  });

  it('a send that is delayed at the end of the session sends nothing', async () => {
    const session = fakeSession();
    const sent = expect(sendText(session, textInput('hello', { delay: 50_000 }))).rejects.toMatchObject({
      code: 'INSTANCE_NOT_OPEN',
    });
    await vi.advanceTimersByTimeAsync(10);
    session.end();
    await sent;
    expect(relayedMessages(session)).toEqual([]);
  });

  it('a send with a delay succeeds when the presence cannot be shown', async () => {
    const session = fakeSession({ sendPresenceUpdate: () => Promise.reject(new Error('no')) });
    const sent = sendText(session, textInput('hello', { delay: 10 }));
    await vi.advanceTimersByTimeAsync(10);
    await expect(sent).resolves.toMatchObject({ status: 'PENDING' });
  });
});

describe('quotes', () => {
  it('a quote contains the content of the request without the quote in that content', async () => {
    const session = fakeSession();
    const quoted = {
      key: { id: 'Q1', remoteJid: jid, fromMe: false },
      message: { extendedTextMessage: { text: 'the question', contextInfo: { stanzaId: 'older' } } },
    };
    const message = await sendText(session, textInput('the answer', { quoted }));
    expect(contextOf(session)).toMatchObject({
      stanzaId: 'Q1',
      participant: jid,
      quotedMessage: { extendedTextMessage: { text: 'the question' } },
    });
    expect(toSentMessage(message).message).toEqual({
      extendedTextMessage: {
        text: 'the answer',
        contextInfo: {
          stanzaId: 'Q1',
          participant: jid,
          quotedMessage: { extendedTextMessage: { text: 'the question' } },
        },
      },
    });
    expect(contextOf(session)?.remoteJid).toBeUndefined();
  });

  it('a quote contains the stored message when the request has only its id', async () => {
    const session = fakeSession();
    session.stored.set('Q1', storedMessage());
    await sendText(session, textInput('the answer', { quoted: { key: { id: 'Q1' } } }));
    expect(contextOf(session)).toMatchObject({
      stanzaId: 'Q1',
      participant: jid,
      quotedMessage: { conversation: 'the question' },
    });
  });

  it('a quote names its author, which is this account or a group member', async () => {
    const session = fakeSession();
    session.stored.set('Q1', storedMessage({ key: { remoteJid: jid, fromMe: true, id: 'Q1' } }));
    await sendText(session, textInput('own', { quoted: { key: { id: 'Q1' } } }));
    expect(contextOf(session)?.participant).toBe(me.jid);
    for (const message of [undefined, { conversation: 'the question' }]) {
      const inGroup = fakeSession();
      const participant = '4915100000001@s.whatsapp.net';
      inGroup.stored.set('Q1', storedMessage({ key: { remoteJid: group, fromMe: false, id: 'Q1', participant } }));
      await sendText(
        inGroup,
        textInput('theirs', { quoted: { key: { id: 'Q1' }, ...(message ? { message } : {}) } }, group),
      );
      expect(contextOf(inGroup)?.participant).toBe(participant);
    }
  });

  it('a quote states its chat when it is another chat', async () => {
    const session = fakeSession();
    const quoted = {
      key: { id: 'Q1', remoteJid: group, participant: '4915100000001' },
      message: { conversation: 'there' },
    };
    await sendText(session, textInput('here', { quoted }));
    expect(contextOf(session)).toMatchObject({ remoteJid: group, participant: '4915100000001@s.whatsapp.net' });
  });

  it.each([
    ['remoteJid', { id: 'Q1', remoteJid: 'garbage' }],
    ['participant', { id: 'Q1', participant: 'garbage' }],
  ])('a send rejects a quote with an invalid %s and names the field', async (field, key) => {
    const quoted = { key, message: { conversation: 'the question' } };
    await expect(sendText(fakeSession(), textInput('the answer', { quoted }))).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      responseMessage: [[`options.quoted.key.${field} must hold a phone number or an address`]],
    });
  });

  it('a quote of an unknown message is omitted', async () => {
    const session = fakeSession();
    await sendText(session, textInput('the answer', { quoted: { key: { id: 'unknown' } } }));
    expect(contextOf(session)).toBeUndefined();
  });

  it.each([
    [{ imageMessage: 'x' }],
    [{}],
    [{ noSuchMessage: {} }],
  ])('a send rejects a quote with invalid content: %j', async (message) => {
    const session = fakeSession();
    await expect(sendText(session, textInput('x', { quoted: { key: { id: 'Q1' }, message } }))).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
    });
    expect(relayedMessages(session)).toEqual([]);
  });
});

describe('mentions', () => {
  it('mentions contain the requested numbers without groups', async () => {
    const session = fakeSession();
    await sendText(
      session,
      textInput('@4915112345678', { mentions: { mentioned: ['+49 151 12345678', group] } }, group),
    );
    expect(contextOf(session)?.mentionedJid).toEqual([jid]);
  });

  it('mentions of all members contain the address of each member', async () => {
    const session = fakeSession();
    await sendText(session, textInput('all', { mentions: { everyOne: true, mentioned: [number] } }, group));
    expect(contextOf(session)?.mentionedJid).toEqual(['1@lid', '2@lid']);
  });

  it('mentions are ignored outside of groups', async () => {
    const session = fakeSession();
    await sendText(session, textInput('hi', { mentions: { everyOne: true, mentioned: [number] } }));
    expect(contextOf(session)).toBeUndefined();
  });

  it('mentions are part of the encoded message', async () => {
    const session = fakeSession();
    await sendText(session, textInput('hi', { mentions: { mentioned: [number] } }, group));
    const bytes = proto.Message.encode(relayedMessages(session)[0]?.content ?? {}).finish();
    expect(proto.Message.decode(bytes).extendedTextMessage?.contextInfo?.mentionedJid).toEqual([jid]);
  });
});
