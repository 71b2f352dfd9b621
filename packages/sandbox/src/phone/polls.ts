// Builds the content of messages about polls: the creation of a poll, and encrypted votes.
import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { proto } from '@whiskeysockets/baileys';
import { sha256 } from '../crypto/media-cipher.ts';

export interface PollDraft {
  name: string;
  options: string[];
  /** Maximum number of options that one person can choose. Default 0: any number. */
  selectable?: number;
}

/** The content that creates a poll. The caller adds the message secret, from which the keys of votes are derived. */
export function createPoll({ name, options, selectable = 0 }: PollDraft): proto.IMessage {
  const poll = { name, options: options.map((optionName) => ({ optionName })), selectableOptionsCount: selectable };
  // As in Baileys, V3 is the version for polls with a single choice.
  return selectable === 1 ? { pollCreationMessageV3: poll } : { pollCreationMessage: poll };
}

/** The poll of a message; undefined for other content. */
const pollIn = ({ pollCreationMessage, pollCreationMessageV2, pollCreationMessageV3 }: proto.IMessage) =>
  pollCreationMessageV3 ?? pollCreationMessageV2 ?? pollCreationMessage;

/**
 * Creates a vote for `options` of the poll in `content`; an empty list removes the vote. `key` is the key of the
 * message with the poll. `creator` and `voter` are the JIDs of the person who created the poll and the person who
 * votes: LIDs (addresses that hide the phone number) if the chat uses LIDs, else phone-number JIDs. Throws RangeError
 * when `content` is not a poll, has no message secret or does not have these options.
 */
export function createVote(
  { key, content }: { key: proto.IMessageKey; content: proto.IMessage },
  options: string[],
  { creator, voter, nowMs }: { creator: string; voter: string; nowMs: number },
): proto.IMessage {
  const secret = content.messageContextInfo?.messageSecret;
  const optionNames = pollIn(content)?.options?.map(({ optionName }) => optionName);
  if (!optionNames || !secret) throw new RangeError('the message is no poll');
  const unknown = options.find((option) => !optionNames.includes(option));
  if (unknown !== undefined) throw new RangeError(`the poll has no option ${unknown}`);
  const encoded = proto.Message.PollVoteMessage.encode({
    selectedOptions: options.map((name) => sha256(Buffer.from(name))),
  });
  // The key differs for each voter. The authentication tag also covers the poll and the voter.
  const voteKey = Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(32), `${key.id}${creator}${voter}Poll Vote`, 32));
  const encIv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', voteKey, encIv);
  cipher.setAAD(Buffer.from(`${key.id}\0${voter}`));
  const encPayload = Buffer.concat([cipher.update(encoded.finish()), cipher.final(), cipher.getAuthTag()]);
  return { pollUpdateMessage: { pollCreationMessageKey: key, vote: { encPayload, encIv }, senderTimestampMs: nowMs } };
}
