import { describe, expect, it } from 'vitest';
import { at, textAt } from '../support/api.ts';
import { pair } from '../support/client.ts';
import { isEvent, startWorld, type World } from '../support/gateway.ts';
import { waitFor } from '../support/wait-for.ts';

const mine = '15550004001';
const contact = '15550004002';
const settingNames = ['readreceipts', 'profile', 'status', 'online', 'last', 'groupadd'];

async function startLinked(env?: Record<string, string>): Promise<World> {
  const world = await startWorld({ env });
  await world.link('sales', mine);
  return world;
}

const accountOf = (world: World, number: string) => world.sandbox.phones.phone(number).account;
const all = Object.fromEntries(settingNames.map((name) => [name, 'all']));

describe('POST /chat/updateProfileStatus', () => {
  it('updateProfileStatus changes the status text on the profile of the account, also to an empty text', async () => {
    const world = await startLinked();
    for (const status of ['Open from nine to six 🙂', '']) {
      const answer = await world.api('POST', '/chat/updateProfileStatus/sales', { status });
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      expect(answer.body).toEqual({ update: 'success' });
      expect(accountOf(world, mine).statusText).toBe(status);
    }
  });

  it('updateProfileStatus sets an emoji and a duration, and a text alone removes both', async () => {
    const world = await startLinked();
    const account = accountOf(world, mine);
    const body = { status: 'Closed for the holidays', emoji: '🌴', expiration: 86_400 };
    expect((await world.api('POST', '/chat/updateProfileStatus/sales', body)).status).toBe(200);
    expect(account).toMatchObject({ statusText: body.status, statusEmoji: '🌴', statusDuration: 86_400 });
    expect((await world.api('POST', '/chat/fetchProfile/sales', {})).body).toMatchObject({ status: body.status });
    // A text alone removes both.
    expect((await world.api('POST', '/chat/updateProfileStatus/sales', { status: 'Open' })).status).toBe(200);
    expect(account).toMatchObject({ statusText: 'Open', statusEmoji: '', statusDuration: 0 });
    for (const wrong of [
      { status: 'x', expiration: -1 },
      { status: 'x', emoji: 'x'.repeat(33) },
    ])
      expect((await world.api('POST', '/chat/updateProfileStatus/sales', wrong)).status).toBe(400);
  });

  it('fetchInstances shows a profile status that another device of the account has set', async () => {
    const world = await startLinked();
    const other = await pair(world.sandbox, mine);
    const input = { text: 'From the tablet', ephemeral_duration_sec: 0 };
    const content = Buffer.from(JSON.stringify({ variables: { input } }));
    const attrs = { to: 's.whatsapp.net', type: 'get', xmlns: 'w:mex' };
    await other.socket.query({
      tag: 'iq',
      attrs,
      content: [{ tag: 'query', attrs: { query_id: '9152604461510864' }, content }],
    });
    await waitFor(async () => {
      const { body } = await world.api('GET', '/instance/fetchInstances?instanceName=sales');
      expect(at(body, '0.instance')).toMatchObject({ profileStatus: 'From the tablet' });
    });
  });

  it.each([
    ['only the old query', 'w:mex'],
    ['only the new query', 'status'],
  ])('updateProfileStatus and fetchProfile work on a platform that knows %s', async (_, xmlns) => {
    const world = await startLinked();
    const { faults } = world.sandbox;
    faults.add({ kind: 'failNext', number: mine, xmlns, code: 400, times: 0 });
    // The platform also refuses the first `usync` query for the text.
    faults.add({ kind: 'failNext', number: mine, xmlns: 'usync', code: 400 });
    expect((await world.api('POST', '/chat/fetchProfile/sales', {})).body).toMatchObject({ status: 'Hey there!' });
    expect((await world.api('POST', '/chat/updateProfileStatus/sales', { status: 'Open' })).status).toBe(200);
    expect(accountOf(world, mine).statusText).toBe('Open');
    const withEmoji = await world.api('POST', '/chat/updateProfileStatus/sales', { status: 'Open', emoji: '🌴' });
    // The old query has no place for an emoji.
    if (xmlns === 'status') expect(withEmoji.status).toBe(200);
    else expect(withEmoji.body).toMatchObject({ status: 400, code: 'PLATFORM_REFUSED' });
  });

  it('updateProfileStatus rejects a missing text, an overlong text and a closed instance', async () => {
    const world = await startWorld();
    await world.api('POST', '/instance/create', { instanceName: 'closed' });
    const request = (body: unknown) => world.api('POST', '/chat/updateProfileStatus/closed', body);
    expect((await request({})).body).toMatchObject({ status: 400, code: 'INVALID_REQUEST' });
    expect((await request({ status: 'x'.repeat(140) })).body).toMatchObject({ status: 400, code: 'INVALID_REQUEST' });
    expect((await request({ status: 'x' })).body).toMatchObject({ status: 400, code: 'INSTANCE_NOT_OPEN' });
  });
});

