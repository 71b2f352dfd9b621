// Pins and mutes chats, on all devices of the account. Decision D-121.
import type { Chat } from '../../events/events.ts';
import { isGroup } from '../address/jid.ts';
import { type Address, resolveRecipient, rethrowUnknownNumberAsNotFound } from '../address/recipient.ts';
import { getGroup } from '../group/query.ts';
import { changeAppState } from '../outbound/app-state.ts';
import type { Session } from '../session.ts';

/** Pins or unpins a chat. Resolves with its JID. Throws the errors of resolveChat() and changeAppState(). */
export async function pinChat(session: Session, { chat, pin }: { chat: string; pin: boolean }): Promise<string> {
  const address = await resolveChat(session, chat);
  await changeAppState(session, { pin }, address.jid, 'Error pinning chat');
  return updateChat(session, address, { pinned: pin });
}

export interface MuteInput {
  chat: string;
  mute: boolean;
  /** Seconds. Default: until the chat is unmuted. */
  duration?: number;
}

/**
 * Mutes or unmutes a chat. `muteEndTime` is in epoch ms. It is -1 without an end, and null when the chat is not muted.
 * Throws the errors of pinChat().
 */
export async function muteChat(
  session: Session,
  { chat, mute, duration }: MuteInput,
): Promise<{ chatId: string; muteEndTime: number | null }> {
  const address = await resolveChat(session, chat);
  const requestedEnd = duration === undefined ? -1 : Date.now() + duration * 1000;
  const muteEndTime = mute ? requestedEnd : null;
  await changeAppState(session, { mute: muteEndTime }, address.jid, 'Error muting chat');
  return { chatId: await updateChat(session, address, { mutedUntil: muteEndTime }), muteEndTime };
}

/**
 * Returns the address of the chat. Throws the errors of resolveRecipient(), with HTTP status 404 for a number that is
 * not on WhatsApp. For a group, also throws the errors of getGroup().
 */
async function resolveChat(session: Session, chat: string): Promise<Address> {
  const address = await resolveRecipient(session, chat, 'chat').catch((error: unknown) =>
    rethrowUnknownNumberAsNotFound(error),
  );
  // Fails when WhatsApp does not return the group, for example because the account is not a member.
  if (isGroup(address.jid)) await getGroup(session, address.jid, { text: 'Error reading group' });
  return address;
}

/** Stores and publishes the change. Resolves with the JID of the chat. */
async function updateChat(session: Session, { jid, lid }: Address, change: Partial<Chat>): Promise<string> {
  await session.ingest([{ type: 'chats.update', chats: [{ jid, ...(lid ? { lid } : {}), ...change }] }]);
  return jid;
}
