import { EventEmitter } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { WAMessage, WASocket } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { installAutoRead } from '../../../src/whatsapp/behaviors/auto-read.ts';
import { fakeSession, me } from '../fakes.ts';

const chats = ['4915112345678@s.whatsapp.net', '1@g.us', 'status@broadcast', '1@newsletter'];
const text = (remoteJid: string, parts: object = {}): WAMessage =>
  ({ key: { remoteJid, id: 'A', fromMe: false }, message: { conversation: 'hello' }, ...parts }) as WAMessage;

/** Chats in which something was read, once the login is done. */
async function read(wishes: Partial<Parameters<typeof installAutoRead>[2]>, messages: WAMessage[]): Promise<unknown[]> {
  const [ev, ws] = [new EventEmitter(), new EventEmitter()];
  const seen: unknown[] = [];
  const readMessages: WASocket['readMessages'] = async (keys) =>
    void seen.push(...keys.map(({ remoteJid }) => remoteJid));
  const socket = { ev, ws, readMessages } as unknown as WASocket;
  const settings = { readMessages: false, readStatus: false, groupsIgnore: false };
  installAutoRead(socket, fakeSession(), settings);
  Object.assign(settings, wishes);
  ev.emit('messages.upsert', { messages, type: 'notify' });
  await nextTurn();
  expect(seen).toEqual([]);
  ws.emit('CB:success');
  await nextTurn();
  return seen;
}

describe('what arrives is marked as read', () => {
  it.each([
    [{}, []],
    [{ readMessages: true }, [chats[0], chats[1]]],
    [{ readMessages: true, groupsIgnore: true }, [chats[0]]],
    [{ readStatus: true }, ['status@broadcast']],
  ])('auto-read follows the settings at the time of arrival: %j', async (wishes, expected) => {
    expect(
      await read(
        wishes,
        chats.map((chat) => text(chat)),
      ),
    ).toEqual(expected);
  });

  it.each([
    ['our own', { key: { remoteJid: chats[0], fromMe: true } }],
    ['our own to a broadcast list', { key: { remoteJid: '1@broadcast', participant: me.lid, fromMe: false } }],
    ['what cannot be read', { message: undefined }],
    ['reactions', { message: { reactionMessage: {} } }],
    ['corrections', { message: { protocolMessage: {} } }],
    ['corrections in a wrapper', { message: { editedMessage: { message: { protocolMessage: {} } } } }],
    ['encrypted corrections', { message: { secretEncryptedMessage: {}, messageContextInfo: {} } }],
    ['encrypted reactions', { message: { encReactionMessage: {} } }],
    ['votes', { message: { pollUpdateMessage: {} } }],
    ['pins', { message: { pinInChatMessage: {}, messageContextInfo: {} } }],
  ])('auto-read does not mark %s', async (_, parts) => {
    expect(await read({ readMessages: true }, [text(chats[0] ?? '', parts)])).toEqual([]);
  });
});

it('auto-read reports the chats once for all messages that are read meanwhile', async () => {
  const [ev, ws] = [new EventEmitter(), new EventEmitter()];
  const socket = { ev, ws, readMessages: async () => undefined } as unknown as WASocket;
  const stored = Promise.withResolvers<void>();
  const session = fakeSession({}, { waitForEvents: () => stored.promise });
  installAutoRead(socket, session, { readMessages: true, readStatus: true, groupsIgnore: false });
  ws.emit('CB:success');
  const [person = '', group = ''] = chats;
  for (const [chat, id] of [
    ...Array.from({ length: 50 }, (_, n) => [person, `A${n}`]),
    [group, 'B1'],
    [chats[2], 'C1'],
  ]) {
    const key = { remoteJid: chat, id, fromMe: false, ...(chat === person ? { remoteJidAlt: '222@lid' } : {}) };
    ev.emit('messages.upsert', { messages: [text(person, { key })], type: 'notify' });
  }
  await nextTurn();
  expect(session.ingested).toEqual([]);
  stored.resolve();
  await nextTurn();
  expect(session.ingested).toEqual([
    {
      type: 'chats.update',
      chats: [
        { jid: person, lid: '222@lid', unread: 0, readTo: 'A49' },
        { jid: group, unread: 0, readTo: 'B1' },
      ],
    },
  ]);
});
