import { expect, it } from 'vitest';
import { updateProfileName } from '../../../src/whatsapp/profile/own-profile.ts';
import type { SessionSocket } from '../../../src/whatsapp/session.ts';
import { fakeSession } from '../../support/session-fakes.ts';

it('updateProfileName() repairs a name that was cut inside an emoji', async () => {
  const changes: Parameters<SessionSocket['chatModify']>[0][] = [];
  const session = fakeSession({ chatModify: async (change) => void changes.push(change) });
  Object.assign(session.socket.authState, { creds: { myAppStateKeyId: 'key' } });
  await updateProfileName(session, 'Shop \ud83d');
  expect(changes).toEqual([{ pushNameSetting: 'Shop \ufffd' }]);
});
