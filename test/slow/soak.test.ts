// Random faults under load, on SQLite and on a PostgreSQL server that stops as well. The gateway must post every
// received message, and every accepted send must arrive or be reported. SOAK_SEED repeats the random choices of a run.
import { describe, expect, it, onTestFinished } from 'vitest';
import { at } from '../support/api.ts';
import { isEvent } from '../support/gateway.ts';
import {
  createLinkedStore,
  type LinkedStore,
  nameOf,
  numberOf,
  startGatewayProcess,
  waitUntilOpen,
} from '../support/linked-processes.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { createRandom } from '../webhooks/soak.ts';

const ROUNDS = 12;
/** ms after which no further round starts. */
const RUN_LIMIT = 8_000;
/** ms for which a round waits for its connections. */
const OPEN_LIMIT = 2_000;
/** Timeout of a test in ms. On a busy machine, the starts of the gateway take long. */
const TEST_LIMIT = 120_000;
/** ms for missing messages and statuses after the last fault. */
const LEDGER_LIMIT = 20_000;
const INSTANCES = 2;
const PHONES = 4;
const phoneOf = (n: number) => String(15550018500 + n);

/** The result of a send request as its client received it. */
interface Sent {
  text: string;
  to: string;
  /** HTTP status. 0 when the connection ended before the response. */
  status: number;
  id: string | undefined;
  certain: boolean | undefined;
}

class Soak {
  readonly received: string[] = [];
  readonly sent: Sent[] = [];
  readonly faultCounts: Record<string, number> = {};
  readonly #random: () => number;
  readonly #place: LinkedStore;
  readonly #env: Record<string, string>;
  readonly #server: PostgresServer | undefined;
  #gateway: Awaited<ReturnType<typeof startGatewayProcess>> | undefined;
  #sends: Promise<void>[] = [];

  constructor(seed: number, place: LinkedStore, env: Record<string, string>, server?: PostgresServer) {
    this.#random = createRandom(seed);
    this.#place = place;
    this.#env = env;
    this.#server = server;
  }

  below(n: number): number {
    return Math.floor(this.#random() * n);
  }

  async run(): Promise<void> {
    await this.#start();
    const end = performance.now() + RUN_LIMIT;
    for (let round = 0; round < ROUNDS && performance.now() < end; round++) {
      // Some rounds start with the faults of the previous round.
      if (this.#random() < 0.7) await this.#reconnect();
      for (let n = 0; n < 3; n++) await this.#receive();
      for (let n = 0; n < 3; n++) this.#send();
      await this.#causeFault(round);
      if (this.#random() < 0.5) await this.#waitForSends();
    }
    await this.#waitForSends();
    this.#place.sandbox.faults.clear();
    // The end of the process also ends all stalled and frozen connections.
    await this.#kill();
    for (let n = 1; n <= INSTANCES; n++) await waitUntilOpen(this.#running.program, n);
  }

  get #running() {
    if (!this.#gateway) throw new Error('not started');
    return this.#gateway;
  }

  /** Connects instances that wait for their next attempt. Ignores those that fail again. */
  async #reconnect(): Promise<void> {
    const names = Array.from({ length: INSTANCES }, (_, n) => nameOf(n + 1));
    const connecting = Promise.all(names.map((name) => this.#running.api('GET', `/instance/connect/${name}`)));
    // Requests that wait for a mute platform end with the process at the next kill.
    const timeout = new Promise((resolve) => setTimeout(resolve, OPEN_LIMIT).unref());
    await Promise.race([connecting.catch(() => undefined), timeout]);
  }

  async #waitForSends(): Promise<void> {
    await Promise.all(this.#sends);
    this.#sends = [];
  }

  async #start(): Promise<void> {
    this.#gateway = await startGatewayProcess(this.#place, this.#env);
    await this.#gateway.program.line(/gateway\.ready/);
  }

  async #kill(): Promise<void> {
    await this.#running.program.stop('SIGKILL');
    await this.#start();
  }

  async #receive(): Promise<void> {
    const text = `in ${this.received.length}`;
    this.received.push(text);
    await this.#place.sandbox.phones
      .phone(phoneOf(this.below(PHONES)))
      .send(numberOf(1 + this.below(INSTANCES)), { text });
  }

  #send(): void {
    const sent: Sent = {
      text: `out ${this.sent.length}`,
      to: phoneOf(this.below(PHONES)),
      status: 0,
      id: undefined,
      certain: undefined,
    };
    this.sent.push(sent);
    const path = `/message/sendText/${nameOf(1 + this.below(INSTANCES))}`;
    const record = ({ status, body }: { status: number; body: unknown }) => {
      const { key, certain, messageId } = body as { key?: { id: string }; certain?: boolean; messageId?: string };
      Object.assign(sent, { status, certain, id: key?.id ?? messageId });
    };
    const ignoreBrokenConnection = (error: unknown) => {
      if (!(error instanceof TypeError)) throw error;
    };
    const body = { number: sent.to, textMessage: { text: sent.text } };
    this.#sends.push(this.#running.api('POST', path, body).then(record, ignoreBrokenConnection));
  }

  async #causeFault(round: number): Promise<void> {
    const { faults } = this.#place.sandbox;
    const number = numberOf(1 + this.below(INSTANCES));
    const faultActions: Record<string, () => unknown> = {
      drop: () => faults.add({ kind: 'drop', number, after: this.below(6) }),
      close: () => faults.add({ kind: 'close', number, code: [428, 500, 503, 515][this.below(4)] }),
      nack: () => faults.add({ kind: 'nack', number, code: 479 }),
      duplicate: () => faults.add({ kind: 'duplicate', number, times: 3 }),
      mute: () => faults.add({ kind: 'mute', number }),
      stall: () => faults.add({ kind: this.below(2) ? 'stall' : 'freeze', number }),
    };
    const names = Object.keys(faultActions).filter((fault) => fault !== 'stall');
    // The slow faults have fixed rounds, because each of them includes a restart.
    let name = round % 6 === 5 ? 'kill' : (names[this.below(names.length)] ?? 'drop');
    if (round % 6 === 4) name = 'stall';
    if (this.#server && round % 6 === 2) name = 'database';
    this.faultCounts[name] = (this.faultCounts[name] ?? 0) + 1;
    if (name === 'kill') return this.#kill();
    if (name !== 'database') return void faultActions[name]?.();
    await this.#server?.halt();
    for (let n = 0; n < 3; n++) await this.#receive();
    await this.#server?.resume();
  }
}

/** Resolves with `completion`. Rejects with the result of `missing` after LEDGER_LIMIT. */
async function withLimit(completion: Promise<unknown>, missing: () => unknown): Promise<void> {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => timeout.reject(new Error(`missing: ${JSON.stringify(missing())}`)), LEDGER_LIMIT);
  await Promise.race([completion, timeout.promise]).finally(() => clearTimeout(timer));
}

