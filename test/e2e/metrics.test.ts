// Metrics of a gateway after some traffic, the access to them, and their use by the Grafana dashboard. Also log lines
// of requests.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { at, textAt } from '../support/api.ts';
import { isEvent, isTransition, KEY, startWorld, type World } from '../support/gateway.ts';
import { freePort } from '../support/port.ts';

const mine = '15550009301';
const ada = '15550009302';

/** Scrapes `url`. Returns the value of each line by its name with labels. */
async function scrape(url: string, headers: Record<string, string> = { apikey: KEY }): Promise<Map<string, number>> {
  const answer = await fetch(url, { headers });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  const lines = (await answer.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  );
}

/** The value of the only line with this name and all of these labels. */
function metricValueOf(lines: Map<string, number>, name: string, ...labels: string[]): number | undefined {
  const found = [...lines].filter(
    ([key]) => key.split('{')[0] === name && labels.every((label) => key.includes(label)),
  );
  expect(found.length, `${name} ${labels}`).toBeLessThanOrEqual(1);
  return found[0]?.[1];
}

const hasStatus = (id: string, status: string) => (post: { body: unknown }) =>
  isEvent(post.body, 'messages.update') &&
  at(post.body, 'data.keyId') === id &&
  at(post.body, 'data.status') === status;

describe('/metrics', () => {
  it('/metrics counts sends, acks, reconnects, posts and requests, shows the states, and names no account', async () => {
    const port = await freePort();
    const world = await startWorld({ env: { METRICS_PORT: String(port), METRICS_INSTANCES: '1' } });
    await causeTraffic(world);
    const lines = await scrape(`${world.api.url}/metrics`);
    const value = (name: string, ...labels: string[]) => metricValueOf(lines, name, ...labels);

    expect(value('gateway_instances', 'state="open"')).toBe(1);
    expect(value('gateway_instances', 'state="blocked"')).toBe(0);
    expect(value('gateway_instance_open', 'name="sales"')).toBe(1);
    expect(value('gateway_send_duration_seconds_count', 'kind="extendedTextMessage"', 'outcome="sent"')).toBe(2);
    for (const kind of ['extendedTextMessage', 'imageMessage'])
      expect(value('gateway_send_duration_seconds_count', 'outcome="NUMBER_NOT_ON_PLATFORM"', `kind="${kind}"`)).toBe(
        1,
      );
    expect(value('gateway_send_duration_seconds_count', 'kind="none"')).toBeUndefined();
    expect(value('gateway_received_messages_total', 'kind="conversation"')).toBe(1);
    expect(value('gateway_message_acks_total', 'status="DELIVERY_ACK"', 'code="none"')).toBe(1);
    expect(value('gateway_message_acks_total', 'status="ERROR"', 'code="463"')).toBe(1);
    expect(value('gateway_direct_messages_total', 'address="lid"')).toBe(2);
    expect(value('gateway_direct_messages_total', 'address="pn"')).toBe(1);
    expect(value('gateway_address_retries_total', 'outcome="refused"')).toBe(1);
    expect(value('gateway_reconnects_total', 'cause="restart_required"')).toBe(1);
    expect(value('gateway_connection_ends_total', 'cause="restart_required"')).toBe(1);
    expect(value('gateway_webhook_post_duration_seconds_count', 'outcome="delivered"', '2xx')).toBeGreaterThan(5);
    expect(value('gateway_webhook_receivers', 'breaker="closed"')).toBe(1);
    expect(value('gateway_outbox_posts', 'state="dead"')).toBe(0);
    expect(value('gateway_outbox_oldest_age_seconds')).toBeGreaterThanOrEqual(0);
    const sends = ['method="POST"', 'route="/message/sendText/:instance"'];
    expect(value('gateway_http_request_duration_seconds_count', ...sends, 'status="201"')).toBe(2);
    expect(value('gateway_http_request_duration_seconds_count', 'route="none"', 'status="404"')).toBe(1);
    expect(value('gateway_database_duration_seconds_count', 'transaction', 'fine')).toBeGreaterThan(5);
    expect(value('gateway_process_memory_bytes', 'rss')).toBeGreaterThan(1e7);
    expect(value('gateway_event_loop_delay_seconds', 'quantile="0.5"')).toBeGreaterThanOrEqual(0);
    expect(value('gateway_info', 'database="sqlite"', 'network="sandbox"')).toBe(1);

    const allNames = [...lines.keys()].join('\n');
    for (const secret of [mine, ada, '@s.whatsapp.net', 'unknown-path', textAt(await sendText(world), 'key.id')])
      expect(allNames).not.toContain(secret);
    // The port of the metrics requires no key and serves no other route.
    expect([...(await scrape(`http://127.0.0.1:${port}/metrics`, {})).keys()]).toContain(
      'gateway_undecryptable_messages_total',
    );
    expect((await fetch(`http://127.0.0.1:${port}/instance/fetchInstances`)).status).toBe(404);
    expect((await fetch(`http://127.0.0.1:${port}/metrics`, { method: 'POST' })).status).toBe(405);

    // The dashboard uses existing metrics only, and it uses all of them.
    const [dashboard = ''] = readFileSync(new URL('../../deploy/grafana.json', import.meta.url), 'utf8')
      // A single node has no cluster metrics. test/slow/cluster-monitoring.test.ts covers them.
      .split('"title": "Cluster"');
    const usedNames = new Set(dashboard.match(/gateway_[a-z_]+/g));
    const exportedNames = new Set([...lines.keys()].map((key) => key.split('{')[0] ?? ''));
    expect(usedNames.size).toBeGreaterThan(15);
    expect([...usedNames].filter((name) => !exportedNames.has(name))).toEqual([]);
    const families = [...exportedNames].map((name) => name.replace(/_(count|sum|bucket)$/, ''));
    const usedFamilies = [...usedNames].map((name) => name.replace(/_(count|sum|bucket)$/, ''));
    expect([...new Set(families)].filter((name) => !usedFamilies.includes(name))).toEqual([]);
  });
});

