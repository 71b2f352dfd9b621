import type { BinaryNode } from '@whiskeysockets/baileys';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Phone } from '../src/phone/phone.ts';
import type { Group } from '../src/world/group.ts';
import type { Account } from '../src/world/model.ts';
import { lidJid, pnJid } from '../src/world/world.ts';
import { GroupStage, type Member } from './group-setup.ts';

let stage: GroupStage;
let me: Member;
let ada: Phone;
let bob: Phone;

const groups = () => stage.sandbox.groups;

function groupOf(id: string): Group {
  const group = groups().get(id);
  if (!group) throw new Error(`no group ${id}`);
  return group;
}

/** Creates a group with `me`, Ada and Bob. If Ada creates it, `me` is not an admin. */
async function createFriends(creator: 'me' | 'ada' = 'me'): Promise<Group> {
  if (creator === 'ada') return ada.createGroup('Friends', [me.account.number, bob.account.number]);
  const { id } = await me.sock.groupCreate('Friends', [pnJid(ada.account), pnJid(bob.account)]);
  return groupOf(id);
}

const refusal = (code: number) => expect.objectContaining({ data: code });

beforeAll(async () => {
  stage = await GroupStage.open(15_550_003_001);
});

afterAll(() => stage.sandbox.close());

beforeEach(async () => {
  me = await stage.member();
  ada = stage.phone();
  bob = stage.phone();
  groups().defaultAddressing = 'lid';
});

afterEach(async () => {
  await stage.disconnectClients();
  expect(stage.sandbox.unanswered).toEqual([]);
});

describe.each(['lid', 'pn'] as const)('groups addressed by %s', (mode) => {
  const jidOf = (account: Account) => (mode === 'lid' ? lidJid(account) : pnJid(account));

  beforeEach(() => {
    groups().defaultAddressing = mode;
  });

  it('a client can create a group, query it and find it in its list of groups', async () => {
    const created = await me.sock.groupCreate('Friends', [pnJid(ada.account), lidJid(bob.account)]);
    expect(await me.sock.groupMetadata(created.id)).toEqual(created);
    expect((await me.sock.groupFetchAllParticipating())[created.id]).toEqual(created);
    expect(created).toMatchObject({ subject: 'Friends', addressingMode: mode, owner: jidOf(me.account), size: 3 });
    expect(created.participants.map(({ id, admin }) => [id, admin])).toEqual([
      [jidOf(me.account), 'superadmin'],
      [jidOf(ada.account), null],
      [jidOf(bob.account), null],
    ]);
  });

  it('the metadata of a group contains both addresses of every member', async () => {
    const { id } = await createFriends();
    const { participants, ownerPn } = await me.sock.groupMetadata(id);
    const { account } = ada;
    const other = mode === 'lid' ? { phoneNumber: pnJid(account) } : { lid: lidJid(account) };
    expect(participants[1]).toMatchObject({ id: jidOf(account), ...other });
    expect(ownerPn).toBe(mode === 'lid' ? pnJid(me.account) : undefined);
  });

  it('the clients of all members of a group are notified of each change and its author', async () => {
    const you = await stage.member();
    const group = ada.createGroup('Friends', [me.account.number, you.account.number], { addressing: mode });
    for (const member of [me, you]) {
      const [shown] = await member.event('groups.upsert', ([upserted]) => upserted?.id === group.id);
      expect(shown).toMatchObject({ subject: 'Friends', author: jidOf(ada.account), size: 3 });
    }
    groups().change(group, ada.account, 'promote', [pnJid(you.account)]);
    const update = await me.event('group-participants.update', ({ action }) => action === 'promote');
    expect(update).toMatchObject({ id: group.id, author: jidOf(ada.account) });
    expect(update.participants).toMatchObject([{ id: jidOf(you.account), admin: 'admin' }]);
  });
});

