import { describe, expect, it } from 'vitest';
import { SendLoad } from '../../src/http/send-load.ts';

const LIMIT = 1_000;
const STEP = 50;

interface Load {
  /** Starts, ends and fails sends every 50 ms for `ms`, while the event loop works for this share of the time. */
  pass(
    ms: number,
    rates: {
      startedPerSecond?: number;
      endedPerSecond?: number;
      failedPerSecond?: number;
      busy?: number;
      delay?: number;
    },
  ): Promise<void>;
  start(count: number, delay?: number): void;
  /** Admits requests whose sends do not start. Returns the requests. */
  admit(count: number): object[];
  release(requests: readonly object[]): void;
  end(count: number): Promise<void>;
  /** Estimated duration of a new send, ms; undefined if a new send is accepted. */
  estimateIfOverloaded(): number | undefined;
  inProgress(): number;
}

/** A process whose time and work the test controls. */
function createLoad(maxTime = LIMIT): Load {
  let now = 0;
  let active = 0;
  const running: { resolve(): void; reject(error: Error): void; ended: Promise<unknown> }[] = [];
  const load = new SendLoad({ maxTime, now: () => now, activeTime: () => active });
  const start = (count: number, delay = 0) => {
    for (let n = 0; n < count; n++) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      running.push({ resolve, reject, ended: load.run({}, () => promise, delay).catch(() => undefined) });
    }
  };
  const end = async (count: number) => {
    const ending = running.splice(0, count);
    for (const send of ending) send.resolve();
    await Promise.all(ending.map(({ ended }) => ended));
  };
  const fail = async (count: number) => {
    const failing = running.splice(0, count);
    for (const send of failing) send.reject(new Error('no connection'));
    await Promise.all(failing.map(({ ended }) => ended));
  };
  return {
    start,
    end,
    admit(count) {
      const requests = Array.from({ length: count }, () => ({}));
      for (const request of requests) load.admit(request);
      return requests;
    },
    release: (requests) => requests.forEach((request) => void load.release(request)),
    estimateIfOverloaded: () => load.estimateIfOverloaded(),
    inProgress: () => running.length,
    async pass(ms, { startedPerSecond = 0, endedPerSecond = 0, failedPerSecond = 0, busy = 1, delay = 0 }) {
      for (let passed = 0; passed < ms; passed += STEP) {
        now += STEP;
        active += STEP * busy;
        start((startedPerSecond * STEP) / 1_000, delay);
        await end((endedPerSecond * STEP) / 1_000);
        await fail((failedPerSecond * STEP) / 1_000);
        load.estimateIfOverloaded();
      }
    },
  };
}

/** Twice the sustained rate: of 1,400 sends that start in a second, 700 end. */
const overload = { startedPerSecond: 1_400, endedPerSecond: 700 };

