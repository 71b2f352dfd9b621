import { expect, it } from 'vitest';
import { patchGroupNotifications } from '../../../../src/whatsapp/baileys/patches/group-notifications.ts';
import { childrenOf, type Stanza } from '../../../../src/whatsapp/baileys/stanza.ts';
import { withSocket } from '../socket.ts';

const group = '120363025246125486@g.us';
const [ana, bob] = ['1@lid', '2@lid'] as const;
const [anasNumber, bobsNumber] = ['15550001@s.whatsapp.net', '15550002@s.whatsapp.net'] as const;

/** Passes a withdrawal of requests by `author` through the patch, as Baileys reports it. Returns the events. */
async function reportWithdrawal(author: string, people: Stanza[]): Promise<unknown[]> {
  const events: unknown[] = [];
  await withSocket(({ ev, ws }) => {
    ev.on('group.join-request', (request) => void events.push(request));
    ws.removeAllListeners('CB:notification');
    // Baileys' listener reads the first participant.
    ws.on('CB:notification', ({ content: [change] }: { content: Stanza[] }) => {
      const participant = childrenOf(change, 'participant')[0]?.attrs.jid ?? '';
      const method = 'invite_link' as const;
      ev.emit('group.join-request', { id: group, author, participant, participantPn: 'x', action: 'rejected', method });
    });
    patchGroupNotifications({ ev, ws });
    const change = { tag: 'revoked_membership_requests', attrs: {}, content: people };
    ws.emit('CB:notification', { tag: 'notification', attrs: { type: 'w:gp2', from: group }, content: [change] });
  });
  return events;
}

const participant = (jid: string, phone_number: string): Stanza => ({
  tag: 'participant',
  attrs: { jid, phone_number },
});

it('patchGroupNotifications() reports each person, and whether the person or an admin ended the request', async () => {
  const people = [participant(ana, anasNumber), participant(bob, bobsNumber)];
  expect(await reportWithdrawal(anasNumber, people)).toMatchObject([
    { id: group, participant: ana, participantPn: anasNumber, action: 'revoked' },
    { id: group, participant: bob, participantPn: bobsNumber, action: 'rejected' },
  ]);
});
