// Contacts, reactions and polls as phones show them, in chats and groups, from both forms of a body.
import { describe, expect, it } from 'vitest';
import { lidJid } from '../../packages/sandbox/src/world/world.ts';
import { at, textAt } from '../support/api.ts';
import { isEvent, type World } from '../support/gateway.ts';
import { ada, bob, createAdasGroup, eve, jid, ownNumber, startLinked } from '../support/group.ts';

const phone = ({ sandbox }: World, number: string) => sandbox.phones.phone(number);

/** Sends by the API. Resolves with the answer and with the message on the phone. */
async function send(world: World, kind: string, body: unknown, number = ada) {
  const sent = await world.api('POST', `/message/${kind}/sales`, body);
  expect(sent.status, JSON.stringify(sent.body)).toBe(201);
  const recipient = phone(world, number);
  const message = await recipient.waitFor(() =>
    recipient.messages().find(({ id }) => id === textAt(sent.body, 'key.id')),
  );
  return { body: sent.body, message };
}

describe('POST /message/sendContact', () => {
  it('sendContact sends one contact card or several, also with a quote', async () => {
    const world = await startLinked();
    const contact = [{ fullName: 'Bob; the builder', phoneNumber: bob, email: 'bob@example.com' }];
    const quoted = { key: { id: 'ABC' }, message: { conversation: 'who?' } };
    const single = await send(world, 'sendContact', { number: ada, contact, quoted });
    expect(single.body).toMatchObject({ messageType: 'contactMessage' });
    expect(single.message).toMatchObject({ kind: 'contact', quoted: 'ABC' });
    expect(at(single.message.message, 'contactMessage')).toMatchObject({
      displayName: 'Bob; the builder',
      vcard: expect.stringContaining(`item1.TEL;waid=${bob}:${bob}\n`),
    });
    const both = [...contact, { fullName: 'Eve', phoneNumber: `+${eve}`, wuid: eve }];
    const several = await send(world, 'sendContact', { number: ada, contactMessage: both });
    expect(several.body).toMatchObject({ status: 'PENDING' });
    expect(at(several.message.message, 'contactsArrayMessage')).toMatchObject({
      displayName: '2 contacts',
      contacts: [{ displayName: 'Bob; the builder' }, { displayName: 'Eve' }],
    });
  });
});

describe('POST /message/sendReaction', () => {
  it('sendReaction puts an emoji on messages of both sides, and an empty text removes it', async () => {
    const world = await startLinked();
    const adasMessage = await phone(world, ada).send(ownNumber, { text: 'hello' });
    await world.receiver.next(({ body, raw }) => isEvent(body, 'messages.upsert') && raw.includes(adasMessage));
    const ownMessage = await send(world, 'sendText', { number: ada, text: 'hi' });
    const target = { remoteJid: jid(ada), fromMe: false, id: adasMessage };
    const reactionsOf = (id: string) =>
      phone(world, ada)
        .messages()
        .find((message) => message.id === id)?.reactions;
    const addition = await send(world, 'sendReaction', { reactionMessage: { key: target, reaction: '👍' } });
    expect(at(addition.body, 'message.reactionMessage')).toMatchObject({ key: target, text: '👍' });
    expect(reactionsOf(adasMessage)).toEqual({ [ownNumber]: '👍' });
    await send(world, 'sendReaction', { key: at(ownMessage.body, 'key'), reaction: '❤️' });
    expect(reactionsOf(ownMessage.message.id)).toEqual({ [ownNumber]: '❤️' });
    const removal = await send(world, 'sendReaction', { key: target, reaction: '' });
    expect(removal.body).toMatchObject({ messageType: 'reactionMessage' });
    expect(reactionsOf(adasMessage)).toEqual({});
    expect(reactionsOf(ownMessage.message.id)).toEqual({ [ownNumber]: '❤️' });
  });

  it.each([
    'lid',
    'pn',
  ] as const)('sendReaction in a group addressed by %s names the author in the form of the group', async (mode) => {
    const world = await startLinked();
    world.sandbox.groups.defaultAddressing = mode;
    const group =
      mode === 'lid'
        ? createAdasGroup(world)
        : phone(world, ada).createGroup('Theirs', [ownNumber, bob], { addressing: mode });
    const bobsMessage = await phone(world, bob).send(group.id, { text: 'hello' });
    await world.receiver.next(({ body, raw }) => isEvent(body, 'messages.upsert') && raw.includes(bobsMessage));
    const key = { remoteJid: group.id, fromMe: false, id: bobsMessage };
    const { message } = await send(world, 'sendReaction', { key, reaction: '🇧🇷' });
    expect(message).toMatchObject({ chat: group.id, target: bobsMessage, text: '🇧🇷' });
    const author = mode === 'lid' ? lidJid(world.sandbox.world.account(bob)) : jid(bob);
    expect(at(message.message, 'reactionMessage.key')).toMatchObject({ remoteJid: group.id, participant: author });
  });
});