describe('creation of a group', () => {
  it('the creation of a group returns an error code for each account that could not be added', async () => {
    const privateAccount = stage.phone();
    privateAccount.account.privacy.set('groupadd', 'none');
    const blocker = stage.phone();
    blocker.account.blocked.add(me.account.number);
    const node = {
      tag: 'iq',
      attrs: { to: '@g.us', type: 'set', xmlns: 'w:g2' },
      content: [
        {
          tag: 'create',
          attrs: { subject: 'Friends', key: 'K' },
          content: [ada.account, privateAccount.account, blocker.account]
            .map((account) => pnJid(account))
            .concat('15550000000@s.whatsapp.net')
            .map((jid) => ({ tag: 'participant', attrs: { jid } })),
        },
      ],
    };
    const answer: BinaryNode = await me.sock.query(node);
    const [group] = Array.isArray(answer.content) ? answer.content : [];
    const participants = Array.isArray(group?.content) ? group.content.filter(({ tag }) => tag === 'participant') : [];
    expect(participants.map(({ attrs }) => attrs.error)).toEqual([undefined, undefined, '403', '401', '404']);
    expect(participants[2]?.content).toMatchObject([{ tag: 'add_request', attrs: { code: expect.any(String) } }]);
    expect(group?.attrs.size).toBe('2');
  });

  it('the creation of a group requires a subject of at most 100 characters', async () => {
    await expect(me.sock.groupCreate('', [])).rejects.toEqual(refusal(406));
    await expect(me.sock.groupCreate('x'.repeat(101), [])).rejects.toEqual(refusal(406));
  });

  it('an offline member is notified of a new group at its next login', async () => {
    const you = await stage.member();
    await you.sock.end(undefined);
    await friendsWith(you);
    const reconnected = await stage.connect(you.account, you.companion, you.identity);
    const [shown] = await reconnected.event('groups.upsert');
    expect(shown?.subject).toBe('Late');
  });

  const friendsWith = (member: Member) => me.sock.groupCreate('Late', [pnJid(member.account)]);
});

describe('notifications of groups', () => {
  it('a group notification leaves the queue when the client acknowledges it', async () => {
    const group = await createFriends('ada');
    groups().setPicture(group, ada.account, { id: '1', bytes: Buffer.from('a picture') });
    groups().setSubject(group, ada.account, 'Better friends');
    await me.event('contacts.update');
    await me.event('groups.update', ([update]) => update?.subject === 'Better friends');
    // The server answers this query after it has read the acks, which it receives on the same connection.
    await me.sock.groupMetadata(group.id);
    expect(me.companion.queue).toEqual([]);
  });

  it('group notifications and group messages reach every device of an account', async () => {
    const second = await stage.linkDevice(me.account);
    const group = await createFriends('ada');
    for (const device of [me, second]) await device.event('groups.upsert', ([shown]) => shown?.id === group.id);
    const id = await me.send(group.id, 'from one device');
    const { message } = await second.client.message(id);
    expect(message.key).toMatchObject({ fromMe: true, remoteJid: group.id });
  });
});

describe('queries of a group', () => {
  it('members can query a group; others get 403, and 404 for an unknown group', async () => {
    const group = ada.createGroup('Private', [bob.account.number]);
    await expect(me.sock.groupMetadata(group.id)).rejects.toEqual(refusal(403));
    await expect(me.sock.groupMetadata('120363999999999999@g.us')).rejects.toEqual(refusal(404));
    expect(await me.sock.groupFetchAllParticipating()).toEqual({});
  });
});

describe('participants of a group', () => {
  it('each participant that a client adds to a group gets a status', async () => {
    const { id } = await createFriends();
    const privateAccount = stage.phone();
    privateAccount.account.privacy.set('groupadd', 'none');
    const newcomer = stage.phone();
    const jids = [newcomer.account, privateAccount.account, ada.account].map((account) => pnJid(account));
    const result = await me.sock.groupParticipantsUpdate(id, [...jids, '15550000000@s.whatsapp.net'], 'add');
    expect(result.map(({ status }) => status)).toEqual(['200', '403', '409', '404']);
    expect([...groupOf(id).members.keys()].at(-1)).toBe(newcomer.account);
  });

  it('an admin promotes, demotes and removes participants of a group', async () => {
    const group = await createFriends();
    const adaJid = [pnJid(ada.account)];
    expect(await me.sock.groupParticipantsUpdate(group.id, adaJid, 'promote')).toMatchObject([{ status: '200' }]);
    expect(group.members.get(ada.account)).toBe('admin');
    await me.sock.groupParticipantsUpdate(group.id, adaJid, 'demote');
    expect(group.members.get(ada.account)).toBe('member');
    await me.sock.groupParticipantsUpdate(group.id, adaJid, 'remove');
    expect(group.members.has(ada.account)).toBe(false);
    expect(await me.sock.groupParticipantsUpdate(group.id, adaJid, 'remove')).toMatchObject([{ status: '404' }]);
    expect(await me.sock.groupParticipantsUpdate(group.id, [pnJid(me.account)], 'demote')).toMatchObject([
      { status: '406' },
    ]);
  });

  it('only admins change the participants of a group; all members can add participants if the group allows it', async () => {
    const group = await createFriends('ada');
    const newcomerJid = [pnJid(stage.phone().account)];
    for (const action of ['add', 'remove', 'promote', 'demote'] as const) {
      await expect(me.sock.groupParticipantsUpdate(group.id, newcomerJid, action)).rejects.toEqual(refusal(403));
    }
    groups().setMemberAddMode(group, ada.account, 'all_member_add');
    expect(await me.sock.groupParticipantsUpdate(group.id, newcomerJid, 'add')).toMatchObject([{ status: '200' }]);
  });

  it('a removed participant is notified of the removal and cannot query the group afterwards', async () => {
    const group = await createFriends('ada');
    groups().change(group, ada.account, 'remove', [pnJid(me.account)]);
    const update = await me.event('group-participants.update');
    expect(update).toMatchObject({ action: 'remove', participants: [{ phoneNumber: pnJid(me.account) }] });
    await expect(me.sock.groupMetadata(group.id)).rejects.toEqual(refusal(403));
  });

  it('a participant who is added later gets the whole group', async () => {
    const group = ada.createGroup('Friends', [bob.account.number]);
    groups().add(group, ada.account, [pnJid(me.account)]);
    const [shown] = await me.event('groups.upsert');
    expect(shown).toMatchObject({ id: group.id, size: 3 });
  });

  it('the longest-standing member becomes admin when the only admin leaves the group', async () => {
    const group = await createFriends();
    await me.sock.groupLeave(group.id);
    expect([...group.members]).toEqual([
      [ada.account, 'superadmin'],
      [bob.account, 'member'],
    ]);
    const update = await me.event('group-participants.update');
    expect(update).toMatchObject({ action: 'remove', participants: [{ phoneNumber: pnJid(me.account) }] });
  });
});

