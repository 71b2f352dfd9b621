import { proto } from '@whiskeysockets/baileys';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import type { Message } from '../../../src/events/events.ts';
import { sendText, type TextInput } from '../../../src/whatsapp/message/text.ts';
import { toSentMessage } from '../../../src/whatsapp/outbound/send-result.ts';
import { QueryRefusal } from '../../../src/whatsapp/query.ts';
import { waitFor } from '../../support/wait-for.ts';
import { type FakeSession, fakeSession, me } from '../fakes.ts';

const number = '4915112345678';
const jid = `${number}@s.whatsapp.net`;
const group = '120363025246125486@g.us';
const text = (body: string, options?: TextInput['options'], to = number): TextInput => ({
  number: to,
  textMessage: { text: body },
  options,
});
const relayed = (session: FakeSession) =>
  session.calls
    .filter(([name]) => name === 'relayMessage')
    .map(([, to, content, id]) => ({ to, content: content as proto.IMessage, id }));
const contextOf = (session: FakeSession) => relayed(session)[0]?.content.extendedTextMessage?.contextInfo;
const unexpected = (): never => {
  throw new Error('it was sent');
};
const boom = (message: string, statusCode: number) => Object.assign(new Error(message), { output: { statusCode } });
const stored = (parts: Partial<Message> = {}): Message => ({
  key: { remoteJid: jid, fromMe: false, id: 'Q1' },
  message: { conversation: 'the question' },
  messageType: 'conversation',
  messageTimestamp: 1,
  source: 'android',
  ...parts,
});

