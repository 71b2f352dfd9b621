import { expect, it } from 'vitest';
import { patchGroupNotifications } from '../../../../src/whatsapp/baileys/patches/group-notifications.ts';
import { childrenOf, type Stanza } from '../../../../src/whatsapp/baileys/stanza.ts';
import { withSocket } from '../unconnected-socket.ts';

const GROUP = '120363025246125486@g.us';
const [ana, bob] = ['1@lid', '2@lid'] as const;
const [anasNumber, bobsNumber] = ['15550001@s.whatsapp.net', '15550002@s.whatsapp.net'] as const;

/** Receives a notification in which `author` ends the join requests of `people`. Returns the events. */
async function reportWithdrawal(author: string, people: Stanza[]): Promise<unknown[]> {
  const events: unknown[] = [];
  await withSocket(({ ev, ws }) => {
    ev.on('group.join-request', (request) => void events.push(request));
    ws.removeAllListeners('CB:notification');
    // This listener reads only the first participant, as Baileys' listener does.
    ws.on('CB:notification', ({ content: [change] }: { content: Stanza[] }) => {
      const participant = childrenOf(change, 'participant')[0]?.attrs.jid ?? '';
      const method = 'invite_link' as const;
      ev.emit('group.join-request', { id: GROUP, author, participant, participantPn: 'x', action: 'rejected', method });
    });
    patchGroupNotifications({ ev, ws });
    const change = { tag: 'revoked_membership_requests', attrs: {}, content: people };
    ws.emit('CB:notification', { tag: 'notification', attrs: { type: 'w:gp2', from: GROUP }, content: [change] });
  });
  return events;
}

const createParticipant = (jid: string, phone_number: string): Stanza => ({
  tag: 'participant',
  attrs: { jid, phone_number },
});

it('patchGroupNotifications() emits one event per ended join request, revoked by its person or rejected by an admin', async () => {
  const people = [createParticipant(ana, anasNumber), createParticipant(bob, bobsNumber)];
  expect(await reportWithdrawal(anasNumber, people)).toMatchObject([
    { id: GROUP, participant: ana, participantPn: anasNumber, action: 'revoked' },
    { id: GROUP, participant: bob, participantPn: bobsNumber, action: 'rejected' },
  ]);
});
