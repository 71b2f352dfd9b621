// Checks whether senders may send messages that change earlier ones: pins, kept messages, event responses, edits. No
// I/O.

import { refersToOtherAuthor, refersToOtherChat } from '../address/author.ts';
import { isGroup } from '../address/jid.ts';
import { type KnownJids, toMessageKey } from '../address/message-key.ts';
import { normalizeMessageContent, type proto } from '../baileys/proto.ts';
import type { WireMessage } from '../baileys/types.ts';
import { editOrDeletionIn } from '../content/edit.ts';
import type { MemberPermissions } from '../group/permissions.ts';

/** Permissions by message. Senders without an entry have none. */
export type PermissionsByMessage = ReadonlyMap<WireMessage, MemberPermissions>;

/** Returns the key of the message that is pinned, or kept from disappearing. */
const pinOrKeepTargetIn = (content: proto.IMessage | undefined) =>
  content?.pinInChatMessage?.key ?? content?.keepInChatMessage?.key ?? undefined;

function targetIn({ message }: WireMessage): proto.IMessageKey | undefined {
  const content = normalizeMessageContent(message);
  return (
    pinOrKeepTargetIn(content) ??
    content?.encEventResponseMessage?.eventCreationMessageKey ??
    content?.secretEncryptedMessage?.targetMessageKey ??
    content?.scheduledCallEditMessage?.key ??
    undefined
  );
}

/** True when the message is valid only with permissions of its sender in the group. */
export function needsPermissions(message: WireMessage, knownJids: KnownJids): boolean {
  const key = isGroup(message.key.remoteJid ?? '') ? toMessageKey(message.key, knownJids) : undefined;
  if (!key) return false;
  const target = editOrDeletionIn(message)?.key;
  if (target) return refersToOtherAuthor(target, key, knownJids);
  return pinOrKeepTargetIn(normalizeMessageContent(message.message)) !== undefined;
}

/** Returns why a message about an earlier one is not delivered, or undefined when it is. */
export function rejectionReason(
  message: WireMessage,
  knownJids: KnownJids,
  permissions: PermissionsByMessage,
): string | undefined {
  const reference = targetIn(message);
  const key = reference && toMessageKey(message.key, knownJids);
  if (!key) return undefined;
  if (refersToOtherChat(reference, key, knownJids)) return 'about a message in another chat';
  const isSetting = pinOrKeepTargetIn(normalizeMessageContent(message.message)) !== undefined;
  return isSetting && isGroup(key.remoteJid) && !permissions.get(message)?.mayEdit
    ? 'not allowed in the group'
    : undefined;
}
