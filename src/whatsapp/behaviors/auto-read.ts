// Automatically marks incoming messages as read (setting `readMessages`) and statuses as seen (setting `readStatus`).
// Decision D-105.

import { isReadableType } from '../../lib/readable-message.ts';
import type { InstanceSettings } from '../../storage/instance-row.ts';
import { isChannelJid, isGroup, STATUS_JID } from '../address/jid.ts';
import { normalizeMessageContent } from '../baileys/proto.ts';
import type { Socket, WireMessage } from '../baileys/types.ts';
import type { Session } from '../session.ts';

type AutoReadSettings = Pick<InstanceSettings, 'readMessages' | 'readStatus' | 'groupsIgnore'>;

/** Starts to mark messages. Reads `settings` for every message, because settings can change during a session. */
export function installAutoRead(
  socket: Pick<Socket, 'ev' | 'ws' | 'readMessages'>,
  session: Pick<Session, 'ended' | 'log'>,
  settings: AutoReadSettings,
): void {
  // Baileys can emit messages of an earlier session before the login. A receipt at that time would break the handshake.
  const loggedIn = new Promise<void>((resolve) => socket.ws.once('CB:success', () => resolve()));
  socket.ev.on('messages.upsert', ({ messages }) => {
    const keys = messages.filter((message) => shouldRead(message, settings)).map(({ key }) => key);
    if (keys.length === 0) return;
    loggedIn
      .then(async () => {
        if (!session.ended.aborted) await socket.readMessages(keys);
      })
      .catch((err: unknown) => session.log.warn({ err }, 'message.read.failed'));
  });
}

/**
 * True when the settings want this message to be marked. False for a message that could not be decrypted, and for
 * messages that have no read state, such as reactions.
 */
function shouldRead(
  { key, message }: WireMessage,
  { readMessages, readStatus, groupsIgnore }: AutoReadSettings,
): boolean {
  const chat = key.remoteJid ?? '';
  const content = normalizeMessageContent(message);
  if (key.fromMe || !content || isChannelJid(chat) || !Object.keys(content).every(isReadableType)) return false;
  if (chat === STATUS_JID) return readStatus && !isChannelJid(key.participant ?? '');
  return readMessages && !(groupsIgnore && isGroup(chat));
}
