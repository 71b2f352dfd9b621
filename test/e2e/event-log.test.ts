// An integrator that reads events instead of receiving them, one that was away, and an operator who looks at the results of posts.
import { once } from 'node:events';
import { request } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { at } from '../support/api.ts';
import { isEvent, KEY, type LogLine, startWorld, type World } from '../support/gateway.ts';

const mine = '15550009101';
const theirs = '15550009102';

const textOf = (event: unknown) =>
  (event as { data?: { message?: { conversation?: string } } }).data?.message?.conversation;
const isText = (text: string) => (post: { body: unknown }) =>
  isEvent(post.body, 'messages.upsert') && textOf(post.body) === text;

interface Received {
  id: string;
  event: string;
  data: Record<string, unknown>;
}

/** A client of the stream: what it received, and whether the other side ended it. */
async function listen(world: World, path: string, headers: Record<string, string> = {}) {
  const inbound: Received[] = [];
  const looks = new Set<() => void>();
  const asked = request(`${world.api.url}${path}`, {
    headers: { apikey: KEY, accept: 'text/event-stream', ...headers },
  });
  asked.end();
  const [response] = await once(asked, 'response');
  onTestFinished(() => void asked.destroy());
  let rest = '';
  response.setEncoding('utf8').on('data', (chunk: string) => {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = Object.fromEntries(block.split('\n').map((line) => /^(\w*): (.*)$/s.exec(line)?.slice(1) ?? []));
      if (fields.data) inbound.push({ id: fields.id, event: fields.event, data: JSON.parse(fields.data) });
    }
    for (const look of [...looks]) look();
  });
  const ended = once(response, 'end');
  // One that is still open when the test ends is cut off.
  ended.catch(() => undefined);
  const first = (matches: (inbound: Received) => boolean) =>
    new Promise<Received>((resolve) => {
      const look = () => {
        const found = inbound.find(matches);
        if (!found) return;
        looks.delete(look);
        resolve(found);
      };
      looks.add(look);
      look();
    });
  return {
    response,
    inbound,
    ended,
    leave: () => asked.destroy(),
    first,
    until: (text: string) => first(({ data }) => textOf(data) === text),
  };
}

