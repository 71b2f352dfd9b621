// Everything goes wrong at random under load, and a ledger is kept: what came in must have come out, and what was accepted must have
// arrived or be reported. The same on either database, which goes away as well. SOAK_SEED repeats the dice of a run.
import { describe, expect, it, onTestFinished } from 'vitest';
import { at } from '../support/api.ts';
import { isEvent } from '../support/gateway.ts';
import { nameOf, numberOf, opened, type Place, provision, start } from '../support/linked.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { dice } from '../webhooks/soak.ts';

const ROUNDS = 12;
/** ms after which no further round begins, and that connecting may hold one up. */
const TIME = 8_000;
const OPEN_LIMIT = 2_000;
/** ms after which a run counts as hanging: on a busy machine the starts alone take long. */
const HANG = 120_000;
/** ms for what is still missing at the end. */
const LEDGER_LIMIT = 20_000;
const INSTANCES = 2;
const PHONES = 4;
const phoneOf = (n: number) => String(15550018500 + n);

/** The result of a send, as its caller got it. */
interface Sent {
  text: string;
  to: string;
  /** 0: the connection broke. */
  status: number;
  id: string | undefined;
  certain: boolean | undefined;
}

class Soak {
  readonly received: string[] = [];
  readonly sent: Sent[] = [];
  readonly struck: Record<string, number> = {};
  readonly #random: () => number;
  readonly #place: Place;
  readonly #env: Record<string, string>;
  readonly #server: PostgresServer | undefined;
  #gateway: Awaited<ReturnType<typeof start>> | undefined;
  #sends: Promise<void>[] = [];

  constructor(seed: number, place: Place, env: Record<string, string>, server?: PostgresServer) {
    this.#random = dice(seed);
    this.#place = place;
    this.#env = env;
    this.#server = server;
  }

  below(n: number): number {
    return Math.floor(this.#random() * n);
  }

  async run(): Promise<void> {
    await this.#start();
    const end = performance.now() + TIME;
    for (let round = 0; round < ROUNDS && performance.now() < end; round++) {
      // Some rounds meet what the one before has left.
      if (this.#random() < 0.7) await this.#open();
      for (let n = 0; n < 3; n++) await this.#receive();
      for (let n = 0; n < 3; n++) this.#send();
      await this.#strike(round);
      if (this.#random() < 0.5) await this.#idle();
    }
    await this.#idle();
    this.#place.sandbox.faults.clear();
    // All that is still stalled or frozen ends with the process.
    await this.#kill();
    for (let n = 1; n <= INSTANCES; n++) await opened(this.#running.program, n);
  }

  get #running() {
    if (!this.#gateway) throw new Error('not started');
    return this.#gateway;
  }

  /** Connects at once what waits for its next attempt; what fails again is left to itself. */
  async #open(): Promise<void> {
    const names = Array.from({ length: INSTANCES }, (_, n) => nameOf(n + 1));
    const all = Promise.all(names.map((name) => this.#running.api('GET', `/instance/connect/${name}`)));
    // What a mute platform keeps waiting is given up with the process, at the next kill.
    const late = new Promise((resolve) => setTimeout(resolve, OPEN_LIMIT).unref());
    await Promise.race([all.catch(() => undefined), late]);
  }

  async #idle(): Promise<void> {
    await Promise.all(this.#sends);
    this.#sends = [];
  }

  async #start(): Promise<void> {
    this.#gateway = await start(this.#place, this.#env);
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
    const note = ({ status, body }: { status: number; body: unknown }) => {
      const { key, certain, messageId } = body as { key?: { id: string }; certain?: boolean; messageId?: string };
      Object.assign(sent, { status, certain, id: key?.id ?? messageId });
    };
    const isBroken = (error: unknown) => {
      if (!(error instanceof TypeError)) throw error;
    };
    const body = { number: sent.to, textMessage: { text: sent.text } };
    this.#sends.push(this.#running.api('POST', path, body).then(note, isBroken));
  }

  async #strike(round: number): Promise<void> {
    const { faults } = this.#place.sandbox;
    const number = numberOf(1 + this.below(INSTANCES));
    const strikes: Record<string, () => unknown> = {
      drop: () => faults.add({ kind: 'drop', number, after: this.below(6) }),
      close: () => faults.add({ kind: 'close', number, code: [428, 500, 503, 515][this.below(4)] }),
      nack: () => faults.add({ kind: 'nack', number, code: 479 }),
      duplicate: () => faults.add({ kind: 'duplicate', number, times: 3 }),
      mute: () => faults.add({ kind: 'mute', number }),
      stall: () => faults.add({ kind: this.below(2) ? 'stall' : 'freeze', number }),
    };
    const names = Object.keys(strikes).filter((one) => one !== 'stall');
    // The costly ones come at set times: each is a restart.
    let name = round % 6 === 5 ? 'kill' : (names[this.below(names.length)] ?? 'drop');
    if (round % 6 === 4) name = 'stall';
    if (this.#server && round % 6 === 2) name = 'database';
    this.struck[name] = (this.struck[name] ?? 0) + 1;
    if (name === 'kill') return this.#kill();
    if (name !== 'database') return void strikes[name]?.();
    await this.#server?.halt();
    for (let n = 0; n < 3; n++) await this.#receive();
    await this.#server?.resume();
  }
}

/** Resolves as `done` does; fails with what is missing when that takes too long. */
async function bounded(done: Promise<unknown>, missing: () => unknown): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`missing: ${JSON.stringify(missing())}`)), LEDGER_LIMIT);
  await Promise.race([done, late.promise]).finally(() => clearTimeout(timer));
}

