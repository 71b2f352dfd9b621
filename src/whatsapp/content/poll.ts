// Decrypts poll votes with the secret of their poll and counts them. No I/O.
import { hash } from 'node:crypto';
import type { Message, PollResult, Vote } from '../../events/events.ts';
import { toEpochMilliseconds } from '../../lib/whole-number.ts';
import { authorJidsOf } from '../address/author.ts';
import { type KnownJids, toKey, withAlternateJids } from '../address/message-key.ts';
import { decryptPollVote, normalizeMessageContent, proto } from '../baileys/proto.ts';
import type { WireMessage } from '../baileys/types.ts';
import { type MapResult, toSeconds } from './message.ts';

/**
 * Stored polls by pollKey(): a vote counts only in the chat of its poll. Mapping adds the polls and votes that it
 * processes, so that later votes of the same batch see them.
 */
export type Polls = Map<string, Message>;

/** Key of a poll: chat and message id. */
export const pollKey = ({ remoteJid, id }: Pick<Message['key'], 'remoteJid' | 'id'>): string => `${remoteJid}|${id}`;

/** Returns the id of the poll that a message votes in, or undefined when it is no vote. */
export function pollIdOf({ message }: WireMessage): string | undefined {
  return normalizeMessageContent(message)?.pollUpdateMessage?.pollCreationMessageKey?.id ?? undefined;
}

/** Maps a vote. An unreadable vote becomes messages.undecryptable, because its voter believes that it counts. */
export function fromVote(received: WireMessage, polls: Polls, knownJids: KnownJids): MapResult {
  const key = toKey(received.key, knownJids);
  const update = normalizeMessageContent(received.message)?.pollUpdateMessage;
  if (!key || !update) return { skipped: 'no vote' };
  const unreadable = (reason: string): MapResult => ({
    event: {
      type: 'messages.undecryptable',
      key,
      ...(received.pushName ? { pushName: received.pushName } : {}),
      messageTimestamp: toSeconds(received.messageTimestamp),
      reason,
    },
  });
  const name = pollKey({ remoteJid: key.remoteJid, id: pollIdOf(received) ?? '' });
  const poll = polls.get(name);
  const question = poll && questionOf(poll);
  if (!poll || !question) return unreadable('a vote in a poll that is not known here');
  const voters = authorJidsOf(key, knownJids);
  const choices = decryptChoice(update.vote ?? {}, question.secret, poll, {
    creators: authorJidsOf(poll.key, knownJids),
    voters,
  });
  if (!choices) return unreadable('a vote that does not belong to its poll');
  const hashes = choices.map((one) => Buffer.from(one).toString('hex'));
  const options = question.options.filter((name) => hashes.includes(hash('sha256', name)));
  const { jid: voter, alt } = withAlternateJids(voters[0] ?? '', knownJids, voters[1]);
  const at = toEpochMilliseconds(update.senderTimestampMs) || toSeconds(received.messageTimestamp) * 1000;
  const vote = { id: key.id, voter, ...(alt ? { voterAlt: alt } : {}), options, at };
  return addVote(poll, vote, question.options, (changed) => polls.set(name, changed));
}

function addVote(poll: Message, vote: Vote, options: string[], keep: (poll: Message) => void): MapResult {
  const votes = poll.votes ?? [];
  const earlier = votes.find(({ voter }) => voter === vote.voter || voter === vote.voterAlt);
  // People change their vote within a second, and some clients send only seconds.
  if (earlier && (earlier.at > vote.at || earlier.id === vote.id)) return { skipped: 'an older vote' };
  const now = [...votes.filter((one) => one !== earlier), vote];
  keep({ ...poll, votes: now });
  const pollUpdates = countVotes(options, now);
  return { event: { type: 'messages.update', key: poll.key, at: vote.at, pollUpdates, vote } };
}

/** Returns every option with its voters, including options without voters. */
export function countVotes(options: readonly string[], votes: readonly Vote[]): PollResult[] {
  const chose = (name: string) => votes.filter((vote) => vote.options.includes(name)).map(({ voter }) => voter);
  return options.map((name) => ({ name, voters: chose(name) }));
}

/** Returns the options and the secret of a poll, or undefined for any other message. */
export function questionOf({
  message,
}: Pick<Message, 'message'>): { options: string[]; secret: Uint8Array } | undefined {
  const outer = proto.Message.fromObject(message);
  const content = normalizeMessageContent(outer);
  const poll =
    content?.pollCreationMessage ??
    content?.pollCreationMessageV2 ??
    content?.pollCreationMessageV3 ??
    content?.pollCreationMessageV4?.message?.pollCreationMessage ??
    content?.pollCreationMessageV5;
  const secret = (outer.messageContextInfo ?? content?.messageContextInfo)?.messageSecret;
  if (!poll?.options || !secret?.length) return undefined;
  return { options: poll.options.map(({ optionName }) => optionName ?? ''), secret };
}

/**
 * Decrypts the hashes of the chosen options. The key is derived from the addresses of creator and voter in the form
 * that the voter's client used. The message does not contain that form, so all known forms are tried. Returns undefined
 * when none fits.
 */
function decryptChoice(
  vote: proto.Message.IPollEncValue,
  secret: Uint8Array,
  poll: Message,
  { creators, voters }: { creators: string[]; voters: string[] },
): Uint8Array[] | undefined {
  for (const pollCreatorJid of creators) {
    for (const voterJid of voters) {
      try {
        const context = { pollCreatorJid, voterJid, pollMsgId: poll.key.id, pollEncKey: secret };
        return decryptPollVote(vote, context).selectedOptions ?? [];
      } catch {
        // The address form is a different one.
      }
    }
  }
  return undefined;
}
