// Finds the case that makes a problem, and what of it is needed: fewer cases, then fewer parts of the last one, each tried on a new gateway.
import { decodeDecompressedBinaryNode, encodeBinaryNode, proto } from '@whiskeysockets/baileys';
import * as dictionary from '@whiskeysockets/baileys/lib/WABinary/constants.js';
import { Caller, type Case, sendMessage, sendStanzas, until } from './attacks.ts';
import { fromJson, type NodeJson, toJson } from './corpus.ts';
import { PATIENCE, problemsOf, problemWith, RECOVERY } from './criteria.ts';
import { createStage, type Stage } from './stage.ts';

/** What a problem is about: the word before its first colon. */
export const kindOf = (problem: string) => problem.slice(0, problem.indexOf(':'));

export class Narrowing {
  readonly #kind: string;
  readonly #deadline: number;
  readonly #log: (line: string) => void;
  #stage: Stage | undefined;
  #isSpoiled = true;

  constructor(kind: string, seconds: number, log: (line: string) => void) {
    this.#kind = kind;
    this.#deadline = performance.now() + seconds * 1000;
    this.#log = log;
  }

  /** The fewest cases found that make the problem; undefined when none of them does again. */
  async narrow(cases: readonly Case[]): Promise<Case[] | undefined> {
    let failing = await this.#smallestTail(cases);
    if (!failing) return undefined;
    while (failing.length > 1 && this.#hasTime()) {
      const middle = Math.ceil(failing.length / 2);
      const halves: Case[][] = [failing.slice(middle), failing.slice(0, middle)];
      const half = await this.#firstFailing(halves);
      if (!half) break;
      failing = half;
      this.#log(`narrowed to ${failing.length}`);
    }
    if (failing.length > 3) return failing;
    for (let at = 0; at < failing.length; at++) failing = await this.#simplify(failing, at);
    return failing;
  }

  async close(): Promise<void> {
    await this.#stage?.close();
  }

  /** What ends a process is at the end of what was sent. */
  async #smallestTail(cases: readonly Case[]): Promise<Case[] | undefined> {
    for (let size = 64; ; size *= 8) {
      const tail = cases.slice(-size);
      if (await this.#fails(tail)) return tail;
      if (size >= cases.length || !this.#hasTime()) return undefined;
    }
  }

  async #firstFailing(candidates: Iterable<Case[]>): Promise<Case[] | undefined> {
    for (const candidate of candidates) {
      if (!this.#hasTime()) return undefined;
      if (await this.#fails(candidate)) return candidate;
    }
    return undefined;
  }

  async #simplify(cases: Case[], at: number): Promise<Case[]> {
    let current = cases;
    for (;;) {
      const simpler = simplerThan(current[at] as Case).map((one) => current.with(at, one));
      const failing = await this.#firstFailing(simpler);
      if (!failing) return current;
      current = failing;
    }
  }

  #hasTime(): boolean {
    return performance.now() < this.#deadline;
  }

