import { randomBytes } from 'node:crypto';
import type { proto, WAMessage } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { createVote as encrypt } from '../../../packages/sandbox/src/phone/polls.ts';
import type { DomainEvent, JsonObject, Message, MessageKey } from '../../../src/events/events.ts';
import { toJson } from '../../../src/whatsapp/content/message.ts';
import { countVotes, fromVote, optionsAndSecretOf, pollIdOf } from '../../../src/whatsapp/content/poll.ts';
import { type TargetMessages, targetKey } from '../../../src/whatsapp/content/target-messages.ts';
import { me } from '../../support/session-fakes.ts';

const ana = { jid: '4915112345678@s.whatsapp.net', lid: '222@lid' };
const bob = { jid: '4915100000001@s.whatsapp.net', lid: '333@lid' };
const group = '120363025246125486@g.us';
const lidPairs = new Map([ana, bob].flatMap(({ jid, lid }) => [[jid, lid] as const, [lid, jid] as const]));
const names = { me, lidPairs };
const POLL = { name: 'When?', options: [{ optionName: 'today' }, { optionName: 'tomorrow' }] };
const messageContextInfo = { messageSecret: randomBytes(32) };
const content: proto.IMessage = { pollCreationMessage: POLL, messageContextInfo };

const createPollContent = (options: string[]): proto.IMessage => ({
  pollCreationMessage: { name: 'When?', options: options.map((optionName) => ({ optionName })) },
  messageContextInfo,
});
const createOptions = (count: number) => Array.from({ length: count }, (_, n) => `option ${n}`);

const createPoll = (key: Partial<MessageKey> = {}, message: JsonObject = toJson(content)): Message => ({
  key: { remoteJid: group, fromMe: false, id: 'POLL', participant: ana.jid, participantAlt: ana.lid, ...key },
  message,
  messageType: 'pollCreationMessage',
  messageTimestamp: 1_700_000_000,
  source: 'android',
});

interface CastOptions {
  creator?: string;
  voter?: string;
  key?: WAMessage['key'];
  at?: number;
  /** Content of the poll. */
  pollContent?: proto.IMessage;
}

/** Returns Baileys' message of a vote. `creator` and `voter` are the addresses that its encryption uses. */
function castVote(
  options: string[],
  { creator = ana.lid, voter = bob.lid, key, at = 5_000, pollContent = content }: CastOptions = {},
): WAMessage {
  const message = encrypt({ key: { id: 'POLL' }, content: pollContent }, options, { creator, voter, nowMs: at });
  const { id = 'VOTE', ...rest } = key ?? { remoteJid: group, participant: bob.lid, fromMe: false };
  return { key: { ...rest, id }, messageTimestamp: 7, message, pushName: 'Bob' };
}

const toTargets = (one: Message): TargetMessages => new Map([[targetKey(one.key), one]]);

function mapVote(
  message: WAMessage,
  polls: TargetMessages = toTargets(createPoll()),
  knownJids = names,
): DomainEvent | string {
  const mapped = fromVote(message, polls, knownJids);
  return 'event' in mapped ? mapped.event : mapped.skipped;
}

const votersOf = (event: DomainEvent | string) =>
  typeof event === 'object' && 'pollUpdates' in event ? event.pollUpdates.map(({ voters }) => voters) : event;