/** Posts that were taken, by event. */
const taken = (receiver: Receiver, event: string) =>
  receiver.posts.filter(({ status, body }) => status === 200 && isEvent(body, event));

async function soak(server?: PostgresServer): Promise<void> {
  const seed = Number(process.env.SOAK_SEED ?? Math.floor(Math.random() * 2 ** 31));
  const receiver = await startReceiver();
  onTestFinished(() => receiver.stop());
  const failing = dice(seed + 1);
  const failures = [500, 503, 429, 'close'] as const;
  receiver.answer(() => (failing() < 0.3 ? (failures[Math.floor(failing() * failures.length)] ?? 500) : 200));
  const place = await provision(INSTANCES, { hook: receiver.url, databaseUrl: await server?.createDatabase() });
  const env = { WEBHOOK_RETRY_SCHEDULE: '1,2', QUERY_TIMEOUT: '1500', SEND_TIMEOUT: '3000', LOG_LEVEL: 'info' };
  const run = new Soak(seed, place, env, server);
  const figures = () => {
    const statuses: Record<string, number> = {};
    for (const { status } of run.sent) statuses[status] = (statuses[status] ?? 0) + 1;
    return { seed, received: run.received.length, posts: receiver.posts.length, sent: statuses, struck: run.struck };
  };
  /** Resolves when nothing is missing any more; fails with what is. */
  const within = (missing: () => readonly unknown[]) =>
    bounded(
      receiver.next(() => missing().length === 0),
      missing,
    );
  try {
    await run.run();
    receiver.answer(() => 200);
    const textsIn = () =>
      new Set(taken(receiver, 'messages.upsert').map(({ body }) => at(body, 'data.message.conversation')));
    await within(() => run.received.filter((text) => !textsIn().has(text)));
    const accepted = run.sent.filter(({ status }) => status === 201);
    const endOf = (id: unknown) =>
      taken(receiver, 'messages.update').flatMap(({ body }) =>
        at(body, 'data.keyId') === id ? [String(at(body, 'data.status'))] : [],
      );
    await within(() => accepted.filter(({ id }) => !endOf(id).some((status) => status !== 'PENDING')));
    for (const text of run.received) {
      const posts = receiver.posts.filter(
        ({ body }) => isEvent(body, 'messages.upsert') && at(body, 'data.message.conversation') === text,
      );
      expect(new Set(posts.map(({ headers }) => headers['webhook-id'])).size, text).toBe(1);
    }
    for (const one of run.sent) {
      const phone = place.sandbox.phones.phone(one.to);
      const seen = () => phone.messages().filter(({ text }) => text === one.text).length;
      const isConfirmed = one.status === 201 && endOf(one.id).some((status) => !['PENDING', 'ERROR'].includes(status));
      // A phone may have to ask for it again before it can read it.
      if (isConfirmed)
        await bounded(
          phone.waitFor(() => seen() > 0),
          () => one,
        );
      const expected = isConfirmed ? [1] : one.certain === true ? [0] : [0, 1];
      expect(expected, JSON.stringify({ ...one, ends: endOf(one.id) })).toContain(seen());
    }
    expect(taken(receiver, 'messages.undecryptable')).toEqual([]);
    expect(place.sandbox.unanswered).toEqual([]);
  } finally {
    console.log('soak', JSON.stringify(figures()));
  }
}

describe('a gateway under load to which everything happens', () => {
  it('delivers every message under one id, and every send arrives once or is reported: SQLite', () => soak(), HANG);

  it(
    'does the same on a PostgreSQL server that goes away as well',
    async () => {
      const server = await startPostgres();
      onTestFinished(() => server.stop());
      await soak(server);
    },
    HANG,
  );
});
