// Votes in polls: read with the secret of their poll, and counted. Pure.
import { hash } from 'node:crypto';
import type { Message, PollResult, Vote } from '../../events/events.ts';
import { toEpochMilliseconds } from '../../lib/whole-number.ts';
import { authorJidsOf } from '../address/author.ts';
import { type KnownJids, toKey, withAlternateJids } from '../address/message-key.ts';
import { decryptPollVote, normalizeMessageContent, proto } from '../baileys/proto.ts';
import type { WireMessage } from '../baileys/types.ts';
import { type MapResult, toSeconds } from './message.ts';

/**
 * Stored polls by chat and message id (pollName): a vote is good in the chat of its poll only. A mapping adds the polls and the votes that it
 * meets, for the votes that follow in the same batch.
 */
export type Polls = Map<string, Message>;

/** Name of a poll among others. */
export const pollKey = ({ remoteJid, id }: Pick<Message['key'], 'remoteJid' | 'id'>): string => `${remoteJid}|${id}`;

/** Id of the poll that a message is a vote in; undefined when it is no vote. */
export function pollIdOf({ message }: WireMessage): string | undefined {
  return normalizeMessageContent(message)?.pollUpdateMessage?.pollCreationMessageKey?.id ?? undefined;
}

/** What a vote says; one that cannot be read is reported as such, because its voter believes that it counts. */
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
  const asked = poll && questionOf(poll);
  if (!poll || !asked) return unreadable('a vote in a poll that is not known here');
  const voters = authorJidsOf(key, knownJids);
  const chosen = decryptChoice(update.vote ?? {}, asked.secret, poll, {
    creators: authorJidsOf(poll.key, knownJids),
    voters,
  });
  if (!chosen) return unreadable('a vote that does not belong to its poll');
  const hashes = chosen.map((one) => Buffer.from(one).toString('hex'));
  const options = asked.options.filter((name) => hashes.includes(hash('sha256', name)));
  const { jid: voter, alt } = withAlternateJids(voters[0] ?? '', knownJids, voters[1]);
  const at = toEpochMilliseconds(update.senderTimestampMs) || toSeconds(received.messageTimestamp) * 1000;
  const vote = { id: key.id, voter, ...(alt ? { voterAlt: alt } : {}), options, at };
  return addVote(poll, vote, asked.options, (changed) => polls.set(name, changed));
}

function addVote(poll: Message, vote: Vote, options: string[], keep: (poll: Message) => void): MapResult {
  const votes = poll.votes ?? [];
  const earlier = votes.find(({ voter }) => voter === vote.voter || voter === vote.voterAlt);
  // People change their mind within a second, which is all that some clients tell of the time.
  if (earlier && (earlier.at > vote.at || earlier.id === vote.id)) return { skipped: 'an older vote' };
  const now = [...votes.filter((one) => one !== earlier), vote];
  keep({ ...poll, votes: now });
  const pollUpdates = countVotes(options, now);
  return { event: { type: 'messages.update', key: poll.key, at: vote.at, pollUpdates, vote } };
}

/** Every option with its voters, those without any as well. */
export function countVotes(options: readonly string[], votes: readonly Vote[]): PollResult[] {
  const chose = (name: string) => votes.filter((vote) => vote.options.includes(name)).map(({ voter }) => voter);
  return options.map((name) => ({ name, voters: chose(name) }));
}

/** Options and secret of a poll; undefined for any other message. */
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
 * Hashes of the chosen options. The addresses of both people are part of the key, in the form in which the voter's client knew them,
 * which the message does not tell. Undefined when no form fits.
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
        // Not this form.
      }
    }
  }
  return undefined;
}