describe('POST /message/sendPoll', () => {
  it('sendPoll sends polls to chats and groups, and their votes are posted', async () => {
    const world = await startLinked();
    const group = createAdasGroup(world);
    const values = ['today', 'tomorrow', 'never'];
    const multipleChoice = await send(world, 'sendPoll', { number: ada, name: 'When?', selectableCount: '2', values });
    expect(multipleChoice.body).toMatchObject({ messageType: 'pollCreationMessage' });
    expect(at(multipleChoice.body, 'message.pollCreationMessage')).toMatchObject({ selectableOptionsCount: 2 });
    expect(at(multipleChoice.body, 'message.messageContextInfo.messageSecret')).toEqual(expect.any(String));
    const pollMessage = { name: 'When?', selectableCount: 1, values };
    const singleChoice = await send(world, 'sendPoll', { number: group.id, pollMessage });
    expect(at(singleChoice.message.message, 'pollCreationMessageV3')).toMatchObject({
      name: 'When?',
      options: values.map((optionName) => ({ optionName })),
      selectableOptionsCount: 1,
    });
    for (const [poll, chat, options] of [
      [multipleChoice.message.id, ownNumber, ['today', 'never']],
      [singleChoice.message.id, group.id, ['tomorrow']],
    ] as const) {
      await phone(world, ada).send(chat, { vote: { id: poll, options: [...options] } });
      const { body } = await world.receiver.next(
        (post) => isEvent(post.body, 'messages.update') && post.raw.includes('pollUpdates') && post.raw.includes(poll),
      );
      expect(at(body, 'data.vote')).toMatchObject({ voter: jid(ada), options });
    }
  });
});

describe('refused contacts, reactions and polls', () => {
  it('sendContact, sendReaction and sendPoll name the reason of a refusal and send nothing', async () => {
    const world = await startLinked();
    const group = createAdasGroup(world);
    const contact = [{ fullName: 'Bob', phoneNumber: bob }];
    const values = ['a', 'b'];
    const cases: [string, Record<string, unknown>, number, string, RegExp][] = [
      [
        'sendContact',
        { number: ada, contact: [] },
        400,
        'INVALID_REQUEST',
        /contact does not meet minimum length of 1/,
      ],
      [
        'sendContact',
        { number: ada, contact: [{ fullName: 'B', phoneNumber: '12' }] },
        400,
        'INVALID_REQUEST',
        /contact\[0\].phoneNumber does not meet minimum length of 10/,
      ],
      [
        'sendContact',
        { number: ada, contact: [{ fullName: 'B', phoneNumber: 'no number here' }] },
        400,
        'INVALID_REQUEST',
        /contact\[0\].phoneNumber/,
      ],
      ['sendContact', { number: ada, delay: 1 }, 400, 'INVALID_REQUEST', /instance requires property .{1,2}contact/],
      ['sendContact', { number: '15550000000', contact }, 400, 'NUMBER_NOT_ON_PLATFORM', /15550000000/],
      [
        'sendReaction',
        { key: { remoteJid: jid(ada), id: 'A' }, reaction: 'ok' },
        400,
        'INVALID_REQUEST',
        /single emoji or empty/,
      ],
      [
        'sendReaction',
        { key: { id: 'A' }, reaction: '👍' },
        400,
        'INVALID_REQUEST',
        /key requires property .{1,2}remoteJid/,
      ],
      [
        'sendReaction',
        { key: { remoteJid: group.id, id: 'A' }, reaction: '👍' },
        404,
        'MESSAGE_NOT_FOUND',
        /not found/,
      ],
      [
        'sendReaction',
        { key: { remoteJid: '120363999999999999@g.us', id: 'A', fromMe: true }, reaction: '👍' },
        400,
        'GROUP_NOT_FOUND',
        /group/,
      ],
      [
        'sendPoll',
        { number: ada, name: 'When?', values: ['a', 'a'] },
        400,
        'INVALID_REQUEST',
        /values contains duplicate/,
      ],
      [
        'sendPoll',
        { number: ada, name: 'When?', values: ['a'] },
        400,
        'INVALID_REQUEST',
        /values does not meet minimum length of 2/,
      ],
      [
        'sendPoll',
        { number: ada, name: 'When?', values, selectableCount: 3 },
        400,
        'INVALID_REQUEST',
        /selectableCount must be less than or equal to 2/,
      ],
      ['sendPoll', { number: ada, values }, 400, 'INVALID_REQUEST', /requires property .{1,2}name/],
    ];
    for (const [kind, body, status, code, text] of cases) {
      const refused = await world.api('POST', `/message/${kind}/sales`, body);
      expect(refused, `${kind} ${JSON.stringify(body)} ${JSON.stringify(refused.body)}`).toMatchObject({
        status,
        body: { code, certain: true },
      });
      expect(JSON.stringify(refused.body)).toMatch(text);
    }
    await world.api('POST', '/instance/create', { instanceName: 'closed' });
    for (const [kind, body] of [
      ['sendContact', { number: ada, contact }],
      ['sendReaction', { key: { remoteJid: jid(ada), id: 'A' }, reaction: '👍' }],
      ['sendPoll', { number: ada, name: 'When?', values }],
    ] as const)
      expect(await world.api('POST', `/message/${kind}/closed`, body)).toMatchObject({
        status: 400,
        body: { code: 'INSTANCE_NOT_OPEN' },
      });
    expect(phone(world, ada).messages()).toEqual([]);
  });
});
