// Receivers that fail now and then, and one that refuses everything: what a whole product posts to them, and what operators see of it.
import { describe, expect, it } from 'vitest';
import { at } from '../support/api.ts';
import { isEvent, KEY, startWorld } from '../support/gateway.ts';
import type { Post } from '../support/receiver.ts';

const mine = '15550009401';
const theirs = ['15550009402', '15550009403', '15550009404'];

/** What a posted message says, undefined for other events. */
function textOf({ body }: Post): string | undefined {
  if (!isEvent(body, 'messages.upsert')) return undefined;
  const text = at(body, 'data.message.conversation');
  return typeof text === 'string' ? text : undefined;
}
/** The texts that were taken, in that order. */
const taken = (posts: readonly Post[]) =>
  posts.filter(({ status }) => status === 200).flatMap((post) => textOf(post) ?? []);

describe('a receiver that fails on one event in five', () => {
  it('gets all events, in the order of each chat, without waiting for the schedule', async () => {
    // A pause of the schedule would hold the test for longer than it may run.
    const world = await startWorld({ env: { WEBHOOK_RETRY_SCHEDULE: '600' } });
    await world.link('shop', mine);
    const numberOf = (post: Post) => Number(textOf(post)?.split(' ')[1] ?? 1);
    world.receiver.answer((post) => {
      const times = numberOf(post) % 25 === 0 ? 3 : numberOf(post) % 5 === 0 ? 1 : 0;
      return post.attempt <= times ? 500 : 200;
    });
    const texts = theirs.map((_, chat) => Array.from({ length: 30 }, (_, n) => `${chat} ${n}`));
    const said = theirs.map(async (number, chat) => {
      const phone = world.sandbox.phones.phone(number);
      for (const text of texts[chat] ?? []) await phone.send(mine, { text });
    });
    await Promise.all(said);
    await Promise.all(
      texts.map((of) => world.receiver.next((post) => textOf(post) === of.at(-1) && post.status === 200)),
    );
    for (const [chat, wanted] of texts.entries())
      expect(taken(world.receiver.posts).filter((text) => text.startsWith(`${chat} `))).toEqual(wanted);
    expect(world.receiver.posts.filter(({ status }) => status === 500)).toHaveLength(3 * (3 + 3 + 4));
    expect(world.log.filter(({ msg }) => msg === 'webhook.paused')).toEqual([]);
  });
});

describe('a receiver that answers 401 to everything', () => {
  it('is shown as down, and gets everything in order once it knows the secret', async () => {
    // Ten failures open the breaker of a receiver that took posts within the last minute.
    const world = await startWorld({ config: { webhookRetrySchedule: [...Array<number>(12).fill(20), 600_000] } });
    await world.link('shop', mine);
    const isAllowed = ({ headers }: Post) => headers['x-token'] === 'new';
    world.receiver.answer((post) => (isAllowed(post) ? 200 : 401));
    const texts = ['one', 'two', 'three', 'four'];
    const phone = world.sandbox.phones.phone(theirs[0] ?? '');
    for (const text of texts) await phone.send(mine, { text });
    const paused = await world.logged(({ msg }) => msg === 'webhook.paused');
    expect(paused).toMatchObject({ level: 40, instance: 'shop', failures: 10, code: 401 });
    const mark = world.log.length;
    await world.logged(
      ({ msg, next }) => msg === 'webhook.attempted' && Date.parse(String(next)) > Date.now() + 200_000,
    );

    const { body } = await world.api('GET', '/webhook/deliveries/shop');
    expect(at(body, 'endpoints.0')).toMatchObject({
      ...{ dead: 0, enabled: true, breakerOpenUntil: expect.any(String), failingSince: expect.any(String) },
      lastFailure: { status: 401, error: null },
    });
    expect(Number(at(body, 'endpoints.0.consecutiveFailures'))).toBeGreaterThanOrEqual(10);
    expect(Number(at(body, 'endpoints.0.waiting'))).toBeGreaterThanOrEqual(texts.length);
    const scraped = await fetch(`${world.api.url}/metrics`, { headers: { apikey: KEY } });
    expect(await scraped.text()).toContain('gateway_webhook_receivers{breaker="open"} 1');
    expect(world.log.slice(mark).filter(({ msg }) => msg === 'webhook.paused')).toEqual([]);

    // As in the documentation of the gateway that most clients were written for.
    const headers = { 'x-token': 'new', 'Content-Type': 'application/json' };
    const set = await world.api('POST', '/webhook/set/shop', { webhook: { url: world.receiver.url, headers } });
    expect(set.status).toBe(201);
    await world.receiver.next((post) => textOf(post) === 'four' && post.status === 200);
    expect(taken(world.receiver.posts)).toEqual(texts);
    const after = (await world.api('GET', '/webhook/deliveries/shop?state=dead')).body;
    expect(at(after, 'deliveries')).toEqual([]);
  });
});
