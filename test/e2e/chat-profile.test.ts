import { describe, expect, it } from 'vitest';
import { startWorld, type World } from '../support/gateway.ts';

const mine = '15550004001';
const theirs = '15550004002';
const names = ['readreceipts', 'profile', 'status', 'online', 'last', 'groupadd'];

async function linked(env?: Record<string, string>): Promise<World> {
  const world = await startWorld({ env });
  await world.link('sales', mine);
  return world;
}

const accountOf = (world: World, number: string) => world.sandbox.handsets.phone(number).account;
const all = Object.fromEntries(names.map((name) => [name, 'all']));

describe('POST /chat/updateProfileStatus', () => {
  it('changes what others read on the profile', async () => {
    const world = await linked();
    for (const status of ['Open from nine to six 🙂', '']) {
      const answer = await world.api('POST', '/chat/updateProfileStatus/sales', { status });
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      expect(answer.body).toEqual({ update: 'success' });
      expect(accountOf(world, mine).statusText).toBe(status);
    }
  });

  it('refuses a missing and a very long text, and a closed instance', async () => {
    const world = await startWorld();
    await world.api('POST', '/instance/create', { instanceName: 'closed' });
    const ask = (body: unknown) => world.api('POST', '/chat/updateProfileStatus/closed', body);
    expect((await ask({})).body).toMatchObject({ status: 400, code: 'INVALID_REQUEST' });
    expect((await ask({ status: 'x'.repeat(140) })).body).toMatchObject({ status: 400, code: 'INVALID_REQUEST' });
    expect((await ask({ status: 'x' })).body).toMatchObject({ status: 400, code: 'INSTANCE_NOT_OPEN' });
  });
});

describe('PUT and POST /chat/updatePrivacySettings', () => {
  it.each([
    ['PUT', (settings: object) => ({ privacySettings: settings })],
    ['POST', (settings: object) => settings],
  ] as const)('%s changes what is given, keeps the rest, and does not reconnect', async (method, wrap) => {
    const world = await linked();
    const before = world.log.length;
    const change = { last: 'none', online: 'match_last_seen', readreceipts: 'none' };
    const answer = await world.api(method, '/chat/updatePrivacySettings/sales', wrap(change));
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    expect(answer.body).toEqual({ update: 'success', data: { ...all, ...change } });
    const { privacy } = accountOf(world, mine);
    expect(Object.fromEntries(names.map((name) => [name, privacy.get(name)]))).toEqual({ ...all, ...change });
    expect(world.log.slice(before).filter(({ msg }) => msg === 'instance.transition')).toEqual([]);
  });

  it('refuses values that the setting does not have, and a closed instance', async () => {
    const world = await startWorld();
    await world.api('POST', '/instance/create', { instanceName: 'closed' });
    const ask = (body: unknown) => world.api('PUT', '/chat/updatePrivacySettings/closed', body);
    expect((await ask({ privacySettings: { readreceipts: 'contacts' } })).status).toBe(400);
    expect((await ask({ privacySettings: { online: 'none' } })).status).toBe(400);
    expect((await ask({})).body).toMatchObject({ status: 400, code: 'INVALID_REQUEST' });
    expect((await ask({ privacySettings: all })).body).toMatchObject({ status: 400, code: 'INSTANCE_NOT_OPEN' });
  });

  it('answers 504 when the platform does not answer, never an empty success', async () => {
    const world = await linked({ QUERY_TIMEOUT: '200' });
    world.expectErrors(/./);
    world.sandbox.faults.add({ kind: 'stall', number: mine });
    const privacy = await world.api('PUT', '/chat/updatePrivacySettings/sales', { privacySettings: { last: 'none' } });
    expect(privacy.body).toMatchObject({ status: 504, code: 'PLATFORM_TIMEOUT' });
    const status = await world.api('POST', '/chat/updateProfileStatus/sales', { status: 'x' });
    expect(status.body).toMatchObject({ status: 504, code: 'PLATFORM_TIMEOUT' });
  });
});

describe('POST /chat/fetchProfilePictureUrl', () => {
  it('answers the address of a picture, and null when there is none, it is hidden, or nobody has the number', async () => {
    const world = await linked();
    const ask = async (number: string, instance = 'sales') => {
      const answer = await world.api('POST', `/chat/fetchProfilePictureUrl/${instance}`, { number });
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      return answer.body;
    };
    const wuid = `${theirs}@s.whatsapp.net`;
    expect(await ask(theirs)).toEqual({ wuid, profilePictureUrl: null });
    const account = accountOf(world, theirs);
    account.picture = { id: '77', bytes: Buffer.from('a picture') };
    expect(await ask(theirs)).toEqual({ wuid, profilePictureUrl: expect.stringMatching(/^https?:\/\/.+77/) });
    account.privacy.set('profile', 'none');
    expect(await ask(theirs)).toEqual({ wuid, profilePictureUrl: null });
    expect(await ask('15550000000')).toEqual({ wuid: '15550000000@s.whatsapp.net', profilePictureUrl: null });
    await world.api('POST', '/instance/create', { instanceName: 'closed' });
    expect(await ask(theirs, 'closed')).toEqual({ wuid, profilePictureUrl: null });
  });
});
