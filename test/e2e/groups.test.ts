import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { at, textAt } from '../support/api.ts';
import { startWorld } from '../support/gateway.ts';
import {
  ada,
  bob,
  createAdasGroup,
  createOwnGroup,
  eve,
  groupOf,
  jid,
  ownNumber,
  ranks,
  startLinked,
} from '../support/group.ts';
import { schemaViolations } from '../support/openapi-document.ts';

const unknownGroup = '120363000000000001@g.us';

describe('POST /group/create', () => {
  it('POST /group/create creates a group on the platform and answers its record with phone numbers', async () => {
    const world = await startLinked();
    const created = await world.api('POST', '/group/create/sales', {
      subject: 'Neighbours',
      description: 'Everything about the street',
      participants: [ada, `+${bob}`],
    });
    expect(created.status).toBe(201);
    expect(schemaViolations('GroupRecord', created.body)).toBeUndefined();
    expect(created.body).toMatchObject({
      id: expect.stringMatching(/^\d+@g\.us$/),
      subject: 'Neighbours',
      subjectOwner: jid(ownNumber),
      subjectTime: expect.any(Number),
      pictureUrl: null,
      size: 3,
      creation: expect.any(Number),
      owner: jid(ownNumber),
      desc: 'Everything about the street',
      restrict: false,
      announce: false,
      participants: [
        { id: jid(ownNumber), admin: 'superadmin', lid: expect.stringMatching(/@lid$/) },
        { id: jid(ada), admin: null, lid: expect.stringMatching(/@lid$/) },
        { id: jid(bob), admin: null, lid: expect.stringMatching(/@lid$/) },
      ],
      updateParticipants: [
        { status: '200', jid: jid(ada) },
        { status: '200', jid: jid(bob) },
      ],
    });
    const group = groupOf(world, textAt(created.body, 'id'));
    expect(ranks(group)).toEqual({ [ownNumber]: 'superadmin', [ada]: 'member', [bob]: 'member' });
    expect(group.description?.text).toBe('Everything about the street');
  });

  it.each([
    'Vendas_2026@matriz',
    'Reunião 10:30 @ sala',
  ])('POST /group/create creates a group with the subject %s', async (subject) => {
    const world = await startLinked();
    const created = await world.api('POST', '/group/create/sales', { subject, participants: [ada] });
    expect(created.status, JSON.stringify(created.body)).toBe(201);
    expect(groupOf(world, textAt(created.body, 'id')).subject.text).toBe(subject);
  });

  it('POST /group/create reports participants that cannot be added, and adds the others', async () => {
    const world = await startLinked();
    world.sandbox.world.account(ada).privacy.set('groupadd', 'none');
    const created = await world.api('POST', '/group/create/sales', {
      subject: { subject: 'Wrapped' },
      participants: [ada, bob, '15550000000'],
    });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ subject: 'Wrapped', size: 2 });
    expect(at(created.body, 'updateParticipants')).toMatchObject([
      { status: '403', jid: jid(ada), content: { content: [{ tag: 'add_request' }] } },
      { status: '200', jid: jid(bob) },
      { status: '404', jid: jid('15550000000') },
    ]);
    expect(ranks(groupOf(world, textAt(created.body, 'id')))).toEqual({ [ownNumber]: 'superadmin', [bob]: 'member' });
  });

  it('POST /group/create promotes members and sets a picture, and a refused picture does not prevent the group', async () => {
    const world = await startLinked();
    const blank = sharp({ create: { width: 64, height: 64, channels: 3, background: '#fff' } });
    const profilePicture = (await blank.png().toBuffer()).toString('base64');
    const groupBody = { subject: 'Board', participants: [ada, bob], promoteParticipants: true, profilePicture };
    const created = await world.api('POST', '/group/create/sales', groupBody);
    expect(created.status).toBe(201);
    expect(schemaViolations('GroupRecord', created.body)).toBeUndefined();
    expect(created.body).toMatchObject({
      pictureUrl: expect.stringMatching(/^https?:/),
      participants: [{ admin: 'superadmin' }, { admin: 'admin' }, { admin: 'admin' }],
    });
    expect(created.body).not.toHaveProperty('failed');
    const group = groupOf(world, textAt(created.body, 'id'));
    expect(ranks(group)).toEqual({ [ownNumber]: 'superadmin', [ada]: 'admin', [bob]: 'admin' });
    expect(await sharp(group.picture?.bytes).metadata()).toMatchObject({ format: 'jpeg', width: 64 });
    world.sandbox.faults.add({ kind: 'failNext', number: ownNumber, xmlns: 'w:profile:picture', code: 406 });
    const refused = await world.api('POST', '/group/create/sales', { ...groupBody, promoteParticipants: false });
    expect(refused.body).toMatchObject({
      pictureUrl: null,
      failed: [{ field: 'profilePicture', code: 'GROUP_REFUSED' }],
    });
    const plain = groupOf(world, textAt(refused.body, 'id'));
    expect(ranks(plain)).toEqual({ [ownNumber]: 'superadmin', [ada]: 'member', [bob]: 'member' });
    const unreadable = await world.api('POST', '/group/create/sales', {
      ...groupBody,
      profilePicture: 'bm8gcGljdHVyZQ==',
    });
    expect(unreadable).toMatchObject({
      status: 201,
      body: { failed: [{ field: 'profilePicture', code: 'INVALID_REQUEST' }] },
    });
    const wrong = await world.api('POST', '/group/create/sales', { ...groupBody, promoteParticipants: 'perhaps' });
    expect(wrong).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
    expect(world.sandbox.groups.listFor(world.sandbox.world.account(ownNumber))).toHaveLength(3);
  });

  it('POST /group/create rejects a group without a member on the platform', async () => {
    const world = await startLinked();
    const created = await world.api('POST', '/group/create/sales', { subject: 'X', participants: ['15550000000'] });
    expect(created.status).toBe(400);
    expect(created.body).toMatchObject({
      code: 'NUMBER_NOT_ON_PLATFORM',
      response: { message: [{ exists: false, jid: jid('15550000000'), number: '15550000000' }] },
    });
    expect(world.sandbox.groups.listFor(world.sandbox.world.account(ownNumber))).toEqual([]);
  });
});

