// Attacks in rounds. A round sends cases through all inputs at the same time for some seconds, and then checks the
// conditions of criteria.ts. Some rounds also kill the gateway.

import { Random } from '../support/random.ts';
import {
  Caller,
  type Case,
  createCase,
  type Input,
  type MessageCase,
  type RequestCase,
  type StanzaCase,
  sendMessage,
  sendStanzas,
  waitUntil,
} from './attacks.ts';
import { DELIVERY_TIMEOUT, MAX_GROWTH, problemsOf, problemWith, RECOVERY_TIMEOUT } from './criteria.ts';
import type { Memory } from './gateway.ts';
import type { Stage } from './stage.ts';

export interface Plan {
  seed: number;
  /** Maximum duration in s. The run ends earlier when each input has had `maxCases` cases. */
  seconds: number;
  maxCases?: number;
  inputs: readonly Input[];
  /** Number of the first case of each input. */
  from?: number;
  /** Number of rounds between two kills of the gateway. The last round also kills it. The gateway then restarts. */
  killEvery: number;
  /** Called with the finding of a round. The run continues when the result is true. */
  onFinding(finding: Finding): Promise<boolean>;
  log(line: string): void;
}

export interface Finding {
  problems: string[];
  /** All cases of the round, oldest first. */
  cases: Case[];
  round: number;
}

export interface Counts {
  /** Number of sent cases. */
  sent: Record<Input, number>;
  /** Number of stanzas that the gateway handled: the same connection acknowledged the notification after them. */
  handled: number;
  /** Number of connections that ended because of stanzas. */
  lost: number;
  /** Number of responses by status. */
  statuses: Record<string, number>;
  posts: number;
  restarts: number;
  seconds: number;
}