describe('sendText', () => {
  it('sendText sends an extendedTextMessage, records it as PENDING and returns it', async () => {
    const session = fakeSession();
    const message = await sendText(session, text('hello'));
    const [sent] = relayed(session);
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

  it('sendText adds the own participant in groups', async () => {
    const message = await sendText(fakeSession(), text('hello', {}, group));
    expect(toSentMessage(message).key).toEqual({
      remoteJid: group,
      fromMe: true,
      id: message.key.id,
      participant: me.jid,
    });
  });

  it('sendText keeps the order of calls within a chat', async () => {
    const gates: (() => void)[] = [];
    const order: unknown[] = [];
    const session = fakeSession({
      relayMessage: (_, content) => {
        order.push(content.extendedTextMessage?.text);
        return new Promise((resolve) => gates.push(() => resolve('')));
      },
    });
    const sends = ['one', 'two', 'three'].map((body) => sendText(session, text(body)));
    for (let i = 1; i <= 3; i++) {
      await waitFor(() => expect(gates).toHaveLength(i));
      gates.at(-1)?.();
    }
    await Promise.all(sends);
    expect(order).toEqual(['one', 'two', 'three']);
  });

  it('sendText is certain that nothing was sent to an unknown number', async () => {
    const session = fakeSession();
    await expect(sendText(session, text('hello', {}, '4915112340000'))).rejects.toMatchObject({ certain: true });
    expect(relayed(session)).toEqual([]);
    expect(session.ingested).toEqual([]);
  });
});

describe('a text', () => {
  it.each(['   ', '\n\t'])('sendText refuses a blank text, certain that nothing was sent: %j', async (blank) => {
    const session = fakeSession({ relayMessage: unexpected });
    const refusal = { code: 'INVALID_REQUEST', certain: true, responseMessage: [['The "text" cannot be empty']] };
    await expect(sendText(session, text(blank))).rejects.toMatchObject(refusal);
  });

  it('sendText repairs a text that was cut within a character', async () => {
    const session = fakeSession();
    const message = await sendText(session, text('smile \u{1F600}'.slice(0, -1)));
    expect(message.message).toMatchObject({ extendedTextMessage: { text: 'smile \uFFFD' } });
  });
});

describe('a send that fails', () => {
  const failing = (error: unknown) => fakeSession({ relayMessage: () => Promise.reject(error) });
  const failure = (session: FakeSession): Promise<GatewayError> =>
    sendText(session, text('hello')).then(unexpected, (error) => error);

  it.each([
    ['a closed socket', boom('Connection Closed', 428), 'INSTANCE_NOT_OPEN'],
    ['a query that died with the socket', 1006, 'INSTANCE_NOT_OPEN'],
    ['a refused query', boom('not-authorized', 500), 'SEND_REFUSED'],
    ['no device to encrypt for', boom('All encryptions failed', 500), 'SEND_REFUSED'],
    ['a group that cannot be read', new QueryRefusal(403, 'forbidden', undefined), 'SEND_REFUSED'],
    ['an error that is certain', new GatewayError('GROUP_FORBIDDEN', ['x'], { certain: true }), 'GROUP_FORBIDDEN'],
  ])('a send that fails before the write is certain and not recorded: %s', async (_, error, code) => {
    const session = failing(error);
    expect(await failure(session)).toMatchObject({ code, certain: true });
    expect(session.ingested).toEqual([]);
  });

  it.each([
    ['a write that broke', new Error('write EPIPE')],
    ['a key store that did not commit', new Error('disk full')],
  ])('a send that fails at or after the write is uncertain and recorded: %s', async (_, error) => {
    const session = failing(error);
    const thrown = await failure(session);
    expect(thrown).toMatchObject({ code: 'SEND_INTERRUPTED', status: 504, certain: false });
    expect(session.ingested).toMatchObject([{ type: 'send.message', message: { key: { id: thrown.messageId } } }]);
  });

  it('a send that fails at the end of the session is uncertain', async () => {
    const session = fakeSession({ relayMessage: () => new Promise(() => undefined) });
    const thrown = failure(session);
    await waitFor(() => expect(session.acks).toHaveLength(1));
    session.end();
    expect(await thrown).toMatchObject({ code: 'SEND_INTERRUPTED', certain: false, messageId: session.acks[0] });
  });

  it('a send that cannot be stored is uncertain', async () => {
    const session = fakeSession({}, { ingest: () => Promise.reject(new Error('disk full')) });
    expect(await failure(session)).toMatchObject({
      code: 'STORAGE_UNAVAILABLE',
      certain: false,
      messageId: session.acks[0],
    });
  });

  it('a send after the end of the session is not attempted', async () => {
    const session = fakeSession();
    await sendText(session, text('so that the number is known'));
    session.end();
    expect(await failure(session)).toMatchObject({ code: 'INSTANCE_NOT_OPEN', certain: true });
    expect(relayed(session)).toHaveLength(1);
  });
});

describe('a send that takes too long', () => {
  const late = () => {
    const relay = Promise.withResolvers<string>();
    const session = fakeSession({ relayMessage: () => relay.promise }, { sendTimeout: 5 });
    return { session, relay };
  };

  it('a send that exceeds its deadline is uncertain and recorded', async () => {
    const { session } = late();
    const thrown: GatewayError = await sendText(session, text('hello')).then(unexpected, (error) => error);
    expect(thrown).toMatchObject({ code: 'SEND_TIMEOUT', status: 504, certain: false, messageId: session.acks[0] });
    expect(session.ingested).toHaveLength(1);
  });

  it('a send that exceeds its deadline and was certainly not sent ends as ERROR', async () => {
    const { session, relay } = late();
    await expect(sendText(session, text('hello'))).rejects.toMatchObject({ code: 'SEND_TIMEOUT' });
    relay.reject(boom('Connection Closed', 428));
    await waitFor(() => expect(session.ingested).toHaveLength(2));
    expect(session.ingested[1]).toMatchObject({
      type: 'messages.update',
      key: { id: session.acks[0] },
      status: 'ERROR',
      reason: 'not_sent',
    });
  });
});

describe('delay and presence', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const shown = (session: FakeSession) =>
    session.calls.filter(([name]) => name !== 'onWhatsApp').map(([name, what]) => [name, what]);

  it.each([
    [undefined, 'composing'],
    ['recording', 'recording'],
  ] as const)('a delay %s: shows the presence for that time, then sends', async (presence, wanted) => {
    const session = fakeSession();
    const sent = sendText(session, text('hello', { delay: 1_500, presence }));
    await vi.advanceTimersByTimeAsync(1_499);
    expect(shown(session)).toEqual([
      ['presenceSubscribe', jid],
      ['sendPresenceUpdate', wanted],
    ]);
    await vi.advanceTimersByTimeAsync(1);
    await sent;
    expect(shown(session).slice(2)).toEqual([
      ['sendPresenceUpdate', 'paused'],
      ['relayMessage', jid],
    ]);
  });

  it('a delay repeats the presence every 20 s', async () => {
    const session = fakeSession();
    const sent = sendText(session, text('hello', { delay: 45_000 }));
    await vi.advanceTimersByTimeAsync(45_000);
    await sent;
    expect(shown(session).filter(([, what]) => what === 'composing')).toHaveLength(3);
  });

  it('a send without a delay shows no presence', async () => {
    const session = fakeSession();
    await sendText(session, text('hello', { presence: 'composing', delay: 0 }));
    expect(shown(session)).toEqual([['relayMessage', jid]]);
  });

  it('a delay above the limit is refused, certain that nothing was sent', async () => {
    const session = fakeSession();
    await expect(sendText(session, text('hello', { delay: 60_001 }))).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      certain: true,
    });
    expect(session.calls).toEqual([]);
  });

  it('a delay holds back later sends in the same chat only', async () => {
    const session = fakeSession();
    const sends = [sendText(session, text('first', { delay: 1_000 })), sendText(session, text('second'))];
    await sendText(session, text('elsewhere', {}, '4915112345679'));
    expect(relayed(session).map(({ to }) => to)).toEqual(['4915112345679@s.whatsapp.net']);
    await vi.advanceTimersByTimeAsync(1_000);
    await Promise.all(sends);
    expect(relayed(session).map(({ content }) => content.extendedTextMessage?.text)).toEqual([
      'elsewhere',
      'first',
      'second',
    ]);
  });

  it('a delay ends with the session', async () => {
    const session = fakeSession();
    const sent = expect(sendText(session, text('hello', { delay: 50_000 }))).rejects.toMatchObject({
      code: 'INSTANCE_NOT_OPEN',
    });
    await vi.advanceTimersByTimeAsync(10);
    session.end();
    await sent;
    expect(relayed(session)).toEqual([]);
  });

  it('a delay continues when the presence cannot be shown', async () => {
    const session = fakeSession({ sendPresenceUpdate: () => Promise.reject(new Error('no')) });
    const sent = sendText(session, text('hello', { delay: 10 }));
    await vi.advanceTimersByTimeAsync(10);
    await expect(sent).resolves.toMatchObject({ status: 'PENDING' });
  });
});

