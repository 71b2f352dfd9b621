// Inbound messages: from the phone's send to the POST at a receiver, flat out and at 100 messages a second.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { forkChild } from './child.ts';
import { percentile, table } from './figures.ts';
import { startLinked } from './linked.ts';

const BURST = 1000;
const PACED = 500;

/** Counts posts by the text of their message; `arrived(n)` resolves when n are there. */
export async function startCounter() {
  const at = new Map<string, number>();
  let wake = () => {};
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = /"conversation":"([^"]+)"/.exec(Buffer.concat(chunks).toString())?.[1];
      if (text) at.set(text, performance.now());
      response.end('ok');
      wake();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/`,
    at,
    async arrived(count: number) {
      while (at.size < count) await new Promise<void>((resolve) => (wake = resolve));
    },
    stop: () => server.close(),
  };
}

export async function benchInbound() {
  const platform = await forkChild('./platform.ts');
  const counter = await startCounter();
  const mine = '15560000011';
  const gateway = await startLinked(platform, [mine], counter.url);
  const senders = Array.from({ length: 16 }, (_, n) => `1556200${n + 1001}`);
  const send = (n: number, label: string) =>
    platform.ask({ do: 'inbound', from: senders[n % senders.length] ?? '', to: mine, text: `${label} ${n}` });
  for (let n = 0; n < 64; n++) await send(n, 'warm');
  await counter.arrived(64);
  const started = performance.now();
  const sent = Promise.all(Array.from({ length: BURST }, (_, n) => send(n, 'burst')));
  await sent;
  await counter.arrived(64 + BURST);
  const burst = (BURST / (performance.now() - started)) * 1000;
  const latencies: number[] = [];
  const begin = performance.now();
  for (let n = 0; n < PACED; n++) {
    const due = begin + n * 10;
    if (performance.now() < due) await new Promise((resolve) => setTimeout(resolve, due - performance.now()));
    const at = performance.now();
    void send(n, 'paced').then(() => latencies.push(at));
  }
  await counter.arrived(64 + BURST + PACED);
  const took = Array.from({ length: PACED }, (_, n) => (counter.at.get(`paced ${n}`) ?? Number.NaN) - (begin + n * 10));
  const rows = [
    {
      'burst msg/s': burst,
      'paced p50 ms': percentile(took, 0.5),
      'paced p99 ms': percentile(took, 0.99),
      lost: 64 + BURST + PACED - counter.at.size,
    },
  ];
  table('inbound: phone’s send to webhook POST (paced at 100/s)', rows);
  counter.stop();
  await gateway.stop();
  await platform.stop();
  return rows;
}
