// Texts at twice the rate that the gateway sustains: the latency of accepted texts, and whether the others get 503 with
// Retry-After. BENCH_OVERLOAD_SECONDS sets the duration. The default is 30, and the goal applies to 300.
import { Pool } from 'undici';
import { atLeast, atMost, type BenchResult } from './goals.ts';
import { KEY, type LinkedGateway, startLinked } from './linked.ts';
import { forkChild } from './processes.ts';
import { createGatewaySender } from './send.ts';
import { percentile, printTable } from './statistics.ts';

const SECONDS = Number(process.env.BENCH_OVERLOAD_SECONDS ?? 30);
/** Number and concurrency of the sends that measure the sustained rate. */
const [COUNT, CONCURRENCY] = [1_500, 64];
/** ms between two groups of sends. */
const TICK = 10;
const targets = Array.from({ length: 64 }, (_, n) => `1556400${n + 1001}`);

interface Answer {
  status: number;
  ms: number;
  retryAfter: string | undefined;
}

/** The result of a request without a response, for example because its connection was not accepted in time. */
const NOT_ANSWERED = { status: 0, retryAfter: undefined };

async function post(pool: Pool, { names }: LinkedGateway, text: string, number = ''): Promise<Omit<Answer, 'ms'>> {
  const { statusCode, headers, body } = await pool.request({
    method: 'POST',
    path: `/message/sendText/${names[0]}`,
    headers: { apikey: KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ number, textMessage: { text } }),
  });
  await body.dump();
  return { status: statusCode, retryAfter: headers['retry-after']?.toString() };
}

/** Makes `perSecond` requests a second for SECONDS, without waiting for earlier responses. */
async function offerRequests(perSecond: number, request: (n: number) => Promise<Answer>): Promise<Answer[]> {
  const answers: Promise<Answer>[] = [];
  const startedAt = performance.now();
  for (let elapsed = 0; elapsed < SECONDS * 1000; elapsed = performance.now() - startedAt) {
    while (answers.length < (elapsed / 1000) * perSecond) answers.push(request(answers.length));
    await new Promise((resolve) => setTimeout(resolve, TICK));
  }
  return Promise.all(answers);
}

export async function benchOverload(): Promise<BenchResult> {
  const platform = await forkChild('./platform.ts');
  const gateway = await startLinked(platform, ['15560000061'], undefined, '', {
    OVERLOAD_SEND_TIME: '500',
  });
  const sender = createGatewaySender(gateway);
  await sender.send({ count: 500, concurrency: 16, targets });
  const { elapsed } = await sender.send({ count: COUNT, concurrency: CONCURRENCY, targets });
  const sustained = (COUNT / elapsed) * 1000;
  const pool = new Pool(gateway.url, { connections: 2_048 });
  const answers = await offerRequests(2 * sustained, async (n) => {
    const startedAt = performance.now();
    const answer = await post(pool, gateway, `overload ${n}`, targets[n % targets.length]).catch(() => NOT_ANSWERED);
    return { ...answer, ms: performance.now() - startedAt };
  });
  const accepted = answers.filter(({ status }) => status === 201);
  const refused = answers.filter(({ status, retryAfter }) => status === 503 && Number(retryAfter) > 0);
  const times = accepted.map(({ ms }) => ms);
  const row = {
    'sustained /s': sustained,
    'offered /s': answers.length / SECONDS,
    'accepted /s': accepted.length / SECONDS,
    'refused /s': refused.length / SECONDS,
    'other answers': answers.length - accepted.length - refused.length,
    'p50 ms': percentile(times, 0.5),
    'p99 ms': percentile(times, 0.99),
    'refusal p99 ms': percentile(
      refused.map(({ ms }) => ms),
      0.99,
    ),
  };
  printTable(`texts at twice the sustained rate, for ${SECONDS} s`, [row]);
  await pool.close();
  await sender.stop();
  await platform.stop();
  const goals = [
    atMost('overload: p99 of accepted sends, ms', row['p99 ms'], 2_000),
    atMost('overload: answers other than 201 and 503 with Retry-After', row['other answers'], 0),
    atLeast('overload: accepted ÷ sustained rate', row['accepted /s'] / sustained, 0.5),
  ];
  return { rows: [row], goals };
}
