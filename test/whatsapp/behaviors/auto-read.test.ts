import { EventEmitter } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { WAMessage, WASocket } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { installAutoRead } from '../../../src/whatsapp/behaviors/auto-read.ts';
import { fakeSession, me } from '../../support/session-fakes.ts';

const chats = ['4915112345678@s.whatsapp.net', '1@g.us', 'status@broadcast', '1@newsletter'];
const textMessage = (remoteJid: string, parts: object = {}): WAMessage =>
  ({ key: { remoteJid, id: 'A', fromMe: false }, message: { conversation: 'hello' }, ...parts }) as WAMessage;

/** Returns the JIDs of the chats in which auto-read marks `messages` as read. Expects no mark before the login. */
async function readChats(
  overrides: Partial<Parameters<typeof installAutoRead>[2]>,
  messages: WAMessage[],
): Promise<unknown[]> {
  const [ev, ws] = [new EventEmitter(), new EventEmitter()];
  const readJids: unknown[] = [];
  const readMessages: WASocket['readMessages'] = async (keys) =>
    void readJids.push(...keys.map(({ remoteJid }) => remoteJid));
  const socket = { ev, ws, readMessages } as unknown as WASocket;
  const settings = { readMessages: false, readStatus: false, groupsIgnore: false };
  installAutoRead(socket, fakeSession(), settings);
  Object.assign(settings, overrides);
  ev.emit('messages.upsert', { messages, type: 'notify' });
  await nextTurn();
  expect(readJids).toEqual([]);
  ws.emit('CB:success');
  await nextTurn();
  return readJids;
}

describe('auto-read of incoming messages', () => {
  it.each([
    [{}, []],
    [{ readMessages: true }, [chats[0], chats[1]]],
    [{ readMessages: true, groupsIgnore: true }, [chats[0]]],
    [{ readStatus: true }, ['status@broadcast']],
  ])('auto-read marks messages by the settings that apply when the messages arrive: %j', async (overrides, expected) => {
    expect(
      await readChats(
        overrides,
        chats.map((chat) => textMessage(chat)),
      ),
    ).toEqual(expected);
  });

  it.each([
    ['own messages', { key: { remoteJid: chats[0], fromMe: true } }],
    ['own messages to a broadcast list', { key: { remoteJid: '1@broadcast', participant: me.lid, fromMe: false } }],
    ['messages without content', { message: undefined }],
    ['reactions', { message: { reactionMessage: {} } }],
    ['protocol messages', { message: { protocolMessage: {} } }],
    ['protocol messages in a wrapper', { message: { editedMessage: { message: { protocolMessage: {} } } } }],
    ['encrypted edits', { message: { secretEncryptedMessage: {}, messageContextInfo: {} } }],
    ['encrypted reactions', { message: { encReactionMessage: {} } }],
    ['votes', { message: { pollUpdateMessage: {} } }],
    ['pins', { message: { pinInChatMessage: {}, messageContextInfo: {} } }],
  ])('auto-read does not mark these messages as read: %s', async (_, parts) => {
    expect(await readChats({ readMessages: true }, [textMessage(chats[0] ?? '', parts)])).toEqual([]);
  });
});

it('auto-read reports all chats that it reads while it waits for the store in one chats.update event', async () => {
  const [ev, ws] = [new EventEmitter(), new EventEmitter()];
  const socket = { ev, ws, readMessages: async () => undefined } as unknown as WASocket;
  const eventsStored = Promise.withResolvers<void>();
  const session = fakeSession({}, { waitForEvents: () => eventsStored.promise });
  installAutoRead(socket, session, { readMessages: true, readStatus: true, groupsIgnore: false });
  ws.emit('CB:success');
  const [person = '', group = ''] = chats;
  for (const [chat, id] of [
    ...Array.from({ length: 50 }, (_, n) => [person, `A${n}`]),
    [group, 'B1'],
    [chats[2], 'C1'],
  ]) {
    const key = { remoteJid: chat, id, fromMe: false, ...(chat === person ? { remoteJidAlt: '222@lid' } : {}) };
    ev.emit('messages.upsert', { messages: [textMessage(person, { key })], type: 'notify' });
  }
  await nextTurn();
  expect(session.ingested).toEqual([]);
  eventsStored.resolve();
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
