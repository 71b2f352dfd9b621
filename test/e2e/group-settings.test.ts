import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import sharp from 'sharp';
import { describe, expect, it, onTestFinished } from 'vitest';
import { violations } from '../contract/document.ts';
import { at } from '../support/api.ts';
import { ada, adasGroup, bob, jid, linked, mine, ownGroup, ranks } from '../support/group.ts';

const unknown = '120363000000000001@g.us';
const done = { status: 201, body: { update: 'success' } };

describe('/group/updateGroupSubject', () => {
  it('changes the name, by PUT and POST, as text and wrapped', async () => {
    const world = await linked();
    const group = await ownGroup(world);
    const path = `/group/updateGroupSubject/sales?groupJid=${group.id}`;
    expect(await world.api('PUT', path, { subject: 'Neighbours' })).toMatchObject(done);
    expect(group.subject).toMatchObject({ text: 'Neighbours', by: { number: mine } });
    const wrapped = { groupJid: group.id, subject: { subject: 'Friends' } };
    expect(await world.api('POST', '/group/updateGroupSubject/sales', wrapped)).toMatchObject(done);
    expect(group.subject.text).toBe('Friends');
    const read = await world.api('GET', `/group/findGroupInfos/sales?groupJid=${group.id}`);
    expect(read.body).toMatchObject({ subject: 'Friends', subjectOwner: jid(mine) });
  });

  it('answers 403 where only admins may, 404 for an unknown group', async () => {
    const world = await linked();
    const locked = adasGroup(world);
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
    const missing = await world.api('PUT', `/group/updateGroupSubject/sales?groupJid=${unknown}`, { subject: 'Mine' });
    expect(missing).toMatchObject({ status: 404, body: { code: 'GROUP_NOT_FOUND' } });
  });
});

describe('/group/updateGroupDescription', () => {
  it('changes the description again and again, and removes it', async () => {
    const world = await linked();
    const group = await ownGroup(world);
    const change = (description: unknown) =>
      world.api('PUT', `/group/updateGroupDescription/sales?groupJid=${group.id}`, { description });
    expect(await change('one')).toMatchObject(done);
    expect(group.description?.text).toBe('one');
    world.sandbox.groups.setDescription(group, world.sandbox.world.account(mine), 'by the phone');
    expect(await change({ description: 'two' })).toMatchObject(done);
    expect(group.description).toMatchObject({ text: 'two', by: { number: mine } });
    expect(await change('')).toMatchObject(done);
    expect(group.description?.text ?? '').toBe('');
  });

  it('answers 403 for a group we are not in', async () => {
    const world = await linked();
    const path = `/group/updateGroupDescription/sales?groupJid=${adasGroup(world, [bob]).id}`;
    const refused = await world.api('PUT', path, { description: 'x' });
    expect(refused).toMatchObject({ status: 403, body: { code: 'GROUP_FORBIDDEN' } });
    expect(at(refused.body, 'response.message.0')).toBe('Error updating group description');
  });
});

describe('/group/updateGroupPicture', () => {
  const picture = async (width: number, height: number) => {
    const image = sharp({ create: { width, height, channels: 4, background: { r: 200, g: 30, b: 30, alpha: 1 } } });
    return image.png().toBuffer();
  };

  it.each([
    ['base64', (bytes: Buffer) => bytes.toString('base64')],
    ['a data URL', (bytes: Buffer) => `data:image/png;base64,${bytes.toString('base64')}`],
    ['an object', (bytes: Buffer) => ({ image: bytes.toString('base64') })],
  ])('takes %s and sets a square JPEG that all members see', async (_, form) => {
    const world = await linked();
    const group = await ownGroup(world);
    const read = () => world.api('GET', `/group/findGroupInfos/sales?groupJid=${group.id}`);
    expect((await read()).body).toMatchObject({ pictureUrl: null });
    const path = `/group/updateGroupPicture/sales?groupJid=${group.id}`;
    expect(await world.api('PUT', path, { image: form(await picture(1600, 900)) })).toMatchObject(done);
    const { format, width, height } = await sharp(group.picture?.bytes).metadata();
    expect({ format, width, height }).toEqual({ format: 'jpeg', width: 640, height: 640 });
    expect((await read()).body).toMatchObject({ pictureUrl: expect.stringMatching(/^https?:/) });
    const all = await world.api('GET', '/group/fetchAllGroups/sales?getParticipants=false');
    expect(all.body).toMatchObject([{ pictureUrl: expect.stringMatching(/^https?:/) }]);
  });

  it('takes the address of a picture', async () => {
    const png = await picture(300, 200);
    const site = createServer((_request, response) => response.setHeader('content-type', 'image/png').end(png));
    site.listen(0, '127.0.0.1');
    onTestFinished(() => void site.close());
    await once(site, 'listening');
    const world = await linked({ env: { EGRESS_ALLOW: '127.0.0.0/8' } });
    const group = await ownGroup(world);
    const { port } = site.address() as AddressInfo;
    const path = `/group/updateGroupPicture/sales?groupJid=${group.id}`;
    expect(await world.api('PUT', path, { image: `http://127.0.0.1:${port}/street.png` })).toMatchObject({
      status: 201,
    });
    expect(await sharp(group.picture?.bytes).metadata()).toMatchObject({ format: 'jpeg', width: 200, height: 200 });
  });

  it('answers 400 for what is no picture, 403 where only admins may', async () => {
    const world = await linked();
    const group = await ownGroup(world);
    const set = (id: string, image: string) =>
      world.api('POST', `/group/updateGroupPicture/sales?groupJid=${id}`, { image });
    expect(await set(group.id, 'bm8gcGljdHVyZQ==')).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
    const address = await set(group.id, 'http://127.0.0.1:9/street.jpg');
    expect(address, 'a private address').toMatchObject({ status: 400, body: { code: 'ADDRESS_FORBIDDEN' } });
    const locked = adasGroup(world);
    world.sandbox.groups.setLocked(locked, world.sandbox.world.account(ada), true);
    const refused = await set(locked.id, (await picture(20, 20)).toString('base64'));
    expect(refused).toMatchObject({ status: 403, body: { code: 'GROUP_FORBIDDEN' } });
    expect(at(refused.body, 'response.message.0')).toBe('Error update group picture');
  });
});

