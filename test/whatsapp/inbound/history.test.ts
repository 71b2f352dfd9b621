import { type BaileysEventMap, proto, type WAMessage } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { fromHistory, type History, separateHistory, splitHistory } from '../../../src/whatsapp/inbound/history.ts';
import { me } from '../fakes.ts';

const { Status, StubType } = proto.WebMessageInfo;
const pn = '4915112345678@s.whatsapp.net';
const names = { me, lidPairs: new Map<string, string>() };

/** A message as it lies in a history, decoded. */
function past(id: string, parts: proto.IWebMessageInfo = {}): WAMessage {
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
const many = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n));

describe('a history', () => {
  it('splitHistory yields portions of a hundred: contacts, chats, then messages, oldest first', () => {
    const whole = history({
      contacts: many(101, (n) => ({ id: `${n}@s.whatsapp.net` })),
      chats: many(1, (n) => ({ id: `${n}@s.whatsapp.net` })),
      messages: many(250, (n) => past(`${n}`)),
    });
    const parts = [...splitHistory(whole)].map(({ contacts, chats, messages }) => [
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
    const ids = [...splitHistory(whole)].flatMap(({ messages }) => messages.map(({ key }) => key.id));
    expect([ids[0], ids.at(-1)]).toEqual(['249', '0']);
    expect([...splitHistory(history({}))]).toEqual([]);
  });

  it('splitHistory adds the author of group messages from both places', () => {
    const [group, author] = ['120363025246125486@g.us', '222@lid'];
    const messages = [
      past('beside', { key: { remoteJid: group, id: '1' }, participant: author }),
      past('in the key', { key: { remoteJid: group, id: '2', participant: author } }),
      past('direct', { participant: pn }),
    ];
    const [portion] = splitHistory(history({ messages }));
    expect(portion?.messages.map(({ key }) => key.participant || undefined)).toEqual([undefined, author, author]);
  });

  it('separateHistory makes merged live messages live again', () => {
    const live: WAMessage = { key: { remoteJid: pn, id: 'live' }, message: { conversation: 'now' } };
    const other: WAMessage = { key: { remoteJid: pn, id: 'other' }, message: { conversation: 'then' } };
    const batch: Partial<BaileysEventMap> = {
      'messaging-history.set': history({ messages: [past('old'), live] }),
      'messages.upsert': { type: 'append', messages: [other] },
    };
    const taken = separateHistory(batch);
    expect(taken.history?.messages.map(({ key }) => key.id)).toEqual(['old']);
    expect(taken.live).toEqual({ 'messages.upsert': { type: 'append', messages: [live, other] } });
    const alone = separateHistory({ 'messaging-history.set': history({ messages: [live] }) });
    expect(alone.live['messages.upsert']).toEqual({ type: 'notify', messages: [live] });
    const none = { 'messages.upsert': { type: 'notify' as const, messages: [live] } };
    expect(separateHistory(none)).toEqual({ live: none, history: undefined });
  });
});

describe('a message of the past', () => {
  it.each([
    [Status.READ, 'READ'],
    [Status.SERVER_ACK, 'SERVER_ACK'],
    [Status.ERROR, 'ERROR'],
    [Status.PENDING, undefined],
    [undefined, undefined],
  ])('fromHistory maps status %s to %s', (status, wanted) => {
    const mapped = fromHistory(past('A', { status }), names);
    expect('message' in mapped && mapped.message).toMatchObject({ messageTimestamp: 7 });
    expect('message' in mapped && mapped.message.status).toBe(wanted);
  });

  it('fromHistory keeps the poll secret beside the message', () => {
    const poll = past('A', { messageSecret: Buffer.from('s'), message: { pollCreationMessage: { name: 'When?' } } });
    expect(fromHistory(poll, names)).toMatchObject({
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
  ])('fromHistory skips a message that is %s', (_, parts) =>
    expect(fromHistory(past('A', parts), names)).toHaveProperty('skipped'));
});
