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

function setup(get: () => Promise<GroupMetadata>, patience = 5_000) {
  const login = Promise.withResolvers<void>();
  let asked = 0;
  const ask = () => {
    asked += 1;
    return get();
  };
  const rights = new GroupPermissions({ get: ask }, login.promise, patience);
  return { rights, asked: () => asked, login: login.resolve };
}

describe('the rights of a member', () => {
  it.each([
    ['an admin, by LID', ['1@lid'], true, true],
    ['an admin, by phone number', ['9@lid', '4915100000001@s.whatsapp.net'], true, true],
    ['the creator', ['3@lid'], true, true],
    ['a member', ['2@lid'], false, true],
    ['a stranger', ['4@lid'], false, false],
    ['a person without an address', [], false, false],
  ])('GroupPermissions returns the permissions of %s', async (_, addresses, isAdmin, mayEdit) => {
    const { rights, login } = setup(async () => metadata());
    login();
    expect(await rights.memberPermissions(group, addresses)).toEqual({ isAdmin, mayEdit });
  });

  it('GroupPermissions denies edits where only admins may change the group', async () => {
    const { rights, login } = setup(async () => metadata({ restrict: true }));
    login();
    expect(await rights.memberPermissions(group, ['2@lid'])).toEqual({ isAdmin: false, mayEdit: false });
    expect(await rights.memberPermissions(group, ['1@lid'])).toEqual({ isAdmin: true, mayEdit: true });
  });

  it('GroupPermissions returns none for a group that cannot be read, without an immediate second query', async () => {
    const { rights, login, asked } = setup(() => Promise.reject(new Error('forbidden')));
    login();
    for (let turn = 0; turn < 3; turn++) {
      expect(await rights.memberPermissions(group, ['1@lid'])).toEqual({ isAdmin: false, mayEdit: false });
    }
    expect(asked()).toBe(1);
  });

  it('GroupPermissions returns none when the group does not answer in time', async () => {
    const { rights, login } = setup(() => new Promise(() => undefined), 1);
    login();
    expect(await rights.memberPermissions(group, ['1@lid'])).toEqual({ isAdmin: false, mayEdit: false });
  });

  it('GroupPermissions queries a group again at once when the login took too long', async () => {
    const { rights, login } = setup(async () => metadata(), 1);
    expect(await rights.memberPermissions(group, ['1@lid'])).toMatchObject({ isAdmin: false });
    login();
    expect(await rights.memberPermissions(group, ['1@lid'])).toMatchObject({ isAdmin: true });
  });

  it('GroupPermissions uses a group that answered too late for an earlier check', async () => {
    const answer = Promise.withResolvers<GroupMetadata>();
    const { rights, login } = setup(() => answer.promise, 1);
    login();
    expect(await rights.memberPermissions(group, ['1@lid'])).toMatchObject({ isAdmin: false });
    answer.resolve(metadata());
    await setImmediate();
    expect(await rights.memberPermissions(group, ['1@lid'])).toMatchObject({ isAdmin: true });
  });

  it('GroupPermissions queries only after the login', async () => {
    const { rights, login, asked } = setup(async () => metadata());
    const answer = rights.memberPermissions(group, ['1@lid']);
    await Promise.resolve();
    expect(asked()).toBe(0);
    login();
    expect(await answer).toMatchObject({ isAdmin: true });
  });
});