describe('/group/updateSetting', () => {
  it('lets only admins write or edit, and all members again', async () => {
    const world = await linked();
    const group = await ownGroup(world);
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

  it('answers 400 for another action, and for those who are no admin', async () => {
    const world = await linked();
    const group = adasGroup(world);
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
  it('sets when messages disappear, as number or text, and keeps them again', async () => {
    const world = await linked();
    const group = await ownGroup(world);
    const path = `/group/toggleEphemeral/sales?groupJid=${group.id}`;
    expect(await world.api('PUT', path, { expiration: 86400 })).toMatchObject({ status: 201, body: { success: true } });
    expect(group.messageLifetime).toBe(86400);
    const read = await world.api('GET', `/group/findGroupInfos/sales?groupJid=${group.id}`);
    expect(read.body).toMatchObject({ ephemeralDuration: 86400 });
    expect(await world.api('POST', path, { expiration: '0' })).toMatchObject({ status: 201 });
    expect(group.messageLifetime).toBe(0);
  });

  it('knows four times only', async () => {
    const world = await linked();
    const group = await ownGroup(world);
    const set = (expiration: unknown) =>
      world.api('PUT', `/group/toggleEphemeral/sales?groupJid=${group.id}`, { expiration });
    for (const expiration of [-1, 3600, 'soon', 86400.5]) expect(await set(expiration)).toMatchObject({ status: 400 });
    const [property, message] = ['instance.expiration', 'expiration is not one of enum values: 0,86400,604800,7776000'];
    expect(at((await set(1)).body, 'response.message')).toEqual([{ property, message }]);
    expect(group.messageLifetime).toBe(0);
  });
});

describe('invitations', () => {
  it('GET /group/inviteCode reads the link', async () => {
    const world = await linked();
    const group = await ownGroup(world);
    const answer = await world.api('GET', `/group/inviteCode/sales?groupJid=${group.id}`);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      inviteUrl: `https://chat.whatsapp.com/${group.inviteCode}`,
      inviteCode: group.inviteCode,
    });
  });

  it('GET /group/inviteCode answers 404 to those who are no admin', async () => {
    const world = await linked();
    const answer = await world.api('GET', `/group/inviteCode/sales?groupJid=${adasGroup(world).id}`);
    expect(answer).toMatchObject({ status: 404, body: { code: 'GROUP_FORBIDDEN' } });
    expect(at(answer.body, 'response.message.0')).toBe('No invite code');
  });

  it.each([
    ['code', (code: string) => code],
    ['link', (code: string) => encodeURIComponent(`https://chat.whatsapp.com/${code}`)],
  ])('GET /group/inviteInfo looks at a group by %s, without joining', async (_, spell) => {
    const world = await linked();
    const group = adasGroup(world, [bob]);
    const answer = await world.api('GET', `/group/inviteInfo/sales?inviteCode=${spell(group.inviteCode)}`);
    expect(answer.status).toBe(200);
    expect(violations('GroupRecord', answer.body)).toBeUndefined();
    expect(answer.body).toMatchObject({ id: group.id, subject: 'Theirs', size: 2 });
    expect(ranks(group)).not.toHaveProperty(mine);
  });

  it('GET /group/inviteInfo answers 400 without a code and 404 for an unknown one', async () => {
    const world = await linked();
    for (const query of ['', '?inviteCode=']) {
      const answer = await world.api('GET', `/group/inviteInfo/sales${query}`);
      expect(answer.status).toBe(400);
      expect(JSON.stringify(answer.body)).toContain('inviteCode');
    }
    const missing = await world.api('GET', '/group/inviteInfo/sales?inviteCode=AAAAAAAAAAAAAAAAAAAAAA');
    expect(missing.status).toBe(404);
    expect(at(missing.body, 'response.message')).toEqual(['No invite info', 'AAAAAAAAAAAAAAAAAAAAAA']);
  });

  it('GET /group/acceptInviteCode joins, or asks an admin to be let in', async () => {
    const world = await linked();
    const group = adasGroup(world, [bob]);
    const join = () => world.api('GET', `/group/acceptInviteCode/sales?inviteCode=${group.inviteCode}`);
    world.sandbox.groups.setApproval(group, world.sandbox.world.account(ada), true);
    expect(await join()).toMatchObject({ status: 200, body: { accepted: false, groupJid: group.id } });
    expect(ranks(group)).not.toHaveProperty(mine);
    world.sandbox.groups.setApproval(group, world.sandbox.world.account(ada), false);
    expect(await join()).toMatchObject({ status: 200, body: { accepted: true, groupJid: group.id } });
    expect(ranks(group)).toHaveProperty(mine, 'member');
  });

  it('GET /group/acceptInviteCode answers 404 for a revoked code', async () => {
    const world = await linked();
    const group = adasGroup(world, [bob]);
    const code = group.inviteCode;
    world.sandbox.groups.revokeInvite(group, world.sandbox.world.account(ada));
    const answer = await world.api('GET', `/group/acceptInviteCode/sales?inviteCode=${code}`);
    expect(answer).toMatchObject({ status: 404, body: { code: 'GROUP_NOT_FOUND' } });
    expect(at(answer.body, 'response.message.0')).toBe('Accept invite error');
  });
});
