// Maps Baileys' events about labels to domain events: a label was changed, added to a chat or message, or removed from
// it. No I/O.

import type { DomainEvent } from '../../events/events.ts';
import { type KnownJids, toJidAndAlt } from '../address/message-key.ts';
import type { SocketEvents } from '../baileys/types.ts';

/** Maps a change of a label. Returns undefined for a label without an id. */
export function fromLabel(label: SocketEvents['labels.edit']): DomainEvent | undefined {
  const { id, name, color, deleted, predefinedId } = label;
  if (!id) return undefined;
  const predefined = predefinedId ? { predefinedId } : {};
  // WhatsApp can omit the name of a deleted label.
  return { type: 'labels.edit', id, name: name ?? '', color: color ?? 0, deleted: deleted === true, ...predefined };
}

/** Maps an event that adds a label to a chat or message, or removes it. */
export function fromLabelAssociation(
  { type: action, association }: SocketEvents['labels.association'],
  knownJids: KnownJids,
): DomainEvent {
  // `alt` is the LID (an id that hides the phone number), when both addresses are known.
  const { jid, alt } = toJidAndAlt(association.chatId, knownJids);
  const { labelId } = association;
  const messageField = 'messageId' in association ? { messageId: association.messageId } : {};
  return { type: 'labels.association', action, labelId, jid, ...(alt ? { lid: alt } : {}), ...messageField };
}
