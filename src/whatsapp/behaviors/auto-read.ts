// What the settings say about messages that arrive: they are marked as read (`readMessages`), statuses as seen (`readStatus`).

import type { InstanceSettings } from '../../storage/instance-row.ts';
import { isGroup, isNewsletter, STATUS_JID } from '../address/jid.ts';
import type { Socket, WireMessage } from '../baileys/types.ts';
import type { Session } from '../session.ts';

type AutoReadSettings = Pick<InstanceSettings, 'readMessages' | 'readStatus' | 'groupsIgnore'>;

/** `settings` are looked at when a message arrives: they may change meanwhile. */
export function installAutoRead(
  socket: Pick<Socket, 'ev' | 'ws' | 'readMessages'>,
  session: Pick<Session, 'ended' | 'log'>,
  settings: AutoReadSettings,
): void {
  // What an earlier session left is told before the login, and a frame before the login breaks the handshake.
  const login = new Promise<void>((resolve) => socket.ws.once('CB:success', () => resolve()));
  socket.ev.on('messages.upsert', ({ messages }) => {
    const keys = messages.filter((message) => shouldRead(message, settings)).map(({ key }) => key);
    if (keys.length === 0) return;
    login
      .then(() => (session.ended.aborted ? undefined : socket.readMessages(keys)))
      .catch((err: unknown) => session.log.warn({ err }, 'message.read.failed'));
  });
}

/** What could not be decrypted has not been read, and reactions and the like are nothing to read. */
function shouldRead(
  { key, message }: WireMessage,
  { readMessages, readStatus, groupsIgnore }: AutoReadSettings,
): boolean {
  const chat = key.remoteJid ?? '';
  if (key.fromMe || !message || message.protocolMessage || message.reactionMessage || isNewsletter(chat)) return false;
  if (chat === STATUS_JID) return readStatus;
  return readMessages && !(groupsIgnore && isGroup(chat));
}
