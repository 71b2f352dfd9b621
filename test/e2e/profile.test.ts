// The own profile, the profiles of contacts, and blocked contacts. The record of the instance matches the phone.
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { announcePicture, announceStatus, createPicture } from '../../packages/sandbox/src/stanzas/profile.ts';
import { lidJid } from '../../packages/sandbox/src/world/world.ts';
import { at } from '../support/api.ts';
import type { World } from '../support/gateway.ts';
import { ada, bob, createOwnGroup, jid, ownNumber, startLinked } from '../support/group.ts';
import { waitFor } from '../support/wait-for.ts';

const png = (color: string) =>
  sharp({ create: { width: 60, height: 30, channels: 3, background: color } })
    .png()
    .toBuffer();

const success = { status: 200, body: { update: 'success' } };
const accountOf = (world: World, number: string) => world.sandbox.world.account(number);

/** Waits until the record of the instance has these values in both of its forms. */
async function waitForRecord(
  world: World,
  expected: { name?: unknown; picture?: unknown; status?: unknown },
): Promise<void> {
  const fields = { profileName: expected.name, profilePictureUrl: expected.picture, profileStatus: expected.status };
  const definedFields = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  await waitFor(async () => {
    const { body } = await world.api('GET', '/instance/fetchInstances?instanceName=sales');
    expect(at(body, '0.instance')).toMatchObject(definedFields);
    if (expected.name !== undefined) expect(at(body, '0.profileName')).toBe(expected.name);
    if (expected.picture !== undefined) expect(at(body, '0.profilePicUrl')).toEqual(expected.picture);
  });
}

it('a session sends an own name with an at sign to the platform, after a change and at each login', async () => {
  const world = await startLinked();
  const account = accountOf(world, ownNumber);
  const name = 'Vendas_2026@matriz';
  expect(await world.api('POST', '/chat/updateProfileName/sales', { name })).toMatchObject(success);
  await expect.poll(() => account.name).toBe(name);
  account.name = 'unknown';
  expect(await world.api('PUT', '/instance/restart/sales')).toMatchObject({ status: 200 });
  await expect.poll(() => account.name).toBe(name);
});

it('the own profile changes on the phone and in the instance record, and follows changes on the phone', async () => {
  const world = await startLinked();
  const { phoneAppState: synced } = world.sandbox.phones;
  const account = accountOf(world, ownNumber);
  await waitForRecord(world, { name: `Phone ${ownNumber.slice(-4)}`, status: 'Hey there!', picture: null });

  const name = await world.api('POST', '/chat/updateProfileName/sales', { name: 'Flower shop' });
  expect(name).toMatchObject(success);
  await synced.waitFor(account, ({ value }) => value.pushNameSetting?.name === 'Flower shop');
  expect(account.name).toBe('Flower shop');
  expect(await world.api('POST', '/chat/updateProfileStatus/sales', { status: 'Open' })).toMatchObject(success);
  for (const [method, color] of [
    ['PUT', '#f00'],
    ['POST', '#0f0'],
  ] as const) {
    const before = account.picture?.id;
    const picture = (await png(color)).toString('base64');
    expect(await world.api(method, '/chat/updateProfilePicture/sales', { picture })).toMatchObject(success);
    expect(account.picture?.id).not.toBe(before);
    expect(await sharp(account.picture?.bytes).metadata()).toMatchObject({ format: 'jpeg', width: 30, height: 30 });
  }
  const picture = expect.stringContaining(`/${account.picture?.id}`);
  await waitForRecord(world, { name: 'Flower shop', status: 'Open', picture });

  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(await png('#00f'))]), 'shop.png');
  const sent = await fetch(`${world.api.url}/chat/updateProfilePicture/sales`, {
    method: 'POST',
    body: form,
    headers: { apikey: world.api.key },
  });
  expect(sent.status).toBe(200);
  await waitForRecord(world, { picture: expect.stringContaining(`/${account.picture?.id}`) });
  expect(await world.api('DELETE', '/chat/removeProfilePicture/sales')).toMatchObject(success);
  expect(account.picture).toBeUndefined();
  await waitForRecord(world, { picture: null });

  await synced.change(account, { pushNameSetting: 'Garden' });
  account.statusText = 'Closed';
  announceStatus(world.sandbox.world, account);
  account.picture = createPicture(await png('#fff'));
  announcePicture(world.sandbox.world, account);
  const changed = { name: 'Garden', status: 'Closed', picture: expect.stringContaining(`/${account.picture.id}`) };
  await waitForRecord(world, changed);
  await world.restart();
  await world.api('GET', '/instance/connect/sales');
  await waitForRecord(world, changed);
  account.picture = undefined;
  announcePicture(world.sandbox.world, account);
  await waitForRecord(world, { picture: null });

  account.privacy.set('last', 'none');
  const privacy = await world.api('GET', '/chat/fetchPrivacySettings/sales');
  expect(privacy).toMatchObject({ status: 200, body: { last: 'none', readreceipts: 'all', groupadd: 'all' } });
  await world.api('DELETE', '/instance/logout/sales');
  const { body } = await world.api('GET', '/instance/fetchInstances?instanceName=sales');
  expect(at(body, '0')).toMatchObject({ profileName: null, profilePicUrl: null });
});

