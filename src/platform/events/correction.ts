// Edits and deletions of messages, by whoever may make them: what Baileys tells of them in messages.update. Pure.
import { proto, type WAMessageUpdate } from '@whiskeysockets/baileys';
import type { DomainEvent } from '../../events.ts';
import { editedText } from '../message/event.ts';
import { type Names, toKey } from './key.ts';
import { toJson, toSeconds } from './message.ts';

/** Undefined for what is neither. The key's author is the one who edited, or deleted. `now` is epoch ms. */
export function fromCorrection({ key, update }: WAMessageUpdate, names: Names, now: number): DomainEvent | undefined {
  const content = update.message?.editedMessage?.message;
  const isRevoked = update.messageStubType === proto.WebMessageInfo.StubType.REVOKE;
  const corrected = content || isRevoked ? toKey(key, names) : undefined;
  if (!corrected) return undefined;
  const at = toSeconds(update.messageTimestamp) * 1000 || now;
  if (!content) return { type: 'messages.delete', key: corrected, at };
  const message = toJson(content);
  const text = editedText(message);
  return { type: 'messages.edited', key: corrected, message, ...(text === undefined ? {} : { text }), at };
}
