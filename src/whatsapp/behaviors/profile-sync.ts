// Keeps the own profile in the instance's record up to date: reads it after the first login, then follows the changes
// that phones and other devices make.

import { toBareJid } from '../address/jid.ts';
import { childOf, type Stanza } from '../baileys/stanza.ts';
import type { Socket } from '../baileys/types.ts';
import { fetchPictureUrl, fetchStatusText } from '../profile/lookup.ts';
import type { Profile, Session } from '../session.ts';

/**
 * Reports changes to session.profileChanged(). `isUnknown`: the record has no profile yet, so it is requested when the
 * connection opens.
 */
export function installProfileSync(
  socket: Pick<Socket, 'ev' | 'ws'>,
  session: Session,
  { isUnknown }: { isUnknown: boolean },
): void {
  const isMe = (jid: string | undefined) => {
    const me = session.me();
    return jid !== undefined && me !== undefined && [me.jid, me.lid].includes(toBareJid(jid));
  };
  const report = (profile: Profile) => {
    if (!session.ended.aborted) session.reportProfile(profile);
  };
  /** Keeps the current record when the request fails. */
  const reportWhenRead = (what: Promise<Profile>) =>
    void what.then(report, (err: unknown) => session.log.debug({ err }, 'profile.sync.failed'));
  let isOpen = false;
  socket.ev.on('connection.update', ({ connection }) => {
    if (connection !== 'open') return;
    isOpen = true;
    const me = session.me();
    if (!isUnknown || !me) return;
    reportWhenRead(fetchPictureUrl(session, me.jid).then((pictureUrl) => ({ pictureUrl })));
    reportWhenRead(fetchStatusText(session, me.jid).then((status) => ({ status: status ?? '' })));
  });
  socket.ev.on('creds.update', ({ me }) => {
    if (isOpen && me?.name && me.name !== '~') report({ name: me.name });
  });
  socket.ev.on('contacts.update', (contacts) => {
    const own = contacts.find(({ id, imgUrl }) => imgUrl !== undefined && isMe(id));
    const me = session.me();
    if (!own || !me) return;
    if (own.imgUrl === 'removed') report({ pictureUrl: null });
    else reportWhenRead(fetchPictureUrl(session, me.jid).then((pictureUrl) => ({ pictureUrl })));
  });
  // Baileys rc14 does not handle this notification.
  socket.ws.on('CB:notification,type:status', (node: Stanza) => {
    const text = childOf(node, 'set')?.content;
    if (isMe(node.attrs.from)) report({ status: text instanceof Uint8Array ? Buffer.from(text).toString() : '' });
  });
}
