// The whole course of the show: the stage, the traffic, the disasters one after another, the comparison.
import { startBalancer } from './balancer.ts';
import { type Blow, disasters } from './disasters.ts';
import { compare, type Outcome } from './figures.ts';
import { type StageOptions, setStage } from './stage.ts';
import { startTraffic } from './traffic.ts';

export interface RunOptions extends StageOptions {
  /** Messages per second in each direction. */
  rate: number;
  /** Names of disasters, in order. */
  disasters: readonly string[];
  /** Told what happens. */
  say?(text: string): void;
}

const PHONES = 8;

/** Rejects when something does not come back at all; what must not be is in the outcome. */
export async function run({ rate, disasters: wanted, say = () => undefined, ...rest }: RunOptions): Promise<Outcome> {
  const stage = await setStage(rest);
  say(`${stage.instances.size} instances are open on ${stage.nodes.length} nodes; logs: ${stage.folder}`);
  const phones = Array.from({ length: PHONES }, (_, n) => String(15_552_000_001 + n));
  const { ledger, platform, instances, nodes } = stage;
  const balancer = startBalancer(nodes);
  const traffic = startTraffic({ ledger, platform, instances, phones, rate, balancer });
  const all = [...instances.keys()];
  await ledger.until(
    () => ledger.cutOff(all, 1).length === 0,
    60_000,
    () => `traffic of ${ledger.cutOff(all, 1)}`,
  );
  const blows: Blow[] = [];
  for (const name of wanted) {
    const disaster = disasters[name];
    if (!disaster) throw new Error(`${name} is none of ${Object.keys(disasters).join(', ')}`);
    say(name);
    await disaster(stage, blows);
  }
  say('the traffic ends');
  await traffic.stop();
  await balancer.stop();
  const outcome = await compare(stage, phones, blows);
  await stage.stop();
  return outcome;
}
