import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Control, createControl } from '../src/control/control.ts';
import { GroupStage } from './group-setup.ts';

const ada = '15550007001';
const bob = '15550007002';
const eve = '15550007003';

let stage: GroupStage;
let control: Control;
let url: string;
let id: string;

async function call(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }> {
  const init = { method, body: body === undefined ? undefined : JSON.stringify(body) };
  const response = await fetch(`${url}${path}`, init);
  return { status: response.status, body: await response.json() };
}

const act = (number: string, action: string, body: object = {}) =>
  call('POST', `/phones/${number}/groups/${id}/${action}`, body);

beforeAll(async () => {
  stage = await GroupStage.open(15_550_007_101);
  control = createControl(stage.sandbox);
  url = await control.listen(0);
});

afterAll(async () => {
  await control.close();
  await stage.disconnectClients();
  await stage.sandbox.close();
});

beforeEach(async () => {
  const { body } = await call('POST', `/phones/${ada}/groups`, { subject: 'Friends', participants: [bob] });
  id = String(Object(body).id);
});

describe('the control API of groups', () => {
  it('POST /phones/{number}/groups creates a group and returns the numbers that could not be added', async () => {
    const body = { subject: 'Family', participants: [bob, '15550000000'], mode: 'pn', description: 'Ours' };
    const created = await call('POST', `/phones/${ada}/groups`, body);
    expect(created).toMatchObject({
      status: 201,
      body: {
        subject: 'Family',
        mode: 'pn',
        owner: ada,
        description: 'Ours',
        participants: [
          { number: ada, rank: 'superadmin' },
          { number: bob, rank: 'member' },
        ],
        outcomes: [
          { number: bob, status: 200 },
          { number: '15550000000', status: 404 },
        ],
      },
    });
  });

  it('GET /phones/{number} lists groups in a short form, and GET /phones/{number}/groups lists them completely', async () => {
    const line = { id, subject: 'Friends', mode: 'lid', rank: 'member', size: 2 };
    const { body } = await call('GET', `/phones/${bob}`);
    expect(Object(body).groups).toContainEqual(line);
    expect((await call('GET', `/phones/${bob}/groups`)).body).toContainEqual(
      expect.objectContaining({ id, owner: ada }),
    );
    expect(await call('GET', `/phones/${bob}/groups/${id}`)).toMatchObject({ status: 200, body: { id } });
  });

  it('the control API adds, promotes, demotes and removes members of a group', async () => {
    expect((await act(ada, 'add', { participants: [eve, bob] })).body).toEqual({
      participants: [
        { number: eve, status: 200 },
        { number: bob, status: 409 },
      ],
    });
    for (const action of ['promote', 'demote', 'remove']) {
      const answer = await act(ada, action, { participants: [eve] });
      expect(answer).toEqual({ status: 200, body: { participants: [{ number: eve, status: 200 }] } });
    }
  });

  it('the control API changes subject, description, settings and picture of a group', async () => {
    expect((await act(ada, 'subject', { subject: 'Best friends' })).body).toMatchObject({ subject: 'Best friends' });
    expect((await act(ada, 'description', { description: 'Hi' })).body).toMatchObject({ description: 'Hi' });
    const settings = {
      announcement: true,
      locked: true,
      approval: true,
      ephemeral: 86_400,
      memberAddMode: 'all_member_add',
    };
    expect((await act(ada, 'settings', settings)).body).toMatchObject(settings);
    const picture = Buffer.from('a picture').toString('base64');
    expect((await act(ada, 'picture', { picture })).body).toMatchObject({ picture: expect.any(String) });
  });

  it('the control API changes no group setting when one of them is invalid or the member may not change it', async () => {
    const before = (await call('GET', `/phones/${ada}/groups/${id}`)).body;
    const settings = { announcement: true, locked: true, approval: true, ephemeral: 86_400 };
    for (const wrong of [{ memberAddMode: 'unknown' }, { ephemeral: -1 }])
      expect((await act(ada, 'settings', { ...settings, ...wrong })).status).toBe(400);
    const refused = await act(bob, 'settings', { ephemeral: 86_400, memberAddMode: 'all_member_add' });
    expect(refused.status).toBe(403);
    expect((await call('GET', `/phones/${ada}/groups/${id}`)).body).toEqual(before);
  });

  it('a phone joins a group by invite code, waits for approval, and leaves over the control API', async () => {
    const { code } = Object((await act(ada, 'invite')).body);
    const { code: renewed } = Object((await act(ada, 'invite', { revoke: true })).body);
    expect(await call('POST', `/phones/${eve}/groups/join`, { code })).toMatchObject({ status: 410 });
    await act(ada, 'settings', { approval: true });
    const joined = await call('POST', `/phones/${eve}/groups/join`, { code: renewed });
    expect(joined).toEqual({ status: 200, body: { id, waits: true } });
    const { body } = await act(ada, 'requests', { approve: [eve] });
    expect(body).toEqual({ participants: [{ number: eve, status: 200 }] });
    expect(await act(eve, 'leave')).toEqual({ status: 200, body: { left: id } });
  });

  it('a phone sends, reads and types in a group over the control API', async () => {
    const sent = await call('POST', `/phones/${ada}/messages`, { to: id, text: 'hello group' });
    expect(sent.status).toBe(201);
    const { id: message } = Object(sent.body);
    const { body } = await call('GET', `/phones/${bob}/messages`);
    expect(body).toContainEqual(expect.objectContaining({ id: message, chat: id, from: ada, text: 'hello group' }));
    expect((await call('POST', `/phones/${bob}/typing`, { to: id })).status).toBe(200);
    expect((await call('POST', `/phones/${bob}/read`, { chat: id })).body).toEqual({ read: [message] });
  });

  it.each([
    ['a request for an unknown group', 404, () => call('GET', `/phones/${ada}/groups/120363999999999999@g.us`)],
    ['a request for a group by a non-member', 403, () => call('GET', `/phones/${eve}/groups/${id}`)],
    ['a change by a member who is not an admin', 403, () => act(bob, 'promote', { participants: [bob] })],
    ['an action that groups do not have', 404, () => act(ada, 'paint')],
    ['a group without a subject', 400, () => call('POST', `/phones/${ada}/groups`, { participants: [bob] })],
    ['participants that are not numbers', 400, () => act(ada, 'add', { participants: ['bob'] })],
    ['a picture that is not base64', 400, () => act(ada, 'picture', { picture: 'not base64!' })],
    ['a setting of the wrong type', 400, () => act(ada, 'settings', { locked: 'yes' })],
    ['a group message of a non-member', 403, () => call('POST', `/phones/${eve}/messages`, { to: id, text: 'hi' })],
  ])('the control API of groups rejects %s with %i', async (_what, status, ask) => {
    expect(await ask()).toMatchObject({ status, body: { error: expect.stringMatching(/\w/) } });
  });
});
