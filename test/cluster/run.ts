// A complete cluster run: starts the processes and the traffic, causes the disasters and computes the result.
import { startBalancer } from './balancer.ts';
import { type DisasterRecord, disasters } from './disasters.ts';
import { createStage, type Stage, type StageOptions } from './environment.ts';
import { computeOutcome, type Outcome } from './outcome.ts';
import { startTraffic } from './traffic.ts';

export interface RunOptions extends StageOptions {
  /** Messages per second in each direction. */
  rate: number;
  /** Names of disasters, in order. */
  disasters: readonly string[];
  /** Reports the progress. */
  report?(text: string): void;
}

const PHONES = 4;
const FIRST_LIMIT = 60_000;

/** Performs the run. Rejects when a part does not recover. Violated guarantees are in the outcome. */
export async function run(options: RunOptions): Promise<Outcome> {
  const stage = await createStage(options);
  try {
    const outcome = await performRun(stage, options);
    await stage.stop('in order');
    return outcome;
  } catch (error) {
    await stage.stop('by force');
    throw error;
  }
}

async function performRun(
  stage: Stage,
  { rate, disasters: names, report = () => undefined }: RunOptions,
): Promise<Outcome> {
  report(`${stage.instances.size} instances are open on ${stage.nodes.length} nodes; logs: ${stage.folder}`);
  const phones = Array.from({ length: PHONES }, (_, n) => String(15_552_000_001 + n));
  const { ledger, platform, instances, nodes } = stage;
  const balancer = startBalancer(nodes);
  const traffic = startTraffic({ ledger, platform, instances, phones, rate, balancer });
  try {
    const records = await Promise.race([causeDisasters(stage, names, report), traffic.failed]);
    report('the traffic ends');
    await traffic.stop();
    return await computeOutcome(stage, phones, records);
  } finally {
    traffic.abandon();
    await balancer.stop();
  }
}

async function causeDisasters(
  stage: Stage,
  names: readonly string[],
  report: (text: string) => void,
): Promise<DisasterRecord[]> {
  const { ledger, instances } = stage;
  const findSilent = () => ledger.findCutOff([...instances.keys()], 1);
  await ledger.until(
    () => findSilent().length === 0,
    FIRST_LIMIT,
    () => `messages both ways: ${findSilent()}`,
  );
  const records: DisasterRecord[] = [];
  for (const name of names) {
    const disaster = disasters[name];
    if (!disaster) throw new Error(`${name} is none of ${Object.keys(disasters).join(', ')}`);
    report(name);
    await disaster(stage, records);
  }
  return records;
}
