import type { BinaryNode } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { type Http, startHttp } from '../../support/http-fixture.ts';
import { fakeSession } from '../../support/session-fakes.ts';

const group = '120363025246125486@g.us';

/** Starts an app with the open instance `shop`. Its platform accepts all changes, and `changes` contains them. */
async function startOpen(): Promise<Http & { changes: BinaryNode[] }> {
  const http = await startHttp();
  const changes: BinaryNode[] = [];
  const session = fakeSession({
    query: async (iq: BinaryNode) => {
      const groupNode = { tag: 'group', attrs: { id: '120363025246125486' } };
      if (iq.attrs.type === 'get') return { tag: 'iq', attrs: {}, content: [groupNode] };
      changes.push(iq);
      return { tag: 'iq', attrs: {}, content: iq.content };
    },
  });
  Object.assign(http.instances.get('shop') ?? {}, { session: () => session });
  return { ...http, changes };
}

const subjectPath = '/group/updateGroupSubject/shop';

describe('the groupJid of a request', () => {
  it.each([
    ['in the query', `${subjectPath}?groupJid=${group}`, {}],
    ['in the query, without its ending', `${subjectPath}?groupJid=120363025246125486`, {}],
    ['in the body', subjectPath, { groupJid: group }],
    ['in the body, without its ending', subjectPath, { groupJid: '120363025246125486' }],
    ['in both, where the query counts', `${subjectPath}?groupJid=${group}`, { groupJid: '1@g.us' }],
  ])('group/updateGroupSubject accepts the groupJid %s', async (_, path, body) => {
    for (const method of ['PUT', 'POST'] as const) {
      const http = await startOpen();
      const answer = await http.call(method, path, { ...body, subject: 'New' });
      expect(answer).toMatchObject({ status: 201, body: { update: 'success' } });
      expect(http.changes.map(({ attrs }) => attrs.to)).toEqual([group]);
    }
  });

  it.each([
    [`${subjectPath}?groupJid=`, 'The "groupJid" cannot be empty'],
    [`${subjectPath}?groupJid=friends`, 'groupJid does not match pattern "^[\\\\d-]+@g.us$"'],
    [`${subjectPath}?groupJid=1@g.us&groupJid=2@g.us`, 'groupJid is not of a type(s) string'],
    [`${subjectPath}?groupJid=${'1'.repeat(101)}`, 'groupJid does not meet maximum length of 100'],
  ])('group/updateGroupSubject refuses an invalid groupJid with an error that names it: %s', async (path, message) => {
    const http = await startOpen();
    const answer = await http.call('PUT', path, { subject: 'New' });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'INVALID_REQUEST', response: { message: [{ message }] } });
    expect(http.changes).toEqual([]);
  });
});

describe('bodies of group routes', () => {
  it.each([
    ['updateGroupSubject', { subject: 'New' }, { subject: { subject: 'New' } }],
    ['updateGroupDescription', { description: 'New' }, { description: { description: 'New' } }],
  ])('group/%s accepts a text, and an object that contains the text', async (name, ...bodies) => {
    for (const body of bodies) {
      const http = await startOpen();
      const answer = await http.call('PUT', `/group/${name}/shop?groupJid=${group}`, body);
      expect(answer).toMatchObject({ status: 201, body: { update: 'success' } });
      expect(JSON.stringify(http.changes)).toContain(JSON.stringify(Buffer.from('New')));
    }
  });

  it.each([
    ['create', { subject: 'G' }, 'instance requires property "participants"'],
    ['create', { subject: 'G', participants: [] }, 'participants does not meet minimum length of 1'],
    ['create', { subject: '', participants: ['1'] }, 'The "subject" cannot be empty'],
    ['create', { subject: {}, participants: ['1'] }, 'subject is not of a type(s) string'],
    ['create', { subject: 'G', participants: 'x'.repeat(101) }, 'participants[0] does not meet maximum length of 100'],
    [`updateGroupSubject`, {}, 'instance requires property "subject"'],
    [`updateGroupSubject`, { subject: { subject: '' } }, 'The "subject" cannot be empty'],
    [`updateGroupSubject`, { subject: 'x'.repeat(101) }, 'subject does not meet maximum length of 100'],
    [`updateGroupDescription`, { description: [] }, 'description is not of a type(s) string'],
    [`updateGroupPicture`, { image: '' }, 'The "image" cannot be empty'],
    [`updateSetting`, {}, 'instance requires property "action"'],
    [
      `updateParticipant`,
      { action: 'ban', participants: ['1'] },
      'action is not one of enum values: add,remove,promote,demote',
    ],
    [`updateParticipant`, { action: 'add' }, 'instance requires property "participants"'],
    [`toggleEphemeral`, {}, 'instance requires property "expiration"'],
    [`toggleEphemeral`, { expiration: 'soon' }, 'expiration is not of a type(s) integer'],
  ])('group/%s refuses %j with an error that names the field', async (name, body, message) => {
    const http = await startOpen();
    const answer = await http.call('POST', `/group/${name}/shop?groupJid=${group}`, body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'INVALID_REQUEST', response: { message: [{ message }] } });
    expect(http.changes).toEqual([]);
  });
});

describe('queries of group routes', () => {
  it.each([
    ['/group/fetchAllGroups/shop?getParticipants=maybe', 'getParticipants is not of a type(s) boolean'],
    ['/group/inviteInfo/shop?inviteCode=', 'The "inviteCode" cannot be empty'],
    ['/group/inviteInfo/shop?inviteCode=https://evil.example/x', 'inviteCode is neither a code nor a link'],
  ])('GET %s gets 400 with an error that names the parameter', async (path, message) => {
    const http = await startOpen();
    const answer = await http.call('GET', path);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'INVALID_REQUEST', response: { message: [{ message }] } });
  });

  const groupMessage = ['The group id needs to be informed in the query', 'ex: "groupJid=120362@g.us"'];
  const codeMessage = [
    'The group invite code id needs to be informed in the query',
    'ex: "inviteCode=F1EX5QZxO181L3TMVP31gY" (Obtained from group join link)',
  ];
  it.each([
    ['/group/findGroupInfos/shop', groupMessage],
    ['/group/participants/shop', groupMessage],
    ['/group/inviteCode/shop', groupMessage],
    ['/group/acceptInviteCode/shop', codeMessage],
    ['/group/inviteInfo/shop', codeMessage],
    ['/group/fetchAllGroups/shop', ['The getParticipants needs to be informed in the query']],
  ])('GET %s without its required parameter gets 400 with the error text that clients expect', async (path, message) => {
    const http = await startOpen();
    const answer = await http.call('GET', path);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'INVALID_REQUEST', response: { message } });
  });

  it('PUT /group/updateGroupSubject without a groupJid gets 400 with the error text that clients expect', async () => {
    const http = await startOpen();
    const answer = await http.call('PUT', subjectPath, { subject: 'New' });
    expect(answer.body).toMatchObject({ status: 400, response: { message: groupMessage } });
    expect(http.changes).toEqual([]);
  });
});
