import { setImmediate } from 'node:timers/promises';
import type { GroupMetadata } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { GroupPermissions } from '../../../src/whatsapp/group/permissions.ts';

const group = '120363025246125486@g.us';
const metadata = (parts: Partial<GroupMetadata> = {}): GroupMetadata => ({
  id: group,
  owner: undefined,
  subject: 'G',
  participants: [
    { id: '1@lid', phoneNumber: '4915100000001@s.whatsapp.net', admin: 'admin' },
    { id: '2@lid', phoneNumber: '4915100000002@s.whatsapp.net', admin: null },
    { id: '3@lid', admin: 'superadmin' },
  ],
  ...parts,
});

function setup(get: () => Promise<GroupMetadata>, timeout = 5_000) {
  const login = Promise.withResolvers<void>();
  let queryCount = 0;
  const countedGet = () => {
    queryCount += 1;
    return get();
  };
  const permissions = new GroupPermissions({ get: countedGet }, login.promise, timeout);
  return { permissions, queryCount: () => queryCount, login: login.resolve };
}

describe('GroupPermissions', () => {
  it.each([
    ['an admin, by LID', ['1@lid'], true, true],
    ['an admin, by phone number', ['9@lid', '4915100000001@s.whatsapp.net'], true, true],
    ['the creator', ['3@lid'], true, true],
    ['a member', ['2@lid'], false, true],
    ['a person outside the group', ['4@lid'], false, false],
    ['a person without an address', [], false, false],
  ])('GroupPermissions returns the permissions of %s', async (_, addresses, isAdmin, mayEdit) => {
    const { permissions, login } = setup(async () => metadata());
    login();
    expect(await permissions.memberPermissions(group, addresses)).toEqual({ isAdmin, mayEdit });
  });

  it('GroupPermissions denies edits to members when only admins may change the group', async () => {
    const { permissions, login } = setup(async () => metadata({ restrict: true }));
    login();
    expect(await permissions.memberPermissions(group, ['2@lid'])).toEqual({ isAdmin: false, mayEdit: false });
    expect(await permissions.memberPermissions(group, ['1@lid'])).toEqual({ isAdmin: true, mayEdit: true });
  });

  it('GroupPermissions returns no permissions for an unreadable group, without an immediate second query', async () => {
    const { permissions, login, queryCount } = setup(() => Promise.reject(new Error('forbidden')));
    login();
    for (let turn = 0; turn < 3; turn++) {
      expect(await permissions.memberPermissions(group, ['1@lid'])).toEqual({ isAdmin: false, mayEdit: false });
    }
    expect(queryCount()).toBe(1);
  });

  it('GroupPermissions returns no permissions when the query is not answered within the timeout', async () => {
    const { permissions, login } = setup(() => new Promise(() => undefined), 1);
    login();
    expect(await permissions.memberPermissions(group, ['1@lid'])).toEqual({ isAdmin: false, mayEdit: false });
  });

  it('GroupPermissions queries a group after the login even when an earlier check timed out before the login', async () => {
    const { permissions, login } = setup(async () => metadata(), 1);
    expect(await permissions.memberPermissions(group, ['1@lid'])).toMatchObject({ isAdmin: false });
    login();
    expect(await permissions.memberPermissions(group, ['1@lid'])).toMatchObject({ isAdmin: true });
  });

  it('GroupPermissions uses a group whose answer arrived after the timeout of an earlier check', async () => {
    const answer = Promise.withResolvers<GroupMetadata>();
    const { permissions, login } = setup(() => answer.promise, 1);
    login();
    expect(await permissions.memberPermissions(group, ['1@lid'])).toMatchObject({ isAdmin: false });
    answer.resolve(metadata());
    await setImmediate();
    expect(await permissions.memberPermissions(group, ['1@lid'])).toMatchObject({ isAdmin: true });
  });

  it('GroupPermissions sends no query before the login', async () => {
    const { permissions, login, queryCount } = setup(async () => metadata());
    const answer = permissions.memberPermissions(group, ['1@lid']);
    await Promise.resolve();
    expect(queryCount()).toBe(0);
    login();
    expect(await answer).toMatchObject({ isAdmin: true });
  });
});