describe('PUT and POST /chat/updatePrivacySettings', () => {
  it.each([
    ['PUT', (settings: object) => ({ privacySettings: settings })],
    ['POST', (settings: object) => settings],
  ] as const)('%s /chat/updatePrivacySettings changes the given settings, keeps the others, and does not reconnect', async (method, wrap) => {
    const world = await startLinked();
    const before = world.log.length;
    const change = { last: 'none', online: 'match_last_seen', readreceipts: 'none' };
    const answer = await world.api(method, '/chat/updatePrivacySettings/sales', wrap(change));
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    expect(answer.body).toEqual({ update: 'success', data: { ...all, ...change } });
    const { privacy } = accountOf(world, mine);
    expect(Object.fromEntries(settingNames.map((name) => [name, privacy.get(name)]))).toEqual({ ...all, ...change });
    expect(world.log.slice(before).filter(({ msg }) => msg === 'instance.state.changed')).toEqual([]);
  });

  it.each(['this request', 'another device'])('read receipts follow the privacy setting of %s', async (origin) => {
    const world = await startLinked();
    const phone = world.sandbox.phones.phone(contact);
    const other = origin === 'another device' ? await pair(world.sandbox, mine) : undefined;
    const allow = async (readreceipts: 'all' | 'none') => {
      if (other) await other.socket.updateReadReceiptsPrivacy(readreceipts);
      else await world.api('PUT', '/chat/updatePrivacySettings/sales', { privacySettings: { readreceipts } });
    };
    /** Whether the author of a new message gets a read receipt when the message is marked as read. */
    const isReported = async () => {
      const id = await phone.send(mine, { text: 'hello' });
      await world.receiver.next(({ body }) => isEvent(body, 'messages.upsert') && at(body, 'data.key.id') === id);
      const readMessages = [{ id, fromMe: false, remoteJid: `${contact}@s.whatsapp.net` }];
      const answer = await world.api('PUT', '/chat/markMessageAsRead/sales', { readMessages });
      expect(answer.status, JSON.stringify(answer.body)).toBe(201);
      // The platform handles the stanzas of a client in order, so that the receipt arrives before this message.
      const sent = await world.api('POST', '/message/sendText/sales', { number: contact, text: 'hello' });
      await phone.waitFor(() => phone.messages().some((one) => one.id === textAt(sent.body, 'key.id')));
      return phone.messages().some((one) => one.id === id && one.receipts.some(({ type }) => type === 'read'));
    };
    expect(await isReported()).toBe(true);
    await allow('none');
    await waitFor(async () => expect(await isReported()).toBe(false));
    await allow('all');
    await waitFor(async () => expect(await isReported()).toBe(true));
  });

  it('updatePrivacySettings rejects values that a setting does not support, and a closed instance', async () => {
    const world = await startWorld();
    await world.api('POST', '/instance/create', { instanceName: 'closed' });
    const request = (body: unknown) => world.api('PUT', '/chat/updatePrivacySettings/closed', body);
    expect((await request({ privacySettings: { readreceipts: 'contacts' } })).status).toBe(400);
    expect((await request({ privacySettings: { online: 'none' } })).status).toBe(400);
    expect((await request({})).body).toMatchObject({ status: 400, code: 'INVALID_REQUEST' });
    expect((await request({ privacySettings: all })).body).toMatchObject({ status: 400, code: 'INSTANCE_NOT_OPEN' });
  });

  it('updatePrivacySettings and updateProfileStatus answer 504 when the platform does not answer', async () => {
    const world = await startLinked({ QUERY_TIMEOUT: '200' });
    world.expectErrors(/./);
    world.sandbox.faults.add({ kind: 'stall', number: mine });
    const privacy = await world.api('PUT', '/chat/updatePrivacySettings/sales', { privacySettings: { last: 'none' } });
    expect(privacy.body).toMatchObject({ status: 504, code: 'PLATFORM_TIMEOUT' });
    const status = await world.api('POST', '/chat/updateProfileStatus/sales', { status: 'x' });
    expect(status.body).toMatchObject({ status: 504, code: 'PLATFORM_TIMEOUT' });
  });
});

describe('POST /chat/fetchProfilePictureUrl', () => {
  it('fetchProfilePictureUrl answers the URL of a picture, and null for a missing or hidden one or a missing account', async () => {
    const world = await startLinked();
    const request = async (number: string, instance = 'sales') => {
      const answer = await world.api('POST', `/chat/fetchProfilePictureUrl/${instance}`, { number });
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      return answer.body;
    };
    const wuid = `${contact}@s.whatsapp.net`;
    expect(await request(contact)).toEqual({ wuid, profilePictureUrl: null });
    const account = accountOf(world, contact);
    account.picture = { id: '77', bytes: Buffer.from('a picture') };
    expect(await request(contact)).toEqual({ wuid, profilePictureUrl: expect.stringMatching(/^https?:\/\/.+77/) });
    account.privacy.set('profile', 'none');
    expect(await request(contact)).toEqual({ wuid, profilePictureUrl: null });
    expect(await request('15550000000')).toEqual({ wuid: '15550000000@s.whatsapp.net', profilePictureUrl: null });
    await world.api('POST', '/instance/create', { instanceName: 'closed' });
    expect(await request(contact, 'closed')).toEqual({ wuid, profilePictureUrl: null });
  });
});
