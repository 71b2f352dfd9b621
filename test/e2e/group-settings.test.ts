import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import sharp from 'sharp';
import { describe, expect, it, onTestFinished } from 'vitest';
import { at } from '../support/api.ts';
import { ada, bob, createAdasGroup, createOwnGroup, jid, ownNumber, ranks, startLinked } from '../support/group.ts';
import { schemaViolations } from '../support/openapi-document.ts';

const unknownGroup = '120363000000000001@g.us';
const success = { status: 201, body: { update: 'success' } };

describe('/group/updateGroupSubject', () => {
  it('updateGroupSubject changes the subject of a group by PUT and POST, as plain text and wrapped', async () => {
    const world = await startLinked();
    const group = await createOwnGroup(world);
    const path = `/group/updateGroupSubject/sales?groupJid=${group.id}`;
    expect(await world.api('PUT', path, { subject: 'Neighbours' })).toMatchObject(success);
    expect(group.subject).toMatchObject({ text: 'Neighbours', by: { number: ownNumber } });
    const wrapped = { groupJid: group.id, subject: { subject: 'Friends' } };
    expect(await world.api('POST', '/group/updateGroupSubject/sales', wrapped)).toMatchObject(success);
    expect(group.subject.text).toBe('Friends');
    const read = await world.api('GET', `/group/findGroupInfos/sales?groupJid=${group.id}`);
    expect(read.body).toMatchObject({ subject: 'Friends', subjectOwner: jid(ownNumber) });
  });

  it('updateGroupSubject answers 403 where only admins may edit, and 404 for an unknown group', async () => {
    const world = await startLinked();
    const locked = createAdasGroup(world);
    world.sandbox.groups.setLocked(locked, world.sandbox.world.account(ada), true);
    const refused = await world.api('PUT', `/group/updateGroupSubject/sales?groupJid=${locked.id}`, {
      subject: 'Mine',
    });
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({
      code: 'GROUP_FORBIDDEN',
      response: { message: ['Error updating group subject', 'Error: forbidden'] },
    });
    expect(locked.subject.text).toBe('Theirs');
    const missing = await world.api('PUT', `/group/updateGroupSubject/sales?groupJid=${unknownGroup}`, {
      subject: 'Mine',
    });
    expect(missing).toMatchObject({ status: 404, body: { code: 'GROUP_NOT_FOUND' } });
  });
});

describe('/group/updateGroupDescription', () => {
  it('updateGroupDescription changes the description of a group repeatedly, and removes it', async () => {
    const world = await startLinked();
    const group = await createOwnGroup(world);
    const change = (description: unknown) =>
      world.api('PUT', `/group/updateGroupDescription/sales?groupJid=${group.id}`, { description });
    expect(await change('one')).toMatchObject(success);
    expect(group.description?.text).toBe('one');
    world.sandbox.groups.setDescription(group, world.sandbox.world.account(ownNumber), 'by the phone');
    expect(await change({ description: 'two' })).toMatchObject(success);
    expect(group.description).toMatchObject({ text: 'two', by: { number: ownNumber } });
    expect(await change('')).toMatchObject(success);
    expect(group.description?.text ?? '').toBe('');
  });

  it('updateGroupDescription answers 403 for a group of which the account is no member', async () => {
    const world = await startLinked();
    const path = `/group/updateGroupDescription/sales?groupJid=${createAdasGroup(world, [bob]).id}`;
    const refused = await world.api('PUT', path, { description: 'x' });
    expect(refused).toMatchObject({ status: 403, body: { code: 'GROUP_FORBIDDEN' } });
    expect(at(refused.body, 'response.message.0')).toBe('Error updating group description');
  });
});

