// Text sends: compares the gateway over HTTP (stored, encrypted at rest) with sendMessage() of plain Baileys, with
// default options and lean. Also compares the gateway on PostgreSQL with fsync and the gateway on SQLite.
import { Pool } from 'undici';
import { startPostgres } from '../support/postgres.ts';
import { compareSenders, type Sender, type SendFigures } from './compare-senders.ts';
import { atLeast, atMost, type BenchResult, type Goal } from './goals.ts';
import { KEY, type LinkedGateway, type Provisioned, startLinked } from './linked.ts';
import { type Child, cpuOf, familyCpuOf, forkChild } from './processes.ts';
import { drive, type LoadResult, type LoadShape, type PlainOptions } from './protocol.ts';
import { printTable } from './statistics.ts';

const ROUNDS = 3;
const COUNT = 600;

export interface PlainSender extends Sender {
  readonly pid: number;
  /** Resolves after `count` received messages in total. */
  received(count: number): Promise<unknown>;
  stop(): Promise<void>;
}

export async function openPlain(
  platform: Child,
  number: string,
  options: PlainOptions,
  env: NodeJS.ProcessEnv = {},
): Promise<Child> {
  const child = await forkChild('./plain-baileys.ts', [], env);
  const provisioned = await platform.ask<Provisioned>({ do: 'provision', number });
  await child.ask({
    do: 'open',
    url: provisioned.url,
    rootKey: provisioned.rootKey,
    creds: provisioned.creds,
    options,
  });
  return child;
}

/** Starts plain Baileys in a separate process, without changes of this project. */
export async function createPlainSender(
  platform: Child,
  number: string,
  options: PlainOptions = {},
  env: NodeJS.ProcessEnv = {},
): Promise<PlainSender> {
  const child = await openPlain(platform, number, options, env);
  return {
    name: ['plain', ...Object.keys(options)].join(' '),
    send: (load) => child.ask<LoadResult>({ do: 'send', load }),
    received: (count) => child.ask({ do: 'await', count }),
    pid: child.pid,
    stop: () => child.stop(),
  };
}

export interface SendRequest {
  /** Name of the operation, such as sendText. */
  operation: string;
  type: string;
  body: string | Buffer;
}

const toPlainText: ToRequest = (_load, _target, n) => ({
  operation: 'text',
  type: 'application/json',
  body: JSON.stringify({ text: `message ${n}` }),
});

/**
 * Starts plain Baileys with `isLean` behind an HTTP server that only sends. It shows the limit for a gateway that
 * stores and checks nothing.
 */
export async function createHttpSender(
  platform: Child,
  number: string,
  toRequest: ToRequest = toPlainText,
  env: NodeJS.ProcessEnv = {},
): Promise<Sender & { stop(): Promise<void> }> {
  const child = await openPlain(platform, number, { isLean: true }, env);
  const pool = new Pool(await child.ask<string>({ do: 'listen' }), { connections: 64 });
  return {
    name: 'plain isLean behind HTTP',
    async send(load) {
      const cpuBefore = cpuOf(child.pid);
      const result = await drive(load, async (target, n) => {
        const { type, body } = toRequest(load, target, n);
        const response = await pool.request({
          method: 'POST',
          path: `/${target}`,
          headers: { 'content-type': type },
          body,
        });
        const text = await response.body.text();
        if (response.statusCode !== 201) throw new Error(text);
      });
      return { ...result, cpu: cpuOf(child.pid) - cpuBefore };
    },
    async stop() {
      await pool.close();
      await child.stop();
    },
  };
}

/** Makes the request of the `n`-th send of a load. */
export type ToRequest = (load: LoadShape, target: string, n: number) => SendRequest;

const toTextRequest: ToRequest = (_load, target, n) => ({
  operation: 'sendText',
  type: 'application/json',
  body: JSON.stringify({ number: target, textMessage: { text: `message ${n}` } }),
});

