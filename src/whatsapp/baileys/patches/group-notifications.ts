// Reports group members who changed their number, and all people of a request to join a group.
// Why: when members change their number, Baileys writes their addresses as text and later parses them as JSON. The
//   error drops the event, but the notification is acknowledged. A request to join names people as `requested_user`.
//   Baileys looks for `participant`, finds none, and reports the author of the notification. Of several people it
//   reports the first, and it gives a person without a number the number of the author.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: `handleGroupNotification` writes the members of `modify` as it writes those of `promote`, and reads all
//   people of `created_membership_requests` and `revoked_membership_requests`.
import {
  type BaileysEventMap,
  type BinaryNode,
  isLidUser,
  isPnUser,
  jidNormalizedUser,
  type WASocket,
} from '../library.ts';
import { allChildrenOf, type Stanza } from '../stanza.ts';
import { takeListener } from '../stanza-listener.ts';

const NOTIFICATION_EVENT = 'CB:notification';

type JoinRequest = BaileysEventMap['group.join-request'];

/** A person in the form in which Baileys reports the people of other changes, such as `promote`. */
interface Person {
  id: string;
  phoneNumber?: string;
  lid?: string;
  username?: string;
}

/**
 * Passes notifications about groups to Baileys' listener in a form that this listener can read. Splits each
 * `group.join-request` event that Baileys emits into one event per person.
 */
export function patchGroupNotifications({ ev, ws }: Pick<WASocket, 'ev' | 'ws'>): void {
  const baileysListener = takeListener(ws, NOTIFICATION_EVENT);
  ws.on(NOTIFICATION_EVENT, (stanza: BinaryNode) => baileysListener(toReadable(stanza)));
  const { emit } = ev;
  ev.emit = (event, data) => {
    if (!isJoinRequest(event, data)) return emit(event, data);
    return splitRequest(data)
      .map((request) => emit('group.join-request', request))
      .includes(true);
  };
}

/** Converts the changes in a notification about groups (type `w:gp2`). Returns other notifications unchanged. */
function toReadable(stanza: BinaryNode): BinaryNode {
  if (stanza.attrs.type !== 'w:gp2' || !Array.isArray(stanza.content)) return stanza;
  return { ...stanza, content: stanza.content.map(toReadableChange) };
}

function toReadableChange(change: Stanza): Stanza {
  switch (change.tag) {
    case 'modify':
      return { ...change, content: peopleIn(change).map((person) => toParticipant(person)) };
    case 'created_membership_requests':
    case 'revoked_membership_requests': {
      const people = peopleIn(change);
      // Baileys reads one participant. The address of this participant therefore contains all people as JSON, and
      // splitRequest() reads the people from the event that Baileys emits.
      return people.length > 0 ? { ...change, content: [toParticipant(people)] } : change;
    }
    default:
      return change;
  }
}

/** A participant whose address is JSON. */
const toParticipant = (people: Person | Person[]): Stanza => ({
  tag: 'participant',
  attrs: { jid: JSON.stringify(people) },
});

const peopleIn = (change: Stanza): Person[] =>
  allChildrenOf(change)
    .filter(({ tag, attrs }) => (tag === 'participant' || tag === 'requested_user') && attrs.jid)
    .map(({ attrs }) => {
      const { jid = '', phone_number: phoneNumber, lid, participant_username, username } = attrs;
      return {
        id: jid,
        phoneNumber: isLidUser(jid) && isPnUser(phoneNumber) ? phoneNumber : undefined,
        lid: isPnUser(jid) && isLidUser(lid) ? lid : undefined,
        username: participant_username || username || undefined,
      };
    });

const isJoinRequest = (event: keyof BaileysEventMap, _data: unknown): _data is JoinRequest =>
  event === 'group.join-request';

/**
 * Returns one request for each person of `request`, if toReadableChange() has put the people into its `participant`.
 * Returns any other request unchanged.
 */
function splitRequest(request: JoinRequest): JoinRequest[] {
  if (!request.participant?.startsWith('[')) return [request];
  // toParticipant() has written this JSON.
  const people: Person[] = JSON.parse(request.participant);
  return people.map(({ id, phoneNumber, lid }) => {
    /** The phone-number JID when `id` is a LID; the LID when `id` is a phone-number JID. */
    const otherAddress = phoneNumber ?? lid;
    const authors = [request.author, request.authorPn].map((jid) => jid && jidNormalizedUser(jid));
    const isAuthor = [id, otherAddress].some((jid) => jid && authors.includes(jidNormalizedUser(jid)));
    // Baileys compares the author with the JSON, and so reports people who withdraw their own request as rejected.
    const action = request.action === 'rejected' && isAuthor ? 'revoked' : request.action;
    return { ...request, participant: id, participantPn: otherAddress, action };
  });
}
