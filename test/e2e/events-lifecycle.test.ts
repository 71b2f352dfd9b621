// What webhooks receive of an instance itself, from its creation to its end, and of what the platform holds against its account.
import { describe, expect, it } from 'vitest';
import { at, textAt } from '../support/api.ts';
import { isEvent, isState, KEY, startWorld, type World } from '../support/gateway.ts';

const mine = '15550006001';
const theirs = '15550006002';
const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const next = (world: World, event: string, after = 0) =>
  world.receiver.next((post) => isEvent(post.body, event, 'shop'), { after });

describe('the life of an instance', () => {
  it('is posted from its creation to its deletion, the deletion last', async () => {
    const world = await startWorld();
    await world.link('shop', mine);
    const created = await next(world, 'instance.create');
    const instanceId = textAt(created.body, 'data.instanceId');
    expect(at(created.body, 'data')).toEqual({ instanceName: 'shop', instanceId });
    expect(world.receiver.posts[0]).toBe(created);

    let seen = world.receiver.posts.length;
    await world.restart();
    const startup = await next(world, 'application.startup', seen);
    expect(at(startup.body, 'data')).toEqual({ instance: 'shop', instanceId, gatewayVersion: '0.1.0', startedAt: iso });
    await world.receiver.next((post) => isState(post.body, 'shop', 'open'), { after: seen });

    seen = world.receiver.posts.length;
    await world.api('DELETE', '/instance/logout/shop');
    const closed = await next(world, 'status.instance', seen);
    expect(at(closed.body, 'data')).toMatchObject({
      ...{ instance: 'shop', instanceId, status: 'closed', disconnectionReasonCode: 401, disconnectionAt: iso },
    });
    const cause = JSON.parse(textAt(closed.body, 'data.disconnectionObject'));
    expect(cause.error.output).toMatchObject({ statusCode: 401, payload: { error: 'logout_requested' } });
    await next(world, 'logout.instance', seen);

    seen = world.receiver.posts.length;
    const deleted = await world.api('DELETE', '/instance/delete/shop');
    expect(deleted.status).toBe(200);
    const names = world.receiver.posts.slice(seen).map(({ body }) => textAt(body, 'event'));
    expect(names.slice(-2)).toEqual(['instance.delete', 'remove.instance']);
    expect(at(world.receiver.posts.at(-2)?.body, 'data')).toEqual({ instanceName: 'shop', instanceId });
    const starts = world.receiver.posts.filter(({ body }) => isEvent(body, 'application.startup'));
    expect(starts).toHaveLength(1);
  });

  it('is posted as closed when another connection takes over, and nothing is posted without a subscription', async () => {
    const world = await startWorld();
    await world.link('shop', mine);
    await world.api('POST', '/webhook/set/shop', { url: world.receiver.url, events: ['STATUS_INSTANCE'] });
    const seen = world.receiver.posts.length;
    world.sandbox.faults.add({ kind: 'close', code: 440, number: mine });
    const closed = await next(world, 'status.instance', seen);
    expect(at(closed.body, 'data')).toMatchObject({ status: 'closed', disconnectionReasonCode: 440 });
    await world.restart();
    const state = await world.api('GET', '/instance/connectionState/shop', undefined, { apikey: KEY });
    expect(state.status).toBe(200);
    const names = world.receiver.posts.slice(seen).map(({ body }) => at(body, 'event'));
    expect(names).not.toContain('application.startup');
    expect(names).not.toContain('connection.update');
  });
});

describe('a restricted account', () => {
  it('is posted when the platform says so, when it refuses a message, and when it is over', async () => {
    const world = await startWorld();
    await world.link('shop', mine);
    const { restrictions, world: platform } = world.sandbox;
    const until = platform.now() + 3_600;
    const updateAfter = async (act: () => unknown) => {
      const seen = world.receiver.posts.length;
      await act();
      return at((await next(world, 'instance.restricted', seen)).body, 'data');
    };
    const locked = { instance: 'shop', kind: 'new_chats_locked' };
    const open = { ...locked, restricted: false, reason: 'DEFAULT' };
    const shut = { ...locked, restricted: true, reason: 'BIZ_QUALITY', until: new Date(until * 1000).toISOString() };
    const lock = { reason: 'BIZ_QUALITY', until };

    // The platform says nothing; only the refused message is a reason to ask.
    restrictions.setLock(mine, lock, { isSilent: true });
    const refused = await updateAfter(() =>
      world.api('POST', '/message/sendText/shop', { number: theirs, textMessage: { text: 'Hello stranger' } }),
    );
    expect(refused).toMatchObject(shut);
    const error = await world.receiver.next(
      (post) => isEvent(post.body, 'messages.update') && at(post.body, 'data.status') === 'ERROR',
    );
    expect(at(error.body, 'data')).toMatchObject({ code: '463', reason: 'account_restricted' });

    expect(await updateAfter(() => restrictions.setLock(mine, undefined))).toMatchObject(open);
    expect(await updateAfter(() => restrictions.setLock(mine, lock))).toMatchObject(shut);
    // The same once more is no news; the next that is posted is the quota.
    const capped = await updateAfter(() => {
      restrictions.setLock(mine, lock);
      restrictions.setQuota(mine, { total: 50, used: 50, end: until });
    });
    const quota = { kind: 'new_chats_capped', restricted: true, reason: 'CAPPED', quota: { total: 50, used: 50 } };
    expect(capped).toMatchObject({ ...quota, until: shut.until });
    const free = await updateAfter(() => restrictions.setQuota(mine, undefined));
    expect(free).toMatchObject({ kind: 'new_chats_capped', restricted: false, reason: 'NONE' });
  });
});
