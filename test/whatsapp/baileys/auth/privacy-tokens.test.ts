import { expect, it } from 'vitest';
import { PrivacyTokens } from '../../../../src/whatsapp/baileys/auth/privacy-tokens.ts';
import type { Socket } from '../../../../src/whatsapp/baileys/types.ts';
import { waitUntil } from '../../../support/wait-for.ts';

const ID = '222@lid';

it('PrivacyTokens.issue() keeps a token that arrives while the account issues one', async () => {
  const stored = new Map<string, object>();
  const arriving = { token: Buffer.from('new'), timestamp: '5' };
  const keys = {
    get: async (_: string, ids: string[]) => {
      const found = Object.fromEntries(ids.flatMap((id) => (stored.has(id) ? [[id, stored.get(id)]] : [])));
      // The person's token arrives during the read of the index, the only read without the person's id.
      if (!ids.includes(ID)) stored.set(ID, arriving);
      return found;
    },
    set: async ({ tctoken = {} }: { tctoken?: Record<string, object> }) => {
      for (const [id, entry] of Object.entries(tctoken)) stored.set(id, entry);
    },
  };
  const lidMapping = { getLIDForPN: async () => null, getPNForLID: async () => null };
  const socket: object = { authState: { keys }, serverProps: {}, signalRepository: { lidMapping } };
  const tokens = new PrivacyTokens(
    socket as Socket,
    { peek: () => undefined },
    { send: async () => ({ tag: 'iq', attrs: { type: 'result' } }) },
  );
  tokens.issue(ID, { id: ID, entry: undefined });
  await waitUntil(() => 'senderTimestamp' in (stored.get(ID) ?? {}));
  expect(stored.get(ID)).toEqual({ ...arriving, senderTimestamp: expect.any(Number) });
});
