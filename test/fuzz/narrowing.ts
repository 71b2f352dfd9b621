// Reduces the cases of a finding to the smallest ones that still cause the problem: fewer cases first, then fewer parts
// of the remaining cases. After each problem, the next attempt uses a new gateway.
import { decodeDecompressedBinaryNode, encodeBinaryNode, proto } from '@whiskeysockets/baileys';
import * as dictionary from '@whiskeysockets/baileys/lib/WABinary/constants.js';
import { Caller, type Case, sendMessage, sendStanzas, waitUntil } from './attacks.ts';
import { fromJson, type NodeJson, toJson } from './corpus.ts';
import { DELIVERY_TIMEOUT, problemsOf, problemWith, RECOVERY_TIMEOUT } from './criteria.ts';
import { createStage, type Stage } from './stage.ts';

/** The kind of a problem, which is the word before the first colon. */
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

  /** Resolves with the smallest cases that still cause the problem, or with undefined when it does not recur. */
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
    for (let index = 0; index < failing.length; index++) failing = await this.#simplify(failing, index);
    return failing;
  }

  async close(): Promise<void> {
    await this.#stage?.close();
  }

  /** Finds the shortest tried tail of the cases that fails. The cause of a problem is usually near the end. */
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

  async #simplify(cases: Case[], index: number): Promise<Case[]> {
    let current = cases;
    for (;;) {
      const simpler = simplerCases(current[index] as Case).map((variant) => current.with(index, variant));
      const failing = await this.#firstFailing(simpler);
      if (!failing) return current;
      current = failing;
    }
  }

  #hasTime(): boolean {
    return performance.now() < this.#deadline;
  }

  /** Plays the cases on a small stage, which is renewed after a problem. */
  async #fails(cases: readonly Case[]): Promise<boolean> {
    this.#stage ??= await createStage({ message: 1, stanza: 1, request: 1, bystander: 1 });
    if (this.#isSpoiled) await this.#stage.renew();
    await this.#stage.gateway.collect();
    const problems = [...(await play(this.#stage, cases)), ...(await problemsOf(this.#stage))];
    this.#isSpoiled = problems.length > 0;
    return problems.some((problem) => kindOf(problem) === this.#kind);
  }
}

/** Sends the cases one after another to the targets of a small stage. Resolves with the problems. */
export async function play(stage: Stage, cases: readonly Case[]): Promise<string[]> {
  const caller = new Caller(stage.gateway.url);
  const problems: string[] = [];
  for (const fuzzCase of cases) {
    if (stage.gateway.end !== undefined) break;
    if (fuzzCase.input === 'message') {
      if (await sendMessage(stage, { ...fuzzCase, to: 'message1' }, 2 * DELIVERY_TIMEOUT)) continue;
      problems.push('instance: it takes no messages');
      break;
    }
    if (fuzzCase.input === 'stanza') await sendStanzas(stage, [{ ...fuzzCase, to: 'stanza1' }], RECOVERY_TIMEOUT);
    else {
      const path = fuzzCase.path.replace(/request\d/, 'request1');
      const answer = await caller.call({ ...fuzzCase, path }).catch(() => undefined);
      const problem = answer && problemWith(fuzzCase, answer);
      if (problem) problems.push(problem);
    }
  }
  await caller.close();
  for (const target of stage.targetsOf('message')) {
    const { queue } = stage.companion(target);
    if (await waitUntil(() => queue.length === 0, DELIVERY_TIMEOUT, stage)) continue;
    if (stage.gateway.end === undefined)
      problems.push(`instance: ${target.name} leaves ${queue.length} stanzas unanswered`);
  }
  return problems;
}

/** Returns one variant of the case for each of its parts, in which this part is missing or smaller. */
export function simplerCases(fuzzCase: Case): Case[] {
  try {
    if (fuzzCase.input === 'message') return simplerMessages(fuzzCase);
    if (fuzzCase.input === 'stanza') return simplerStanzas(fuzzCase);
    return simplerRequests(fuzzCase);
  } catch {
    return [];
  }
}

function simplerMessages(fuzzCase: Case & { input: 'message' }): Case[] {
  const content = proto.Message.toObject(proto.Message.decode(Buffer.from(fuzzCase.raw, 'base64')), { bytes: String });
  const smaller = smallerValues(content).map((smallerContent) => ({
    ...fuzzCase,
    raw: Buffer.from(proto.Message.encode(proto.Message.fromObject(Object(smallerContent))).finish()).toString(
      'base64',
    ),
  }));
  const direct: Case[] =
    fuzzCase.way === 'pn' ? [] : [{ ...fuzzCase, way: 'pn', attrs: undefined, children: undefined }];
  return [...direct, ...smaller];
}

function simplerStanzas(fuzzCase: Case & { input: 'stanza' }): Case[] {
  const bytes = Buffer.from(fuzzCase.bytes, 'base64');
  if (fuzzCase.as === 'frame' || bytes[0] !== 0) return [];
  const node = toJson(decodeDecompressedBinaryNode(bytes.subarray(1), dictionary));
  return simplerNodes(node).map((simplerNode) => ({
    ...fuzzCase,
    bytes: Buffer.from(encodeBinaryNode(fromJson(simplerNode))).toString('base64'),
  }));
}

function simplerNodes({ tag, attrs, content }: NodeJson): NodeJson[] {
  const fewerAttrs = Object.keys(attrs).map((name) => ({
    tag,
    attrs: Object.fromEntries(Object.entries(attrs).filter(([key]) => key !== name)),
    ...(content === undefined ? {} : { content }),
  }));
  if (content === undefined) return fewerAttrs;
  if (!Array.isArray(content)) return [{ tag, attrs }, ...fewerAttrs];
  const fewerChildren = content.map((_child, index) => ({ tag, attrs, content: content.toSpliced(index, 1) }));
  const simplerChildren = content.flatMap((child, index) =>
    simplerNodes(child).map((simplerChild) => ({ tag, attrs, content: content.with(index, simplerChild) })),
  );
  return [{ tag, attrs }, ...fewerChildren, ...fewerAttrs, ...simplerChildren];
}

function simplerRequests(fuzzCase: Case & { input: 'request' }): Case[] {
  const fewerHeaders = Object.keys(fuzzCase.headers).map((name) => ({
    ...fuzzCase,
    headers: Object.fromEntries(Object.entries(fuzzCase.headers).filter(([key]) => key !== name)),
  }));
  if (fuzzCase.body === undefined) return fewerHeaders;
  const body: unknown = JSON.parse(Buffer.from(fuzzCase.body, 'base64').toString());
  return [
    ...fewerHeaders,
    ...smallerValues(body).map((smallerBody) => ({
      ...fuzzCase,
      body: Buffer.from(JSON.stringify(smallerBody)).toString('base64'),
    })),
  ];
}

/** Returns variants of the value in which one field or item is missing or smaller. */
function smallerValues(value: unknown): unknown[] {
  if (typeof value === 'string') return value.length > 8 ? [value.slice(0, Math.ceil(value.length / 2))] : [];
  if (Array.isArray(value))
    return value
      .slice(0, 20)
      .flatMap((item: unknown, index) => [
        value.toSpliced(index, 1),
        ...smallerValues(item).map((smallerItem) => value.with(index, smallerItem)),
      ]);
  if (typeof value !== 'object' || value === null) return [];
  const entries: [string, unknown][] = Object.entries(value);
  return [
    ...entries.map(([name]) => Object.fromEntries(entries.filter(([key]) => key !== name))),
    ...entries.flatMap(([name, item]) => smallerValues(item).map((smallerItem) => ({ ...value, [name]: smallerItem }))),
  ];
}
