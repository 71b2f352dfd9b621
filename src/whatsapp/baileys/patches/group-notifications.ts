// Reports members who changed their number.
// Why: Baileys reads the members of such a notification as JSON, but writes their addresses as text. The error drops the
//   event, and the notification is acknowledged.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: `handleGroupNotification` writes the members of `modify` as it writes those of `promote`.
import { type BinaryNode, isLidUser, isPnUser, type WASocket } from '../library.ts';
import { allChildrenOf, type Stanza } from '../stanza.ts';
import { takeListener } from '../stanza-listener.ts';

const NOTIFICATION_EVENT = 'CB:notification';

/** Hands notifications about groups to Baileys' listener in a form that it can read. */
export function patchGroupNotifications({ ws }: Pick<WASocket, 'ws'>): void {
  const baileysListener = takeListener(ws, NOTIFICATION_EVENT);
  ws.on(NOTIFICATION_EVENT, (stanza: BinaryNode) => baileysListener(toReadable(stanza)));
}

function toReadable(stanza: BinaryNode): BinaryNode {
  if (stanza.attrs.type !== 'w:gp2' || !Array.isArray(stanza.content)) return stanza;
  return { ...stanza, content: stanza.content.map((change) => (change.tag === 'modify' ? withJson(change) : change)) };
}

/** Replaces the address of each participant by the JSON that Baileys reads. */
const withJson = (change: Stanza): Stanza => ({
  ...change,
  content: allChildrenOf(change).map((child) =>
    child.tag === 'participant'
      ? { ...child, attrs: { ...child.attrs, jid: JSON.stringify(toParticipant(child)) } }
      : child,
  ),
});

/** The participant in the form in which Baileys reports those of other changes. */
function toParticipant({ attrs }: Stanza): object {
  const { jid, phone_number: phoneNumber, lid } = attrs;
  return {
    id: jid,
    phoneNumber: isLidUser(jid) && isPnUser(phoneNumber) ? phoneNumber : undefined,
    lid: isPnUser(jid) && isLidUser(lid) ? lid : undefined,
    username: attrs.participant_username || attrs.username || undefined,
  };
}
