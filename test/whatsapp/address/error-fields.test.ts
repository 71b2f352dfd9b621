import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import type { TokenBucket } from '../../../src/lib/token-bucket.ts';
import { archiveChat } from '../../../src/whatsapp/chat/archive.ts';
import { type ChatDirectory, findContacts } from '../../../src/whatsapp/chat/list.ts';
import { muteChat, pinChat } from '../../../src/whatsapp/chat/pin-and-mute.ts';
import { createGroup } from '../../../src/whatsapp/group/create.ts';
import { decideJoinRequests } from '../../../src/whatsapp/group/join-requests.ts';
import { type ParticipantAction, updateParticipants } from '../../../src/whatsapp/group/participants.ts';
import type { Media } from '../../../src/whatsapp/media/media.ts';
import { sendContact } from '../../../src/whatsapp/message/contact.ts';
import { deleteForEveryone } from '../../../src/whatsapp/message/delete.ts';
import { updateMessage } from '../../../src/whatsapp/message/edit.ts';
import { findMessages, findStatuses, type MessageArchive } from '../../../src/whatsapp/message/find.ts';
import { forwardMessage } from '../../../src/whatsapp/message/forward.ts';
import { sendInvite } from '../../../src/whatsapp/message/group-invite.ts';
import { pinMessage } from '../../../src/whatsapp/message/pin.ts';
import { sendReaction } from '../../../src/whatsapp/message/reaction.ts';
import { sendStatus } from '../../../src/whatsapp/message/status.ts';
import { sendText } from '../../../src/whatsapp/message/text.ts';
import { checkNumbers } from '../../../src/whatsapp/profile/check-numbers.ts';
import { findLids } from '../../../src/whatsapp/profile/find-lids.ts';
import type { Session } from '../../../src/whatsapp/session.ts';
import { fakeSession } from '../../support/session-fakes.ts';

const group = '120363025246125486@g.us';
const ada = '4915112345678';
/** Two numbers in one text, and a user name that cannot exist. */
const INVALID = ['15551234567,15551234568', '@-'];

/** The operations in this file do not use these. */
const media = {} as Media;
const bucket = {} as TokenBucket;
const archive = {} as MessageArchive;
const directory = {} as ChatDirectory;

type Operation = [name: string, field: string, run: (session: Session, number: string) => Promise<unknown>];

const changeParticipants =
  (action: ParticipantAction) =>
  (session: Session, invalidNumber: string): Promise<unknown> =>
    updateParticipants(session, group, { action, participants: [ada, invalidNumber] });

const LIST_OPERATIONS: Operation[] = [
  [
    'createGroup',
    'participants[1]',
    (session, invalidNumber) => createGroup(session, media, { subject: 'G', participants: [ada, invalidNumber] }),
  ],
  ...(['add', 'remove', 'promote', 'demote'] as const).map(
    (action): Operation => [`updateParticipants (${action})`, 'participants[1]', changeParticipants(action)],
  ),
  [
    'decideJoinRequests',
    'participants[1]',
    (session, invalidNumber) =>
      decideJoinRequests(session, group, { action: 'approve', participants: [ada, invalidNumber] }),
  ],
  [
    'sendInvite',
    'numbers[1]',
    (session, invalidNumber) => sendInvite(session, group, { numbers: [ada, invalidNumber] }),
  ],
  ['checkNumbers', 'numbers[1]', (session, invalidNumber) => checkNumbers(session, [ada, invalidNumber], bucket)],
  ['findLids', 'numbers[1]', (session, invalidNumber) => findLids(session, [ada, invalidNumber], bucket)],
  [
    'sendStatus',
    'statusMessage.statusJidList[1]',
    (session, invalidNumber) =>
      sendStatus(
        session,
        media,
        { statusMessage: { type: 'text', content: 'x', statusJidList: [ada, invalidNumber] } },
        bucket,
      ),
  ],
  [
    'sendText',
    'options.mentions.mentioned[1]',
    (session, invalidNumber) =>
      sendText(session, {
        number: group,
        textMessage: { text: 'x' },
        options: { mentions: { mentioned: [ada, invalidNumber] }, linkPreview: false },
      }),
  ],
  [
    'sendContact',
    'contactMessage[1].phoneNumber',
    (session, invalidNumber) =>
      sendContact(
        session,
        {
          number: group,
          contactMessage: [
            { fullName: 'A', phoneNumber: ada },
            { fullName: 'B', phoneNumber: invalidNumber },
          ],
        },
        bucket,
      ),
  ],
  [
    'sendContact',
    'contactMessage[0].wuid',
    (session, invalidNumber) =>
      sendContact(
        session,
        { number: group, contactMessage: [{ fullName: 'A', phoneNumber: ada, wuid: invalidNumber }] },
        bucket,
      ),
  ],
];

