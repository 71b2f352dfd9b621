import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createMetrics } from '../../src/observability/metrics.ts';
import { openMetricsListener } from '../../src/observability/metrics-listener.ts';

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
