import { describe, expect, it, vi } from 'vitest';
import { resolveRecipient, toMentionedJids } from '../../../src/whatsapp/address/recipient.ts';
import { fakeSession } from '../../support/session-fakes.ts';

const queriesOf = (session: ReturnType<typeof fakeSession>) => session.calls.filter(([name]) => name === 'onWhatsApp');

describe('resolveRecipient', () => {
  it('resolveRecipient() queries a new number once and stores the result', async () => {
    const session = fakeSession();
    for (let i = 0; i < 3; i++) {
      expect(await resolveRecipient(session, '+49 151 12345678')).toEqual({
        jid: '4915112345678@s.whatsapp.net',
        lid: null,
      });
    }
    expect(queriesOf(session)).toEqual([['onWhatsApp', '4915112345678']]);
    expect(session.saved.get('4915112345678@s.whatsapp.net')).toMatchObject({ exists: true });
  });

  it('resolveRecipient() shares one query between concurrent callers', async () => {
    const session = fakeSession();
    await Promise.all(Array.from({ length: 5 }, () => resolveRecipient(session, '4915112345678')));
    expect(queriesOf(session)).toHaveLength(1);
  });

  it('resolveRecipient() uses a stored result for a week', async () => {
    const jid = '4915112345678@s.whatsapp.net';
    const sessionWithFreshResult = fakeSession();
    sessionWithFreshResult.saved.set(jid, { jid, lid: '7@lid', exists: true, checkedAt: Date.now() - 6 * 86_400_000 });
    expect(await resolveRecipient(sessionWithFreshResult, '4915112345678')).toEqual({ jid, lid: '7@lid' });
    expect(queriesOf(sessionWithFreshResult)).toHaveLength(0);
    const sessionWithStaleResult = fakeSession();
    sessionWithStaleResult.saved.set(jid, { jid, lid: '7@lid', exists: true, checkedAt: Date.now() - 8 * 86_400_000 });
    await resolveRecipient(sessionWithStaleResult, '4915112345678');
    expect(queriesOf(sessionWithStaleResult)).toHaveLength(1);
  });

  it('resolveRecipient() returns a LID that became known after the lookup', async () => {
    const jid = '4915112345678@s.whatsapp.net';
    const session = fakeSession();
    session.saved.set(jid, { jid, lid: null, exists: true, checkedAt: Date.now() });
    expect(await resolveRecipient(session, jid)).toEqual({ jid, lid: null });
    Object.assign(session.socket.authState.keys, { get: async () => ({ '4915112345678': '9' }) });
    expect(await resolveRecipient(session, jid)).toEqual({ jid, lid: '9@lid' });
  });

  it('resolveRecipient() uses a stored result for the configured time', async () => {
    const jid = '4915112345678@s.whatsapp.net';
    const saved = { jid, lid: null, exists: true, checkedAt: Date.now() - 2 * 86_400_000 };
    for (const [days, expectedQueries] of [
      [1, 1],
      [3, 0],
    ] as const) {
      const session = Object.assign(fakeSession(), { numberLookupTtl: days * 86_400_000 });
      session.saved.set(jid, saved);
      await resolveRecipient(session, '4915112345678');
      expect(queriesOf(session)).toHaveLength(expectedQueries);
    }
  });

  it('resolveRecipient() throws NUMBER_NOT_ON_PLATFORM for an unregistered number, and caches this result for an hour', async () => {
    const session = fakeSession();
    const expectedError = {
      code: 'NUMBER_NOT_ON_PLATFORM',
      certain: true,
      responseMessage: [{ exists: false, jid: '4915112340000@s.whatsapp.net', number: '+4915112340000' }],
    };
    await expect(resolveRecipient(session, '+4915112340000')).rejects.toMatchObject(expectedError);
    await expect(resolveRecipient(session, '+4915112340000')).rejects.toMatchObject(expectedError);
    expect(queriesOf(session)).toHaveLength(1);
    vi.useFakeTimers({ now: Date.now() + 2 * 3_600_000 });
    try {
      await expect(resolveRecipient(session, '+4915112340000')).rejects.toMatchObject(expectedError);
    } finally {
      vi.useRealTimers();
    }
    expect(queriesOf(session)).toHaveLength(2);
  });

  it.each([
    ['a Brazilian number, registered without the ninth digit', '5531987654321', '553187654321'],
    ['a Brazilian number, registered with the ninth digit', '553187654321', '5531987654321'],
    ['a Mexican number, registered with the mobile digit', '525512345678', '5215512345678'],
    ['an Argentine number, registered with the mobile digit', '541112345678', '5491112345678'],
  ])('resolveRecipient() uses the spelling that WhatsApp returns: %s', async (_, number, registered) => {
    const session = fakeSession({ onWhatsApp: async () => [{ jid: `${registered}@s.whatsapp.net`, exists: true }] });
    expect(await resolveRecipient(session, number)).toMatchObject({ jid: `${registered}@s.whatsapp.net` });
  });

  it('resolveRecipient() prefers the requested spelling when both exist', async () => {
    expect(await resolveRecipient(fakeSession(), '553187654321')).toMatchObject({ jid: '553187654321@s.whatsapp.net' });
  });

  it.each([
    ['120363025246125486@g.us', { jid: '120363025246125486@g.us', lid: null }],
    ['7@lid', { jid: '7@lid', lid: '7@lid' }],
  ])('resolveRecipient() sends no query for %s', async (number, address) => {
    const session = fakeSession();
    expect(await resolveRecipient(session, number)).toEqual(address);
    expect(session.calls).toEqual([]);
  });

  it.each([
    'status@broadcast',
    '1234@broadcast',
  ])('resolveRecipient() rejects %s, which is no chat, with certain=true', async (number) => {
    const session = fakeSession();
    await expect(resolveRecipient(session, number)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      certain: true,
      responseMessage: [[expect.stringMatching(/^"number" .*statuses/)]],
    });
    expect(session.calls).toEqual([]);
  });

  it.each([
    ['a new number', '4915112345678'],
    ['a number with a stored result', '4915199999999'],
    ['a LID', '222@lid'],
    ['a user name', '@ana'],
  ])('resolveRecipient() throws INSTANCE_NOT_OPEN when the session closes its keys during the call: %s', async (_, number) => {
    const session = fakeSession();
    const stored = { jid: '4915199999999@s.whatsapp.net', lid: null, exists: true, checkedAt: Date.now() };
    session.saved.set(stored.jid, stored);
    session.state.recipients.set('@ana', { jid: '222@lid', lid: '222@lid', exists: true, checkedAt: Date.now() });
    session.socket.authState.keys.get = async () => {
      session.end();
      throw new Error('the session has ended, and its keys are sealed');
    };
    await expect(resolveRecipient(session, number)).rejects.toMatchObject({ code: 'INSTANCE_NOT_OPEN', certain: true });
  });

  it('resolveRecipient() throws PLATFORM_TIMEOUT when WhatsApp does not answer, and stores no result', async () => {
    const session = fakeSession({ onWhatsApp: async () => undefined });
    await expect(resolveRecipient(session, '4915112345678')).rejects.toMatchObject({
      code: 'PLATFORM_TIMEOUT',
      certain: true,
    });
    expect(session.saved.size).toBe(0);
  });

  it('resolveRecipient() reports a lost connection and a failed query, and queries again at the next call', async () => {
    const endedSession = fakeSession({
      onWhatsApp: async () => {
        endedSession.end();
        throw 1006;
      },
    });
    await expect(resolveRecipient(endedSession, '4915112345678')).rejects.toMatchObject({
      code: 'INSTANCE_NOT_OPEN',
      certain: true,
    });
    let answers = 0;
    const flakySession = fakeSession({
      onWhatsApp: async (...numbers) => {
        answers += 1;
        if (answers === 1) throw new Error('internal-server-error');
        return numbers.map((number) => ({ jid: `${number}@s.whatsapp.net`, exists: true }));
      },
    });
    await expect(resolveRecipient(flakySession, '4915112345678')).rejects.toMatchObject({
      code: 'PLATFORM_TIMEOUT',
      certain: true,
    });
    await expect(resolveRecipient(flakySession, '4915112345678')).resolves.toMatchObject({
      jid: '4915112345678@s.whatsapp.net',
    });
  });
});

describe('toMentionedJids', () => {
  it('toMentionedJids() leaves groups out', () => {
    expect(toMentionedJids(['+49 151 12345678', '120363025246125486@g.us'])).toEqual(['4915112345678@s.whatsapp.net']);
  });
});