describe('the profile of a group', () => {
  it('every member can change subject, description and timer of a group, and all members are notified', async () => {
    const group = await createFriends('ada');
    await me.sock.groupUpdateSubject(group.id, 'Better friends');
    await me.sock.groupUpdateDescription(group.id, 'We meet on Fridays');
    await me.sock.groupToggleEphemeral(group.id, 86_400);
    expect(await me.sock.groupMetadata(group.id)).toMatchObject({
      subject: 'Better friends',
      subjectOwnerPn: pnJid(me.account),
      desc: 'We meet on Fridays',
      descOwnerPn: pnJid(me.account),
      ephemeralDuration: 86_400,
    });
    await me.event('groups.update', ([update]) => update?.subject === 'Better friends');
    await me.event('groups.update', ([update]) => update?.desc === 'We meet on Fridays');
    await me.sock.groupUpdateDescription(group.id, '');
    await me.sock.groupToggleEphemeral(group.id, 0);
    expect(group).toMatchObject({ description: undefined, messageLifetime: 0 });
  });

  it('only admins can change subject, description and timer of a locked group', async () => {
    const group = await createFriends('ada');
    groups().setLocked(group, ada.account, true);
    await me.event('groups.update', ([update]) => update?.restrict === true);
    await expect(me.sock.groupUpdateSubject(group.id, 'Mine')).rejects.toEqual(refusal(403));
    await expect(me.sock.groupUpdateDescription(group.id, 'Mine')).rejects.toEqual(refusal(403));
    await expect(me.sock.groupToggleEphemeral(group.id, 86_400)).rejects.toEqual(refusal(403));
    expect((await me.sock.groupMetadata(group.id)).restrict).toBe(true);
  });

  it('a group keeps its description when a client sends a change of an older description', async () => {
    const group = await createFriends('ada');
    groups().setDescription(group, ada.account, 'First');
    const stale = { tag: 'description', attrs: { id: 'NEW' }, content: [{ tag: 'body', attrs: {}, content: 'Mine' }] };
    const iq = { tag: 'iq', attrs: { to: group.id, type: 'set', xmlns: 'w:g2' }, content: [stale] };
    await expect(me.sock.query(iq)).rejects.toEqual(refusal(409));
    groups().setLocked(group, ada.account, true);
    await expect(me.sock.query(iq)).rejects.toEqual(refusal(403));
    expect(group.description?.text).toBe('First');
  });

  it('a member can set, download and remove the picture of a group', async () => {
    const group = await createFriends();
    const picture = Buffer.from('a picture');
    const iq = {
      tag: 'iq',
      attrs: { to: '@s.whatsapp.net', target: group.id, type: 'set', xmlns: 'w:profile:picture' },
    };
    await me.sock.query({ ...iq, content: [{ tag: 'picture', attrs: { type: 'image' }, content: picture }] });
    const url = await me.sock.profilePictureUrl(group.id, 'image');
    expect(Buffer.from(await (await fetch(url ?? '')).arrayBuffer())).toEqual(picture);
    await me.event('contacts.update', ([update]) => update?.id === group.id && update.imgUrl === 'changed');
    await me.sock.removeProfilePicture(group.id);
    await expect(me.sock.profilePictureUrl(group.id, 'image')).rejects.toEqual(refusal(404));
  });
});

