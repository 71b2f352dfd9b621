// Maps add-ons, which are encrypted messages that belong to an earlier message, to events. Edits and reactions become
// the same events as unencrypted edits and reactions. No I/O. Decision D-199.
import { authorJidsOf } from '../address/author.ts';
import { type KnownJids, toMessageKey } from '../address/message-key.ts';
import { cleanMessage, proto } from '../baileys/proto.ts';
import type { WireMessage } from '../baileys/types.ts';
import { editOrDeletionIn, fromEditOrDeletion } from './edit.ts';
import { decryptAddOn, type EncryptedAddOn } from './encrypted-add-on.ts';
import { fromMessage, type MapResult, toUndecryptable, UNPROCESSABLE } from './message.ts';
import { messageSecretIn, type TargetMessages, targetKey } from './target-messages.ts';

const { MESSAGE_EDIT } = proto.Message.ProtocolMessage.Type;

/** The start of `reason` in messages.undecryptable, by kind of add-on. */
const REASON_STARTS = { edit: 'an edit of', reaction: 'a reaction to' };

/**
 * Maps an add-on, which must refer to a message in its own chat. An edit becomes messages.edited, and a reaction
 * becomes messages.upsert with a `reactionMessage`. An add-on that cannot be decrypted becomes messages.undecryptable
 * and is not skipped, because its sender believes that it arrived. `now` is the fallback for a missing timestamp, epoch
 * ms.
 */
export function fromAddOn(
  received: WireMessage,
  addOn: EncryptedAddOn,
  { targets, now, ...knownJids }: KnownJids & { targets: TargetMessages; now: number },
): MapResult {
  const key = toMessageKey(received.key, knownJids);
  if (!key) return { skipped: 'no key' };
  const toUndecryptableResult = (reason: string): MapResult => ({ event: toUndecryptable(received, key, reason) });
  const { kind } = addOn;
  // An event in a chat is an invitation. Answers to it are frequent, and no event of the gateway describes them.
  if (kind === 'event answer') return { skipped: 'an answer to an event' };
  if (kind !== 'edit' && kind !== 'reaction') return toUndecryptableResult(UNPROCESSABLE);
  const target = targets.get(targetKey({ remoteJid: key.remoteJid, id: addOn.target?.id ?? '' }));
  const secret = target && messageSecretIn(proto.Message.fromObject(target.message));
  if (!target || !secret) return toUndecryptableResult(`${REASON_STARTS[kind]} a message that is not known here`);
  const plaintext = decryptAddOn(addOn, {
    secret,
    targetId: target.key.id,
    authorJids: authorJidsOf(target.key, knownJids),
    senderJids: authorJidsOf(key, knownJids),
  });
  const content = plaintext && decodeAddOn(addOn, kind, plaintext);
  if (!content) return toUndecryptableResult(`${REASON_STARTS[kind]} a message to which it does not belong`);
  const decrypted = { ...received, key: { ...received.key }, message: content };
  // `mayModerate` is for deletions only.
  if (kind === 'edit') return fromEditOrDeletion(decrypted, knownJids, { now, mayModerate: false });
  // Changes the key in the reaction to the viewpoint of this account, as Baileys does for unencrypted reactions.
  cleanMessage(decrypted, knownJids.me?.jid ?? '', knownJids.me?.lid ?? '');
  return fromMessage(decrypted, knownJids);
}

/**
 * Returns the content of an unencrypted message with the same effect as the add-on. The content names the target of the
 * add-on. A target in the plaintext is ignored. Returns undefined when the plaintext is not an edit or a reaction.
 */
function decodeAddOn(
  { target }: EncryptedAddOn,
  kind: 'edit' | 'reaction',
  plaintext: Uint8Array,
): proto.IMessage | undefined {
  const key = { ...target };
  try {
    if (kind === 'reaction') {
      const { text, senderTimestampMs } = proto.Message.ReactionMessage.decode(plaintext);
      return { reactionMessage: { key, text, senderTimestampMs } };
    }
    const edit = editOrDeletionIn({ message: proto.Message.decode(plaintext) });
    if (edit?.type !== MESSAGE_EDIT || !edit.editedMessage) return undefined;
    const { editedMessage, timestampMs } = edit;
    return { protocolMessage: { key, type: MESSAGE_EDIT, editedMessage, timestampMs } };
  } catch {
    return undefined;
  }
}