describe('/group/updateGroupPicture', () => {
  const createPicture = async (width: number, height: number) => {
    const image = sharp({ create: { width, height, channels: 4, background: { r: 200, g: 30, b: 30, alpha: 1 } } });
    return image.png().toBuffer();
  };

  it.each([
    ['base64', (bytes: Buffer) => bytes.toString('base64')],
    ['a data URL', (bytes: Buffer) => `data:image/png;base64,${bytes.toString('base64')}`],
    ['an object', (bytes: Buffer) => ({ image: bytes.toString('base64') })],
  ])('updateGroupPicture takes %s and sets a square JPEG that all members see', async (_, form) => {
    const world = await startLinked();
    const group = await createOwnGroup(world);
    const fetchGroup = () => world.api('GET', `/group/findGroupInfos/sales?groupJid=${group.id}`);
    expect((await fetchGroup()).body).toMatchObject({ pictureUrl: null });
    const path = `/group/updateGroupPicture/sales?groupJid=${group.id}`;
    expect(await world.api('PUT', path, { image: form(await createPicture(1600, 900)) })).toMatchObject(success);
    const { format, width, height } = await sharp(group.picture?.bytes).metadata();
    expect({ format, width, height }).toEqual({ format: 'jpeg', width: 640, height: 640 });
    expect((await fetchGroup()).body).toMatchObject({ pictureUrl: expect.stringMatching(/^https?:/) });
    const list = await world.api('GET', '/group/fetchAllGroups/sales?getParticipants=false');
    expect(list.body).toMatchObject([{ pictureUrl: expect.stringMatching(/^https?:/) }]);
  });

  it('updateGroupPicture takes the URL of a picture', async () => {
    const png = await createPicture(300, 200);
    const site = createServer((_request, response) => response.setHeader('content-type', 'image/png').end(png));
    site.listen(0, '127.0.0.1');
    onTestFinished(() => void site.close());
    await once(site, 'listening');
    const world = await startLinked({ env: { EGRESS_ALLOW: '127.0.0.0/8' } });
    const group = await createOwnGroup(world);
    const { port } = site.address() as AddressInfo;
    const path = `/group/updateGroupPicture/sales?groupJid=${group.id}`;
    expect(await world.api('PUT', path, { image: `http://127.0.0.1:${port}/street.png` })).toMatchObject({
      status: 201,
    });
    expect(await sharp(group.picture?.bytes).metadata()).toMatchObject({ format: 'jpeg', width: 200, height: 200 });
  });

  it('updateGroupPicture answers 400 for an invalid picture or a private address, and 403 where only admins may edit', async () => {
    const world = await startLinked();
    const group = await createOwnGroup(world);
    const set = (id: string, image: string) =>
      world.api('POST', `/group/updateGroupPicture/sales?groupJid=${id}`, { image });
    expect(await set(group.id, 'bm8gcGljdHVyZQ==')).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
    const address = await set(group.id, 'http://127.0.0.1:9/street.jpg');
    expect(address, 'a private address').toMatchObject({ status: 400, body: { code: 'ADDRESS_FORBIDDEN' } });
    const locked = createAdasGroup(world);
    world.sandbox.groups.setLocked(locked, world.sandbox.world.account(ada), true);
    const refused = await set(locked.id, (await createPicture(20, 20)).toString('base64'));
    expect(refused).toMatchObject({ status: 403, body: { code: 'GROUP_FORBIDDEN' } });
    expect(at(refused.body, 'response.message.0')).toBe('Error update group picture');
  });
});

describe('/group/updateSetting', () => {
  it('updateSetting restricts writing and editing to admins, and allows both to all members again', async () => {
    const world = await startLinked();
    const group = await createOwnGroup(world);
    const path = `/group/updateSetting/sales?groupJid=${group.id}`;
    const steps = [
      ['announcement', { announcement: true, locked: false }],
      ['locked', { announcement: true, locked: true }],
      ['not_announcement', { announcement: false, locked: true }],
      ['unlocked', { announcement: false, locked: false }],
    ] as const;
    for (const [n, [action, state]] of steps.entries()) {
      const answer = await world.api(n % 2 ? 'POST' : 'PUT', path, { action });
      expect(answer).toMatchObject({ status: 201, body: {} });
      expect(group).toMatchObject(state);
    }
  });

  it('updateSetting answers 400 for an unknown action, and to a member who is not an admin', async () => {
    const world = await startLinked();
    const group = createAdasGroup(world);
    const path = `/group/updateSetting/sales?groupJid=${group.id}`;
    const unknownAction = await world.api('PUT', path, { action: 'open' });
    expect(unknownAction.body).toMatchObject({
      status: 400,
      response: { message: [{ property: 'instance.action', message: expect.stringContaining('enum values: announ') }] },
    });
    const refused = await world.api('PUT', path, { action: 'locked' });
    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({
      code: 'GROUP_FORBIDDEN',
      response: { message: ['Error updating setting', 'Error: forbidden'] },
    });
    expect(group.locked).toBe(false);
  });
});