describe('GET /group/findGroupInfos', () => {
  it.each([
    ['with', (id: string) => id],
    ['without', (id: string) => id.replace('@g.us', '')],
    ['with an encoded', (id: string) => encodeURIComponent(id)],
    ['with a doubly encoded', (id: string) => encodeURIComponent(encodeURIComponent(id))],
  ])('GET /group/findGroupInfos takes a group id %s @g.us', async (_, spell) => {
    const world = await startLinked();
    const group = createAdasGroup(world);
    const found = await world.api('GET', `/group/findGroupInfos/sales?groupJid=${spell(group.id)}`);
    expect(found.status).toBe(200);
    expect(schemaViolations('GroupRecord', found.body)).toBeUndefined();
    expect(found.body).toMatchObject({ id: group.id, subject: 'Theirs', owner: jid(ada), size: 3, pictureUrl: null });
    expect(at(found.body, 'participants')).toMatchObject([
      { id: jid(ada), admin: 'superadmin' },
      { id: jid(ownNumber), admin: null },
      { id: jid(bob), admin: null },
    ]);
  });

  it('GET /group/findGroupInfos names members by phone number in a group addressed by pn', async () => {
    const world = await startLinked();
    const { world: platform, groups } = world.sandbox;
    const [group] = groups.create(platform.account(ada), 'Old', [jid(ownNumber)], { addressing: 'pn' });
    const found = await world.api('GET', `/group/findGroupInfos/sales?groupJid=${group.id}`);
    expect(found.body).toMatchObject({
      owner: jid(ada),
      participants: [{ id: jid(ada), lid: expect.stringMatching(/@lid$/) }, { id: jid(ownNumber) }],
    });
  });

  it('GET /group/findGroupInfos answers 404 for an unknown group and for a group of others', async () => {
    const world = await startLinked();
    const bobsGroup = createAdasGroup(world, [bob]);
    const missing = await world.api('GET', `/group/findGroupInfos/sales?groupJid=${unknownGroup}`);
    expect(missing.status).toBe(404);
    expect(missing.body).toMatchObject({
      code: 'GROUP_NOT_FOUND',
      response: { message: ['Error fetching group', 'Error: item-not-found'] },
    });
    const foreign = await world.api('GET', `/group/findGroupInfos/sales?groupJid=${bobsGroup.id}`);
    expect(foreign.status).toBe(404);
    expect(foreign.body).toMatchObject({ code: 'GROUP_FORBIDDEN', error: 'Not Found' });
  });

  it('GET /group/findGroupInfos answers 504 when the platform does not answer', async () => {
    const world = await startLinked({ env: { QUERY_TIMEOUT: '200' } });
    world.expectErrors(/./);
    const group = createAdasGroup(world);
    world.sandbox.faults.add({ kind: 'stall', number: ownNumber });
    const found = await world.api('GET', `/group/findGroupInfos/sales?groupJid=${group.id}`);
    expect(found.status).toBe(504);
    expect(found.body).toMatchObject({ code: 'PLATFORM_TIMEOUT' });
  });
});

