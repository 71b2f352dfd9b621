import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { DomainEvent, Message } from '../../src/events/events.ts';
import { createMetrics } from '../../src/observability/metrics.ts';
import { createIpFilter, hasCredentials } from '../../src/observability/metrics-access.ts';
import { registerGauge, registerGauges, withCache } from '../../src/observability/scrape-gauges.ts';

const received = (messageType: string): DomainEvent => {
  const key = { remoteJid: '15550000001@s.whatsapp.net', fromMe: false, id: 'A1' };
  const message: Message = { key, message: {}, messageType, messageTimestamp: 1, source: 'android' };
  return { type: 'messages.upsert', message };
};

const ended = (code: string): DomainEvent => ({
  type: 'messages.update',
  key: { remoteJid: '15550000001@s.whatsapp.net', fromMe: true, id: 'A1' },
  status: 'ERROR',
  at: 1,
  code,
});

describe('metrics', () => {
  it('have a bounded number of lines, for all that people send and platforms answer', async () => {
    const metrics = createMetrics();
    for (let index = 0; index < 300; index++)
      metrics.recordEvents([received(`kind${index}`), ended(`15550${index}@lid`)]);
    const text = await metrics.registry.metrics();
    expect(text.match(/^gateway_received_messages_total\{/gm)).toHaveLength(101);
    expect(text).toContain('gateway_received_messages_total{kind="other"} 200');
    expect(text).toContain('gateway_message_acks_total{status="ERROR",code="other"} 300');
    expect(text).not.toContain('15550');
  });

  it('distinguish reconnects from first connections, and losses from closing on purpose', async () => {
    const { registry, recordTransition: moved } = createMetrics();
    const lost = { event: 'CLOSED', disconnectCause: 'transient' };
    moved({ from: 'stopped', to: 'connecting', event: 'START', disconnectCause: undefined });
    moved({ from: 'open', to: 'backoff', ...lost });
    moved({ from: 'backoff', to: 'connecting', event: 'RETRY_DUE', disconnectCause: 'transient' });
    moved({ from: 'closing(stopped)', to: 'stopped', ...lost });
    const text = await registry.metrics();
    expect(text).toContain('gateway_reconnects_total{cause="transient"} 1\n');
    expect(text).toContain('gateway_connection_ends_total{cause="transient"} 1\n');
  });

  it('of two gateways in one process do not mix', async () => {
    const [one, other] = [createMetrics(), createMetrics()];
    one.recordDelivery({ outcome: 'retry', status: null, ms: 40 });
    expect(await one.registry.metrics()).toContain('_count{outcome="retry",status="none"} 1');
    expect(await other.registry.metrics()).not.toContain('outcome="retry"');
  });
});

describe('a gauge', () => {
  it('has no line when what it shows is not known, and has it again when it is', async () => {
    const { registry } = createMetrics();
    let fails = true;
    const look = (line: (value: number) => void) => {
      line(3);
      if (fails) throw new Error('no database');
    };
    registerGauge(registry, { name: 'gateway_one', help: 'x' }, look);
    registerGauge(registry, { name: 'gateway_other', help: 'x', labels: ['kind'] }, (line) => line(1, { kind: 'a' }));
    expect(await registry.metrics()).not.toMatch(/^gateway_one /m);
    fails = false;
    expect(await registry.metrics()).toMatch(/^gateway_one 3$/m);
    expect(await registry.metrics()).toMatch(/^gateway_other\{kind="a"\} 1$/m);
  });
});

describe('a count that is dear', () => {
  it('is made once for all who ask, and again after a hundred times as long as it took', async () => {
    let now = 0;
    let asked = 0;
    let answer = (_: number) => {};
    const ask = withCache(
      () => {
        asked++;
        return new Promise<number>((resolve) => (answer = resolve));
      },
      () => now,
    );
    const both = Promise.all([ask(), ask()]);
    now = 200;
    answer(7);
    expect(await both).toEqual([7, 7]);
    now = 20_000;
    expect(await ask()).toBe(7);
    expect(asked).toBe(1);
    now = 20_300;
    const next = ask();
    answer(8);
    expect(await next).toBe(8);
    expect(asked).toBe(2);
  });

  it('that failed is not asked for again at once', async () => {
    let now = 0;
    let asked = 0;
    const ask = withCache(
      async () => {
        asked++;
        throw new Error('no database');
      },
      () => now,
    );
    await expect(ask()).rejects.toThrow();
    now = 9_000;
    await expect(ask()).rejects.toThrow();
    expect(asked).toBe(1);
  });

  it('is made again after ten seconds also when the clock of the system is set back meanwhile', async () => {
    let monotonic = 0;
    let wall = 1_000_000_000;
    let waiting = 3;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => monotonic);
    onTestFinished(() => clock.mockRestore());
    const metrics = createMetrics();
    registerGauges(metrics, {
      instances: () => [],
      countOutbox: async () => ({ waiting, dead: 0, oldestWaitingAt: null }),
      receivers: () => ({ closed: 0, open: 0, halfOpen: 0, disabled: 0 }),
      now: () => wall,
      maxNamedInstances: 0,
    });
    expect(await metrics.registry.metrics()).toContain('gateway_outbox_posts{state="waiting"} 3');
    waiting = 4;
    wall -= 3_600_000;
    monotonic = 10_000;
    expect(await metrics.registry.metrics()).toContain('gateway_outbox_posts{state="waiting"} 4');
  });
});

describe('METRICS_ALLOWED_IPS', () => {
  it.each([
    ['10.1.2.3', true],
    ['::ffff:10.1.2.3', true],
    ['11.1.2.3', false],
    ['::1', true],
    ['::2', false],
    ['192.0.2.7', true],
    ['', false],
  ])('%s: %s', (address, expected) => {
    expect(createIpFilter(['10.0.0.0/8', '::1', '192.0.2.7'])(address)).toBe(expected);
  });

  it('lets all callers in when it is empty', () => expect(createIpFilter([])('203.0.113.9')).toBe(true));
});

describe('the user of the metrics', () => {
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
  const known = { user: 'prom', password: 'p:w' };
  it('is known by both name and password', () => {
    expect(hasCredentials(basic('prom:p:w'), known)).toBe(true);
    for (const header of [undefined, '', 'Basic', basic('prom:p'), basic('pro:p:w'), basic('prom'), 'Bearer x'])
      expect(hasCredentials(header, known)).toBe(false);
  });
  it('accepts no user when there is no password', () =>
    expect(hasCredentials(basic(':'), { user: '', password: '' })).toBe(false));
});