describe('/group/toggleEphemeral', () => {
  it('toggleEphemeral sets the message timer of a group from a number or a text, and 0 removes it', async () => {
    const world = await startLinked();
    const group = await createOwnGroup(world);
    const path = `/group/toggleEphemeral/sales?groupJid=${group.id}`;
    expect(await world.api('PUT', path, { expiration: 86400 })).toMatchObject({ status: 201, body: { success: true } });
    expect(group.messageLifetime).toBe(86400);
    const read = await world.api('GET', `/group/findGroupInfos/sales?groupJid=${group.id}`);
    expect(read.body).toMatchObject({ ephemeralDuration: 86400 });
    expect(await world.api('POST', path, { expiration: '0' })).toMatchObject({ status: 201 });
    expect(group.messageLifetime).toBe(0);
  });

  it('toggleEphemeral accepts no other timer of a group than the four of WhatsApp', async () => {
    const world = await startLinked();
    const group = await createOwnGroup(world);
    const set = (expiration: unknown) =>
      world.api('PUT', `/group/toggleEphemeral/sales?groupJid=${group.id}`, { expiration });
    for (const expiration of [-1, 3600, 'soon', 86400.5]) expect(await set(expiration)).toMatchObject({ status: 400 });
    const [property, message] = ['instance.expiration', 'expiration is not one of enum values: 0,86400,604800,7776000'];
    expect(at((await set(1)).body, 'response.message')).toEqual([{ property, message }]);
    expect(group.messageLifetime).toBe(0);
  });
});

describe('invitations', () => {
  it('GET /group/inviteCode answers the code and the link', async () => {
    const world = await startLinked();
    const group = await createOwnGroup(world);
    const answer = await world.api('GET', `/group/inviteCode/sales?groupJid=${group.id}`);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      inviteUrl: `https://chat.whatsapp.com/${group.inviteCode}`,
      inviteCode: group.inviteCode,
    });
  });

  it('GET /group/inviteCode answers 404 to a member who is not an admin', async () => {
    const world = await startLinked();
    const answer = await world.api('GET', `/group/inviteCode/sales?groupJid=${createAdasGroup(world).id}`);
    expect(answer).toMatchObject({ status: 404, body: { code: 'GROUP_FORBIDDEN' } });
    expect(at(answer.body, 'response.message.0')).toBe('No invite code');
  });

  it.each([
    ['code', (code: string) => code],
    ['link', (code: string) => encodeURIComponent(`https://chat.whatsapp.com/${code}`)],
  ])('GET /group/inviteInfo reads a group by %s without joining it', async (_, spell) => {
    const world = await startLinked();
    const group = createAdasGroup(world, [bob]);
    const answer = await world.api('GET', `/group/inviteInfo/sales?inviteCode=${spell(group.inviteCode)}`);
    expect(answer.status).toBe(200);
    expect(schemaViolations('GroupRecord', answer.body)).toBeUndefined();
    expect(answer.body).toMatchObject({ id: group.id, subject: 'Theirs', size: 2 });
    expect(ranks(group)).not.toHaveProperty(ownNumber);
  });

  it('GET /group/inviteInfo answers 400 without a code and 404 for an unknown one', async () => {
    const world = await startLinked();
    for (const query of ['', '?inviteCode=']) {
      const answer = await world.api('GET', `/group/inviteInfo/sales${query}`);
      expect(answer.status).toBe(400);
      expect(JSON.stringify(answer.body)).toContain('inviteCode');
    }
    const missing = await world.api('GET', '/group/inviteInfo/sales?inviteCode=AAAAAAAAAAAAAAAAAAAAAA');
    expect(missing.status).toBe(404);
    expect(at(missing.body, 'response.message')).toEqual(['No invite info', 'AAAAAAAAAAAAAAAAAAAAAA']);
  });

  it('GET /group/acceptInviteCode joins a group, or requests to join where an admin has to approve', async () => {
    const world = await startLinked();
    const group = createAdasGroup(world, [bob]);
    const join = () => world.api('GET', `/group/acceptInviteCode/sales?inviteCode=${group.inviteCode}`);
    world.sandbox.groups.setApproval(group, world.sandbox.world.account(ada), true);
    expect(await join()).toMatchObject({ status: 200, body: { accepted: false, groupJid: group.id } });
    expect(ranks(group)).not.toHaveProperty(ownNumber);
    world.sandbox.groups.setApproval(group, world.sandbox.world.account(ada), false);
    expect(await join()).toMatchObject({ status: 200, body: { accepted: true, groupJid: group.id } });
    expect(ranks(group)).toHaveProperty(ownNumber, 'member');
  });

  it('GET /group/acceptInviteCode answers 404 for a revoked code', async () => {
    const world = await startLinked();
    const group = createAdasGroup(world, [bob]);
    const code = group.inviteCode;
    world.sandbox.groups.revokeInvite(group, world.sandbox.world.account(ada));
    const answer = await world.api('GET', `/group/acceptInviteCode/sales?inviteCode=${code}`);
    expect(answer).toMatchObject({ status: 404, body: { code: 'GROUP_NOT_FOUND' } });
    expect(at(answer.body, 'response.message.0')).toBe('Accept invite error');
  });
});
