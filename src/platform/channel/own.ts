// Tells the posts of this account, written on another of its devices, from those of others: rc14 takes every post for somebody else's.
import type { BinaryNode, WASocket } from '@whiskeysockets/baileys';
import { isNewsletter } from '../jid.ts';

/** Posts on their way through Baileys, at most. */
const most = 1_000;

/** From now on own posts are `fromMe`. Before anybody else listens to `socket.ev`: listeners of one event come before those of batches. */
export function markOwnPosts({ ws, ev }: Pick<WASocket, 'ws' | 'ev'>): void {
  const own = new Set<string>();
  ws.prependListener('CB:message', ({ attrs }: BinaryNode) => {
    if (attrs.is_sender !== 'true' || !isNewsletter(attrs.from ?? '')) return;
    own.add(`${attrs.from}|${attrs.id}`);
    const [oldest] = own.size > most ? own : [];
    if (oldest !== undefined) own.delete(oldest);
  });
  ev.on('messages.upsert', ({ messages }) => {
    for (const { key } of messages) if (own.delete(`${key.remoteJid}|${key.id}`)) key.fromMe = true;
  });
}
