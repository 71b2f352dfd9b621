// Conditions that the gateway must fulfill after an attack.
import { answerViolations } from '../support/conforms.ts';
import { type Answer, type RequestCase, waitUntil } from './attacks.ts';
import type { Stage, Target } from './stage.ts';

/** Maximum ms until an open instance posts a message. */
export const DELIVERY_TIMEOUT = 10_000;
/**
 * Maximum ms until every instance is open again. After several connections in a row that end with malformed frames, the
 * gateway waits at most 4.8 s.
 */
export const RECOVERY_TIMEOUT = 10_000;
/** Maximum ms of a block of the event loop on an idle machine. */
const MAX_BLOCKED = 200;
/** Maximum resident memory in bytes, for 14 instances and several requests of the largest size at the same time. */
const MAX_MEMORY = 1.2 * 2 ** 30;
/** Maximum growth of the heap and of external memory from the end of the warm-up to the end of the run, bytes. */
export const MAX_GROWTH = 200 * 2 ** 20;

let lastProbe = 0;

/** Returns the current problems of the gateway as sentences. */
export async function problemsOf(stage: Stage): Promise<string[]> {
  const { gateway, site, targetsOf } = stage;
  if (gateway.end !== undefined)
    return [`process: it ended with ${gateway.end}. Its last lines:\n${gateway.vitals.lines.slice(-25).join('\n')}`];
  const closedInstances = await findClosed(stage);
  const problems = closedInstances.map((line) => `instance: ${line}`);
  const probedTargets = ['message', 'stanza', 'bystander'].flatMap((role) => targetsOf(role as 'message'));
  const deliveryProblems = (await Promise.all(probedTargets.map((target) => deliveryProblemOf(stage, target)))).filter(
    (line) => line !== undefined,
  );
  problems.push(...deliveryProblems.map((line) => `instance: ${line}`));
  const { blocks, peakRss, fatal } = gateway.vitals;
  const factor = stage.contention.take();
  for (const { blocked, cpuTime, stack } of blocks.splice(0).filter((block) => block.blocked > MAX_BLOCKED * factor))
    problems.push(
      `loop: blocked for ${blocked} ms (${cpuTime} ms of its own processor time, which takes ${factor.toFixed(1)} times as long as at best), by ${stack.join(' < ')}`,
    );
  if (peakRss > MAX_MEMORY) problems.push(`memory: ${Math.round(peakRss / 2 ** 20)} MiB resident`);
  gateway.vitals.peakRss = 0;
  problems.push(...fatal.splice(0).map((line) => `log: ${line}`));
  problems.push(...[...new Set(site.problems.splice(0))].map((line) => `post: ${line}`));
  return problems;
}

/** Returns the instances that are never open within RECOVERY_TIMEOUT ms, with their last state. */
async function findClosed({ api, targets, gateway }: Stage): Promise<string[]> {
  const startedAt = performance.now();
  const { waitTime: waitTimeBefore } = gateway.vitals;
  const states = new Map(targets.map(({ name }) => [name, 'unknown']));
  for (;;) {
    await Promise.all([...states.keys()].map(async (name) => states.set(name, await stateOf(api, name))));
    for (const [name, state] of states) if (state === 'open') states.delete(name);
    const isOver = performance.now() - startedAt - (gateway.vitals.waitTime - waitTimeBefore) > RECOVERY_TIMEOUT;
    if (states.size === 0 || gateway.end !== undefined || isOver)
      return [...states].map(([name, state]) => `${name} is ${state} after ${RECOVERY_TIMEOUT} ms`);
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

/** Sends a plain text to the instance. Resolves with a problem when the webhook does not receive it in time. */
async function deliveryProblemOf(stage: Stage, { name, number }: Target): Promise<string | undefined> {
  const { sandbox, site } = stage;
  const id = `PROBE${++lastProbe}`;
  await sandbox.phones.phone('15550700001').send(number, { text: 'probe' }, { id });
  const key = `${name}|${id}`;
  const hasArrived = await waitUntil(() => site.arrivedProbes.has(key), DELIVERY_TIMEOUT, stage);
  site.arrivedProbes.delete(key);
  return hasArrived ? undefined : `${name} does not deliver a message within ${DELIVERY_TIMEOUT} ms`;
}

/** Returns the problem of a response, or undefined. */
export function problemWith({ method, path }: RequestCase, { status, text }: Answer): string | undefined {
  if (status === 500) return `answer: 500 to ${method} ${path.slice(0, 200)}: ${text.slice(0, 500)}`;
  if (status === 0 || text === '') return undefined;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return undefined;
  }
  const violation = answerViolations(method, path, status, body);
  return violation === undefined ? undefined : `answer: ${violation}`;
}
