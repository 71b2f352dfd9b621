import { describe, expect, it } from 'vitest';
import { at, textAt } from '../support/api.ts';
import { isEvent } from '../support/gateway.ts';
import {
  ada,
  bob,
  createAdasGroup,
  createOwnGroup,
  eve,
  jid,
  ownNumber,
  ranks,
  startLinked,
} from '../support/group.ts';
import { schemaViolations } from '../support/openapi-document.ts';

const lid = expect.stringMatching(/^\d+@lid$/);
const unknownGroup = '120363000000000001@g.us';

describe('group members and join requests', () => {
  it('group operations list and invite members, decide join requests, change modes and leave, by PUT and POST', async () => {
    const world = await startLinked();
    const { api, sandbox } = world;
    const { groups } = sandbox;
    const account = (number: string) => sandbox.world.account(number);
    const group = await createOwnGroup(world);
    const query = `sales?groupJid=${group.id}`;

    // Ada has written, Bob has not.
    const id = await sandbox.phones.phone(ada).send(ownNumber, { text: 'hello' });
    await world.receiver.next(({ body }) => isEvent(body, 'messages.upsert') && at(body, 'data.key.id') === id);
    const listed = await api('GET', `/group/participants/${query}`);
    expect(listed.status).toBe(200);
    const name = (number: string) => account(number).name;
    expect(at(listed.body, 'participants')).toEqual([
      { id: jid(ownNumber), admin: 'superadmin', lid, name: name(ownNumber), imgUrl: null },
      { id: jid(ada), admin: null, lid, name: name(ada), imgUrl: null },
      { id: jid(bob), admin: null, lid, name: null, imgUrl: null },
    ]);

    // Eve receives the link. The answer names the number without an account.
    const invited = await api('POST', '/group/sendInvite/sales', {
      groupJid: group.id,
      description: 'Join us',
      numbers: [eve, '15550000000'],
    });
    const url = `https://chat.whatsapp.com/${group.inviteCode}`;
    expect(invited).toMatchObject({
      status: 200,
      body: {
        send: false,
        inviteUrl: url,
        sent: [{ number: eve, id: expect.any(String) }],
        failed: [{ number: '15550000000', code: 'NUMBER_NOT_ON_PLATFORM', message: 'NUMBER_NOT_ON_PLATFORM' }],
      },
    });
    const phone = sandbox.phones.phone(eve);
    const invitation = await phone.waitFor(() => phone.messages().find(({ text }) => text?.includes(url)));
    expect(invitation.text).toBe(`Join us\n\n${url}`);
    const withoutAccount = await api('POST', `/group/sendInvite/${query}`, { numbers: ['15550000000'] });
    expect(withoutAccount).toMatchObject({ status: 400, body: { code: 'NUMBER_NOT_ON_PLATFORM' } });

    // A person who joins by link becomes a join request.
    for (const [method, mode] of [
      ['PUT', 'off'],
      ['POST', 'on'],
    ] as const) {
      const set = await api(method, `/group/updateJoinApprovalMode/${query}`, { mode });
      expect(set).toMatchObject({ status: 201, body: { success: true } });
      expect(group.approval).toBe(mode === 'on');
    }
    expect((await api('GET', `/group/joinRequests/${query}`)).body).toEqual({ requests: [] });
    const dan = '15550004005';
    for (const number of [eve, dan]) groups.join(account(number), group.inviteCode);
    const waiting = await api('GET', `/group/joinRequests/${query}`);
    expect(at(waiting.body, 'requests')).toEqual([
      { jid: jid(eve), lid, requestedAt: expect.any(Number), method: 'invite_link' },
      { jid: jid(dan), lid, requestedAt: expect.any(Number), method: 'invite_link' },
    ]);
    const rejected = await api('PUT', `/group/updateJoinRequests/${query}`, {
      action: 'reject',
      participants: [dan, bob],
    });
    expect(rejected.status).toBe(201);
    expect(at(rejected.body, 'updateParticipants')).toMatchObject([
      { status: '200', jid: jid(dan) },
      { status: '404', jid: jid(bob) },
    ]);
    const approved = await api('POST', '/group/updateJoinRequests/sales', {
      groupJid: group.id,
      action: 'approve',
      participants: [eve],
    });
    expect(at(approved.body, 'updateParticipants')).toMatchObject([{ status: '200', jid: jid(eve) }]);
    expect(ranks(group)).toEqual({ [ownNumber]: 'superadmin', [ada]: 'member', [bob]: 'member', [eve]: 'member' });
    expect(group.requests.size).toBe(0);
    const lateApproval = await api('PUT', `/group/updateJoinRequests/${query}`, {
      action: 'approve',
      participants: [dan],
    });
    expect(at(lateApproval.body, 'updateParticipants')).toMatchObject([{ status: '404', jid: jid(dan) }]);

    for (const [method, mode] of [
      ['PUT', 'all_member_add'],
      ['POST', 'admin_add'],
      ['PUT', 'all_member_add'],
    ] as const) {
      const set = await api(method, `/group/updateMemberAddMode/${query}`, { mode });
      expect(set).toMatchObject({ status: 201, body: { success: true } });
      expect(group.memberAddMode).toBe(mode);
    }
    const read = await api('GET', `/group/findGroupInfos/${query}`);
    expect(read.body).toMatchObject({ memberAddMode: true, joinApprovalMode: true });

    const oldCode = group.inviteCode;
    for (const method of ['PUT', 'POST']) {
      const revoked = await api(method, `/group/revokeInviteCode/${query}`);
      expect(revoked).toMatchObject({ status: 201, body: { revoked: true, inviteCode: group.inviteCode } });
    }
    expect(group.inviteCode).not.toBe(oldCode);
    expect(await api('GET', `/group/acceptInviteCode/sales?inviteCode=${oldCode}`)).toMatchObject({ status: 404 });

    // Some clients send the group in the body of a DELETE.
    const departure = await api('DELETE', '/group/leaveGroup/sales', { groupJid: group.id });
    expect(departure).toMatchObject({ status: 200, body: { groupJid: group.id, leave: true } });
    expect(ranks(group)).not.toHaveProperty(ownNumber);
    const secondDeparture = await api('DELETE', `/group/leaveGroup/${query}`);
    expect(secondDeparture).toMatchObject({
      status: 400,
      body: { code: 'GROUP_NOT_FOUND', response: { message: ['Unable to leave the group', 'Error: item-not-found'] } },
    });
  });

  it('group operations for admins answer GROUP_FORBIDDEN to a member and GROUP_NOT_FOUND for an unknown group', async () => {
    const world = await startLinked({ env: { QUERY_TIMEOUT: '1500' } });
    const group = createAdasGroup(world);
    const refusals: [string, string, object | undefined, string, number][] = [
      ['GET', 'joinRequests', undefined, 'Error fetching join requests', 400],
      ['PUT', 'updateJoinRequests', { action: 'approve', participants: [eve] }, 'Error updating join requests', 400],
      ['PUT', 'updateMemberAddMode', { mode: 'admin_add' }, 'Error updating setting', 400],
      ['PUT', 'updateJoinApprovalMode', { mode: 'on' }, 'Error updating setting', 400],
      ['PUT', 'revokeInviteCode', undefined, 'Revoke error', 404],
      ['POST', 'sendInvite', { numbers: [eve] }, 'No send invite', 404],
    ];
    for (const [method, name, body, text, status] of refusals) {
      const refused = await world.api(method, `/group/${name}/sales?groupJid=${group.id}`, body);
      expect(refused, name).toMatchObject({ status, body: { code: 'GROUP_FORBIDDEN' } });
      expect(textAt(refused.body, 'response.message.0'), name).toBe(text);
      const missing = await world.api(method, `/group/${name}/sales?groupJid=${unknownGroup}`, body);
      expect(missing, name).toMatchObject({ status, body: { code: 'GROUP_NOT_FOUND' } });
      const withoutGroup = await world.api(method, `/group/${name}/sales`, body);
      expect(withoutGroup, name).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
      expect(schemaViolations('ErrorBody', withoutGroup.body)).toBeUndefined();
    }
    const inUnknownGroup = await world.api('GET', `/group/participants/sales?groupJid=${unknownGroup}`);
    expect(inUnknownGroup).toMatchObject({
      status: 404,
      body: { response: { message: ['No participants', expect.any(String)] } },
    });
    const wrong = await world.api('PUT', `/group/updateMemberAddMode/sales?groupJid=${group.id}`, { mode: 'all' });
    expect(wrong).toMatchObject({
      status: 400,
      body: { response: { message: [{ message: 'mode is not one of enum values: admin_add,all_member_add' }] } },
    });
    // A missing answer of the platform is not an empty list of requests.
    world.expectErrors(/^request.failed$/);
    world.sandbox.faults.add({ kind: 'mute', number: ownNumber, xmlns: 'w:g2', times: 0 });
    const silent = await world.api('GET', `/group/joinRequests/sales?groupJid=${group.id}`);
    expect(silent).toMatchObject({ status: 504, body: { code: 'PLATFORM_TIMEOUT' } });
  });
});