/** The posts of an event that the receiver accepted. */
const acceptedPosts = (receiver: Receiver, event: string) =>
  receiver.posts.filter(({ status, body }) => status === 200 && isEvent(body, event));

async function soak(server?: PostgresServer): Promise<void> {
  const seed = Number(process.env.SOAK_SEED ?? Math.floor(Math.random() * 2 ** 31));
  const receiver = await startReceiver();
  onTestFinished(() => receiver.stop());
  const nextRandom = createRandom(seed + 1);
  const failures = [500, 503, 429, 'close'] as const;
  receiver.answer(() => (nextRandom() < 0.3 ? (failures[Math.floor(nextRandom() * failures.length)] ?? 500) : 200));
  const place = await createLinkedStore(INSTANCES, { hook: receiver.url, databaseUrl: await server?.createDatabase() });
  const env = { WEBHOOK_RETRY_SCHEDULE: '1,2', QUERY_TIMEOUT: '1500', SEND_TIMEOUT: '3000', LOG_LEVEL: 'info' };
  const run = new Soak(seed, place, env, server);
  const summary = () => {
    const statuses: Record<string, number> = {};
    for (const { status } of run.sent) statuses[status] = (statuses[status] ?? 0) + 1;
    return {
      seed,
      received: run.received.length,
      posts: receiver.posts.length,
      sent: statuses,
      faultCounts: run.faultCounts,
    };
  };
  /** Resolves when `missing` returns an empty list. Rejects with the missing items after LEDGER_LIMIT. */
  const waitUntilNoneMissing = (missing: () => readonly unknown[]) =>
    withLimit(
      receiver.next(() => missing().length === 0),
      missing,
    );
  try {
    await run.run();
    receiver.answer(() => 200);
    const postedTexts = () =>
      new Set(acceptedPosts(receiver, 'messages.upsert').map(({ body }) => at(body, 'data.message.conversation')));
    await waitUntilNoneMissing(() => run.received.filter((text) => !postedTexts().has(text)));
    const accepted = run.sent.filter(({ status }) => status === 201);
    const statusesOf = (id: unknown) =>
      acceptedPosts(receiver, 'messages.update').flatMap(({ body }) =>
        at(body, 'data.keyId') === id ? [String(at(body, 'data.status'))] : [],
      );
    await waitUntilNoneMissing(() =>
      accepted.filter(({ id }) => !statusesOf(id).some((status) => status !== 'PENDING')),
    );
    for (const text of run.received) {
      const posts = receiver.posts.filter(
        ({ body }) => isEvent(body, 'messages.upsert') && at(body, 'data.message.conversation') === text,
      );
      expect(new Set(posts.map(({ headers }) => headers['webhook-id'])).size, text).toBe(1);
    }
    for (const sent of run.sent) {
      const phone = place.sandbox.phones.phone(sent.to);
      const shownCount = () => phone.messages().filter(({ text }) => text === sent.text).length;
      const isConfirmed =
        sent.status === 201 && statusesOf(sent.id).some((status) => !['PENDING', 'ERROR'].includes(status));
      // A phone can need a retry receipt before it can decrypt the message.
      if (isConfirmed)
        await withLimit(
          phone.waitFor(() => shownCount() > 0),
          () => sent,
        );
      const expected = isConfirmed ? [1] : sent.certain === true ? [0] : [0, 1];
      expect(expected, JSON.stringify({ ...sent, ends: statusesOf(sent.id) })).toContain(shownCount());
    }
    expect(acceptedPosts(receiver, 'messages.undecryptable')).toEqual([]);
    expect(place.sandbox.unanswered).toEqual([]);
  } finally {
    console.log('soak', JSON.stringify(summary()));
  }
}

describe('random faults under load', () => {
  it(
    'a gateway on SQLite posts each message under one id and sends each text once or reports it, despite faults',
    () => soak(),
    TEST_LIMIT,
  );

  it(
    'a gateway on PostgreSQL posts each message under one id and sends each text once or reports it, despite faults',
    async () => {
      const server = await startPostgres();
      onTestFinished(() => server.stop());
      await soak(server);
    },
    TEST_LIMIT,
  );
});
