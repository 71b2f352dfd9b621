// Attacks in rounds: cases through all inputs at once for some seconds, then a look at what has to be true, and at times a kill.
import {
  Caller,
  type Case,
  caseOf,
  type Input,
  type MessageCase,
  type RequestCase,
  type StanzaCase,
  sendMessage,
  sendStanzas,
  until,
} from './attacks.ts';
import { MOST_GROWTH, PATIENCE, problemsOf, problemWith, RECOVERY } from './criteria.ts';
import type { Memory } from './gateway.ts';
import { Random } from './random.ts';
import type { Stage } from './stage.ts';

export interface Plan {
  seed: number;
  /** How long to go on, s; it ends earlier when each input has had `most` cases. */
  seconds: number;
  most?: number;
  inputs: readonly Input[];
  /** Number of the first case of each input. */
  from?: number;
  /** Kills the gateway and starts it again after so many rounds, and at the end. */
  killEvery: number;
  /** Called with what was found in a round; true: go on. */
  found(finding: Finding): Promise<boolean>;
  log(line: string): void;
}

export interface Finding {
  problems: string[];
  /** Everything that was sent in the round, oldest first. */
  cases: Case[];
  round: number;
}

export interface Counts {
  /** Cases that were sent. */
  sent: Record<Input, number>;
  /** Stanzas that the gateway certainly handled: the same connection acknowledged what came after them. */
  handled: number;
  /** Connections that ended over stanzas. */
  lost: number;
  /** Answers by status. */
  statuses: Record<string, number>;
  posts: number;
  restarts: number;
  seconds: number;
}

const ROUND = 6_000;
const MESSAGE_LANES = 6;
const REQUEST_LANES = 16;
/** Stanzas before each mark. */
const BATCH = 12;
/** ms that a client takes to ask five times for a message that it cannot read. */
const ASKING = 8_000;
/** ms without a message taken after which an instance takes none. */
const STUCK = 40_000;

export class Run {
  readonly counts: Counts = {
    sent: { message: 0, stanza: 0, request: 0 },
    handled: 0,
    lost: 0,
    statuses: {},
    posts: 0,
    restarts: 0,
    seconds: 0,
  };
  readonly #stage: Stage;
  readonly #plan: Plan;
  readonly #next: Record<Input, number>;
  #cases: Case[] = [];
  #problems: string[] = [];
  #until = 0;

  constructor(stage: Stage, plan: Plan) {
    this.#stage = stage;
    this.#plan = plan;
    const { from = 0 } = plan;
    this.#next = { message: from, stanza: from, request: from };
  }

