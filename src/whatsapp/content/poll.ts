// Decrypts poll votes with the secret of their poll, and counts the votes of a poll. No I/O. Decision D-068.
import { hash } from 'node:crypto';
import type { Message, PollResult, Vote } from '../../events/events.ts';
import { overlaps } from '../../lib/overlaps.ts';
import { toEpochMilliseconds } from '../../lib/whole-number.ts';
import { authorJidsOf } from '../address/author.ts';
import { type KnownJids, toJidAndAlt, toMessageKey } from '../address/message-key.ts';
import { decryptPollVote, normalizeMessageContent, proto } from '../baileys/proto.ts';
import type { WireMessage } from '../baileys/types.ts';
import { type MapResult, toSecondsOrZero, toUndecryptable } from './message.ts';
import { messageSecretIn, type TargetMessages, targetKey } from './target-messages.ts';

/**
 * Maximum number of options of a poll whose votes are counted. There is a limit because every vote is reported with all
 * options. WhatsApp's apps allow 12 options of 100 characters each.
 */
const MAX_OPTIONS = 100;
/** Maximum length of all options of such a poll together, in UTF-16 code units. */
const MAX_OPTIONS_LENGTH = 10_000;

/** Returns the message id of the poll that `message` votes in, or undefined when `message` is no vote. */
export function pollIdOf({ message }: WireMessage): string | undefined {
  return normalizeMessageContent(message)?.pollUpdateMessage?.pollCreationMessageKey?.id ?? undefined;
}

/**
 * Maps a vote to messages.update, and adds the vote to the poll in `targets`. A vote that cannot be decrypted becomes
 * messages.undecryptable and is not skipped, because the voter believes that the vote counts.
 */
export function fromVote(received: WireMessage, targets: TargetMessages, knownJids: KnownJids): MapResult {
  const key = toMessageKey(received.key, knownJids);
  const update = normalizeMessageContent(received.message)?.pollUpdateMessage;
  if (!key || !update) return { skipped: 'no vote' };
  const toUndecryptableResult = (reason: string): MapResult => ({ event: toUndecryptable(received, key, reason) });
  const keyOfPoll = targetKey({ remoteJid: key.remoteJid, id: pollIdOf(received) ?? '' });
  const poll = targets.get(keyOfPoll);
  const optionsAndSecret = poll && optionsAndSecretOf(poll);
  if (!poll || !optionsAndSecret) return toUndecryptableResult('a vote in a poll that is not known here');
  const voterJids = authorJidsOf(key, knownJids);
  const optionHashes = decryptOptionHashes(update.vote ?? {}, optionsAndSecret.secret, poll.key.id, {
    creatorJids: authorJidsOf(poll.key, knownJids),
    voterJids,
  });
  if (!optionHashes || optionHashes.length > optionsAndSecret.options.length)
    return toUndecryptableResult('a vote that does not belong to its poll');
  const hexHashes = new Set(optionHashes.map((bytes) => Buffer.from(bytes).toString('hex')));
  const options = optionsAndSecret.options.filter((option) => hexHashes.has(hash('sha256', option)));
  const { jid: voter, alt } = toJidAndAlt(voterJids[0] ?? '', knownJids, voterJids[1]);
  const atMs = toEpochMilliseconds(update.senderTimestampMs) || toSecondsOrZero(received.messageTimestamp) * 1000;
  const vote = { id: key.id, voter, ...(alt ? { voterAlt: alt } : {}), options, at: atMs };
  const votes = replaceVote(poll.votes ?? [], vote);
  if (!votes) return { skipped: 'an older vote' };
  targets.set(keyOfPoll, { ...poll, votes });
  const pollUpdates = countVotes(optionsAndSecret.options, votes);
  // The phone number of the chat can become known after the poll is stored.
  const keyWithNumbers = toMessageKey(poll.key, knownJids) ?? poll.key;
  return { event: { type: 'messages.update', key: keyWithNumbers, at: atMs, pollUpdates, vote } };
}

/**
 * Returns `votes` with `vote` in place of the voter's stored vote. Returns undefined when the stored vote is newer, or
 * is the same vote.
 */
function replaceVote(votes: Vote[], vote: Vote): Vote[] | undefined {
  const stored = votes.find(({ voter, voterAlt }) => overlaps([voter, voterAlt], [vote.voter, vote.voterAlt]));
  // Of two votes with the same time, the one that was received later counts, because some clients send only seconds.
  if (stored && (stored.at > vote.at || stored.id === vote.id)) return undefined;
  return [...votes.filter((other) => other !== stored), vote];
}

/** Returns every option with its voters, including options without voters. */
export function countVotes(options: readonly string[], votes: readonly Vote[]): PollResult[] {
  const results = new Map(options.map((name): [string, PollResult] => [name, { name, voters: [] }]));
  for (const { voter, options: chosen } of votes) {
    for (const option of chosen) results.get(option)?.voters.push(voter);
  }
  return [...results.values()];
}

/**
 * Returns the options and the secret of a poll. An option that the poll repeats is returned once. Returns undefined for
 * any other message, for a poll without secret, and for a poll that exceeds the limits.
 */
export function optionsAndSecretOf({
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
  const secret = messageSecretIn(outer);
  if (!poll?.options || !secret) return undefined;
  const options = [...new Set(poll.options.map(({ optionName }) => optionName ?? ''))];
  const length = options.reduce((sum, option) => sum + option.length, 0);
  return options.length > MAX_OPTIONS || length > MAX_OPTIONS_LENGTH ? undefined : { options, secret };
}

/**
 * Decrypts the hashes of the chosen options. The key is derived from one JID of the poll's creator and one of the
 * voter. The message does not say whether the voter's client used phone numbers or LIDs (ids that hide the number), so
 * all known JIDs are tried. Returns undefined when no combination decrypts the vote.
 */
function decryptOptionHashes(
  vote: proto.Message.IPollEncValue,
  secret: Uint8Array,
  pollId: string,
  { creatorJids, voterJids }: { creatorJids: string[]; voterJids: string[] },
): Uint8Array[] | undefined {
  for (const pollCreatorJid of creatorJids) {
    for (const voterJid of voterJids) {
      try {
        const context = { pollCreatorJid, voterJid, pollMsgId: pollId, pollEncKey: secret };
        return decryptPollVote(vote, context).selectedOptions ?? [];
      } catch {
        // The voter's client used another combination of JIDs.
      }
    }
  }
  return undefined;
}
