// What the account shows of itself, for the record of its instance: read when it was just linked, and followed when the phone or another
// device changes it.

import { toBareJid } from '../address/jid.ts';
import { childOf, type Stanza } from '../baileys/stanza.ts';
import type { Socket } from '../baileys/types.ts';
import { fetchPictureUrl, fetchStatusText } from '../profile/lookup.ts';
import type { Profile, Session } from '../session.ts';

/** Tells session.profileChanged() what becomes known. `isUnknown`: nothing is, and everything is asked for once the connection is open. */
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
  /** The record stays as it is when the platform does not say. */
  const reportWhenRead = (what: Promise<Profile>) =>
    void what.then(report, (err: unknown) => session.log.debug({ err }, 'profile.unknown'));
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
  // Not among what rc14 understands.
  socket.ws.on('CB:notification,type:status', (node: Stanza) => {
    const text = childOf(node, 'set')?.content;
    if (isMe(node.attrs.from)) report({ status: text instanceof Uint8Array ? Buffer.from(text).toString() : '' });
  });
}
