import { describe, expect, it } from 'vitest';
import type { Chat, Contact } from '../../../src/events/events.ts';
import type { Storage } from '../../../src/storage/storage.ts';
import { AuthState } from '../../../src/whatsapp/baileys/auth/auth-state.ts';
import { findRevealed } from '../../../src/whatsapp/inbound/revealed-numbers.ts';
import { FakeKeys, fakeSession } from '../fakes.ts';

const pn = '1@s.whatsapp.net';

function stores({ people = [], talks = [] }: { people?: Contact[]; talks?: Chat[] }) {
  const { storage } = fakeSession();
  return {
    contacts: { ...storage.contacts, find: async () => people },
    chats: { ...storage.chats, list: async () => talks },
  };
}

describe('findRevealed()', () => {
  it('finds people with a contact or a chat under the LID, and no others', async () => {
    const people = [
      { jid: '9@lid', pushName: 'Ana', username: 'ana' },
      { jid: '2@s.whatsapp.net', lid: '8@lid' },
    ];
    const numbers = new Map([
      ['9@lid', pn],
      ['8@lid', '2@s.whatsapp.net'],
      ['7@lid', '3@s.whatsapp.net'],
    ]);
    const found = await findRevealed(stores({ people, talks: [{ jid: '7@lid' }, { jid: '9@lid' }] }), 'a', numbers);
    expect(found).toEqual(
      [
        { jid: '3@s.whatsapp.net', lid: '7@lid' },
        { jid: pn, lid: '9@lid', pushName: 'Ana', username: 'ana' },
      ].sort(
        (one, other) => found.findIndex(({ jid }) => jid === one.jid) - found.findIndex(({ jid }) => jid === other.jid),
      ),
    );
  });

  it('reads all stored chats once when the numbers are many', async () => {
    const numbers = new Map(Array.from({ length: 250 }, (_, n) => [`${n}@lid`, `${n}@s.whatsapp.net`]));
    const reads: (readonly string[] | undefined)[] = [];
    const { contacts, chats } = stores({});
    const list = async (_: string, jids?: readonly string[]) => {
      reads.push(jids);
      return [{ jid: '7@lid' }, { jid: 'other@lid' }];
    };
    const found = await findRevealed({ contacts, chats: { ...chats, list } }, 'a', numbers);
    expect(found).toEqual([{ jid: '7@s.whatsapp.net', lid: '7@lid' }]);
    expect(reads).toEqual([undefined]);
  });

  it('finds the contacts under the LIDs also when each person has former numbers', async () => {
    const numbers = new Map(Array.from({ length: 100 }, (_, n) => [`${n}@lid`, `${n}@s.whatsapp.net`]));
    const people = [...numbers.keys()].flatMap((lid, n) => [
      { jid: `100${n}@s.whatsapp.net`, lid },
      { jid: `101${n}@s.whatsapp.net`, lid },
      { jid: lid },
    ]);
    const byJid = people.toSorted((one, other) => (one.jid < other.jid ? -1 : 1));
    const { contacts, chats } = stores({});
    const find: Storage['contacts']['find'] = async (_, __, range) => byJid.slice(0, range?.limit);
    const found = await findRevealed({ contacts: { ...contacts, find }, chats }, 'a', numbers);
    expect(found).toHaveLength(100);
  });

  it('reads no chats and no contacts of people about whom nothing is stored', async () => {
    const { contacts, chats } = stores({});
    const unexpected = async () => expect.unreachable('a read of chats or contacts');
    const store = {
      contacts: { ...contacts, storedLids: async () => [], find: unexpected },
      chats: { ...chats, list: unexpected },
    };
    expect(await findRevealed(store, 'a', new Map([['9@lid', pn]]))).toEqual([]);
  });

  it('finds no contact without numbers', async () =>
    expect(await findRevealed(stores({}), 'a', new Map())).toEqual([]));
});

describe('AuthState', () => {
  it('reports the numbers of LIDs when they are stored, and nothing for other keys', async () => {
    const learned: [string, string][][] = [];
    const auth = await AuthState.open({
      keys: new FakeKeys(),
      instanceId: 'a',
      onFailure: () => undefined,
      onNumbersLearned: (numberJidsByLid) => learned.push([...numberJidsByLid]),
    });
    await auth.set({ 'lid-mapping': { '1': '9', '9_reverse': '1' }, tctoken: { [pn]: null } });
    await auth.set({ 'lid-mapping': { '1': null, '9_reverse': null } as never });
    expect(learned).toEqual([[['9@lid', pn]]]);
  });
});
