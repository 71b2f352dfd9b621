import { describe, expect, it } from 'vitest';
import type { Chat, Contact } from '../../../src/events/events.ts';
import type { Storage } from '../../../src/storage/storage.ts';
import { AuthState } from '../../../src/whatsapp/baileys/auth/auth-state.ts';
import { findRevealed } from '../../../src/whatsapp/inbound/revealed-numbers.ts';
import { FakeKeys, fakeSession } from '../../support/session-fakes.ts';

const pn = '1@s.whatsapp.net';

function createStores({ storedContacts = [], storedChats = [] }: { storedContacts?: Contact[]; storedChats?: Chat[] }) {
  const { storage } = fakeSession();
  return {
    contacts: { ...storage.contacts, find: async () => storedContacts },
    chats: { ...storage.chats, list: async () => storedChats },
  };
}

describe('findRevealed', () => {
  it('findRevealed() returns only people who are stored as a contact or a chat under the LID', async () => {
    const storedContacts = [
      { jid: '9@lid', pushName: 'Ana', username: 'ana' },
      { jid: '2@s.whatsapp.net', lid: '8@lid' },
    ];
    const numbers = new Map([
      ['9@lid', pn],
      ['8@lid', '2@s.whatsapp.net'],
      ['7@lid', '3@s.whatsapp.net'],
    ]);
    const found = await findRevealed(
      createStores({ storedContacts, storedChats: [{ jid: '7@lid' }, { jid: '9@lid' }] }),
      'a',
      numbers,
    );
    expect(found).toEqual(
      [
        { jid: '3@s.whatsapp.net', lid: '7@lid' },
        { jid: pn, lid: '9@lid', pushName: 'Ana', username: 'ana' },
      ].sort(
        (one, other) => found.findIndex(({ jid }) => jid === one.jid) - found.findIndex(({ jid }) => jid === other.jid),
      ),
    );
  });

  it('findRevealed() reads all chats in one query when many numbers became known', async () => {
    const numbers = new Map(Array.from({ length: 250 }, (_, n) => [`${n}@lid`, `${n}@s.whatsapp.net`]));
    const reads: (readonly string[] | undefined)[] = [];
    const { contacts, chats } = createStores({});
    const list = async (_: string, jids?: readonly string[]) => {
      reads.push(jids);
      return [{ jid: '7@lid' }, { jid: 'other@lid' }];
    };
    const found = await findRevealed({ contacts, chats: { ...chats, list } }, 'a', numbers);
    expect(found).toEqual([{ jid: '7@s.whatsapp.net', lid: '7@lid' }]);
    expect(reads).toEqual([undefined]);
  });

  it('findRevealed() finds the contacts under the LIDs when each person also has contacts under former numbers', async () => {
    const numbers = new Map(Array.from({ length: 100 }, (_, n) => [`${n}@lid`, `${n}@s.whatsapp.net`]));
    const storedContacts = [...numbers.keys()].flatMap((lid, n) => [
      { jid: `100${n}@s.whatsapp.net`, lid },
      { jid: `101${n}@s.whatsapp.net`, lid },
      { jid: lid },
    ]);
    const byJid = storedContacts.toSorted((one, other) => (one.jid < other.jid ? -1 : 1));
    const { contacts, chats } = createStores({});
    const find: Storage['contacts']['find'] = async (_, __, range) => byJid.slice(0, range?.limit);
    const found = await findRevealed({ contacts: { ...contacts, find }, chats }, 'a', numbers);
    expect(found).toHaveLength(100);
  });

  it('findRevealed() reads no chats and no contacts when nothing is stored under the LIDs', async () => {
    const { contacts, chats } = createStores({});
    const unexpected = async () => expect.unreachable('a read of chats or contacts');
    const store = {
      contacts: { ...contacts, findStoredLids: async () => [], find: unexpected },
      chats: { ...chats, list: unexpected },
    };
    expect(await findRevealed(store, 'a', new Map([['9@lid', pn]]))).toEqual([]);
  });

  it('findRevealed() returns no contact when no number became known', async () =>
    expect(await findRevealed(createStores({}), 'a', new Map())).toEqual([]));
});

describe('AuthState', () => {
  it('AuthState calls onNumbersLearned with the stored numbers of LIDs, and not for other keys', async () => {
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
