import type { BinaryNode } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { fakeSession } from '../../whatsapp/fakes.ts';
import { type Http, startHttp } from './fixture.ts';

const group = '120363025246125486@g.us';

/** An instance `shop` whose platform agrees with everything; `asked` are the changes it was asked for. */
async function startOpen(): Promise<Http & { asked: BinaryNode[] }> {
  const http = await startHttp();
  const asked: BinaryNode[] = [];
  const session = fakeSession({
    query: async (iq: BinaryNode) => {
      const known = { tag: 'group', attrs: { id: '120363025246125486' } };
      if (iq.attrs.type === 'get') return { tag: 'iq', attrs: {}, content: [known] };
      asked.push(iq);
      return { tag: 'iq', attrs: {}, content: iq.content };
    },
  });
  Object.assign(http.instances.get('shop') ?? {}, { session: () => session });
  return { ...http, asked };
}

const subject = '/group/updateGroupSubject/shop';

describe('the group of a request', () => {
  it.each([
    ['in the query', `${subject}?groupJid=${group}`, {}],
    ['in the query, without its ending', `${subject}?groupJid=120363025246125486`, {}],
    ['in the body', subject, { groupJid: group }],
    ['in the body, as a number would be read', subject, { groupJid: '120363025246125486' }],
    ['in both, where the query counts', `${subject}?groupJid=${group}`, { groupJid: '1@g.us' }],
  ])('is taken from where it is: %s', async (_, path, body) => {
    for (const method of ['PUT', 'POST'] as const) {
      const http = await startOpen();
      const answer = await http.call(method, path, { ...body, subject: 'New' });
      expect(answer).toMatchObject({ status: 201, body: { update: 'success' } });
      expect(http.asked.map(({ attrs }) => attrs.to)).toEqual([group]);
    }
  });

  it.each([
    [`${subject}?groupJid=`, 'The "groupJid" cannot be empty'],
    [`${subject}?groupJid=friends`, 'groupJid does not match pattern "^[\\\\d-]+@g.us$"'],
    [`${subject}?groupJid=1@g.us&groupJid=2@g.us`, 'groupJid is not of a type(s) string'],
    [`${subject}?groupJid=${'1'.repeat(101)}`, 'groupJid does not meet maximum length of 100'],
  ])('is refused when it is none: %s', async (path, message) => {
    const http = await startOpen();
    const answer = await http.call('PUT', path, { subject: 'New' });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'INVALID_REQUEST', response: { message: [{ message }] } });
    expect(http.asked).toEqual([]);
  });
});

describe('texts of groups', () => {
  it.each([
    ['updateGroupSubject', { subject: 'New' }, { subject: { subject: 'New' } }],
    ['updateGroupDescription', { description: 'New' }, { description: { description: 'New' } }],
  ])('%s takes a text and an object that holds it', async (name, ...bodies) => {
    for (const body of bodies) {
      const http = await startOpen();
      const answer = await http.call('PUT', `/group/${name}/shop?groupJid=${group}`, body);
      expect(answer).toMatchObject({ status: 201, body: { update: 'success' } });
      expect(JSON.stringify(http.asked)).toContain(JSON.stringify(Buffer.from('New')));
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
  ])('%s refuses %j in words that name the field', async (name, body, message) => {
    const http = await startOpen();
    const answer = await http.call('POST', `/group/${name}/shop?groupJid=${group}`, body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'INVALID_REQUEST', response: { message: [{ message }] } });
    expect(http.asked).toEqual([]);
  });
});

describe('queries of groups', () => {
  it.each([
    ['/group/fetchAllGroups/shop?getParticipants=maybe', 'getParticipants is not of a type(s) boolean'],
    ['/group/inviteInfo/shop?inviteCode=', 'The "inviteCode" cannot be empty'],
    ['/group/inviteInfo/shop?inviteCode=https://evil.example/x', 'inviteCode is neither a code nor a link'],
  ])('GET %s is refused', async (path, message) => {
    const http = await startOpen();
    const answer = await http.call('GET', path);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'INVALID_REQUEST', response: { message: [{ message }] } });
  });

  const group = ['The group id needs to be informed in the query', 'ex: "groupJid=120362@g.us"'];
  const code = [
    'The group invite code id needs to be informed in the query',
    'ex: "inviteCode=F1EX5QZxO181L3TMVP31gY" (Obtained from group join link)',
  ];
  it.each([
    ['/group/findGroupInfos/shop', group],
    ['/group/participants/shop', group],
    ['/group/inviteCode/shop', group],
    ['/group/acceptInviteCode/shop', code],
    ['/group/inviteInfo/shop', code],
    ['/group/fetchAllGroups/shop', ['The getParticipants needs to be informed in the query']],
  ])('GET %s without what it is about is refused in the words clients know', async (path, message) => {
    const http = await startOpen();
    const answer = await http.call('GET', path);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'INVALID_REQUEST', response: { message } });
  });

  it('does the same for changes of a group', async () => {
    const http = await startOpen();
    const answer = await http.call('PUT', subject, { subject: 'New' });
    expect(answer.body).toMatchObject({ status: 400, response: { message: group } });
    expect(http.asked).toEqual([]);
  });
});