describe('limits of sends in progress', () => {
  it('SendLoad refuses a send when the sends in progress need more than the limit at the current rate', async () => {
    const load = createLoad();
    await load.pass(1_500, { startedPerSecond: 700, endedPerSecond: 700 });
    load.start(600);
    expect(load.estimateIfOverloaded()).toBeUndefined();
    load.start(200);
    expect(load.estimateIfOverloaded()).toBeCloseTo(801 / 0.7, -1);
  });

  it('SendLoad refuses sends until enough other sends have ended', async () => {
    const load = createLoad();
    await load.pass(3_000, overload);
    expect(load.estimateIfOverloaded()).toBeGreaterThan(LIMIT);
    await load.pass(2_500, { endedPerSecond: 700 });
    expect(load.inProgress()).toBeLessThan(400);
    expect(load.estimateIfOverloaded()).toBeUndefined();
  });

  it('SendLoad refuses sends when no send has ended for three seconds', async () => {
    const load = createLoad(10_000);
    await load.pass(2_000, { startedPerSecond: 100, endedPerSecond: 40 });
    await load.pass(3_100, {});
    expect(load.estimateIfOverloaded()).toBe(Number.POSITIVE_INFINITY);
  });

  it('SendLoad refuses sends when most ended sends have taken longer than twice the limit', async () => {
    const load = createLoad(500);
    load.start(400);
    await load.pass(12_000, { startedPerSecond: 40, endedPerSecond: 40 });
    expect(load.estimateIfOverloaded()).toBeCloseTo(401 / 0.04, -3);
  });

  it('SendLoad refuses sends only while the event loop has been busy for a second', async () => {
    const load = createLoad();
    await load.pass(3_000, { ...overload, busy: 0.5 });
    expect(load.estimateIfOverloaded()).toBeUndefined();
    await load.pass(1_000, { busy: 0.95, startedPerSecond: 700, endedPerSecond: 700 });
    expect(load.estimateIfOverloaded()).toBeGreaterThan(LIMIT);
  });

  it('SendLoad accepts sends after a stall of one second', async () => {
    const load = createLoad();
    await load.pass(3_000, { startedPerSecond: 700, endedPerSecond: 700 });
    load.start(200);
    await load.pass(1_000, {});
    expect(load.estimateIfOverloaded()).toBeUndefined();
  });

  it('SendLoad refuses sends when many requests are admitted before any of their sends starts', async () => {
    const load = createLoad();
    await load.pass(3_000, { startedPerSecond: 700, endedPerSecond: 700 });
    const requests = load.admit(800);
    expect(load.estimateIfOverloaded()).toBeGreaterThan(LIMIT);
    load.release(requests);
    expect(load.estimateIfOverloaded()).toBeUndefined();
    load.admit(800);
    await load.pass(LIMIT + 100, { startedPerSecond: 700, endedPerSecond: 700 });
    expect(load.estimateIfOverloaded(), 'clients that do not send the body').toBeUndefined();
  });

  it('SendLoad accepts sends at the start of a burst, although no send has ended', () => {
    const load = createLoad();
    load.start(2_000);
    expect(load.estimateIfOverloaded()).toBeUndefined();
  });

  it('SendLoad accepts sends after an idle time, although few sends ended in it', async () => {
    const load = createLoad();
    await load.pass(3_000, overload);
    await load.pass(10_000, { endedPerSecond: 700, busy: 0.1 });
    load.start(500);
    expect(load.estimateIfOverloaded()).toBeUndefined();
  });

  it('SendLoad accepts sends while fewer than 64 are in progress, regardless of their duration', async () => {
    const load = createLoad();
    load.start(63);
    await load.pass(1_900, {});
    expect(load.estimateIfOverloaded()).toBeUndefined();
    load.start(2);
    await load.pass(100, {});
    expect(load.estimateIfOverloaded()).toBe(Number.POSITIVE_INFINITY);
  });

  it('SendLoad accepts all sends with the limit 0', async () => {
    const load = createLoad(0);
    await load.pass(5_000, overload);
    expect(load.estimateIfOverloaded()).toBeUndefined();
  });
});

describe('sends that do not count', () => {
  it('SendLoad does not count a send during its delay, and counts it afterwards', async () => {
    const load = createLoad();
    await load.pass(1_500, { startedPerSecond: 100, endedPerSecond: 100 });
    load.start(500, 1_500);
    await load.pass(1_400, {});
    await load.pass(50, { startedPerSecond: 0 });
    load.start(80);
    await load.pass(500, {});
    expect(load.estimateIfOverloaded()).toBeDefined();
    const other = createLoad();
    await other.pass(1_500, { startedPerSecond: 700, endedPerSecond: 700 });
    other.start(5_000, 60_000);
    other.start(80);
    await other.pass(500, {});
    expect(other.estimateIfOverloaded()).toBeUndefined();
  });

  it('SendLoad does not count a send that takes twice the limit, because it waits for WhatsApp or a file', async () => {
    const load = createLoad();
    load.start(400);
    await load.pass(1_500, {});
    expect(load.estimateIfOverloaded()).toBe(Number.POSITIVE_INFINITY);
    await load.pass(600, {});
    expect(load.estimateIfOverloaded()).toBeUndefined();
  });

  it('SendLoad counts a failed send neither as in progress nor as ended', async () => {
    const load = createLoad();
    await load.pass(1_500, { startedPerSecond: 800, endedPerSecond: 400, failedPerSecond: 400 });
    load.start(500);
    expect(load.estimateIfOverloaded()).toBeCloseTo(501 / 0.4, -1);
  });

  it('SendLoad.run() rejects with the error of a failed send', async () => {
    const load = new SendLoad({ maxTime: LIMIT });
    await expect(load.run({}, () => Promise.reject(new Error('no connection')))).rejects.toThrow('no connection');
  });
});