describe('votes', () => {
  it('fromVote() maps a vote to its voter, its choice and the result of the poll', () => {
    expect(mapVote(castVote(['tomorrow']))).toEqual({
      type: 'messages.update',
      key: createPoll().key,
      at: 5_000,
      pollUpdates: [
        { name: 'today', voters: [] },
        { name: 'tomorrow', voters: [bob.jid] },
      ],
      vote: { id: 'VOTE', voter: bob.jid, voterAlt: bob.lid, options: ['tomorrow'], at: 5_000 },
    });
  });

  it.each([
    [ana.jid, bob.jid],
    [ana.lid, bob.jid],
    [ana.jid, bob.lid],
  ])('fromVote() decrypts a vote in every address form of its client: %s, %s', (creator, voter) => {
    expect(votersOf(mapVote(castVote(['today'], { creator, voter })))).toEqual([[bob.jid], []]);
  });

  it('fromVote() assigns a vote of the own phone in an own poll to this account', () => {
    const ownPoll = createPoll({ fromMe: true, remoteJid: ana.jid, remoteJidAlt: ana.lid, participant: undefined });
    const key = { remoteJid: ana.lid, fromMe: true, id: 'V' };
    const result = mapVote(castVote(['today'], { creator: me.jid, voter: me.jid, key }), toTargets(ownPoll));
    expect(votersOf(result)).toEqual([[me.jid], []]);
  });

  it('fromVote() replaces only the earlier vote of the same person, also within one batch', () => {
    const polls: TargetMessages = toTargets(createPoll());
    const voteOfBob = (id: string) => ({ key: { remoteJid: group, participant: bob.lid, id } });
    const anasVote = { key: { remoteJid: group, participant: ana.lid, id: 'A' }, voter: ana.lid };
    expect(votersOf(mapVote(castVote(['today'], voteOfBob('1')), polls))).toEqual([[bob.jid], []]);
    expect(votersOf(mapVote(castVote(['today'], anasVote), polls))).toEqual([[bob.jid, ana.jid], []]);
    expect(votersOf(mapVote(castVote(['tomorrow'], voteOfBob('2')), polls))).toEqual([[ana.jid], [bob.jid]]);
    expect(votersOf(mapVote(castVote(['today', 'tomorrow'], { ...voteOfBob('3'), at: 6_000 }), polls))).toEqual([
      [ana.jid, bob.jid],
      [bob.jid],
    ]);
    expect(mapVote(castVote(['today'], { ...voteOfBob('4'), at: 5_999 }), polls)).toBe('an older vote');
    expect(mapVote(castVote(['today', 'tomorrow'], { ...voteOfBob('3'), at: 6_000 }), polls)).toBe('an older vote');
    expect(votersOf(mapVote(castVote([], { ...voteOfBob('5'), at: 7_000 }), polls))).toEqual([[ana.jid], []]);
  });

  it('fromVote() replaces the earlier vote of a person whose number is no longer known', () => {
    const storedVote = { id: '1', voter: bob.jid, voterAlt: bob.lid, options: ['today'], at: 1_000 };
    const polls = toTargets({ ...createPoll(), votes: [storedVote] });
    const withoutBob = { me, lidPairs: new Map([[ana.lid, ana.jid]]) };
    expect(votersOf(mapVote(castVote(['tomorrow']), polls, withoutBob))).toEqual([[], [bob.lid]]);
  });

  it.each<[string, WAMessage, TargetMessages]>([
    ['in an unknown poll', castVote(['today']), new Map()],
    ['in a message that is not a poll', castVote(['today']), toTargets(createPoll({}, { conversation: 'hi' }))],
    ['encrypted by another voter', castVote(['today'], { voter: '999@lid' }), toTargets(createPoll())],
    [
      'without content',
      { ...castVote([]), message: { pollUpdateMessage: { pollCreationMessageKey: { id: 'POLL' } } } },
      toTargets(createPoll()),
    ],
  ])('fromVote() reports an unreadable vote as undecryptable: %s', (_, message, polls) => {
    expect(mapVote(message, polls)).toEqual({
      type: 'messages.undecryptable',
      key: { remoteJid: group, fromMe: false, id: 'VOTE', participant: bob.jid, participantAlt: bob.lid },
      pushName: 'Bob',
      messageTimestamp: 7,
      reason: expect.stringContaining('a vote'),
    });
  });

  it('fromVote() reports a vote in another chat than its poll as undecryptable', () => {
    const elsewhere = castVote(['today'], { key: { remoteJid: bob.lid, fromMe: false, id: 'VOTE' } });
    expect(mapVote(elsewhere)).toMatchObject({ type: 'messages.undecryptable', key: { remoteJid: bob.jid } });
  });

  it('fromVote() lists an option once when the poll repeats it', () => {
    const pollContent = createPollContent(['today', 'never', 'today', 'today']);
    expect(mapVote(castVote(['today'], { pollContent }), toTargets(createPoll({}, toJson(pollContent))))).toMatchObject(
      {
        pollUpdates: [
          { name: 'today', voters: [bob.jid] },
          { name: 'never', voters: [] },
        ],
        vote: { options: ['today'] },
      },
    );
  });

  it.each<[string, string[], string[]]>([
    ['in a poll with more options than clients allow', createOptions(101), ['option 1']],
    ['in a poll with longer options than clients allow', ['a'.repeat(6_000), 'b'.repeat(6_000)], ['a'.repeat(6_000)]],
    ['with more choices than the poll has options', ['today', 'never'], ['today', 'never', 'today']],
  ])('fromVote() reports an oversized vote as undecryptable: %s', (_, options, chosen) => {
    const pollContent = createPollContent(options);
    expect(mapVote(castVote(chosen, { pollContent }), toTargets(createPoll({}, toJson(pollContent))))).toMatchObject({
      type: 'messages.undecryptable',
      key: { id: 'VOTE' },
    });
  });

  it('pollIdOf() returns the poll of a vote, also in a wrapper, and undefined for other messages', () => {
    const message = castVote(['today']);
    expect(pollIdOf(message)).toBe('POLL');
    expect(pollIdOf({ ...message, message: { ephemeralMessage: { message: message.message } } })).toBe('POLL');
    expect(pollIdOf({ ...message, message: { conversation: 'POLL' } })).toBeUndefined();
  });
});

describe('polls', () => {
  it.each<[string, proto.IMessage]>([
    ['of the first kind', { pollCreationMessage: POLL }],
    ['of the second kind', { pollCreationMessageV2: POLL }],
    ['with one choice', { pollCreationMessageV3: POLL }],
    ['of the fourth kind', { pollCreationMessageV4: { message: { pollCreationMessage: POLL } } }],
    ['of the fifth kind', { pollCreationMessageV5: POLL }],
    ['that disappears', { ephemeralMessage: { message: { pollCreationMessage: POLL } } }],
  ])('optionsAndSecretOf() recognizes a poll %s', (_, body) => {
    const stored = toJson({ ...body, messageContextInfo });
    expect(optionsAndSecretOf({ message: stored })).toEqual({
      options: ['today', 'tomorrow'],
      secret: messageContextInfo.messageSecret,
    });
  });

  it.each<[string, proto.IMessage]>([
    ['without a secret', { pollCreationMessage: POLL }],
    ['without poll content', { conversation: 'hi', messageContextInfo }],
  ])('optionsAndSecretOf() returns undefined for a poll %s', (_, body) =>
    expect(optionsAndSecretOf({ message: toJson(body) })).toBeUndefined());

  it('countVotes() lists options without votes, and ignores unknown options', () => {
    const vote = { id: '1', voter: bob.jid, options: ['b', 'z'], at: 1 };
    expect(countVotes(['a', 'b'], [vote])).toEqual([
      { name: 'a', voters: [] },
      { name: 'b', voters: [bob.jid] },
    ]);
  });
});
