import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { createMetrics } from '../../src/observability/metrics.ts';
import { openMetricsListener } from '../../src/observability/metrics-listener.ts';

it('the listener of METRICS_PORT creates the metrics text once for requests that arrive together', async () => {
  const metrics = createMetrics();
  const collect = metrics.registry.metrics.bind(metrics.registry);
  let count = 0;
  metrics.registry.metrics = () => {
    count += 1;
    return collect();
  };
  const listener = await openMetricsListener(metrics, { host: '127.0.0.1', port: 0, isAllowed: () => true });
  onTestFinished(() => listener.close());
  const socket = connect(Number(new URL(listener.url).port), '127.0.0.1');
  const request = 'GET /metrics HTTP/1.1\r\nHost: localhost\r\n';
  socket.write(`${request}\r\n`.repeat(20));
  socket.write(`${request}connection: close\r\n\r\n`);
  expect((await text(socket)).split('HTTP/1.1 200')).toHaveLength(22);
  expect(count).toBe(1);
});

it('the listener of METRICS_PORT closes connections above 32 and still answers the others', async () => {
  const listener = await openMetricsListener(createMetrics(), { host: '127.0.0.1', port: 0, isAllowed: () => true });
  onTestFinished(() => listener.close());
  const { port } = new URL(listener.url);
  const open = () => {
    const socket = connect(Number(port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    return socket;
  };
  const accepted = Array.from({ length: 32 }, open);
  await Promise.all(accepted.map((socket) => once(socket, 'connect')));
  const refused = open();
  await once(refused.resume(), 'close');

  const [first] = accepted;
  first?.write('GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const [data]: Buffer[] = await once(first ?? refused, 'data');
  expect(String(data)).toMatch(/^HTTP\/1\.1 200/);
});