  /** Resolves with the counts when time or cases are up, or when `found` does not go on. */
  async go(): Promise<Counts> {
    const { seconds, found, log, killEvery } = this.#plan;
    const started = performance.now();
    let before: Memory | undefined;
    for (let round = 1; !this.#isDone(started); round++) {
      this.#until = Math.min(performance.now() + ROUND, started + seconds * 1000);
      await this.#round();
      const problems = [...this.#problems.splice(0), ...(await problemsOf(this.#stage))];
      this.counts.seconds = (performance.now() - started) / 1000;
      this.counts.posts = this.#stage.site.posts;
      log(this.#line(round));
      if (problems.length === 0 && (round % killEvery === 0 || this.#isDone(started))) {
        before ??= await this.#stage.gateway.collect();
        problems.push(...this.#grown(before, await this.#stage.gateway.collect()));
        problems.push(...(await this.#killed()));
        before = undefined;
      }
      if (problems.length > 0 && !(await found({ problems, cases: this.#cases, round }))) break;
      before ??= await this.#stage.gateway.collect();
      this.#cases = [];
      this.#stage.clearPhones();
    }
    return this.counts;
  }

  #isDone(started: number): boolean {
    const { most = Number.POSITIVE_INFINITY, seconds, inputs } = this.#plan;
    const isEnough = inputs.every((input) => this.#amount(input) >= most);
    return isEnough || performance.now() - started >= seconds * 1000;
  }

  #amount(input: Input): number {
    return input === 'stanza' ? this.counts.handled : this.counts.sent[input];
  }

  #grown(before: Memory, after: Memory): string[] {
    const grown = after.heapUsed + after.external - before.heapUsed - before.external;
    return grown > MOST_GROWTH
      ? [`memory: ${Math.round(grown / 2 ** 20)} MiB more on the heap than before the attack`]
      : [];
  }

  /** Killed and started again on its data, it comes back and works. */
  async #killed(): Promise<string[]> {
    this.counts.restarts++;
    await this.#stage.restart();
    const problems = await problemsOf(this.#stage);
    await this.#stage.gateway.collect();
    return problems.map((line) => `${line} (after a kill)`);
  }

  async #round(): Promise<void> {
    const caller = new Caller(this.#stage.gateway.url);
    const lanes: Promise<void>[] = [];
    const { inputs } = this.#plan;
    if (inputs.includes('message')) for (let n = 0; n < MESSAGE_LANES; n++) lanes.push(this.#messages());
    if (inputs.includes('stanza')) for (const { name } of this.#stage.of('stanza')) lanes.push(this.#stanzas(name));
    if (inputs.includes('request')) for (let n = 0; n < REQUEST_LANES; n++) lanes.push(this.#requests(caller));
    await Promise.all(lanes);
    await caller.close();
    if (inputs.includes('message')) await this.#drain();
  }

  #goesOn(input: Input): boolean {
    const { most = Number.POSITIVE_INFINITY } = this.#plan;
    const isAlive = this.#stage.gateway.end === undefined;
    return isAlive && performance.now() < this.#until && this.#amount(input) < most;
  }

  #case(input: Input): Case {
    const step = this.#next[input]++;
    const made = caseOf(input, new Random(this.#plan.seed, `${input} ${step}`), step, this.#stage);
    this.counts.sent[input]++;
    return made;
  }

  async #messages(): Promise<void> {
    while (this.#goesOn('message')) {
      const made = this.#case('message');
      this.#cases.push(made);
      if (await sendMessage(this.#stage, made as MessageCase, STUCK)) continue;
      if (this.#stage.gateway.end === undefined)
        this.#problems.push(`instance: ${(made as MessageCase).to} takes no messages`);
      return;
    }
  }

  async #stanzas(to: string): Promise<void> {
    while (this.#goesOn('stanza')) {
      const batch = Array.from({ length: BATCH }, () => ({ ...(this.#case('stanza') as StanzaCase), to }));
      this.#cases.push(...batch);
      const outcome = await sendStanzas(this.#stage, batch, RECOVERY);
      if (outcome === 'kept') this.counts.handled += BATCH;
      if (outcome === 'lost') this.counts.lost++;
      if (outcome === 'silent' && this.#stage.gateway.end === undefined) {
        this.#problems.push(`instance: ${to} does not answer the platform within ${RECOVERY} ms of stanzas`);
        return;
      }
    }
  }

  async #requests(caller: Caller): Promise<void> {
    while (this.#goesOn('request')) {
      const made = this.#case('request') as RequestCase;
      this.#cases.push(made);
      try {
        const answered = await caller.call(made);
        const { statuses } = this.counts;
        statuses[answered.status] = (statuses[answered.status] ?? 0) + 1;
        const problem = problemWith(made, answered);
        if (problem) this.#problems.push(problem);
      } catch (error) {
        if (this.#stage.gateway.end !== undefined) return;
        const { statuses } = this.counts;
        const why = error instanceof Error ? `${error.name} ${Reflect.get(error, 'code') ?? ''}` : String(error);
        statuses[why] = (statuses[why] ?? 0) + 1;
        if (/Timeout/.test(why))
          this.#problems.push(`answer: none to ${made.method} ${made.path.slice(0, 200)}: ${why}`);
      }
    }
  }

  /** Every message is taken in the end: what cannot be read is set aside, not asked for again and again. */
  async #drain(): Promise<void> {
    const unreadable = this.#cases.filter((each) => each.input === 'message' && !each.isReadable).length;
    for (const target of this.#stage.of('message')) {
      const { queue } = this.#stage.companion(target);
      if (await until(() => queue.length === 0, 2 * PATIENCE + unreadable * ASKING, this.#stage)) continue;
      if (this.#stage.gateway.end !== undefined) return;
      const waiting = queue
        .slice(0, 5)
        .map(({ key }) => key)
        .join(', ');
      this.#problems.push(`instance: ${target.name} leaves ${queue.length} stanzas unanswered: ${waiting}`);
      queue.length = 0;
    }
  }

  #line(round: number): string {
    const { sent, handled, lost, posts, seconds } = this.counts;
    const rate = (count: number) => `${count} (${Math.round(count / seconds)}/s)`;
    const { busy, waited } = this.#stage.gateway.vitals;
    const { user, system } = process.threadCpuUsage();
    const shares = `processor: gateway ${Math.round(busy / 1000)} s (waited ${Math.round(waited / 1000)} s), fuzzer ${Math.round((user + system) / 1e6)} s`;
    return `round ${round}: ${rate(sent.message)} messages, ${rate(handled)} stanzas of ${sent.stanza} (${lost} connections lost), ${rate(sent.request)} requests, ${posts} posts, ${Math.round(seconds)} s, ${shares}`;
  }
}