describe('log lines of a send', () => {
  it('log lines of a send have the id of its request, from the answer to the last post about it', async () => {
    const world = await startWorld();
    await world.link('sales', mine);
    const answer = await world.api('POST', '/message/sendText/sales', { number: ada, text: 'hello' });
    const requestId = answer.headers.get('x-request-id');
    const id = textAt(answer.body, 'key.id');
    await world.receiver.next(hasStatus(id, 'DELIVERY_ACK'));
    await world.logged((line) => line.msg === 'message.sent' && line.requestId === requestId && line.message === id);
    for (const event of ['send.message', 'messages.update']) {
      const line = await world.logged(
        (candidate) =>
          candidate.msg === 'webhook.attempted' && candidate.event === event && candidate.requestId === requestId,
      );
      expect(line).toMatchObject({
        instance: 'sales',
        code: 200,
        next: 'delivered',
        attempt: 1,
        ms: expect.any(Number),
      });
    }
    const failed = await world.api('POST', '/message/sendText/sales', { number: '15550000000', text: 'nobody' });
    const {
      msg,
      requestId: failedRequestId,
      ...line
    } = await world.logged(
      (candidate) => candidate.msg === 'message.failed' && candidate.requestId === failed.headers.get('x-request-id'),
    );
    const kind = 'extendedTextMessage';
    expect(line).toMatchObject({ level: 30, instance: 'sales', kind, code: 'NUMBER_NOT_ON_PLATFORM', certain: true });
  });
});

describe('log lines of state changes', () => {
  it('a state change in the log has the id of the request that caused it, and later changes have none', async () => {
    const world = await startWorld();
    const { api, sandbox, log } = world;
    /** The new state and the request id of each state change so far, from line `after` on. */
    const stateChangesFrom = (after: number) =>
      log
        .slice(after)
        .filter(({ msg }) => msg === 'instance.state.changed')
        .map(({ to, requestId }) => [to, requestId]);
    const created = await api('POST', '/instance/create', {
      ...{ instanceName: 'sales', qrcode: true, msgCall: 'Write instead' },
    });
    const request = created.headers.get('x-request-id');
    await sandbox.pairing.scanQr(mine, textAt(created.body, 'qrcode.code'));
    await world.logged((line) => isTransition(line, 'open'));
    expect(stateChangesFrom(0)).toEqual([
      ['connecting', request],
      ...['pairing', 'connecting', 'open'].map((to) => [to, undefined]),
    ]);

    sandbox.phones.calls.ring(ada, mine);
    expect(await world.logged(({ msg }) => msg === 'message.sent')).not.toHaveProperty('requestId');

    const before = log.length;
    sandbox.faults.add({ kind: 'drop', number: mine });
    await world.logged((line) => isTransition(line, 'open'), before);
    expect(stateChangesFrom(before)).toEqual(['backoff', 'connecting', 'open'].map((to) => [to, undefined]));

    const after = log.length;
    const restarted = (await api('PUT', '/instance/restart/sales')).headers.get('x-request-id');
    const loggedOut = (await api('DELETE', '/instance/logout/sales')).headers.get('x-request-id');
    const deleted = (await api('DELETE', '/instance/delete/sales')).headers.get('x-request-id');
    expect(stateChangesFrom(after)).toEqual([
      ['closing(connecting)', restarted],
      ['connecting', restarted],
      ['open', undefined],
      ['closing(logged_out)', loggedOut],
      ['logged_out', loggedOut],
      ['deleted', deleted],
    ]);
  });
});

async function sendText(world: World): Promise<unknown> {
  return (await world.api('POST', '/message/sendText/sales', { number: ada, text: 'again' })).body;
}

/** Links an instance. Causes a message each way, a refusal of the platform, an unknown number and an unknown path. */
async function causeTraffic(world: World): Promise<void> {
  const { api, sandbox, receiver } = world;
  await world.link('sales', mine);
  await sandbox.phones.phone(ada).send(mine, { text: 'hello' });
  await receiver.next(({ body }) => isEvent(body, 'messages.upsert'));
  const id = textAt(await sendText(world), 'key.id');
  await receiver.next(hasStatus(id, 'DELIVERY_ACK'));
  // The session sends the message to both addresses of the contact.
  sandbox.faults.add({ kind: 'nack', number: mine, code: 463, times: 2 });
  await receiver.next(hasStatus(textAt(await sendText(world), 'key.id'), 'ERROR'));
  await fetch(`${api.url}/unknown-path/${mine}`, { headers: { apikey: KEY } });
  await api('POST', '/message/sendText/sales', { number: '15550000000', text: 'nobody' });
  const mediaMessage = { mediatype: 'image', media: 'iVBORw0KGgo=' };
  await api('POST', '/message/sendMedia/sales', { number: '15550000000', mediaMessage });
}