const read = async (world: World, query = '') => {
  const { status, body } = await world.api('GET', `/events/shop${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body as { events: Record<string, unknown>[]; next: string };
};

describe('events', () => {
  it('are read in order behind a cursor, by one who was away over a restart, and received as they happen', async () => {
    const world = await startWorld();
    await world.link('shop', mine);
    const phone = world.sandbox.phones.phone(theirs);
    await phone.send(mine, { text: 'first' });
    const post = await world.receiver.next(isText('first'));
    const before = await read(world, '?limit=1000');
    const first = before.events.find((event) => textOf(event) === 'first');
    // The very event that was posted, under the same names.
    expect(first).toMatchObject({
      id: post.headers['webhook-id'],
      seq: Number(post.headers['webhook-seq']),
      instance: 'shop',
    });
    expect(before.events.map(({ seq }) => seq)).toEqual(
      before.events.map(({ seq }) => Number(seq)).sort((a, b) => a - b),
    );

    // No webhook gets posts any more, and the reader is away.
    await world.api('POST', '/webhook/set/shop', { enabled: false, url: '' });
    for (const text of ['second', 'third']) await phone.send(mine, { text });
    await world.restart();
    const live = await listen(world, `/events/shop?types=messages.upsert&after=${before.next}`);
    expect(live.response.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    const second = await live.until('second');
    await live.until('third');
    await phone.send(mine, { text: 'fourth' });
    await live.until('fourth');
    expect(live.inbound.map(({ data }) => textOf(data))).toEqual(['second', 'third', 'fourth']);
    expect(live.inbound.map(({ event }) => event)).toEqual(Array(3).fill('messages.upsert'));

    // A page at a time, and the stream from a place in the middle: the same events.
    let after = before.next;
    const paged: unknown[] = [];
    for (;;) {
      const page = await read(world, `?limit=2&types=MESSAGES_UPSERT&after=${after}`);
      paged.push(...page.events);
      if (page.events.length === 0) break;
      after = page.next;
    }
    expect(paged).toEqual(live.inbound.map(({ data }) => data));
    const again = await listen(world, '/events/shop?types=messages.upsert', { 'last-event-id': second.id });
    await again.until('fourth');
    expect(again.inbound.map(({ data }) => textOf(data))).toEqual(['third', 'fourth']);
    const fresh = await listen(world, '/events/shop?after=latest');
    await phone.send(mine, { text: 'fifth' });
    await fresh.until('fifth');
    expect(fresh.inbound.filter(({ event }) => event === 'messages.upsert')).toHaveLength(1);

    // Deletion posts its events, and ends the streams.
    await world.api('DELETE', '/instance/delete/shop');
    await Promise.all([live.ended, again.ended, fresh.ended]);
    expect(fresh.inbound.map(({ event }) => event)).toContain('remove.instance');
  });

  it('end with the gateway, are refused without a key, with nonsense and with places that are gone', async () => {
    const world = await startWorld();
    await world.api('POST', '/instance/create', { instanceName: 'shop' });
    await world.api('POST', '/instance/create', { instanceName: 'other' });
    const { next } = await read(world);
    const foreign = (await world.api('GET', '/events/other')).body as { next: string };
    for (const [query, status, code, message] of [
      ['?after=nonsense', 400, 'INVALID_REQUEST', 'after'],
      ['?types=messages.upsert,nonsense', 400, 'INVALID_REQUEST', 'nonsense'],
      ['?types=,', 400, 'INVALID_REQUEST', 'types'],
      ['?limit=0', 400, 'INVALID_REQUEST', 'limit'],
      [`?after=${foreign.next}`, 410, 'CURSOR_EXPIRED', 'after'],
    ] as const) {
      const answer = await world.api('GET', `/events/shop${query}`);
      expect(answer, query).toMatchObject({ status, body: { code } });
      expect(JSON.stringify(answer.body)).toContain(message);
    }
    for (const headers of [{ apikey: 'wrong' }, { apikey: '' }]) {
      expect((await listen(world, '/events/shop', headers)).response.statusCode).toBe(401);
    }
    const streams = await Promise.all(Array.from({ length: 16 }, () => listen(world, `/events/shop?after=${next}`)));
    const many = await listen(world, '/events/shop');
    expect([many.response.statusCode, many.response.headers['retry-after']]).toEqual([429, '15']);
    const bad = await listen(world, '/events/other', { 'last-event-id': 'nonsense' });
    expect(bad.response.statusCode).toBe(400);
    await world.gateway.stop();
    await Promise.all(streams.map(({ ended }) => ended));
  });
});

describe('posts', () => {
  it('are listed with the health of their receiver, and replayed', async () => {
    const world = await startWorld({ env: { WEBHOOK_RETRY_SCHEDULE: '30' } });
    await world.link('shop', mine);
    // A post that gets through later would end the failures that are counted here.
    await world.receiver.next(({ body }) => isEvent(body, 'history.progress') && at(body, 'data.done') === true);
    const phone = world.sandbox.phones.phone(theirs);
    const since = new Date().toISOString();
    await phone.send(mine, { text: 'taken' });
    const taken = await world.receiver.next(isText('taken'));
    const id = taken.headers['webhook-id'];
    world.receiver.answer((post) => (isText('down')(post) ? 503 : 200));
    await phone.send(mine, { text: 'down' });
    const held = await world.receiver.next(isText('down'));
    const isHeld = (line: LogLine) => line.msg === 'webhook.attempted' && line.id === held.headers['webhook-id'];
    // The quick retries are over then.
    await world.logged((line) => isHeld(line) && line.attempt === 4);

    const list = async (query = '') => (await world.api('GET', `/webhook/deliveries/shop${query}`)).body;
    const waiting = await list('?state=waiting');
    expect(at(waiting, 'deliveries.0')).toMatchObject({
      id: held.headers['webhook-id'],
      ...{ event: 'messages.upsert', state: 'waiting', attempts: 4, lastStatus: 503, settledAt: null },
      endpoint: { url: world.receiver.url },
    });
    expect(at(waiting, 'endpoints.0')).toMatchObject({ waiting: 1, dead: 0, enabled: true, consecutiveFailures: 4 });
    expect(at(waiting, 'endpoints.0.lastFailure')).toMatchObject({ status: 503, error: null });
    expect(at(waiting, 'endpoints.0.failingSince')).toEqual(expect.any(String));
    expect(JSON.stringify(await list('?state=delivered'))).toContain(id);
    const [page] = [await list('?limit=1')];
    expect(at(page, 'deliveries')).toHaveLength(1);
    const rest = await list(`?cursor=${at(page, 'next')}&limit=200`);
    expect(JSON.stringify(rest)).not.toContain(String(at(page, 'deliveries.0.id')));

    const replay = (body: unknown) => world.api('POST', '/webhook/replay/shop', body);
    for (const [body, field] of [
      [{}, 'since'],
      [{ dead: false }, 'dead'],
      [{ since: 'yesterday' }, 'since'],
      [{ until: '2026-13-45T00:00:00Z' }, 'until'],
      [{ since: '2026-01-02', until: '2026-01-01' }, 'until'],
      [{ ids: 'x', endpoint: 'nobody' }, 'endpoint'],
    ] as const) {
      const answer = await replay(body);
      expect(answer, JSON.stringify(body)).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
      expect(JSON.stringify(answer.body)).toContain(field);
    }
    // What waits is not queued twice.
    expect(await replay({ ids: [held.headers['webhook-id']] })).toMatchObject({ status: 202, body: { queued: 0 } });
    const seen = world.receiver.posts.length;
    expect(await replay({ ids: [id, 'evt_unknown'] })).toMatchObject({ status: 202, body: { queued: 1 } });
    const again = await world.receiver.next(isText('taken'), { after: seen });
    expect([again.headers['webhook-id'], again.raw]).toEqual([id, taken.raw]);

    world.receiver.answer(() => 200);
    const progress = await listen(world, '/events/shop?after=latest&types=REPLAY_PROGRESS');
    const mark = world.receiver.posts.length;
    const { body: replayed } = await replay({ since });
    expect(at(replayed, 'queued')).toBeGreaterThan(0);
    await world.receiver.next(isText('taken'), { after: mark });
    const isDone = ({ data }: Received) => at(data, 'data.id') === at(replayed, 'id') && at(data, 'data.done') === true;
    const { id: cursor, event, data } = await progress.first(isDone);
    expect([cursor, event]).toEqual([undefined, 'replay.progress']);
    expect(at(data, 'data')).toMatchObject({ id: at(replayed, 'id'), queued: at(replayed, 'queued'), progress: 100 });
    expect(at(await list(), 'replays.0')).toEqual(at(data, 'data'));
  });
});