/** Duration of a round, ms. */
const ROUND_TIME = 6_000;
const MESSAGE_LANES = 6;
const REQUEST_LANES = 16;
/** Number of stanzas before each notification that the gateway must acknowledge. */
const BATCH = 12;
/** ms in which a client requests a message that it cannot read five times. */
const RETRY_TIME = 8_000;
/** ms after which an instance with a full queue counts as blocked. */
const SEND_TIMEOUT = 40_000;

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
  readonly #nextSteps: Record<Input, number>;
  #cases: Case[] = [];
  #problems: string[] = [];
  #roundEnd = 0;

  constructor(stage: Stage, plan: Plan) {
    this.#stage = stage;
    this.#plan = plan;
    const { from = 0 } = plan;
    this.#nextSteps = { message: from, stanza: from, request: from };
  }

  /** Runs the rounds. Resolves with the counts after the last round, or when `onFinding` resolves with false. */
  async attack(): Promise<Counts> {
    const { seconds, onFinding, log, killEvery } = this.#plan;
    const startedAt = performance.now();
    let memoryBefore: Memory | undefined;
    for (let round = 1; !this.#isDone(startedAt); round++) {
      this.#roundEnd = Math.min(performance.now() + ROUND_TIME, startedAt + seconds * 1000);
      await this.#runRound();
      const problems = [...this.#problems.splice(0), ...(await problemsOf(this.#stage))];
      this.counts.seconds = (performance.now() - startedAt) / 1000;
      this.counts.posts = this.#stage.site.posts;
      log(this.#describeRound(round));
      if (problems.length === 0 && (round % killEvery === 0 || this.#isDone(startedAt))) {
        memoryBefore ??= await this.#stage.gateway.collect();
        problems.push(...this.#growthProblems(memoryBefore, await this.#stage.gateway.collect()));
        problems.push(...(await this.#killAndCheck()));
        memoryBefore = undefined;
      }
      if (problems.length > 0 && !(await onFinding({ problems, cases: this.#cases, round }))) break;
      memoryBefore ??= await this.#stage.gateway.collect();
      this.#cases = [];
      this.#stage.clearPhones();
    }
    return this.counts;
  }

  #isDone(startedAt: number): boolean {
    const { maxCases = Number.POSITIVE_INFINITY, seconds, inputs } = this.#plan;
    const isEnough = inputs.every((input) => this.#countOf(input) >= maxCases);
    return isEnough || performance.now() - startedAt >= seconds * 1000;
  }

  #countOf(input: Input): number {
    return input === 'stanza' ? this.counts.handled : this.counts.sent[input];
  }

  #growthProblems(before: Memory, after: Memory): string[] {
    const grown = after.heapUsed + after.external - before.heapUsed - before.external;
    return grown > MAX_GROWTH
      ? [`memory: ${Math.round(grown / 2 ** 20)} MiB more on the heap than before the attack`]
      : [];
  }

  /** Kills the gateway and starts it on the same data. Resolves with the problems afterwards. */
  async #killAndCheck(): Promise<string[]> {
    this.counts.restarts++;
    await this.#stage.restart();
    const problems = await problemsOf(this.#stage);
    await this.#stage.gateway.collect();
    return problems.map((line) => `${line} (after a kill)`);
  }

  async #runRound(): Promise<void> {
    const caller = new Caller(this.#stage.gateway.url);
    const lanes: Promise<void>[] = [];
    const { inputs } = this.#plan;
    if (inputs.includes('message')) for (let n = 0; n < MESSAGE_LANES; n++) lanes.push(this.#sendMessages());
    if (inputs.includes('stanza'))
      for (const { name } of this.#stage.targetsOf('stanza')) lanes.push(this.#sendStanzas(name));
    if (inputs.includes('request')) for (let n = 0; n < REQUEST_LANES; n++) lanes.push(this.#sendRequests(caller));
    await Promise.all(lanes);
    await caller.close();
    if (inputs.includes('message')) await this.#drain();
  }

  #shouldContinue(input: Input): boolean {
    const { maxCases = Number.POSITIVE_INFINITY } = this.#plan;
    const isAlive = this.#stage.gateway.end === undefined;
    return isAlive && performance.now() < this.#roundEnd && this.#countOf(input) < maxCases;
  }

  #nextCase(input: Input): Case {
    const step = this.#nextSteps[input]++;
    const fuzzCase = createCase(input, new Random(this.#plan.seed, `${input} ${step}`), step, this.#stage);
    this.counts.sent[input]++;
    return fuzzCase;
  }

  async #sendMessages(): Promise<void> {
    while (this.#shouldContinue('message')) {
      const fuzzCase = this.#nextCase('message');
      this.#cases.push(fuzzCase);
      if (await sendMessage(this.#stage, fuzzCase as MessageCase, SEND_TIMEOUT)) continue;
      if (this.#stage.gateway.end === undefined)
        this.#problems.push(`instance: ${(fuzzCase as MessageCase).to} takes no messages`);
      return;
    }
  }

  async #sendStanzas(to: string): Promise<void> {
    while (this.#shouldContinue('stanza')) {
      const batch = Array.from({ length: BATCH }, () => ({ ...(this.#nextCase('stanza') as StanzaCase), to }));
      this.#cases.push(...batch);
      const outcome = await sendStanzas(this.#stage, batch, RECOVERY_TIMEOUT);
      if (outcome === 'kept') this.counts.handled += BATCH;
      if (outcome === 'lost') this.counts.lost++;
      if (outcome === 'silent' && this.#stage.gateway.end === undefined) {
        this.#problems.push(`instance: ${to} does not answer the platform within ${RECOVERY_TIMEOUT} ms of stanzas`);
        return;
      }
    }
  }

  async #sendRequests(caller: Caller): Promise<void> {
    while (this.#shouldContinue('request')) {
      const fuzzCase = this.#nextCase('request') as RequestCase;
      this.#cases.push(fuzzCase);
      try {
        const answer = await caller.call(fuzzCase);
        const { statuses } = this.counts;
        statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
        const problem = problemWith(fuzzCase, answer);
        if (problem) this.#problems.push(problem);
      } catch (error) {
        if (this.#stage.gateway.end !== undefined) return;
        const { statuses } = this.counts;
        const reason = error instanceof Error ? `${error.name} ${Reflect.get(error, 'code') ?? ''}` : String(error);
        statuses[reason] = (statuses[reason] ?? 0) + 1;
        if (/Timeout/.test(reason))
          this.#problems.push(`answer: none to ${fuzzCase.method} ${fuzzCase.path.slice(0, 200)}: ${reason}`);
      }
    }
  }

  /** Waits until the gateway has acknowledged every message. It must stop requesting messages that it cannot read. */
  async #drain(): Promise<void> {
    const unreadable = this.#cases.filter((fuzzCase) => fuzzCase.input === 'message' && !fuzzCase.isReadable).length;
    for (const target of this.#stage.targetsOf('message')) {
      const { queue } = this.#stage.companion(target);
      if (await waitUntil(() => queue.length === 0, 2 * DELIVERY_TIMEOUT + unreadable * RETRY_TIME, this.#stage))
        continue;
      if (this.#stage.gateway.end !== undefined) return;
      const waiting = queue
        .slice(0, 5)
        .map(({ key }) => key)
        .join(', ');
      this.#problems.push(`instance: ${target.name} leaves ${queue.length} stanzas unanswered: ${waiting}`);
      queue.length = 0;
    }
  }

  #describeRound(round: number): string {
    const { sent, handled, lost, posts, seconds } = this.counts;
    const rate = (count: number) => `${count} (${Math.round(count / seconds)}/s)`;
    const { cpuTime, waitTime } = this.#stage.gateway.vitals;
    const { user, system } = process.threadCpuUsage();
    const cpuShares = `processor: gateway ${Math.round(cpuTime / 1000)} s (waited ${Math.round(waitTime / 1000)} s), fuzzer ${Math.round((user + system) / 1e6)} s`;
    return `round ${round}: ${rate(sent.message)} messages, ${rate(handled)} stanzas of ${sent.stanza} (${lost} connections lost), ${rate(sent.request)} requests, ${posts} posts, ${Math.round(seconds)} s, ${cpuShares}`;
  }
}
