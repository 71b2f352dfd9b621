// Receivers that fail sometimes or always: the posts to them, and the signs of the outage in the log, the API and the
// metrics.
import { describe, expect, it } from 'vitest';
import { at } from '../support/api.ts';
import { isEvent, KEY, startWorld } from '../support/gateway.ts';
import type { Post } from '../support/receiver.ts';

const mine = '15550009401';
const contacts = ['15550009402', '15550009403', '15550009404'];

/** The text of a posted message; undefined for other events. */
function textOf({ body }: Post): string | undefined {
  if (!isEvent(body, 'messages.upsert')) return undefined;
  const text = at(body, 'data.message.conversation');
  return typeof text === 'string' ? text : undefined;
}
/** The texts of the posts that the receiver has accepted, in order. */
const acceptedTexts = (posts: readonly Post[]) =>
  posts.filter(({ status }) => status === 200).flatMap((post) => textOf(post) ?? []);

describe('receivers that fail on one event in five', () => {
  it('a receiver that fails on one event in five gets all events in order per chat, without the retry schedule', async () => {
    // A pause of the retry schedule would be longer than the timeout of the test.
    const world = await startWorld({ env: { WEBHOOK_RETRY_SCHEDULE: '600' } });
    await world.link('shop', mine);
    const numberOf = (post: Post) => Number(textOf(post)?.split(' ')[1] ?? 1);
    world.receiver.answer((post) => {
      const failures = numberOf(post) % 25 === 0 ? 3 : numberOf(post) % 5 === 0 ? 1 : 0;
      return post.attempt <= failures ? 500 : 200;
    });
    const texts = contacts.map((_, chat) => Array.from({ length: 30 }, (_, n) => `${chat} ${n}`));
    const sending = contacts.map(async (number, chat) => {
      const phone = world.sandbox.phones.phone(number);
      for (const text of texts[chat] ?? []) await phone.send(mine, { text });
    });
    await Promise.all(sending);
    await Promise.all(
      texts.map((chatTexts) => world.receiver.next((post) => textOf(post) === chatTexts.at(-1) && post.status === 200)),
    );
    for (const [chat, expected] of texts.entries())
      expect(acceptedTexts(world.receiver.posts).filter((text) => text.startsWith(`${chat} `))).toEqual(expected);
    expect(world.receiver.posts.filter(({ status }) => status === 500)).toHaveLength(3 * (3 + 3 + 4));
    expect(world.log.filter(({ msg }) => msg === 'webhook.paused')).toEqual([]);
  });
});

describe('receivers that answer 401 to all posts', () => {
  it('a receiver that answers 401 is reported as down, and gets all events in order once it accepts the header', async () => {
    // Ten failures open the breaker of a receiver that has accepted posts within the last minute.
    const world = await startWorld({ config: { webhookRetrySchedule: [...Array<number>(12).fill(20), 600_000] } });
    await world.link('shop', mine);
    const isAllowed = ({ headers }: Post) => headers['x-token'] === 'new';
    world.receiver.answer((post) => (isAllowed(post) ? 200 : 401));
    const texts = ['one', 'two', 'three', 'four'];
    const phone = world.sandbox.phones.phone(contacts[0] ?? '');
    for (const text of texts) await phone.send(mine, { text });
    const paused = await world.logged(({ msg }) => msg === 'webhook.paused');
    expect(paused).toMatchObject({ level: 40, instance: 'shop', failures: 10, code: 401 });
    const linesBefore = world.log.length;
    await world.logged(
      ({ msg, next }) => msg === 'webhook.attempted' && Date.parse(String(next)) > Date.now() + 200_000,
    );

    const fetchEndpoint = async () => at((await world.api('GET', '/webhook/deliveries/shop')).body, 'endpoints.0');
    // The first text alone pauses the receiver. The gateway can store the other texts later.
    const waitingCount = async () => Number(at(await fetchEndpoint(), 'waiting'));
    await expect.poll(waitingCount).toBeGreaterThanOrEqual(texts.length);
    const endpoint = await fetchEndpoint();
    expect(endpoint).toMatchObject({
      ...{ dead: 0, enabled: true, breakerOpenUntil: expect.any(String), failingSince: expect.any(String) },
      lastFailure: { status: 401, error: null },
    });
    expect(Number(at(endpoint, 'consecutiveFailures'))).toBeGreaterThanOrEqual(10);
    const metrics = await fetch(`${world.api.url}/metrics`, { headers: { apikey: KEY } });
    expect(await metrics.text()).toContain('gateway_webhook_receivers{breaker="open"} 1');
    expect(world.log.slice(linesBefore).filter(({ msg }) => msg === 'webhook.paused')).toEqual([]);

    // The body has the form in the documentation of the gateway that most clients were written for.
    const headers = { 'x-token': 'new', 'Content-Type': 'application/json' };
    const set = await world.api('POST', '/webhook/set/shop', { webhook: { url: world.receiver.url, headers } });
    expect(set.status).toBe(201);
    await world.receiver.next((post) => textOf(post) === 'four' && post.status === 200);
    expect(acceptedTexts(world.receiver.posts)).toEqual(texts);
    const deadDeliveries = (await world.api('GET', '/webhook/deliveries/shop?state=dead')).body;
    expect(at(deadDeliveries, 'deliveries')).toEqual([]);
  });
});
