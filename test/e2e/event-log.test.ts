// The event log: reading and streaming of events by an integrator, and the delivery records and replay of webhook
// posts.
import { once } from 'node:events';
import { request } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { at } from '../support/api.ts';
import { isEvent, KEY, type LogLine, startWorld, type World } from '../support/gateway.ts';

const mine = '15550009101';
const contact = '15550009102';

const textOf = (event: unknown) =>
  (event as { data?: { message?: { conversation?: string } } }).data?.message?.conversation;
const isText = (text: string) => (post: { body: unknown }) =>
  isEvent(post.body, 'messages.upsert') && textOf(post.body) === text;

interface Received {
  id: string;
  event: string;
  data: Record<string, unknown>;
}

/** Opens an event stream. Returns its response, the received events, and a promise of its end by the gateway. */
async function listen(world: World, path: string, headers: Record<string, string> = {}) {
  const inbound: Received[] = [];
  const checks = new Set<() => void>();
  const clientRequest = request(`${world.api.url}${path}`, {
    headers: { apikey: KEY, accept: 'text/event-stream', ...headers },
  });
  clientRequest.end();
  const [response] = await once(clientRequest, 'response');
  onTestFinished(() => void clientRequest.destroy());
  let buffered = '';
  response.setEncoding('utf8').on('data', (chunk: string) => {
    const blocks = (buffered + chunk).split('\n\n');
    buffered = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = Object.fromEntries(block.split('\n').map((line) => /^(\w*): (.*)$/s.exec(line)?.slice(1) ?? []));
      if (fields.data) inbound.push({ id: fields.id, event: fields.event, data: JSON.parse(fields.data) });
    }
    for (const check of [...checks]) check();
  });
  const ended = once(response, 'end');
  // A stream that is still open at the end of the test is destroyed.
  ended.catch(() => undefined);
  const waitForEvent = (matches: (inbound: Received) => boolean) =>
    new Promise<Received>((resolve) => {
      const check = () => {
        const found = inbound.find(matches);
        if (!found) return;
        checks.delete(check);
        resolve(found);
      };
      checks.add(check);
      check();
    });
  return {
    response,
    inbound,
    ended,
    first: waitForEvent,
    until: (text: string) => waitForEvent(({ data }) => textOf(data) === text),
  };
}