describe('GET /group/fetchAllGroups', () => {
  it('GET /group/fetchAllGroups lists the groups of the instance with and without participants', async () => {
    const world = await startLinked();
    const groups = [createAdasGroup(world), createAdasGroup(world)];
    createAdasGroup(world, [bob]);
    const withoutParticipants = await world.api('GET', '/group/fetchAllGroups/sales?getParticipants=false');
    expect(withoutParticipants.status).toBe(200);
    expect(withoutParticipants.body).toMatchObject(
      groups.map(({ id }) => ({ id, subject: 'Theirs', size: 3, pictureUrl: null })),
    );
    expect(JSON.stringify(withoutParticipants.body)).not.toContain('participants');
    const withParticipants = await world.api('GET', '/group/fetchAllGroups/sales?getParticipants=true');
    expect(withParticipants.body).toMatchObject(
      groups.map(() => ({ participants: [{ id: jid(ada) }, { id: jid(ownNumber) }, {}] })),
    );
  });

  it('GET /group/fetchAllGroups answers an empty list without groups, and 400 without getParticipants', async () => {
    const world = await startLinked();
    const withoutGroups = await world.api('GET', '/group/fetchAllGroups/sales?getParticipants=true');
    expect(withoutGroups).toMatchObject({ status: 200, body: [] });
    const missing = await world.api('GET', '/group/fetchAllGroups/sales');
    expect(missing.status).toBe(400);
    expect(JSON.stringify(missing.body)).toContain('getParticipants');
  });

  it('GET /group/fetchAllGroups answers 504, not an empty list, when the platform does not answer', async () => {
    const world = await startLinked({ env: { QUERY_TIMEOUT: '200' } });
    world.expectErrors(/./);
    world.sandbox.faults.add({ kind: 'stall', number: ownNumber });
    const answer = await world.api('GET', '/group/fetchAllGroups/sales?getParticipants=true');
    expect(answer).toMatchObject({ status: 504, body: { code: 'PLATFORM_TIMEOUT' } });
  });
});

describe('/group/updateParticipant', () => {
  it('updateParticipant adds, promotes, demotes and removes, by PUT and POST, with the group in query or body', async () => {
    const world = await startLinked();
    const group = await createOwnGroup(world);
    const query = `/group/updateParticipant/sales?groupJid=${group.id}`;
    const added = await world.api('PUT', query, { action: 'add', participants: [eve] });
    expect(added.status).toBe(201);
    expect(added.body).toMatchObject({ updateParticipants: [{ status: '200', jid: jid(eve) }] });
    expect(schemaViolations('ParticipantsResult', added.body)).toBeUndefined();
    expect(ranks(group)).toHaveProperty(eve, 'member');
    const promoted = await world.api('POST', '/group/updateParticipant/sales', {
      groupJid: group.id.replace('@g.us', ''),
      action: 'promote',
      participants: [eve],
    });
    expect(promoted).toMatchObject({ status: 201, body: { updateParticipants: [{ status: '200', jid: jid(eve) }] } });
    expect(ranks(group)).toHaveProperty(eve, 'admin');
    await world.api('PUT', query, { action: 'demote', participants: [jid(eve)] });
    expect(ranks(group)).toHaveProperty(eve, 'member');
    await world.api('PUT', query, { action: 'remove', participants: [eve, ada] });
    expect(ranks(group)).toEqual({ [ownNumber]: 'superadmin', [bob]: 'member' });
  });

  it('updateParticipant answers a status for each participant', async () => {
    const world = await startLinked();
    const group = await createOwnGroup(world);
    world.sandbox.world.account(eve).privacy.set('groupadd', 'none');
    const path = `/group/updateParticipant/sales?groupJid=${group.id}`;
    const added = await world.api('PUT', path, { action: 'add', participants: [eve, ada, '15550000000'] });
    expect(added.status).toBe(201);
    expect(added.body).toMatchObject({
      updateParticipants: [
        { status: '403', jid: jid(eve) },
        { status: '409', jid: jid(ada) },
        { status: '404', jid: jid('15550000000') },
      ],
    });
    const removed = await world.api('PUT', path, { action: 'remove', participants: [eve] });
    expect(removed).toMatchObject({ status: 201, body: { updateParticipants: [{ status: '404', jid: jid(eve) }] } });
  });

  it('updateParticipant answers 400 to a plain member, to a non-member, and for an unknown group', async () => {
    const world = await startLinked();
    const body = { action: 'add', participants: [eve] };
    const change = (id: string) => world.api('PUT', `/group/updateParticipant/sales?groupJid=${id}`, body);
    const refused = { status: 400, body: { code: 'GROUP_FORBIDDEN', error: 'Bad Request' } };
    const answer = await change(createAdasGroup(world).id);
    expect(answer).toMatchObject(refused);
    expect(at(answer.body, 'response.message')).toEqual(['Error updating participants', 'Error: forbidden']);
    expect(await change(createAdasGroup(world, [bob]).id)).toMatchObject(refused);
    expect(await change(unknownGroup)).toMatchObject({ status: 400, body: { code: 'GROUP_NOT_FOUND' } });
  });
});

describe('group operations', () => {
  it('GET /group/findGroupInfos answers 400 with INSTANCE_NOT_OPEN while the instance is closed', async () => {
    const world = await startWorld();
    await world.api('POST', '/instance/create', { instanceName: 'closed' });
    const answer = await world.api('GET', `/group/findGroupInfos/closed?groupJid=${unknownGroup}`);
    expect(answer).toMatchObject({ status: 400, body: { code: 'INSTANCE_NOT_OPEN' } });
  });
});