describe('quoted', () => {
  it('a quote uses the content of the request without its own quote', async () => {
    const session = fakeSession();
    const quoted = {
      key: { id: 'Q1', remoteJid: jid, fromMe: false },
      message: { extendedTextMessage: { text: 'the question', contextInfo: { stanzaId: 'older' } } },
    };
    const message = await sendText(session, text('the answer', { quoted }));
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

  it('a quote reads the stored message when only its id is given', async () => {
    const session = fakeSession();
    session.stored.set('Q1', stored());
    await sendText(session, text('the answer', { quoted: { key: { id: 'Q1' } } }));
    expect(contextOf(session)).toMatchObject({
      stanzaId: 'Q1',
      participant: jid,
      quotedMessage: { conversation: 'the question' },
    });
  });

  it('a quote finds its author: this account or a group member', async () => {
    const session = fakeSession();
    session.stored.set('Q1', stored({ key: { remoteJid: jid, fromMe: true, id: 'Q1' } }));
    await sendText(session, text('own', { quoted: { key: { id: 'Q1' } } }));
    expect(contextOf(session)?.participant).toBe(me.jid);
    for (const message of [undefined, { conversation: 'the question' }]) {
      const inGroup = fakeSession();
      const participant = '4915100000001@s.whatsapp.net';
      inGroup.stored.set('Q1', stored({ key: { remoteJid: group, fromMe: false, id: 'Q1', participant } }));
      await sendText(
        inGroup,
        text('theirs', { quoted: { key: { id: 'Q1' }, ...(message ? { message } : {}) } }, group),
      );
      expect(contextOf(inGroup)?.participant).toBe(participant);
    }
  });

  it('a quote states its chat when that is another one', async () => {
    const session = fakeSession();
    const quoted = {
      key: { id: 'Q1', remoteJid: group, participant: '4915100000001' },
      message: { conversation: 'there' },
    };
    await sendText(session, text('here', { quoted }));
    expect(contextOf(session)).toMatchObject({ remoteJid: group, participant: '4915100000001@s.whatsapp.net' });
  });

  it.each([
    ['remoteJid', { id: 'Q1', remoteJid: 'garbage' }],
    ['participant', { id: 'Q1', participant: 'garbage' }],
  ])('a quote names its invalid %s', async (field, key) => {
    const quoted = { key, message: { conversation: 'the question' } };
    await expect(sendText(fakeSession(), text('the answer', { quoted }))).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      responseMessage: [[`options.quoted.key.${field} must hold a phone number or an address`]],
    });
  });

  it('a quote of an unknown message is left out', async () => {
    const session = fakeSession();
    await sendText(session, text('the answer', { quoted: { key: { id: 'unknown' } } }));
    expect(contextOf(session)).toBeUndefined();
  });

  it.each([
    [{ imageMessage: 'x' }],
    [{}],
    [{ noSuchMessage: {} }],
  ])('a quote with invalid content is refused: %j', async (message) => {
    const session = fakeSession();
    await expect(sendText(session, text('x', { quoted: { key: { id: 'Q1' }, message } }))).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
    });
    expect(relayed(session)).toEqual([]);
  });
});

describe('mentions', () => {
  it('mentions contain the given numbers without groups', async () => {
    const session = fakeSession();
    await sendText(session, text('@4915112345678', { mentions: { mentioned: ['+49 151 12345678', group] } }, group));
    expect(contextOf(session)?.mentionedJid).toEqual([jid]);
  });

  it('mentions of all contain all members', async () => {
    const session = fakeSession();
    await sendText(session, text('all', { mentions: { everyOne: true, mentioned: [number] } }, group));
    expect(contextOf(session)?.mentionedJid).toEqual(['1@lid', '2@lid']);
  });

  it('mentions are ignored outside groups', async () => {
    const session = fakeSession();
    await sendText(session, text('hi', { mentions: { everyOne: true, mentioned: [number] } }));
    expect(contextOf(session)).toBeUndefined();
  });

  it('mentions are part of the encoded message', async () => {
    const session = fakeSession();
    await sendText(session, text('hi', { mentions: { mentioned: [number] } }, group));
    const bytes = proto.Message.encode(relayed(session)[0]?.content ?? {}).finish();
    expect(proto.Message.decode(bytes).extendedTextMessage?.contextInfo?.mentionedJid).toEqual([jid]);
  });
});