const readEvents = async (world: World, query = '') => {
  const { status, body } = await world.api('GET', `/events/shop${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body as { events: Record<string, unknown>[]; next: string };
};

describe('event log', () => {
  it('the event log returns events in order behind a cursor, also after a restart, and streams new events', async () => {
    const world = await startWorld();
    await world.link('shop', mine);
    const phone = world.sandbox.phones.phone(contact);
    await phone.send(mine, { text: 'first' });
    const post = await world.receiver.next(isText('first'));
    const before = await readEvents(world, '?limit=1000');
    const first = before.events.find((event) => textOf(event) === 'first');
    // The event has the id and the sequence number of its post.
    expect(first).toMatchObject({
      id: post.headers['webhook-id'],
      seq: Number(post.headers['webhook-seq']),
      instance: 'shop',
    });
    expect(before.events.map(({ seq }) => seq)).toEqual(
      before.events.map(({ seq }) => Number(seq)).sort((a, b) => a - b),
    );

    // From here on no webhook receives posts, and no reader is connected.
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

    // Pages of two events, and a stream that resumes in the middle, return the same events.
    let after = before.next;
    const paged: unknown[] = [];
    for (;;) {
      const page = await readEvents(world, `?limit=2&types=MESSAGES_UPSERT&after=${after}`);
      paged.push(...page.events);
      if (page.events.length === 0) break;
      after = page.next;
    }
    expect(paged).toEqual(live.inbound.map(({ data }) => data));
    const resumed = await listen(world, '/events/shop?types=messages.upsert', { 'last-event-id': second.id });
    await resumed.until('fourth');
    expect(resumed.inbound.map(({ data }) => textOf(data))).toEqual(['third', 'fourth']);
    const latest = await listen(world, '/events/shop?after=latest');
    await phone.send(mine, { text: 'fifth' });
    await latest.until('fifth');
    expect(latest.inbound.filter(({ event }) => event === 'messages.upsert')).toHaveLength(1);

    // The deletion of the instance emits its events and ends the streams.
    await world.api('DELETE', '/instance/delete/shop');
    await Promise.all([live.ended, resumed.ended, latest.ended]);
    expect(latest.inbound.map(({ event }) => event)).toContain('remove.instance');
  });

  it('GET /events rejects wrong keys, parameters and cursors and a 17th stream, and streams end with the gateway', async () => {
    const world = await startWorld();
    await world.api('POST', '/instance/create', { instanceName: 'shop' });
    await world.api('POST', '/instance/create', { instanceName: 'other' });
    const { next } = await readEvents(world);
    const otherInstance = (await world.api('GET', '/events/other')).body as { next: string };
    for (const [query, status, code, message] of [
      ['?after=nonsense', 400, 'INVALID_REQUEST', 'after'],
      ['?types=messages.upsert,nonsense', 400, 'INVALID_REQUEST', 'nonsense'],
      ['?types=,', 400, 'INVALID_REQUEST', 'types'],
      ['?limit=0', 400, 'INVALID_REQUEST', 'limit'],
      [`?after=${otherInstance.next}`, 410, 'CURSOR_EXPIRED', 'after'],
    ] as const) {
      const answer = await world.api('GET', `/events/shop${query}`);
      expect(answer, query).toMatchObject({ status, body: { code } });
      expect(JSON.stringify(answer.body)).toContain(message);
    }
    for (const headers of [{ apikey: 'wrong' }, { apikey: '' }]) {
      expect((await listen(world, '/events/shop', headers)).response.statusCode).toBe(401);
    }
    const streams = await Promise.all(Array.from({ length: 16 }, () => listen(world, `/events/shop?after=${next}`)));
    const excess = await listen(world, '/events/shop');
    expect([excess.response.statusCode, excess.response.headers['retry-after']]).toEqual([429, '15']);
    const bad = await listen(world, '/events/other', { 'last-event-id': 'nonsense' });
    expect(bad.response.statusCode).toBe(400);
    await world.gateway.stop();
    await Promise.all(streams.map(({ ended }) => ended));
  });
});

describe('webhook posts', () => {
  it('the API lists webhook deliveries with the health of their endpoint, and replays posts', async () => {
    const world = await startWorld({ env: { WEBHOOK_RETRY_SCHEDULE: '30' } });
    await world.link('shop', mine);
    // A later successful post would reset the failure count that this test checks.
    await world.receiver.next(({ body }) => isEvent(body, 'history.progress') && at(body, 'data.done') === true);
    const phone = world.sandbox.phones.phone(contact);
    const since = new Date().toISOString();
    await phone.send(mine, { text: 'taken' });
    const deliveredPost = await world.receiver.next(isText('taken'));
    // The name of the sender is posted at the same time, because it belongs to no chat.
    await world.receiver.next(({ body }) => isEvent(body, 'contacts.update'));
    const id = deliveredPost.headers['webhook-id'];
    world.receiver.answer((post) => (isText('down')(post) ? 503 : 200));
    await phone.send(mine, { text: 'down' });
    const failingPost = await world.receiver.next(isText('down'));
    const isFailingAttempt = (line: LogLine) =>
      line.msg === 'webhook.attempted' && line.id === failingPost.headers['webhook-id'];
    // The quick retries are over after attempt 4.
    await world.logged((line) => isFailingAttempt(line) && line.attempt === 4);

    const list = async (query = '') => (await world.api('GET', `/webhook/deliveries/shop${query}`)).body;
    const waitingList = await list('?state=waiting');
    expect(at(waitingList, 'deliveries.0')).toMatchObject({
      id: failingPost.headers['webhook-id'],
      ...{ event: 'messages.upsert', state: 'waiting', attempts: 4, lastStatus: 503, settledAt: null },
      endpoint: { url: world.receiver.url },
    });
    expect(at(waitingList, 'endpoints.0')).toMatchObject({
      waiting: 1,
      dead: 0,
      enabled: true,
      consecutiveFailures: 4,
    });
    expect(at(waitingList, 'endpoints.0.lastFailure')).toMatchObject({ status: 503, error: null });
    expect(at(waitingList, 'endpoints.0.failingSince')).toEqual(expect.any(String));
    expect(JSON.stringify(await list('?state=delivered'))).toContain(id);
    const [page] = [await list('?limit=1')];
    expect(at(page, 'deliveries')).toHaveLength(1);
    const otherDeliveries = await list(`?cursor=${at(page, 'next')}&limit=200`);
    expect(JSON.stringify(otherDeliveries)).not.toContain(String(at(page, 'deliveries.0.id')));

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
    // A waiting delivery is not queued a second time.
    expect(await replay({ ids: [failingPost.headers['webhook-id']] })).toMatchObject({
      status: 202,
      body: { queued: 0 },
    });
    const postsBefore = world.receiver.posts.length;
    expect(await replay({ ids: [id, 'evt_unknown'] })).toMatchObject({ status: 202, body: { queued: 1 } });
    const replayedPost = await world.receiver.next(isText('taken'), { after: postsBefore });
    expect([replayedPost.headers['webhook-id'], replayedPost.raw]).toEqual([id, deliveredPost.raw]);

    world.receiver.answer(() => 200);
    const progress = await listen(world, '/events/shop?after=latest&types=REPLAY_PROGRESS');
    const postsBeforeReplay = world.receiver.posts.length;
    const { body: replayed } = await replay({ since });
    expect(at(replayed, 'queued')).toBeGreaterThan(0);
    await world.receiver.next(isText('taken'), { after: postsBeforeReplay });
    const isDone = ({ data }: Received) => at(data, 'data.id') === at(replayed, 'id') && at(data, 'data.done') === true;
    const { id: cursor, event, data } = await progress.first(isDone);
    expect([cursor, event]).toEqual([undefined, 'replay.progress']);
    expect(at(data, 'data')).toMatchObject({ id: at(replayed, 'id'), queued: at(replayed, 'queued'), progress: 100 });
    expect(at(await list(), 'replays.0')).toEqual(at(data, 'data'));
  });
});
