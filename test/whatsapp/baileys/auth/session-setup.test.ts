import { describe, expect, it } from 'vitest';
import { SessionSetup, type SessionSetupDeps } from '../../../../src/whatsapp/baileys/auth/session-setup.ts';
import { allChildrenOf, childOf, type Stanza } from '../../../../src/whatsapp/baileys/stanza.ts';

/** A setup in which the devices `ready` have sessions, and `unloaded` have sessions that are not in memory. */
function start({ ready = [], unloaded = [] }: { ready?: string[]; unloaded?: string[] }) {
  const known = new Set(ready);
  const asked: (string | undefined)[][] = [];
  const lids: Record<string, string> = { '49:3@s.whatsapp.net': '222:3@lid' };
  const deps = {
    socket: {
      signalRepository: {
        lidMapping: {
          getLIDForPN: async () => null,
          getLIDsForPNs: async (pns: string[]) => pns.flatMap((pn) => (lids[pn] ? [{ pn, lid: lids[pn] }] : [])),
        },
        injectE2ESession: async ({ jid }: { jid: string }) => void known.add(jid),
      },
    },
    queries: {
      send: async (query: Stanza): Promise<Stanza> => {
        const users = allChildrenOf(childOf(query, 'key'));
        asked.push(users.map(({ attrs }) => attrs.jid));
        const bytes = (tag: string, length: number): Stanza => ({ tag, attrs: {}, content: Buffer.alloc(length) });
        const skey: Stanza = {
          tag: 'skey',
          attrs: {},
          content: [bytes('id', 3), bytes('value', 32), bytes('signature', 64)],
        };
        const content = [bytes('registration', 4), bytes('identity', 32), skey];
        const list = users.map(({ attrs }): Stanza => ({ tag: 'user', attrs, content }));
        return { tag: 'iq', attrs: {}, content: [{ tag: 'list', attrs: {}, content: list }] };
      },
    },
    sessions: {
      isReady: (jid: string) => known.has(jid),
      load: async (jids: readonly string[]) => {
        for (const jid of jids) if (unloaded.includes(jid)) known.add(jid);
      },
    },
  } as unknown as SessionSetupDeps;
  return { setup: new SessionSetup(deps), asked, known };
}

describe('SessionSetup', () => {
  it('asks once for the keys of all devices without a session, by LID', async () => {
    const { setup, asked, known } = start({ ready: ['222@lid'], unloaded: ['222:1@lid'] });
    await setup.ensure(['222@lid', '222:1@lid', '222:2@lid', '49:3@s.whatsapp.net']);
    expect(asked).toEqual([['222:2@lid', '222:3@lid']]);
    expect([...known]).toEqual(['222@lid', '222:1@lid', '222:2@lid', '222:3@lid']);
  });

  it.each([
    ['all devices have sessions', { ready: ['222@lid'], unloaded: ['49:3@s.whatsapp.net'] }],
    ['the LID of the other devices is unknown', { ready: ['222@lid'], unloaded: [] }, '50@s.whatsapp.net'],
  ])('asks nothing when %s', async (_, state, other = '49:3@s.whatsapp.net') => {
    const { setup, asked } = start(state);
    await setup.ensure(['222@lid', other]);
    expect(asked).toEqual([]);
  });
});
