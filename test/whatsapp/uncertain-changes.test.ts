import type { BinaryNode } from '@whiskeysockets/baileys';
import { expect, it } from 'vitest';
import { followChannel, updateChannel } from '../../src/whatsapp/channel/manage.ts';
import { revokeInvite } from '../../src/whatsapp/group/invite.ts';
import type { Media } from '../../src/whatsapp/media/media.ts';
import { updatePrivacySettings } from '../../src/whatsapp/profile/own-profile.ts';
import type { Session } from '../../src/whatsapp/session.ts';
import { fakeSession } from '../support/session-fakes.ts';

const channel = '120363025246125486@newsletter';
const noMedia = {} as Media;
const accepted: BinaryNode = {
  tag: 'iq',
  attrs: { type: 'result' },
  content: [{ tag: 'result', attrs: {}, content: Buffer.from('{"data":{}}') }],
};

/** Creates a session whose first query is accepted. `answerNext` answers the other queries. */
function createSession(answerNext: () => BinaryNode | undefined): Session {
  let queries = 0;
  return fakeSession({
    query: async () => {
      queries += 1;
      return queries === 1 ? accepted : answerNext();
    },
  });
}

it.each<[string, (session: Session) => Promise<unknown>]>([
  ['followChannel', (session) => followChannel(session, channel)],
  ['updateChannel', (session) => updateChannel(session, noMedia, { channel, name: 'News' })],
  ['revokeInvite', (session) => revokeInvite(session, '120363025246125486@g.us')],
  ['updatePrivacySettings', (session) => updatePrivacySettings(session, { last: 'all' })],
])('%s() rejects with certain: false when only the query after the change fails', async (_, change) => {
  const session = createSession(() => undefined);
  await expect(change(session)).rejects.toMatchObject({ code: 'PLATFORM_TIMEOUT', certain: false });
});

it('updatePrivacySettings() rejects with certain: false when WhatsApp refuses the second of two settings', async () => {
  const session = createSession(() => {
    throw Object.assign(new Error('bad-request'), { data: 400 });
  });
  await expect(updatePrivacySettings(session, { profile: 'all', last: 'all' })).rejects.toMatchObject({
    code: 'PLATFORM_REFUSED',
    status: 400,
    certain: false,
  });
});
