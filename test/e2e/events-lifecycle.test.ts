// Webhook events of the instance itself, from its creation to its deletion, and of restrictions of its account.
import { describe, expect, it } from 'vitest';
import { at, textAt } from '../support/api.ts';
import { isEvent, isState, KEY, startWorld, type World } from '../support/gateway.ts';

const mine = '15550006001';
const contact = '15550006002';
const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const waitForEvent = (world: World, event: string, after = 0) =>
  world.receiver.next((post) => isEvent(post.body, event, 'shop'), { after });

describe('lifecycle of an instance', () => {
  it('webhooks receive all lifecycle events of an instance, from instance.create to remove.instance as the last', async () => {
    const world = await startWorld();
    await world.link('shop', mine);
    const created = await waitForEvent(world, 'instance.create');
    const instanceId = textAt(created.body, 'data.instanceId');
    expect(at(created.body, 'data')).toEqual({ instanceName: 'shop', instanceId });
    expect(world.receiver.posts[0]).toBe(created);

    let postsBefore = world.receiver.posts.length;
    await world.restart();
    const startup = await waitForEvent(world, 'application.startup', postsBefore);
    expect(at(startup.body, 'data')).toEqual({
      instance: 'shop',
      instanceId,
      gatewayVersion: '0.1.0',
      startedAt: isoTime,
    });
    await world.receiver.next((post) => isState(post.body, 'shop', 'open'), { after: postsBefore });

    postsBefore = world.receiver.posts.length;
    await world.api('DELETE', '/instance/logout/shop');
    const closed = await waitForEvent(world, 'status.instance', postsBefore);
    expect(at(closed.body, 'data')).toMatchObject({
      ...{ instance: 'shop', instanceId, status: 'closed', disconnectionReasonCode: 401, disconnectionAt: isoTime },
    });
    const cause = JSON.parse(textAt(closed.body, 'data.disconnectionObject'));
    expect(cause.error.output).toMatchObject({ statusCode: 401, payload: { error: 'logout_requested' } });
    await waitForEvent(world, 'logout.instance', postsBefore);

    postsBefore = world.receiver.posts.length;
    const deleted = await world.api('DELETE', '/instance/delete/shop');
    expect(deleted.status).toBe(200);
    const names = world.receiver.posts.slice(postsBefore).map(({ body }) => textAt(body, 'event'));
    expect(names.slice(-2)).toEqual(['instance.delete', 'remove.instance']);
    expect(at(world.receiver.posts.at(-2)?.body, 'data')).toEqual({ instanceName: 'shop', instanceId });
    const starts = world.receiver.posts.filter(({ body }) => isEvent(body, 'application.startup'));
    expect(starts).toHaveLength(1);
  });

  it('an instance is posted as closed when another connection replaces it, and only subscribed events are posted', async () => {
    const world = await startWorld();
    await world.link('shop', mine);
    await world.api('POST', '/webhook/set/shop', { url: world.receiver.url, events: ['STATUS_INSTANCE'] });
    const postsBefore = world.receiver.posts.length;
    world.sandbox.faults.add({ kind: 'close', code: 440, number: mine });
    const closed = await waitForEvent(world, 'status.instance', postsBefore);
    expect(at(closed.body, 'data')).toMatchObject({ status: 'closed', disconnectionReasonCode: 440 });
    await world.restart();
    const state = await world.api('GET', '/instance/connectionState/shop', undefined, { apikey: KEY });
    expect(state.status).toBe(200);
    // Events of the instance are posted in order. The logout causes the last event, which is posted.
    const postsAfterRestart = world.receiver.posts.length;
    expect((await world.api('DELETE', '/instance/logout/shop')).status).toBe(200);
    await waitForEvent(world, 'status.instance', postsAfterRestart);
    const names = world.receiver.posts.slice(postsBefore).map(({ body }) => at(body, 'event'));
    expect(names).not.toContain('application.startup');
    expect(names).not.toContain('connection.update');
  });
});

describe('restrictions of an account', () => {
  it('instance.restricted is posted when a restriction is reported, found after a refused message, or lifted', async () => {
    const world = await startWorld();
    await world.link('shop', mine);
    const { restrictions, world: platform } = world.sandbox;
    const until = platform.now() + 3_600;
    const updateAfter = async (act: () => unknown) => {
      const postsBefore = world.receiver.posts.length;
      await act();
      return at((await waitForEvent(world, 'instance.restricted', postsBefore)).body, 'data');
    };
    const locked = { instance: 'shop', kind: 'new_chats_locked' };
    const unrestricted = { ...locked, restricted: false, reason: 'DEFAULT' };
    const restricted = {
      ...locked,
      restricted: true,
      reason: 'BIZ_QUALITY',
      until: new Date(until * 1000).toISOString(),
    };
    const lock = { reason: 'BIZ_QUALITY', until };

    // The platform does not report the restriction. The refused message makes the session query it.
    restrictions.setLock(mine, lock, { isSilent: true });
    const refused = await updateAfter(() =>
      world.api('POST', '/message/sendText/shop', { number: contact, textMessage: { text: 'Hello stranger' } }),
    );
    expect(refused).toMatchObject(restricted);
    const error = await world.receiver.next(
      (post) => isEvent(post.body, 'messages.update') && at(post.body, 'data.status') === 'ERROR',
    );
    expect(at(error.body, 'data')).toMatchObject({ code: '463', reason: 'account_restricted' });

    expect(await updateAfter(() => restrictions.setLock(mine, undefined))).toMatchObject(unrestricted);
    expect(await updateAfter(() => restrictions.setLock(mine, lock))).toMatchObject(restricted);
    // A repeated report is not posted. The next post reports the quota.
    const capped = await updateAfter(() => {
      restrictions.setLock(mine, lock);
      restrictions.setQuota(mine, { total: 50, used: 50, end: until });
    });
    const quota = { kind: 'new_chats_capped', restricted: true, reason: 'CAPPED', quota: { total: 50, used: 50 } };
    expect(capped).toMatchObject({ ...quota, until: restricted.until });
    const uncapped = await updateAfter(() => restrictions.setQuota(mine, undefined));
    expect(uncapped).toMatchObject({ kind: 'new_chats_capped', restricted: false, reason: 'NONE' });
  });
});
