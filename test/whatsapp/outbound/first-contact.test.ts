import { describe, expect, it } from 'vitest';
import { FirstContactTokens, toFirstContactNodes } from '../../../src/whatsapp/outbound/first-contact.ts';
import type { Session } from '../../../src/whatsapp/session.ts';
import { me } from '../../support/session-fakes.ts';

const lid = '222@lid';
const pn = '15550001111@s.whatsapp.net';
const salt = Buffer.alloc(32, 1);
/** HMAC-SHA256 of `222@lid` with 32 bytes of value 1, by `openssl dgst -mac hmac`. */
const token = Buffer.from('60f43334da7fc99a89e1f8eb00c4900e539635f1a03b26bdb42f5e8720a40886', 'hex');

function createSession(
  firstContacts: FirstContactTokens,
  receivedToken: { token: Buffer; timestamp?: string } | undefined,
) {
  const keys = {
    get: async (type: string, ids: string[]) => {
      if (type === 'tctoken') return { [lid]: receivedToken };
      return Object.fromEntries(ids.flatMap((id) => (id === '15550001111' ? [[id, '222']] : [])));
    },
  };
  return { me: () => me, firstContacts, socket: { authState: { keys } } } as unknown as Session;
}

async function nodesFor(jid: string, receivedToken?: { token: Buffer; timestamp?: string }) {
  const writes: object[] = [];
  const auth = {
    readAll: async () => new Map([['salt', salt]]),
    set: async (write: object) => void writes.push(write),
  };
  return toFirstContactNodes(createSession(await FirstContactTokens.open(auth), receivedToken), jid);
}

describe('toFirstContactNodes', () => {
  it('toFirstContactNodes() returns the token of a person by LID and by phone number', async () => {
    const expected = [{ tag: 'cstoken', attrs: {}, content: token }];
    expect(await nodesFor(lid)).toEqual(expected);
    expect(await nodesFor('222:3@lid')).toEqual(expected);
    expect(await nodesFor(pn)).toEqual(expected);
  });

  it.each([
    ['the own number', me.jid],
    ['the own LID', me.lid ?? ''],
    ['a group', '120363025246125486@g.us'],
    ['a person whose LID is unknown', '15550002222@s.whatsapp.net'],
    ['the announcement account of WhatsApp', '0@s.whatsapp.net'],
  ])('toFirstContactNodes() returns no node for %s', async (_, jid) => {
    expect(await nodesFor(jid)).toEqual([]);
  });

  it('toFirstContactNodes() returns no node for a person from whom the account has a valid token', async () => {
    const now = Math.floor(Date.now() / 1000);
    expect(await nodesFor(lid, { token: Buffer.from('t'), timestamp: String(now) })).toEqual([]);
    expect(await nodesFor(lid, { token: Buffer.from('t'), timestamp: String(now - 90 * 86_400) })).toHaveLength(1);
    expect(await nodesFor(lid, { token: Buffer.alloc(0) })).toHaveLength(1);
  });
});

it('FirstContactTokens.setSalt(null) removes the salt from the session and from the store', async () => {
  const writes: object[] = [];
  const auth = {
    readAll: async () => new Map([['salt', salt]]),
    set: async (write: object) => void writes.push(write),
  };
  const firstContacts = await FirstContactTokens.open(auth);
  await firstContacts.setSalt(null);
  expect(firstContacts.tokenFor(lid)).toBeUndefined();
  expect(firstContacts.hasSalt).toBe(false);
  expect(await toFirstContactNodes(createSession(firstContacts, undefined), lid)).toEqual([]);
  expect(writes).toEqual([{ 'gateway-nct-salt': { salt: null } }]);
});
