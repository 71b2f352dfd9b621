// User names in requests: the queries to WhatsApp, and the use of its answers.
import { describe, expect, it } from 'vitest';
import { resolveRecipient, resolveRecipients } from '../../../src/whatsapp/address/recipient.ts';
import { resolveUsernames } from '../../../src/whatsapp/address/username-lookup.ts';
import type { Stanza } from '../../../src/whatsapp/baileys/stanza.ts';
import { fakeSession } from '../../support/session-fakes.ts';

const OWNERS: Record<string, string> = { ana: '9:3@lid', bo: '8@lid', odd: '7@s.whatsapp.net' };

/** Creates a session. WhatsApp finds `bo` only with the key 1234. `answer` replaces the answers of WhatsApp. */
function setUp(answer?: () => Stanza | undefined) {
  const queries: Record<string, string>[] = [];
  const session = fakeSession({
    query: async (node: Stanza) => {
      const [usync] = Array.isArray(node.content) ? node.content : [];
      const list = Array.isArray(usync?.content) ? usync.content[1] : undefined;
      const user = Array.isArray(list?.content) ? list.content[0] : undefined;
      const { attrs = {} } = (Array.isArray(user?.content) ? user.content[0] : undefined) ?? {};
      queries.push(attrs);
      if (answer) return answer();
      const jid = attrs.username === 'bo' && attrs.pin !== '1234' ? undefined : OWNERS[attrs.username ?? ''];
      const contact = { tag: 'contact', attrs: { type: jid ? 'in' : 'out' } };
      const found = { tag: 'user', attrs: jid ? { jid } : {}, content: [contact] } as Stanza;
      const content = [{ tag: 'usync', attrs: {}, content: [{ tag: 'list', attrs: {}, content: [found] }] }];
      return { tag: 'iq', attrs: {}, content };
    },
  });
  return { session, queries };
}

const field = (index: number) => `participants[${index}]`;

describe('user names in requests', () => {
  it('resolveRecipient() resolves a user name to a LID with one query, and reports the owner as a contact', async () => {
    const { session, queries } = setUp();
    const owner = { jid: '9@lid', lid: '9@lid', username: 'ana' };
    expect(await resolveRecipient(session, ' @Ana ')).toEqual(owner);
    expect(await resolveRecipient(session, '@ana')).toEqual(owner);
    expect(queries).toEqual([{ username: 'ana' }]);
    expect(session.ingested).toEqual([{ type: 'contacts.update', contacts: [{ jid: '9@lid', username: 'ana' }] }]);
  });

  it('resolveRecipient() resolves a user name to the phone number of its owner when the number is known', async () => {
    const { session } = setUp();
    Object.assign(session.socket.authState.keys, { get: async () => ({ '9_reverse': '4915112345678' }) });
    const jid = '4915112345678@s.whatsapp.net';
    expect(await resolveRecipient(session, '@ana')).toEqual({ jid, lid: '9@lid', username: 'ana' });
    expect(session.ingested).toMatchObject([{ contacts: [{ jid, lid: '9@lid', username: 'ana' }] }]);
  });

  it('a user name is queried once for simultaneous calls, and the names of a list are queried one at a time', async () => {
    const { session, queries } = setUp();
    await Promise.all(Array.from({ length: 5 }, () => resolveRecipient(session, '@ana')));
    expect(queries).toHaveLength(1);
    let runningCount = 0;
    let maxRunning = 0;
    const query = session.socket.query.bind(session.socket);
    session.socket.query = async (...node) => {
      maxRunning = Math.max(maxRunning, ++runningCount);
      await Promise.resolve();
      runningCount -= 1;
      return query(...node);
    };
    const names = ['@bo:1234', '@ana', '4915112345678', '@bo:1234'];
    expect(await resolveUsernames(session, names, field)).toEqual(['8@lid', '9@lid', '4915112345678', '8@lid']);
    expect(maxRunning).toBe(1);
    expect(queries).toHaveLength(2);
  });

  it('resolveRecipient() resolves a user name even when the contact cannot be stored', async () => {
    const { session } = setUp();
    Object.assign(session, { ingest: () => Promise.reject(new Error('no database')) });
    expect(await resolveRecipient(session, '@ana')).toMatchObject({ jid: '9@lid' });
  });

  it('resolveRecipient() sends the key of a user name to WhatsApp', async () => {
    const { session, queries } = setUp();
    await expect(resolveRecipient(session, '@bo')).rejects.toMatchObject({ code: 'USERNAME_NOT_FOUND', certain: true });
    expect(await resolveRecipient(session, '@bo:1234')).toMatchObject({ jid: '8@lid' });
    expect(queries).toEqual([{ username: 'bo' }, { username: 'bo', pin: '1234' }]);
  });

  it('resolveRecipient() throws USERNAME_NOT_FOUND when the answer has no LID, and caches this result', async () => {
    const { session, queries } = setUp();
    for (const name of ['@odd', '@none', '@none'])
      await expect(resolveRecipient(session, name)).rejects.toMatchObject({ code: 'USERNAME_NOT_FOUND', status: 400 });
    expect(queries).toHaveLength(2);
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
  ])('resolveRecipient() and resolveUsernames() reject %s without a query', async (number) => {
    const { session, queries } = setUp();
    const error = { code: 'INVALID_REQUEST', certain: true };
    await expect(resolveRecipient(session, number)).rejects.toMatchObject(error);
    await expect(resolveUsernames(session, [number], field)).rejects.toMatchObject({
      responseMessage: [[expect.stringContaining('participants[0]')]],
    });
    expect(queries).toEqual([]);
  });

  it('resolveRecipient() throws PLATFORM_TIMEOUT with certain=true when a user-name query has no answer', async () => {
    const { session } = setUp(() => undefined);
    await expect(resolveRecipient(session, '@ana')).rejects.toMatchObject({ code: 'PLATFORM_TIMEOUT', certain: true });
  });
});

describe('resolveRecipients', () => {
  it('resolveRecipients() returns results in the order of the request, and counts those that need a query', async () => {
    const { session } = setUp();
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

  it('resolveRecipients() counts the queried numbers that were registered according to an earlier result', async () => {
    const { session } = setUp();
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
