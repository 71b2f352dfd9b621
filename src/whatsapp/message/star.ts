// Stars and unstars messages, on all devices of the account. Decision D-121.
import { proto } from '../baileys/proto.ts';
import { changeAppState } from '../outbound/app-state.ts';
import { findTarget, type TargetKey } from '../outbound/target-message.ts';
import type { Session } from '../session.ts';

export interface StarInput {
  key: TargetKey;
  /** Default: true. */
  star?: boolean;
}

/** Stars or unstars the message. Throws the errors of findTarget() and changeAppState(). */
export async function starMessage(
  session: Session,
  { key: target, star = true }: StarInput,
): Promise<{ chatId: string; messageId: string; starred: boolean }> {
  const { key, stored } = await findTarget(session, target);
  const { remoteJid, id, fromMe } = key;
  const participant = fromMe ? undefined : key.participant;
  // The change is built here, because Baileys rc14 writes stars to the collection `regular_low`, in which no device
  // looks for them, and omits the author (WhiskeySockets/Baileys#1978).
  const change = {
    // The collection (a part of the app state, which all devices share) that contains stars.
    type: 'regular_high' as const,
    index: ['star', remoteJid, id, fromMe ? '1' : '0', participant ?? '0'],
    syncAction: { starAction: { starred: star }, timestamp: Date.now() },
    apiVersion: 2,
    operation: proto.SyncdMutation.SyncdOperation.SET,
  };
  await changeAppState(session, change, remoteJid, 'Error starring message');
  const messageKey = stored?.key ?? { remoteJid, fromMe, id, ...(participant ? { participant } : {}) };
  // Baileys does not report the account's own change.
  await session.ingest([{ type: 'messages.update', key: messageKey, starred: star, at: Date.now() }]);
  return { chatId: remoteJid, messageId: id, starred: star };
}
