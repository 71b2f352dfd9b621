import { type BaileysEventMap, proto, type WAMessage } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { fromHistory, type History, separateHistory, splitHistory } from '../../../src/whatsapp/inbound/history.ts';
import { me } from '../../support/session-fakes.ts';

const { Status, StubType } = proto.WebMessageInfo;
const pn = '4915112345678@s.whatsapp.net';
const knownJids = { me, lidPairs: new Map<string, string>() };

/** Creates a decoded message of a history. */
function historyMessage(id: string, parts: proto.IWebMessageInfo = {}): WAMessage {
  const info = {
    key: { remoteJid: pn, fromMe: false, id },
    message: { conversation: id },
    messageTimestamp: 7,
    ...parts,
  };
  const decoded = proto.WebMessageInfo.decode(
    proto.WebMessageInfo.encode(proto.WebMessageInfo.fromObject(info)).finish(),
  );
  return Object.assign(decoded, { key: { ...decoded.key } });
}

const history = (parts: Partial<History>): History => ({ chats: [], contacts: [], messages: [], ...parts });
const createMany = <T>(count: number, create: (n: number) => T) => Array.from({ length: count }, (_, n) => create(n));

describe('splitHistory and separateHistory', () => {
  it('splitHistory() yields portions of up to 100: contacts, then chats, then messages from the oldest', () => {
    const fullHistory = history({
      contacts: createMany(101, (n) => ({ id: `${n}@s.whatsapp.net` })),
      chats: createMany(1, (n) => ({ id: `${n}@s.whatsapp.net` })),
      messages: createMany(250, (n) => historyMessage(`${n}`)),
    });
    const parts = [...splitHistory(fullHistory)].map(({ contacts, chats, messages }) => [
      contacts.length,
      chats.length,
      messages.length,
    ]);
    expect(parts).toEqual([
      [100, 0, 0],
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 100],
      [0, 0, 100],
      [0, 0, 50],
    ]);
    const ids = [...splitHistory(fullHistory)].flatMap(({ messages }) => messages.map(({ key }) => key.id));
    expect([ids[0], ids.at(-1)]).toEqual(['249', '0']);
    expect([...splitHistory(history({}))]).toEqual([]);
  });

  it('splitHistory() puts the author of a group message into its key', () => {
    const [group, author] = ['120363025246125486@g.us', '222@lid'];
    const messages = [
      historyMessage('beside', { key: { remoteJid: group, id: '1' }, participant: author }),
      historyMessage('in the key', { key: { remoteJid: group, id: '2', participant: author } }),
      historyMessage('direct', { participant: pn }),
    ];
    const [portion] = splitHistory(history({ messages }));
    expect(portion?.messages.map(({ key }) => key.participant || undefined)).toEqual([undefined, author, author]);
  });

  it('separateHistory() moves live messages out of the history', () => {
    const live: WAMessage = { key: { remoteJid: pn, id: 'live' }, message: { conversation: 'now' } };
    const other: WAMessage = { key: { remoteJid: pn, id: 'other' }, message: { conversation: 'then' } };
    const batch: Partial<BaileysEventMap> = {
      'messaging-history.set': history({ messages: [historyMessage('old'), live] }),
      'messages.upsert': { type: 'append', messages: [other] },
    };
    const separated = separateHistory(batch);
    expect(separated.history?.messages.map(({ key }) => key.id)).toEqual(['old']);
    expect(separated.live).toEqual({ 'messages.upsert': { type: 'append', messages: [live, other] } });
    const liveOnly = separateHistory({ 'messaging-history.set': history({ messages: [live] }) });
    expect(liveOnly.live['messages.upsert']).toEqual({ type: 'notify', messages: [live] });
    const withoutHistory = { 'messages.upsert': { type: 'notify' as const, messages: [live] } };
    expect(separateHistory(withoutHistory)).toEqual({ live: withoutHistory, history: undefined });
  });
});

describe('messages of the history', () => {
  it.each([
    [Status.READ, 'READ'],
    [Status.SERVER_ACK, 'SERVER_ACK'],
    [Status.ERROR, 'ERROR'],
    [Status.PENDING, undefined],
    [undefined, undefined],
  ])('fromHistory() maps status %s to %s', (status, expected) => {
    const mapped = fromHistory(historyMessage('A', { status }), knownJids);
    expect('message' in mapped && mapped.message).toMatchObject({ messageTimestamp: 7 });
    expect('message' in mapped && mapped.message.status).toBe(expected);
  });

  it('fromHistory() keeps the poll secret that is beside the message', () => {
    const poll = historyMessage('A', {
      messageSecret: Buffer.from('s'),
      message: { pollCreationMessage: { name: 'When?' } },
    });
    expect(fromHistory(poll, knownJids)).toMatchObject({
      message: { messageType: 'pollCreationMessage', message: { messageContextInfo: { messageSecret: 'cw==' } } },
    });
  });

  it.each<[string, proto.IWebMessageInfo]>([
    ['a notice', { messageStubType: StubType.GROUP_CREATE, message: null }],
    ['unreadable', { messageStubType: StubType.CIPHERTEXT, message: null }],
    ['empty', { message: null }],
    ['a vote', { message: { pollUpdateMessage: {} } }],
    ['an encrypted edit', { message: { secretEncryptedMessage: {} } }],
    ['a protocol message', { message: { protocolMessage: {} } }],
  ])('fromHistory() skips a message that is %s', (_, parts) =>
    expect(fromHistory(historyMessage('A', parts), knownJids)).toHaveProperty('skipped'));
});
