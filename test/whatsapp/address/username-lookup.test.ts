// User names in requests: what WhatsApp is asked, and how its answers are used.
import { describe, expect, it } from 'vitest';
import { resolveRecipient, resolveRecipients } from '../../../src/whatsapp/address/recipient.ts';
import { resolveUsernames } from '../../../src/whatsapp/address/username-lookup.ts';
import type { Stanza } from '../../../src/whatsapp/baileys/stanza.ts';
import { fakeSession } from '../fakes.ts';

const owners: Record<string, string> = { ana: '9:3@lid', bo: '8@lid', odd: '7@s.whatsapp.net' };

/** A platform on which `bo` is found with the key 1234 only. */
function setup(answer?: () => Stanza | undefined) {
  const asked: Record<string, string>[] = [];
  const session = fakeSession({
    query: async (node: Stanza) => {
      const [usync] = Array.isArray(node.content) ? node.content : [];
      const list = Array.isArray(usync?.content) ? usync.content[1] : undefined;
      const user = Array.isArray(list?.content) ? list.content[0] : undefined;
      const { attrs = {} } = (Array.isArray(user?.content) ? user.content[0] : undefined) ?? {};
      asked.push(attrs);
      if (answer) return answer();
      const jid = attrs.username === 'bo' && attrs.pin !== '1234' ? undefined : owners[attrs.username ?? ''];
      const contact = { tag: 'contact', attrs: { type: jid ? 'in' : 'out' } };
      const found = { tag: 'user', attrs: jid ? { jid } : {}, content: [contact] } as Stanza;
      const content = [{ tag: 'usync', attrs: {}, content: [{ tag: 'list', attrs: {}, content: [found] }] }];
      return { tag: 'iq', attrs: {}, content };
    },
  });
  return { session, asked };
}

const field = (index: number) => `participants[${index}]`;

describe('a user name', () => {
  it('is the LID of its owner, asked once, and gives the owner of the LID', async () => {
    const { session, asked } = setup();
    const owner = { jid: '9@lid', lid: '9@lid', username: 'ana' };
    expect(await resolveRecipient(session, ' @Ana ')).toEqual(owner);
    expect(await resolveRecipient(session, '@ana')).toEqual(owner);
    expect(asked).toEqual([{ username: 'ana' }]);
    expect(session.ingested).toEqual([{ type: 'contacts.update', contacts: [{ jid: '9@lid', username: 'ana' }] }]);
  });

  it('of an owner whose number is known is that number', async () => {
    const { session } = setup();
    Object.assign(session.socket.authState.keys, { get: async () => ({ '9_reverse': '4915112345678' }) });
    const jid = '4915112345678@s.whatsapp.net';
    expect(await resolveRecipient(session, '@ana')).toEqual({ jid, lid: '9@lid', username: 'ana' });
    expect(session.ingested).toMatchObject([{ contacts: [{ jid, lid: '9@lid', username: 'ana' }] }]);
  });

  it('is asked once for calls at the same time, and one name after the other in a list', async () => {
    const { session, asked } = setup();
    await Promise.all(Array.from({ length: 5 }, () => resolveRecipient(session, '@ana')));
    expect(asked).toHaveLength(1);
    let running = 0;
    let most = 0;
    const query = session.socket.query.bind(session.socket);
    session.socket.query = async (...node) => {
      most = Math.max(most, ++running);
      await Promise.resolve();
      running -= 1;
      return query(...node);
    };
    const names = ['@bo:1234', '@ana', '4915112345678', '@bo:1234'];
    expect(await resolveUsernames(session, names, field)).toEqual(['8@lid', '9@lid', '4915112345678', '8@lid']);
    expect(most).toBe(1);
    expect(asked).toHaveLength(2);
  });

  it('is found even if the contact cannot be stored', async () => {
    const { session } = setup();
    Object.assign(session, { ingest: () => Promise.reject(new Error('no database')) });
    expect(await resolveRecipient(session, '@ana')).toMatchObject({ jid: '9@lid' });
  });

  it('can have a key', async () => {
    const { session, asked } = setup();
    await expect(resolveRecipient(session, '@bo')).rejects.toMatchObject({ code: 'USERNAME_NOT_FOUND', certain: true });
    expect(await resolveRecipient(session, '@bo:1234')).toMatchObject({ jid: '8@lid' });
    expect(asked).toEqual([{ username: 'bo' }, { username: 'bo', pin: '1234' }]);
  });

  it('is unknown when the answer has no LID, and not asked again at once', async () => {
    const { session, asked } = setup();
    for (const name of ['@odd', '@none', '@none'])
      await expect(resolveRecipient(session, name)).rejects.toMatchObject({ code: 'USERNAME_NOT_FOUND', status: 400 });
    expect(asked).toHaveLength(2);
    expect(session.ingested).toEqual([]);
  });

  it.each([
    '@',
    '@a b',
    '@<b>',
    '@ana:x',
    '@ana:',
    `@${'a'.repeat(65)}`,
    '@ana@lid',
  ])('%s is refused, and nothing is asked', async (number) => {
    const { session, asked } = setup();
    const error = { code: 'INVALID_REQUEST', certain: true };
    await expect(resolveRecipient(session, number)).rejects.toMatchObject(error);
    await expect(resolveUsernames(session, [number], field)).rejects.toMatchObject({
      responseMessage: [[expect.stringContaining('participants[0]')]],
    });
    expect(asked).toEqual([]);
  });

  it('without an answer is a timeout, after which nothing was sent', async () => {
    const { session } = setup(() => undefined);
    await expect(resolveRecipient(session, '@ana')).rejects.toMatchObject({ code: 'PLATFORM_TIMEOUT', certain: true });
  });
});

describe('resolveRecipients()', () => {
  it('answers numbers, LIDs and user names in their order, and counts those that it asks about', async () => {
    const { session } = setup();
    const counts: number[] = [];
    const numbers = ['@none', '4915112345678', '5@lid', '@ana', '@ana'];
    const found = await resolveRecipients(session, numbers, { field, beforeQuery: (count) => void counts.push(count) });
    expect(found.map(({ jid, lid, exists }) => [jid, lid, exists])).toEqual([
      ['@none', null, false],
      ['4915112345678@s.whatsapp.net', null, true],
      ['5@lid', null, true],
      ['9@lid', '9@lid', true],
      ['9@lid', '9@lid', true],
    ]);
    expect(counts).toEqual([3]);
  });

  it('counts the numbers that were registered when they were asked about earlier', async () => {
    const { session } = setup();
    const { contacts } = session.storage;
    const expired = { lid: null, checkedAt: 0 };
    for (const [jid, exists] of [
      ['4915112345678@s.whatsapp.net', true],
      ['4915112345679@s.whatsapp.net', false],
    ] as const)
      await contacts.saveRecipient(session.instanceId, jid, { jid, exists, ...expired });
    const counts: number[][] = [];
    const beforeQuery = (count: number, _known: unknown, registeredCount: number) =>
      void counts.push([count, registeredCount]);
    await resolveRecipients(session, ['4915112345678', '4915112345679', '4915112345680'], { field, beforeQuery });
    expect(counts).toEqual([[3, 1]]);
  });
});