describe('settings of a group', () => {
  it('only admins can change the settings of a group, and all members are notified', async () => {
    const group = await createFriends('ada');
    await expect(me.sock.groupSettingUpdate(group.id, 'announcement')).rejects.toEqual(refusal(403));
    groups().change(group, ada.account, 'promote', [pnJid(me.account)]);
    await me.sock.groupSettingUpdate(group.id, 'announcement');
    await me.sock.groupSettingUpdate(group.id, 'locked');
    await me.sock.groupMemberAddMode(group.id, 'all_member_add');
    await me.sock.groupJoinApprovalMode(group.id, 'on');
    const enabled = { announce: true, restrict: true, memberAddMode: true, joinApprovalMode: true };
    expect(await me.sock.groupMetadata(group.id)).toMatchObject(enabled);
    for (const name of Object.keys(enabled)) await me.event('groups.update', ([update]) => name in (update ?? {}));
    await me.sock.groupSettingUpdate(group.id, 'not_announcement');
    await me.sock.groupSettingUpdate(group.id, 'unlocked');
    expect(group).toMatchObject({ announcement: false, locked: false });
  });
});

describe('invitations to a group', () => {
  it('an invite code shows the group without members and lets an account join', async () => {
    const group = ada.createGroup('Open', [bob.account.number], { description: 'Come in' });
    const info = await me.sock.groupGetInviteInfo(group.inviteCode);
    expect(info).toMatchObject({ id: group.id, subject: 'Open', desc: 'Come in', size: 2, participants: [] });
    expect(await me.sock.groupAcceptInvite(group.inviteCode)).toBe(group.id);
    expect(group.members.get(me.account)).toBe('member');
    await me.event('groups.upsert', ([shown]) => shown?.id === group.id);
    await expect(me.sock.groupAcceptInvite(group.inviteCode)).rejects.toEqual(refusal(409));
  });

  it('an invite code is shown to admins and becomes invalid when it is revoked', async () => {
    const group = await createFriends();
    const code = await me.sock.groupInviteCode(group.id);
    expect(code).toBe(group.inviteCode);
    const renewed = await me.sock.groupRevokeInvite(group.id);
    expect(renewed).not.toBe(code);
    const you = await stage.member();
    await expect(you.sock.groupAcceptInvite(code ?? '')).rejects.toEqual(refusal(410));
    await expect(you.sock.groupGetInviteInfo('nosuchcode')).rejects.toEqual(refusal(406));
    groups().change(group, me.account, 'promote', [pnJid(ada.account)]);
    groups().leave(group, me.account);
    await expect(me.sock.groupInviteCode(group.id)).rejects.toEqual(refusal(403));
  });

  it('an invite code creates a join request where an admin must approve', async () => {
    const group = await createFriends();
    await me.sock.groupJoinApprovalMode(group.id, 'on');
    const [you, they] = [await stage.member(), await stage.member()];
    for (const member of [you, they]) await member.sock.groupAcceptInvite(group.inviteCode);
    await me.event('group.join-request', ({ participantPn }) => participantPn === pnJid(you.account));
    const waiting = await me.sock.groupRequestParticipantsList(group.id);
    expect(waiting.map(({ jid }) => jid)).toEqual([lidJid(you.account), lidJid(they.account)]);
    const jidsOf = (member: Member) => [lidJid(member.account)];
    const approved = await me.sock.groupRequestParticipantsUpdate(group.id, jidsOf(you), 'approve');
    expect(approved).toMatchObject([{ status: '200' }]);
    await me.sock.groupRequestParticipantsUpdate(group.id, jidsOf(they), 'reject');
    expect([group.members.has(you.account), group.members.has(they.account)]).toEqual([true, false]);
    await you.event('groups.upsert', ([shown]) => shown?.id === group.id);
    await they.event('group.join-request', ({ action }) => action === 'rejected');
  });

  it('an invitation to one account lets only that account join, and only with the right code', async () => {
    me.account.privacy.set('groupadd', 'none');
    const group = ada.createGroup('Closed', [me.account.number]);
    expect(group.members.has(me.account)).toBe(false);
    const { code = '', expiration = 0 } = group.invitations.get(me.account) ?? {};
    const invitation = { groupJid: group.id, inviteCode: code, inviteExpiration: expiration };
    const invite = (inviteCode: string) =>
      me.sock.groupAcceptInviteV4(pnJid(ada.account), { ...invitation, inviteCode });
    await expect(invite('wrong')).rejects.toEqual(refusal(406));
    const you = await stage.member();
    await expect(you.sock.groupAcceptInviteV4(pnJid(ada.account), invitation)).rejects.toEqual(refusal(406));
    expect([...group.members.keys()]).toEqual([ada.account]);
    await invite(code);
    expect([...group.members.keys()]).toEqual([ada.account, me.account]);
  });
});
