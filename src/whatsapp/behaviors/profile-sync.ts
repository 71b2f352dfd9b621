// Keeps the stored profile of the account itself (name, picture, status text) up to date. Requests the profile after
// the first login. Then follows the changes of the phone and of other devices. Also follows changes of the privacy
// setting of read receipts. Decision D-083.

import { toBareJid } from '../address/jid.ts';
import { childOf, type Stanza } from '../baileys/stanza.ts';
import type { Socket } from '../baileys/types.ts';
import { fetchPictureUrl } from '../profile/lookup.ts';
import { refreshReceiptType } from '../profile/own-profile.ts';
import { fetchStatusText } from '../profile/status-text.ts';
import type { Profile, Session } from '../session.ts';

/**
 * Starts to pass changes of the profile to session.reportProfile(). `isProfileUnknown: true` means that no profile is
 * stored yet. The profile is then requested when the connection opens.
 */
export function installProfileSync(
  socket: Pick<Socket, 'ev' | 'ws'>,
  session: Session,
  { isProfileUnknown }: { isProfileUnknown: boolean },
): void {
  const isMe = (jid: string | undefined) => {
    const me = session.me();
    return jid !== undefined && me !== undefined && [me.jid, me.lid].includes(toBareJid(jid));
  };
  const report = (profile: Profile) => {
    if (!session.ended.aborted) session.reportProfile(profile);
  };
  /** Reports the result of a request. A failed request changes nothing. */
  const reportResult = (request: Promise<Profile>) =>
    void request.then(report, (err: unknown) => session.log.debug({ err }, 'profile.sync.failed'));
  let hasOpened = false;
  /** The account's name when the connection opened, or the name that was reported since. */
  let knownName: string | null | undefined;
  socket.ev.on('connection.update', ({ connection }) => {
    if (connection !== 'open') return;
    hasOpened = true;
    const me = session.me();
    knownName = me?.name;
    if (!isProfileUnknown || !me) return;
    reportResult(fetchPictureUrl(session, me.jid).then((pictureUrl) => ({ pictureUrl })));
    reportResult(fetchStatusText(session, me.jid).then((statusText) => ({ statusText: statusText ?? '' })));
  });
  socket.ev.on('creds.update', ({ me }) => {
    // Baileys sets the name '~' while a pairing code is valid.
    if (!hasOpened || !me?.name || me.name === '~' || me.name === knownName) return;
    knownName = me.name;
    report({ name: knownName });
  });
  socket.ev.on('contacts.update', (contacts) => {
    const ownEntry = contacts.find(({ id, imgUrl }) => imgUrl !== undefined && isMe(id));
    const me = session.me();
    if (!ownEntry || !me) return;
    if (ownEntry.imgUrl === 'removed') report({ pictureUrl: null });
    else reportResult(fetchPictureUrl(session, me.jid).then((pictureUrl) => ({ pictureUrl })));
  });
  // The notifications `account_sync` and `status` both report a new status text. `account_sync` also reports changed
  // privacy settings. Baileys rc14 handles neither of these notifications.
  socket.ws.on('CB:notification,type:account_sync', (node: Stanza) => {
    const textStatus = childOf(node, 'text_status');
    if (!isMe(node.attrs.from)) return;
    if (textStatus) report({ statusText: textStatus.attrs.text ?? '' });
    if (childOf(node, 'privacy'))
      refreshReceiptType(session).catch((err: unknown) => session.log.debug({ err }, 'privacy.sync.failed'));
  });
  socket.ws.on('CB:notification,type:status', (node: Stanza) => {
    const text = childOf(node, 'set')?.content;
    if (isMe(node.attrs.from)) report({ statusText: text instanceof Uint8Array ? Buffer.from(text).toString() : '' });
  });
}
