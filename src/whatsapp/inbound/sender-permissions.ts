// Checks messages that refer to an earlier message. A pin, a kept message (one that does not disappear), an encrypted
// add-on (such as an edit or reaction) and a change of a scheduled call must refer to a message in the same chat. In a
// group, the sender of a pin or a kept message must have the permission for it. content/edit.ts checks edits and
// deletions; needsPermissions() covers them too. No I/O. Decision D-152.

import { refersToOtherAuthor, refersToOtherChat } from '../address/author.ts';
import { isGroup } from '../address/jid.ts';
import { type KnownJids, toMessageKey } from '../address/message-key.ts';
import { normalizeMessageContent, type proto } from '../baileys/proto.ts';
import type { WireMessage } from '../baileys/types.ts';
import { editOrDeletionIn } from '../content/edit.ts';
import { encryptedAddOnIn } from '../content/encrypted-add-on.ts';
import type { MemberPermissions } from '../group/permissions.ts';

/** Group permissions of the sender, by message. The sender of a message without an entry has no permissions. */
export type PermissionsByMessage = ReadonlyMap<WireMessage, MemberPermissions>;

/** Returns the key of the message that `content` pins or keeps from disappearing. */
const pinOrKeepTargetIn = (content: proto.IMessage | undefined) =>
  content?.pinInChatMessage?.key ?? content?.keepInChatMessage?.key ?? undefined;

/** Returns the key of the earlier message to which a pin, a kept message, an add-on or a change of a call refers. */
function targetIn({ message }: WireMessage): proto.IMessageKey | undefined {
  const content = normalizeMessageContent(message);
  return (
    pinOrKeepTargetIn(content) ??
    encryptedAddOnIn({ message })?.target ??
    content?.scheduledCallEditMessage?.key ??
    undefined
  );
}

/** True when the message is valid only if the sender has certain permissions in the group. */
export function needsPermissions(message: WireMessage, knownJids: KnownJids): boolean {
  const key = isGroup(message.key.remoteJid ?? '') ? toMessageKey(message.key, knownJids) : undefined;
  if (!key) return false;
  const target = editOrDeletionIn(message)?.key;
  if (target) return refersToOtherAuthor(target, key, knownJids);
  return pinOrKeepTargetIn(normalizeMessageContent(message.message)) !== undefined;
}

/**
 * Returns the reason for dropping a message, when it refers to an earlier message that it must not refer to. Returns
 * undefined for a message to keep.
 */
export function rejectionReason(
  message: WireMessage,
  knownJids: KnownJids,
  permissions: PermissionsByMessage,
): string | undefined {
  const target = targetIn(message);
  const key = target && toMessageKey(message.key, knownJids);
  if (!key) return undefined;
  // In a message that came through a broadcast list, `message.key` and the target name the list, but `key` names the
  // chat of the sender. So the target is first compared with `message.key`.
  const namesOwnChat = target.remoteJid === message.key.remoteJid;
  if (!namesOwnChat && refersToOtherChat(target, key, knownJids)) return 'about a message in another chat';
  const isPinOrKeep = pinOrKeepTargetIn(normalizeMessageContent(message.message)) !== undefined;
  // Members who may edit the settings of the group may also pin and keep messages.
  if (!isPinOrKeep || !isGroup(key.remoteJid) || permissions.get(message)?.mayEdit) return undefined;
  return 'not allowed in the group';
}
