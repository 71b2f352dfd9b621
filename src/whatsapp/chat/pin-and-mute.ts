// Pins and mutes chats, on all devices of the account.
import { GatewayError } from '../../errors.ts';
import type { Chat } from '../../events/events.ts';
import { isGroup } from '../address/jid.ts';
import { type Address, resolveRecipient } from '../address/recipient.ts';
import { getGroup } from '../group/query.ts';
import { changeAppState } from '../outbound/app-state.ts';
import type { Session } from '../session.ts';

/** Resolves with the JID of the chat. Throws as resolveChat() and changeAppState(). */
export async function pinChat(session: Session, { chat, pin }: { chat: string; pin: boolean }): Promise<string> {
  const address = await resolveChat(session, chat);
  await changeAppState(session, { pin }, address.jid, 'Error pinning chat');
  return recordChange(session, address, { pinned: pin });
}

export interface MuteInput {
  chat: string;
  mute: boolean;
  /** Seconds. Default: no end. */
  duration?: number;
}

/** `muteEndTime` is epoch ms, -1 for no end, null when the chat is not muted. Throws as pinChat(). */
export async function muteChat(
  session: Session,
  { chat, mute, duration }: MuteInput,
): Promise<{ chatId: string; muteEndTime: number | null }> {
  const address = await resolveChat(session, chat);
  const until = duration === undefined ? -1 : Date.now() + duration * 1000;
  const muteEndTime = mute ? until : null;
  await changeAppState(session, { mute: muteEndTime }, address.jid, 'Error muting chat');
  return { chatId: await recordChange(session, address, { mutedUntil: muteEndTime }), muteEndTime };
}

/** Throws as resolveRecipient(), with 404 for a number that is not on WhatsApp, and as getGroup() for a group. */
async function resolveChat(session: Session, chat: string): Promise<Address> {
  const address = await resolveRecipient(session, chat).catch((error: unknown) => {
    const isAbsent = error instanceof GatewayError && error.code === 'NUMBER_NOT_ON_PLATFORM';
    if (!isAbsent) throw error;
    throw new GatewayError(error.code, error.body, { certain: true, status: 404, cause: error });
  });
  if (isGroup(address.jid)) await getGroup(session, address.jid, { text: 'Error reading group' });
  return address;
}

async function recordChange(session: Session, { jid, lid }: Address, change: Partial<Chat>): Promise<string> {
  await session.ingest([{ type: 'chats.update', chats: [{ jid, ...(lid ? { lid } : {}), ...change }] }]);
  return jid;
}