const CHAT_OPERATIONS: Operation[] = [
  ['archiveChat', 'chat', (session, chat) => archiveChat(session, { chat, archive: true })],
  ['pinChat', 'chat', (session, chat) => pinChat(session, { chat, pin: true })],
  ['muteChat', 'chat', (session, chat) => muteChat(session, { chat, mute: true })],
  ['pinMessage', 'key.remoteJid', (session, remoteJid) => pinMessage(session, { key: { id: 'A', remoteJid } })],
  [
    'sendReaction',
    'reactionMessage.key.remoteJid',
    (session, remoteJid) => sendReaction(session, { reactionMessage: { key: { id: 'A', remoteJid }, reaction: '' } }),
  ],
  [
    'forwardMessage',
    'message.key.remoteJid',
    (session, remoteJid) => forwardMessage(session, { number: ada, message: { key: { id: 'A', remoteJid } } }),
  ],
  [
    'updateMessage',
    'key.remoteJid',
    (session, remoteJid) => updateMessage(session, { text: 'x', key: { id: 'A', remoteJid } }),
  ],
  [
    'updateMessage',
    '"number"',
    (session, number) => updateMessage(session, { number, text: 'x', key: { id: 'A', remoteJid: ada } }),
  ],
  [
    'deleteForEveryone',
    'remoteJid',
    (session, remoteJid) => deleteForEveryone(session, { id: 'A', fromMe: true, remoteJid }),
  ],
];

const FILTER_OPERATIONS: Operation[] = [
  [
    'findMessages',
    'where.key.remoteJid',
    (_, remoteJid) => findMessages(archive, { where: { key: { remoteJid } } }, { isCounted: false }),
  ],
  [
    'findMessages',
    'where.key.participant',
    (_, participant) => findMessages(archive, { where: { key: { participant } } }, { isCounted: false }),
  ],
  ['findContacts', 'where.remoteJid', (_, remoteJid) => findContacts(directory, { where: { remoteJid } })],
  ['findContacts', 'where.id', (_, id) => findContacts(directory, { where: { id } })],
  ['findStatuses', 'where.remoteJid', (_, remoteJid) => findStatuses(archive, { where: { remoteJid } })],
];

const invalidRequest = (field: string) => ({
  code: 'INVALID_REQUEST',
  responseMessage: [[expect.stringMatching(`^${field.replace(/[.[\]]/g, '\\$&')} must `)]],
});

async function errorOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => (error instanceof GatewayError ? error : String(error)),
  );
}

describe('errors about numbers', () => {
  it.each([
    ...LIST_OPERATIONS,
    ...CHAT_OPERATIONS,
  ])('%s names the field %s in the error for an invalid number', async (_, field, run) => {
    for (const number of INVALID)
      expect(await errorOf(run(fakeSession(), number)), number).toMatchObject(invalidRequest(field));
  });

  it.each(FILTER_OPERATIONS)('%s names the filter %s in the error for an invalid number', async (_, field, run) => {
    expect(await errorOf(run(fakeSession(), '1,2'))).toMatchObject(invalidRequest(field));
  });

  it.each(
    CHAT_OPERATIONS.filter(([name]) => ['pinChat', 'muteChat', 'pinMessage'].includes(name)),
  )('%s names the field %s in the error for a channel or a broadcast list', async (_, field, run) => {
    for (const number of ['120363025246125486@newsletter', 'status@broadcast'])
      expect(await errorOf(run(fakeSession(), number)), number).toMatchObject(invalidRequest(field));
  });

  it.each([
    'status@broadcast',
    '120363025246125486@newsletter',
  ])('sendInvite() rejects the recipient %s before it sends a message', async (number) => {
    const session = fakeSession();
    expect(await errorOf(sendInvite(session, group, { numbers: [ada, number] }))).toMatchObject(
      invalidRequest('numbers[1]'),
    );
    expect(session.calls.filter(([name]) => name === 'relayMessage')).toEqual([]);
  });
});
