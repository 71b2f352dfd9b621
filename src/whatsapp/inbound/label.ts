// Labels, and what they stick to. Pure.

import type { DomainEvent } from '../../events/events.ts';
import { type KnownJids, withAlternateJids } from '../address/message-key.ts';
import type { SocketEvents } from '../baileys/types.ts';

/** Undefined for a label without an id. */
export function fromLabel(label: SocketEvents['labels.edit']): DomainEvent | undefined {
  const { id, name, color, deleted, predefinedId } = label;
  if (!id) return undefined;
  const kind = predefinedId ? { predefinedId } : {};
  // A label that is removed may come without its name.
  return { type: 'labels.edit', id, name: name ?? '', color: color ?? 0, deleted: deleted === true, ...kind };
}

export function fromAssociation(
  { type: action, association }: SocketEvents['labels.association'],
  knownJids: KnownJids,
): DomainEvent {
  const { jid, alt } = withAlternateJids(association.chatId, knownJids);
  const { labelId } = association;
  const message = 'messageId' in association ? { messageId: association.messageId } : {};
  return { type: 'labels.association', action, labelId, jid, ...(alt ? { lid: alt } : {}), ...message };
}