/** Sends through a gateway over HTTP. The CPU time contains its child processes. `stop()` also stops the gateway. */
export function createGatewaySender(
  gateway: LinkedGateway,
  toRequest: ToRequest = toTextRequest,
  name = 'gateway',
): Sender & { stop(): Promise<void> } {
  const pool = new Pool(gateway.url, { connections: 64 });
  return {
    name,
    async send(load) {
      const cpuBefore = familyCpuOf(gateway.pid);
      const result = await drive(load, async (target, n) => {
        const { operation, type, body: content } = toRequest(load, target, n);
        const { statusCode, body } = await pool.request({
          method: 'POST',
          path: `/message/${operation}/${gateway.names[0]}`,
          headers: { apikey: KEY, 'content-type': type },
          body: content,
        });
        const text = await body.text();
        if (statusCode !== 201) throw new Error(`${statusCode} ${text}`);
      });
      return { ...result, cpu: familyCpuOf(gateway.pid) - cpuBefore };
    },
    async stop() {
      await pool.close();
      await gateway.stop();
    },
  };
}

/**
 * Measures texts to one chat and to 64 chats, 1, 16 and 64 at a time. The first sender is plain Baileys with default
 * options.
 */
export async function benchSend(): Promise<BenchResult> {
  const platform = await forkChild('./platform.ts');
  const gateway = await startLinked(platform, ['15560000001']);
  const plain = await createPlainSender(platform, '15560000002');
  const lean = await createPlainSender(platform, '15560000003', { isLean: true });
  const httpSender = await createHttpSender(platform, '15560000005');
  const sqlite = createGatewaySender(gateway);
  const senders: Sender[] = [plain, lean, httpSender, sqlite];
  const contacts = Array.from({ length: 64 }, (_, n) => `1556100${String(n + 1001)}`);
  for (const sender of senders) await sender.send({ count: 256, concurrency: 16, targets: contacts });
  const rows = [];
  const goals: Goal[] = [];
  for (const targets of [contacts.slice(0, 1), contacts]) {
    for (const concurrency of [1, 16, 64]) {
      const figures = await compareSenders(senders, ROUNDS, () => ({ count: COUNT, concurrency, targets }));
      rows.push(...figures.map((figure) => ({ chats: targets.length, concurrency, ...figure })));
      if (targets === contacts) goals.push(...goalsOf(concurrency, figures));
    }
  }
  printTable('text sends (ratios to plain Baileys with default options)', rows);
  await Promise.all([plain.stop(), lean.stop(), httpSender.stop()]);
  const onPostgres = await comparePostgres(platform, sqlite, contacts);
  await gateway.stop();
  await platform.stop();
  return { rows: [...rows, ...onPostgres.rows], goals: [...goals, ...onPostgres.goals] };
}

/** Compares the gateway on PostgreSQL with the gateway on SQLite: texts to `targets`, 1, 16 and 64 at a time. */
async function comparePostgres(platform: Child, sqlite: Sender, targets: string[]): Promise<BenchResult> {
  const server = await startPostgres({ hasFsync: true });
  try {
    const gateway = await startLinked(platform, ['15560000004'], undefined, await server.createDatabase());
    const postgres = createGatewaySender(gateway, toTextRequest, 'gateway, PostgreSQL');
    await postgres.send({ count: 256, concurrency: 16, targets });
    const rows = [];
    const goals: Goal[] = [];
    for (const concurrency of [1, 16, 64]) {
      const count = concurrency === 1 ? COUNT / 4 : COUNT / 2;
      const figures = await compareSenders([sqlite, postgres], ROUNDS, () => ({ count, concurrency, targets }));
      rows.push(...figures.map((figure) => ({ chats: targets.length, concurrency, ...figure })));
      const name = `texts, ${concurrency} at a time: rate on PostgreSQL ÷ SQLite`;
      if (concurrency > 1) goals.push(atLeast(name, figures[1]?.ratio ?? Number.NaN, 0.7));
    }
    printTable('text sends on PostgreSQL with fsync (ratios to the gateway on SQLite)', rows);
    await gateway.stop();
    return { rows, goals };
  } finally {
    await server.stop();
  }
}

function goalsOf(concurrency: number, figures: readonly SendFigures[]): Goal[] {
  const [plain] = figures;
  const gateway = figures.at(-1);
  if (!plain || !gateway) return [];
  const name = `texts, ${concurrency} at a time`;
  if (concurrency > 1) {
    return [
      atLeast(`${name}: rate ÷ plain`, gateway.ratio, 1),
      atMost(`${name}: CPU ÷ plain`, gateway['CPU ratio'], 1),
    ];
  }
  return [
    atLeast(`${name}: rate ÷ plain`, gateway.ratio, 0.8),
    atMost(`${name}: p50 − that of plain, ms`, gateway['p50 ms'] - plain['p50 ms'], 0.4),
  ];
}