it('fetchProfile shows what a contact allows, and updateBlockStatus blocks and unblocks the contact', async () => {
  const world = await startLinked();
  const account = accountOf(world, ada);
  const fetchProfile = async (number?: string) =>
    (await world.api('POST', '/chat/fetchProfile/sales', number === undefined ? {} : { number })).body;
  const unknownProfile = {
    wuid: jid(ada),
    name: null,
    numberExists: true,
    picture: null,
    status: 'Hey there!',
    isBusiness: false,
  };
  expect(await fetchProfile(ada)).toEqual(unknownProfile);
  expect(await fetchProfile()).toMatchObject({
    wuid: jid(ownNumber),
    name: `Phone ${ownNumber.slice(-4)}`,
    status: 'Hey there!',
  });
  account.picture = createPicture(await png('#f00'));
  account.business = { description: 'Flowers', website: ['https://example.com'], email: 'ada@example.com' };
  await world.sandbox.phones.phone(ada).send(ownNumber, { text: 'hi' });
  const knownFields = { name: account.name, picture: expect.stringContaining('/pictures/'), isBusiness: true };
  const business = { description: 'Flowers', email: 'ada@example.com', website: 'https://example.com' };
  await waitFor(async () => expect(await fetchProfile(lidJid(account))).toMatchObject({ ...knownFields, ...business }));
  account.privacy.set('profile', 'none').set('status', 'none');
  expect(await fetchProfile(ada)).toMatchObject({ wuid: jid(ada), picture: null, status: null });

  const fetchBusinessProfile = async (number: string) =>
    (await world.api('POST', '/chat/fetchBusinessProfile/sales', { number })).body;
  const profile = { isBusiness: true, wid: jid(ada), description: 'Flowers', website: ['https://example.com'] };
  expect(await fetchBusinessProfile(ada)).toMatchObject({ ...profile, email: 'ada@example.com', business_hours: {} });
  const noBusiness = {
    isBusiness: false,
    message: 'Not is business profile',
    exists: true,
    jid: jid(bob),
    number: bob,
  };
  expect(await fetchBusinessProfile(bob)).toEqual(noBusiness);

  const ownAccount = accountOf(world, ownNumber);
  const steps = [
    ['PUT', 'chat', 'block'],
    ['POST', 'message', 'unblock'],
    ['PUT', 'message', 'block'],
    ['POST', 'chat', 'unblock'],
  ];
  for (const [method = '', area, status] of steps) {
    const answer = await world.api(method, `/${area}/updateBlockStatus/sales`, { number: ada, status });
    expect(answer).toMatchObject({ status: 201, body: { block: 'success' } });
    expect([...ownAccount.blocked]).toEqual(status === 'block' ? [ada] : []);
  }

  const group = await createOwnGroup(world);
  const operations: [string, object][] = [
    ['fetchProfile', {}],
    ['fetchBusinessProfile', {}],
    ['updateBlockStatus', { status: 'block' }],
  ];
  for (const [operation, fields] of operations) {
    const call = (number: string) => world.api('POST', `/chat/${operation}/sales`, { number, ...fields });
    expect((await call('15550000000')).body).toMatchObject({ status: 400, code: 'NUMBER_NOT_ON_PLATFORM' });
    expect((await call(group.id)).body).toMatchObject({ status: 400, code: 'INVALID_REQUEST' });
  }
  const wrong = await world.api('PUT', '/chat/updateBlockStatus/sales', { number: ada, status: 'hide' });
  expect(wrong.body).toMatchObject({
    code: 'INVALID_REQUEST',
    response: { message: [[expect.stringMatching(/status/)]] },
  });
});

