import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { DomainEvent, Message } from '../../src/events/events.ts';
import { createMetrics } from '../../src/observability/metrics.ts';
import { createIpFilter, hasCredentials } from '../../src/observability/metrics-access.ts';
import { registerGauge, registerGauges, withCache } from '../../src/observability/scrape-gauges.ts';

const receivedMessage = (messageType: string): DomainEvent => {
  const key = { remoteJid: '15550000001@s.whatsapp.net', fromMe: false, id: 'A1' };
  const message: Message = { key, message: {}, messageType, messageTimestamp: 1, source: 'android' };
  return { type: 'messages.upsert', message };
};

const failedStatus = (code: string): DomainEvent => ({
  type: 'messages.update',
  key: { remoteJid: '15550000001@s.whatsapp.net', fromMe: true, id: 'A1' },
  status: 'ERROR',
  at: 1,
  code,
});

describe('metrics', () => {
  it('the metrics have a bounded number of lines, regardless of message types and error codes', async () => {
    const metrics = createMetrics();
    for (let index = 0; index < 300; index++)
      metrics.recordEvents([receivedMessage(`kind${index}`), failedStatus(`15550${index}@lid`)]);
    const text = await metrics.registry.metrics();
    expect(text.match(/^gateway_received_messages_total\{/gm)).toHaveLength(101);
    expect(text).toContain('gateway_received_messages_total{kind="other"} 200');
    expect(text).toContain('gateway_message_acks_total{status="ERROR",code="other"} 300');
    expect(text).not.toContain('15550');
  });

  it('the metrics distinguish reconnects from first connections, and lost connections from intended ends', async () => {
    const { registry, recordTransition: record } = createMetrics();
    const lossOfConnection = { event: 'CLOSED', disconnectCause: 'transient' };
    record({ from: 'stopped', to: 'connecting', event: 'START', disconnectCause: undefined });
    record({ from: 'open', to: 'backoff', ...lossOfConnection });
    record({ from: 'backoff', to: 'connecting', event: 'RETRY_DUE', disconnectCause: 'transient' });
    record({ from: 'closing(stopped)', to: 'stopped', ...lossOfConnection });
    const text = await registry.metrics();
    expect(text).toContain('gateway_reconnects_total{cause="transient"} 1\n');
    expect(text).toContain('gateway_connection_ends_total{cause="transient"} 1\n');
  });

  it('the metrics of two gateways in one process are separate', async () => {
    const [one, other] = [createMetrics(), createMetrics()];
    one.recordDelivery({ outcome: 'retry', status: null, ms: 40 });
    expect(await one.registry.metrics()).toContain('_count{outcome="retry",status="none"} 1');
    expect(await other.registry.metrics()).not.toContain('outcome="retry"');
  });
});

describe('gauges', () => {
  it('a gauge has no line while its value is unknown, and has its line again afterwards', async () => {
    const { registry } = createMetrics();
    let isUnknown = true;
    const collect = (line: (value: number) => void) => {
      line(3);
      if (isUnknown) throw new Error('no database');
    };
    registerGauge(registry, { name: 'gateway_one', help: 'x' }, collect);
    registerGauge(registry, { name: 'gateway_other', help: 'x', labels: ['kind'] }, (line) => line(1, { kind: 'a' }));
    expect(await registry.metrics()).not.toMatch(/^gateway_one /m);
    isUnknown = false;
    expect(await registry.metrics()).toMatch(/^gateway_one 3$/m);
    expect(await registry.metrics()).toMatch(/^gateway_other\{kind="a"\} 1$/m);
  });
});

describe('cached counts', () => {
  it('withCache() makes one count for concurrent callers, and repeats it after a hundred times its duration', async () => {
    let now = 0;
    let counts = 0;
    let finishCount = (_: number) => {};
    const getCount = withCache(
      () => {
        counts++;
        return new Promise<number>((resolve) => (finishCount = resolve));
      },
      () => now,
    );
    const both = Promise.all([getCount(), getCount()]);
    now = 200;
    finishCount(7);
    expect(await both).toEqual([7, 7]);
    now = 20_000;
    expect(await getCount()).toBe(7);
    expect(counts).toBe(1);
    now = 20_300;
    const next = getCount();
    finishCount(8);
    expect(await next).toBe(8);
    expect(counts).toBe(2);
  });

  it('withCache() does not repeat a failed count immediately', async () => {
    let now = 0;
    let counts = 0;
    const getCount = withCache(
      async () => {
        counts++;
        throw new Error('no database');
      },
      () => now,
    );
    await expect(getCount()).rejects.toThrow();
    now = 9_000;
    await expect(getCount()).rejects.toThrow();
    expect(counts).toBe(1);
  });

  it('the outbox gauge counts again after ten seconds, also when the system clock is set back', async () => {
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
  ])('METRICS_ALLOWED_IPS allows the address "%s": %s', (address, expected) => {
    expect(createIpFilter(['10.0.0.0/8', '::1', '192.0.2.7'])(address)).toBe(expected);
  });

  it('an empty METRICS_ALLOWED_IPS allows all addresses', () => expect(createIpFilter([])('203.0.113.9')).toBe(true));
});

describe('METRICS_USER', () => {
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
  const credentials = { user: 'prom', password: 'p:w' };
  it('hasCredentials() requires the name and the password of the user', () => {
    expect(hasCredentials(basic('prom:p:w'), credentials)).toBe(true);
    for (const header of [undefined, '', 'Basic', basic('prom:p'), basic('pro:p:w'), basic('prom'), 'Bearer x'])
      expect(hasCredentials(header, credentials)).toBe(false);
  });
  it('hasCredentials() accepts no user when no password is set', () =>
    expect(hasCredentials(basic(':'), { user: '', password: '' })).toBe(false));
});
