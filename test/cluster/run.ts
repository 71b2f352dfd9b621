// The whole course of the show: the stage, the traffic, the disasters one after another, the comparison.
import { startBalancer } from './balancer.ts';
import { type Blow, disasters } from './disasters.ts';
import { compare, type Outcome } from './figures.ts';
import { type Stage, type StageOptions, setStage } from './stage.ts';
import { startTraffic } from './traffic.ts';

export interface RunOptions extends StageOptions {
  /** Messages per second in each direction. */
  rate: number;
  /** Names of disasters, in order. */
  disasters: readonly string[];
  /** Called with what happens. */
  say?(text: string): void;
}

const PHONES = 4;
const FIRST_LIMIT = 60_000;

/** Rejects when something does not come back at all; what must not be is in the outcome. */
export async function run(options: RunOptions): Promise<Outcome> {
  const stage = await setStage(options);
  try {
    const outcome = await play(stage, options);
    await stage.stop('in order');
    return outcome;
  } catch (error) {
    await stage.stop('by force');
    throw error;
  }
}

async function play(stage: Stage, { rate, disasters: wanted, say = () => undefined }: RunOptions): Promise<Outcome> {
  say(`${stage.instances.size} instances are open on ${stage.nodes.length} nodes; logs: ${stage.folder}`);
  const phones = Array.from({ length: PHONES }, (_, n) => String(15_552_000_001 + n));
  const { ledger, platform, instances, nodes } = stage;
  const balancer = startBalancer(nodes);
  const traffic = startTraffic({ ledger, platform, instances, phones, rate, balancer });
  try {
    const blows = await Promise.race([strike(stage, wanted, say), traffic.failed]);
    say('the traffic ends');
    await traffic.stop();
    return await compare(stage, phones, blows);
  } finally {
    traffic.abandon();
    await balancer.stop();
  }
}

async function strike(stage: Stage, wanted: readonly string[], say: (text: string) => void): Promise<Blow[]> {
  const { ledger, instances } = stage;
  const silent = () => ledger.cutOff([...instances.keys()], 1);
  await ledger.until(
    () => silent().length === 0,
    FIRST_LIMIT,
    () => `messages both ways: ${silent()}`,
  );
  const blows: Blow[] = [];
  for (const name of wanted) {
    const disaster = disasters[name];
    if (!disaster) throw new Error(`${name} is none of ${Object.keys(disasters).join(', ')}`);
    say(name);
    await disaster(stage, blows);
  }
  return blows;
}