it('profile operations answer PLATFORM_REFUSED for a refusal, and PLATFORM_TIMEOUT for a missing answer', async () => {
  const world = await startLinked({ env: { QUERY_TIMEOUT: '400' } });
  world.expectErrors(/^request\.failed$/);
  const { faults } = world.sandbox;
  const picture = (await png('#f00')).toString('base64');
  await world.api('POST', '/chat/fetchProfile/sales', { number: ada });
  const operations: [xmlns: string, method: string, operation: string, body?: object][] = [
    ['w:sync:app:state', 'POST', 'updateProfileName', { name: 'New' }],
    ['w:profile:picture', 'PUT', 'updateProfilePicture', { picture }],
    ['w:profile:picture', 'DELETE', 'removeProfilePicture'],
    ['privacy', 'GET', 'fetchPrivacySettings'],
    ['w:profile:picture', 'POST', 'fetchProfile', { number: ada }],
    ['w:biz', 'POST', 'fetchProfile', { number: ada }],
    ['w:biz', 'POST', 'fetchBusinessProfile', { number: ada }],
    ['blocklist', 'PUT', 'updateBlockStatus', { number: ada, status: 'block' }],
  ];
  for (const [xmlns, method, operation, body] of operations) {
    const call = () => world.api(method, `/chat/${operation}/sales`, body);
    faults.add({ kind: 'failNext', number: ownNumber, xmlns, code: 406 });
    expect((await call()).body, `${operation} ${xmlns}`).toMatchObject({ status: 400, code: 'PLATFORM_REFUSED' });
    faults.add({ kind: 'mute', number: ownNumber, xmlns });
    expect((await call()).body, `${operation} ${xmlns}`).toMatchObject({ status: 504, code: 'PLATFORM_TIMEOUT' });
  }
  // These operations have two kinds of query. The session sends the second one when the platform refuses the first one.
  const operationsWithTwoQueries: [xmlns: [string, string], operation: string, body: object][] = [
    [['w:mex', 'status'], 'updateProfileStatus', { status: 'New' }],
    [['usync', 'usync'], 'fetchProfile', { number: ada }],
  ];
  for (const [kinds, operation, body] of operationsWithTwoQueries) {
    const call = () => world.api('POST', `/chat/${operation}/sales`, body);
    for (const xmlns of kinds) faults.add({ kind: 'failNext', number: ownNumber, xmlns, code: 406 });
    expect((await call()).body, operation).toMatchObject({ status: 400, code: 'PLATFORM_REFUSED' });
    faults.add({ kind: 'mute', number: ownNumber, xmlns: kinds[0] });
    expect((await call()).body, operation).toMatchObject({ status: 504, code: 'PLATFORM_TIMEOUT' });
  }
  expect(accountOf(world, ownNumber)).toMatchObject({ name: `Phone ${ownNumber.slice(-4)}`, picture: undefined });
  expect((await world.api('PUT', '/chat/updateProfilePicture/sales', { picture: 'YWJj' })).body).toMatchObject({
    code: 'INVALID_REQUEST',
    response: { message: [['picture is not a picture that can be read']] },
  });
  await world.api('POST', '/instance/create', { instanceName: 'closed' });
  for (const [, method, operation, body] of operations) {
    const answer = await world.api(method, `/chat/${operation}/closed`, body);
    expect(answer.body, operation).toMatchObject({ status: 400, code: 'INSTANCE_NOT_OPEN' });
  }
});