  /** Plays the cases on a small stage, which is created again after a failed case. */
  async #fails(cases: readonly Case[]): Promise<boolean> {
    this.#stage ??= await createStage({ message: 1, stanza: 1, request: 1, bystander: 1 });
    if (this.#isSpoiled) await this.#stage.renew();
    await this.#stage.gateway.collect();
    const problems = [...(await play(this.#stage, cases)), ...(await problemsOf(this.#stage))];
    this.#isSpoiled = problems.length > 0;
    return problems.some((problem) => kindOf(problem) === this.#kind);
  }
}

/** Sends the cases one after another; targets are those of a small stage. Returns what was wrong with the answers. */
export async function play(stage: Stage, cases: readonly Case[]): Promise<string[]> {
  const caller = new Caller(stage.gateway.url);
  const problems: string[] = [];
  for (const given of cases) {
    if (stage.gateway.end !== undefined) break;
    if (given.input === 'message') {
      if (await sendMessage(stage, { ...given, to: 'message1' }, 2 * PATIENCE)) continue;
      problems.push('instance: it takes no messages');
      break;
    }
    if (given.input === 'stanza') await sendStanzas(stage, [{ ...given, to: 'stanza1' }], RECOVERY);
    else {
      const path = given.path.replace(/request\d/, 'request1');
      const answered = await caller.call({ ...given, path }).catch(() => undefined);
      const problem = answered && problemWith(given, answered);
      if (problem) problems.push(problem);
    }
  }
  await caller.close();
  for (const target of stage.of('message')) {
    const { queue } = stage.companion(target);
    if (await until(() => queue.length === 0, PATIENCE, stage)) continue;
    if (stage.gateway.end === undefined)
      problems.push(`instance: ${target.name} leaves ${queue.length} stanzas unanswered`);
  }
  return problems;
}

/** The case without one of its parts, for each of them. */
export function simplerThan(given: Case): Case[] {
  try {
    if (given.input === 'message') return simplerMessages(given);
    if (given.input === 'stanza') return simplerStanzas(given);
    return simplerRequests(given);
  } catch {
    return [];
  }
}

function simplerMessages(given: Case & { input: 'message' }): Case[] {
  const content = proto.Message.toObject(proto.Message.decode(Buffer.from(given.raw, 'base64')), { bytes: String });
  const smaller = without(content).map((one) => ({
    ...given,
    raw: Buffer.from(proto.Message.encode(proto.Message.fromObject(Object(one))).finish()).toString('base64'),
  }));
  const plain: Case[] = given.way === 'pn' ? [] : [{ ...given, way: 'pn', attrs: undefined, children: undefined }];
  return [...plain, ...smaller];
}

function simplerStanzas(given: Case & { input: 'stanza' }): Case[] {
  const bytes = Buffer.from(given.bytes, 'base64');
  if (given.as === 'frame' || bytes[0] !== 0) return [];
  const node = toJson(decodeDecompressedBinaryNode(bytes.subarray(1), dictionary));
  return simplerNodes(node).map((one) => ({
    ...given,
    bytes: Buffer.from(encodeBinaryNode(fromJson(one))).toString('base64'),
  }));
}

function simplerNodes({ tag, attrs, content }: NodeJson): NodeJson[] {
  const fewer = Object.keys(attrs).map((name) => ({
    tag,
    attrs: Object.fromEntries(Object.entries(attrs).filter(([each]) => each !== name)),
    ...(content === undefined ? {} : { content }),
  }));
  if (content === undefined) return fewer;
  if (!Array.isArray(content)) return [{ tag, attrs }, ...fewer];
  const dropped = content.map((_child, at) => ({ tag, attrs, content: content.toSpliced(at, 1) }));
  const inner = content.flatMap((child, at) =>
    simplerNodes(child).map((one) => ({ tag, attrs, content: content.with(at, one) })),
  );
  return [{ tag, attrs }, ...dropped, ...fewer, ...inner];
}

function simplerRequests(given: Case & { input: 'request' }): Case[] {
  const fewer = Object.keys(given.headers).map((name) => ({
    ...given,
    headers: Object.fromEntries(Object.entries(given.headers).filter(([each]) => each !== name)),
  }));
  if (given.body === undefined) return fewer;
  const body: unknown = JSON.parse(Buffer.from(given.body, 'base64').toString());
  return [
    ...fewer,
    ...without(body).map((one) => ({ ...given, body: Buffer.from(JSON.stringify(one)).toString('base64') })),
  ];
}

/** The value without one of its fields or items, or with one of them smaller. */
function without(value: unknown): unknown[] {
  if (typeof value === 'string') return value.length > 8 ? [value.slice(0, Math.ceil(value.length / 2))] : [];
  if (Array.isArray(value))
    return value
      .slice(0, 20)
      .flatMap((item: unknown, at) => [value.toSpliced(at, 1), ...without(item).map((one) => value.with(at, one))]);
  if (typeof value !== 'object' || value === null) return [];
  const entries: [string, unknown][] = Object.entries(value);
  return [
    ...entries.map(([name]) => Object.fromEntries(entries.filter(([each]) => each !== name))),
    ...entries.flatMap(([name, item]) => without(item).map((one) => ({ ...value, [name]: one }))),
  ];
}
