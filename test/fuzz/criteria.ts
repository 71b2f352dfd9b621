// What has to be true after an attack.
import { wrongAnswer } from '../support/conforms.ts';
import { type Answered, type RequestCase, until } from './attacks.ts';
import type { Stage, Target } from './stage.ts';

/** ms in which an open instance has to post a message. */
export const PATIENCE = 10_000;
/** ms in which every instance has to be open again. The gateway waits 4.8 s at most when malformed frames ended connections in a row. */
export const RECOVERY = 10_000;
/** ms for which the event loop may be blocked on a machine that does nothing else. */
const MOST_BLOCKED = 200;
/** Largest resident memory, bytes: what 14 instances and the largest bodies at once may take. */
const MOST_MEMORY = 1.2 * 2 ** 30;
/** How much the heap and what it holds on to may grow from the end of the warm-up to the end of the run, bytes. */
export const MOST_GROWTH = 200 * 2 ** 20;

let lastProbe = 0;

/** What is wrong with the gateway now, as sentences; empty when nothing is. */
export async function problemsOf(stage: Stage): Promise<string[]> {
  const { gateway, site, of } = stage;
  if (gateway.end !== undefined)
    return [`process: it ended with ${gateway.end}. Its last lines:\n${gateway.vitals.lines.slice(-25).join('\n')}`];
  const closed = await notOpen(stage);
  const problems = closed.map((line) => `instance: ${line}`);
  const probed = ['message', 'stanza', 'bystander'].flatMap((role) => of(role as 'message'));
  const deaf = (await Promise.all(probed.map((target) => isDeaf(stage, target)))).filter((line) => line !== undefined);
  problems.push(...deaf.map((line) => `instance: ${line}`));
  const { blocks, peakRss, fatal } = gateway.vitals;
  const factor = stage.contention.take();
  for (const { blocked, busy, by } of blocks.splice(0).filter((block) => block.blocked > MOST_BLOCKED * factor))
    problems.push(
      `loop: blocked for ${blocked} ms (${busy} ms of its own processor time, which takes ${factor.toFixed(1)} times as long as at best), by ${by.join(' < ')}`,
    );
  if (peakRss > MOST_MEMORY) problems.push(`memory: ${Math.round(peakRss / 2 ** 20)} MiB resident`);
  gateway.vitals.peakRss = 0;
  problems.push(...fatal.splice(0).map((line) => `log: ${line}`));
  problems.push(...[...new Set(site.wrong.splice(0))].map((line) => `post: ${line}`));
  return problems;
}

/** Instances that were not open once within RECOVERY ms. */
async function notOpen({ api, targets, gateway }: Stage): Promise<string[]> {
  const started = performance.now();
  const { waited } = gateway.vitals;
  const states = new Map(targets.map(({ name }) => [name, 'unknown']));
  for (;;) {
    await Promise.all([...states.keys()].map(async (name) => states.set(name, await stateOf(api, name))));
    for (const [name, state] of states) if (state === 'open') states.delete(name);
    const isOver = performance.now() - started - (gateway.vitals.waited - waited) > RECOVERY;
    if (states.size === 0 || gateway.end !== undefined || isOver)
      return [...states].map(([name, state]) => `${name} is ${state} after ${RECOVERY} ms`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function stateOf(api: Stage['api'], name: string): Promise<string> {
  const { status, body } = await api('GET', `/instance/connectionState/${name}`).catch((error: unknown) => ({
    status: 0,
    body: { error: String(error) },
  }));
  return status === 200 ? String(Object(body).instance?.state) : `unknown (${status} ${JSON.stringify(body)})`;
}

/** A plain text from a phone without an attack must arrive at the webhook. */
async function isDeaf(stage: Stage, { name, number }: Target): Promise<string | undefined> {
  const { sandbox, site } = stage;
  const id = `PROBE${++lastProbe}`;
  await sandbox.phones.phone('15550700001').send(number, { text: 'probe' }, { id });
  const key = `${name}|${id}`;
  const arrived = await until(() => site.arrived.has(key), PATIENCE, stage);
  site.arrived.delete(key);
  return arrived ? undefined : `${name} does not deliver a message within ${PATIENCE} ms`;
}

/** What is wrong with an answer. */
export function problemWith({ method, path }: RequestCase, { status, text }: Answered): string | undefined {
  if (status === 500) return `answer: 500 to ${method} ${path.slice(0, 200)}: ${text.slice(0, 500)}`;
  if (status === 0 || text === '') return undefined;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return undefined;
  }
  const wrong = wrongAnswer(method, path, status, body);
  return wrong === undefined ? undefined : `answer: ${wrong}`;
}
