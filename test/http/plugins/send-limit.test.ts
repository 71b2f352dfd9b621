import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Message } from '../../../src/events/events.ts';
import { emptyStore, type Http, startHttp } from '../../support/http-fixture.ts';

const number = '15551234567';
const path = '/message/sendText/shop';

interface BusyServer extends Http {
  /** The texts that were sent. */
  sent: string[];
  /** Ids of the claims that were stored for idempotent requests. */
  claims: string[];
  /** Sends a text. A send whose text starts with "slow" ends when release() is called. */
  send(
    text: string,
    request?: { headers?: Record<string, string>; options?: { delay: number } },
  ): ReturnType<Http['call']>;
  release(): void;
}

/** Load of the process: real work all the time, or a simulated utilization of 1 (`busy`) or 0 (`idle`). */
type Load = 'real' | 'busy' | 'idle';

async function startServer(env: Record<string, string> = {}, load: Load = 'busy'): Promise<BusyServer> {
  const released = Promise.withResolvers<void>();
  const sent: string[] = [];
  const claims: string[] = [];
  const sendText = async (
    _: unknown,
    { textMessage: { text } }: { textMessage: { text: string } },
  ): Promise<Message> => {
    sent.push(text);
    if (text.startsWith('slow')) await released.promise;
    return {
      key: { remoteJid: `${number}@s.whatsapp.net`, fromMe: true, id: '3EB0AABBCCDDEEFF00112233' },
      message: { extendedTextMessage: { text } },
      messageType: 'extendedTextMessage',
      messageTimestamp: 1767225600,
      status: 'PENDING',
      source: 'web',
    };
  };
  const claim = async (_: string, id: string) => {
    claims.push(id);
    return null;
  };
  const requests = { ...emptyStore.requests, claim };
  const http = await startHttp(
    { OVERLOAD_SEND_TIME: '10000', ...env },
    { operations: { sendText }, store: { ...emptyStore, requests } },
  );
  Object.assign(http.instances.get('shop') ?? {}, { session: () => ({}) });
  if (load === 'real') keepBusy();
  else simulateUtilization(load === 'busy' ? 1 : 0);
  return Object.assign(http, {
    ...{ sent, claims, release: released.resolve },
    send: (text: string, { headers, options }: Parameters<BusyServer['send']>[1] = {}) =>
      http.call('POST', path, { number, textMessage: { text }, ...(options && { options }) }, headers),
  });
}

/** Works in every turn of the event loop until the test ends. */
function keepBusy(): void {
  let isBusy = true;
  onTestFinished(() => {
    isBusy = false;
  });
  const work = async () => {
    while (isBusy) {
      const end = performance.now() + 2;
      while (performance.now() < end);
      await nextTurn();
    }
  };
  void work();
}

/**
 * Until the test ends, performance.eventLoopUtilization() reports an event loop that is always busy, or always idle.
 * Unlike real work, this leaves the processor to other work. On a busy machine, the requests of a test alone can make
 * the event loop busy for more than a second.
 */
function simulateUtilization(utilization: 0 | 1): void {
  const simulate = () => {
    const now = performance.now();
    return { idle: now * (1 - utilization), active: now * utilization, utilization };
  };
  const spy = vi.spyOn(performance, 'eventLoopUtilization').mockImplementation(simulate);
  onTestFinished(() => spy.mockRestore());
}

/** Returns a function that advances performance.now(). The clock shows the real time again when the test ends. */
function simulateClock(): (ms: number) => void {
  const now = performance.now.bind(performance);
  let advanced = 0;
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => now() + advanced);
  onTestFinished(() => spy.mockRestore());
  return (ms) => {
    advanced += ms;
  };
}

/** Number of sends that are too many for a busy process. */
const SLOW_SENDS = 400;

const startSlowSends = (server: BusyServer, options?: { delay: number }) =>
  Array.from({ length: SLOW_SENDS }, (_, n) => server.send(`slow ${n}`, options && { options }));

/** Sends texts until one gets this status. */
const waitForStatus = (server: BusyServer, status: number) =>
  expect.poll(async () => (await server.send('probe')).status, { interval: 200 }).toBe(status);

describe('sends to a busy process with too many sends in progress', () => {
  it('a send to a busy process with too many sends gets 503 with Retry-After, and is neither sent nor stored', async () => {
    const server = await startServer({}, 'real');
    const slow = startSlowSends(server);
    await waitForStatus(server, 503);
    const refused = await server.send('refused', { headers: { 'idempotency-key': 'order-1' } });
    expect(refused.body).toMatchObject({ status: 503, code: 'OVERLOADED', certain: true });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(server.sent).not.toContain('refused');
    expect(server.claims).toEqual([]);
    server.release();
    expect((await Promise.all(slow)).every(({ status }) => status === 201)).toBe(true);
    expect((await server.send('refused', { headers: { 'idempotency-key': 'order-1' } })).status).toBe(201);
    expect(server.claims).toHaveLength(1);
  });

  it('a busy process with too many sends refuses only sends, and logs one warning', async () => {
    const server = await startServer();
    startSlowSends(server);
    await waitForStatus(server, 503);
    expect((await server.send('again')).status).toBe(503);
    expect((await server.call('GET', '/instance/connectionState/shop')).status).toBe(200);
    expect((await server.call('GET', '/readyz')).status).toBe(200);
    const body = { number, textMessage: { text: 'hi' } };
    expect((await server.call('POST', path, body, { apikey: 'wrong' })).status).toBe(401);
    expect((await server.call('POST', '/message/sendText/nowhere', body)).status).toBe(404);
    const lines = server.log.filter(({ msg }) => msg === 'server.sends.refused');
    expect(lines).toEqual([expect.objectContaining({ level: 40, refused: 1, setting: 'OVERLOAD_SEND_TIME' })]);
    server.release();
  });
});

describe('accepted sends', () => {
  it.each<[string, { load?: Load; env?: Record<string, string>; options?: { delay: number } }]>([
    ['in an idle process', { load: 'idle' }],
    ['with OVERLOAD_SEND_TIME=0', { env: { OVERLOAD_SEND_TIME: '0' } }],
    ['while the other sends wait for their delay', { options: { delay: 60_000 } }],
  ])('a send is accepted while many other sends are in progress: %s', async (_, { load, env, options }) => {
    const advance = simulateClock();
    const server = await startServer(env, load);
    startSlowSends(server, options);
    await expect.poll(() => server.sent.length).toBe(SLOW_SENDS);
    // The server measures the load of its process over the last second.
    for (let ms = 0; ms <= 1_500; ms += 100) {
      expect((await server.send('quick')).status).toBe(201);
      advance(100);
    }
    server.release();
  });
});
