// What happens to the nodes while the traffic goes on, one after the other.
import { now } from './ledger.ts';
import type { GatewayNode } from './nodes.ts';
import type { Stage } from './stage.ts';
import { pause } from './wait.ts';

/** ms after which what is cut off counts as lost. */
const RECOVERY_LIMIT = 90_000;
/** ms for shares to become fair again: a few instances at a time move. */
const SHARE_LIMIT = 120_000;

/** What a disaster was, for the figures. */
export interface Blow {
  name: string;
  /** Epoch ms. */
  from: number;
  to: number;
  /** Instances that were cut off by it. */
  affected: string[];
  /**
   * True when an instance may be reported as replaced: its node stood still with the connection open, so that no node could
   * close it before another took over.
   */
  mayReplace: boolean;
}

export type Disaster = (stage: Stage, blows: Blow[]) => Promise<void>;

export const disasters: Record<string, Disaster> = {
  /** Its instances wait for their lease to run out, and go to the others. */
  async killed(stage, blows) {
    const { node, affected } = await busiest(stage);
    const blow = struck(blows, 'kill -9, not started again', affected);
    await node.kill();
    await recovered(stage, blow);
    await node.start();
    await settled(stage);
  },

  /** Its successor takes up what it left. */
  async crashed(stage, blows) {
    const { node, affected } = await busiest(stage);
    const blow = struck(blows, 'kill -9, started again', affected);
    await node.kill();
    await node.start();
    await recovered(stage, blow);
    await settled(stage);
  },

  /** Wakes up with connections and leases that are others' by then. */
  async stopped(stage, blows) {
    const { node, affected } = await busiest(stage);
    const blow = { ...struck(blows, 'SIGSTOP beyond the TTL', affected), mayReplace: true };
    blows[blows.length - 1] = blow;
    node.freeze();
    await Promise.all([recovered(stage, blow), pause(stage.ttl * 1.5)]);
    node.thaw();
    const awake = struck(blows, '… SIGCONT', affected);
    await node.ready();
    await recovered(stage, awake);
    await settled(stage);
  },

  async rolling(stage, blows) {
    for (const node of stage.nodes) {
      const blow = struck(blows, `SIGTERM and start: ${node.name}`, await stage.runOwnedBy(node));
      await node.stop();
      await node.start();
      await recovered(stage, blow);
      await settled(stage);
    }
  },

  async database(stage, blows) {
    const blow = struck(blows, 'PostgreSQL stopped and started', [...stage.instances.keys()]);
    await stage.server.halt();
    await stage.server.resume();
    await recovered(stage, { ...blow, from: now() });
    blow.to = now();
    for (const node of stage.nodes) await node.ready();
    await settled(stage);
  },

  async joined(stage, blows) {
    const node = await stage.addNode();
    const blow = struck(blows, 'one more node', []);
    await node.start();
    await settled(stage);
    blow.affected = await stage.runOwnedBy(node);
    await recovered(stage, { ...blow, from: now() });
    blow.to = now();
  },
};

/** The node with the most instances, and these. */
async function busiest(stage: Stage): Promise<{ node: GatewayNode; affected: string[] }> {
  const owned = await Promise.all(stage.nodes.map(async (node) => ({ node, affected: await stage.runOwnedBy(node) })));
  const [most] = owned.sort((a, b) => b.affected.length - a.affected.length);
  if (!most) throw new Error('no node');
  return most;
}

function struck(blows: Blow[], name: string, affected: string[]): Blow {
  const blow = { name, from: now(), to: now(), affected, mayReplace: false };
  blows.push(blow);
  return blow;
}

/** Resolves when everything that was cut off takes sends and reports messages again. */
async function recovered({ ledger }: Stage, blow: Blow): Promise<void> {
  const missing = () => ledger.cutOff(blow.affected, blow.from);
  await ledger.until(
    () => missing().length === 0,
    RECOVERY_LIMIT,
    () => `${blow.name}: ${missing()} recovered`,
  );
  blow.to = now();
}

const settled = (stage: Stage) => stage.settled(SHARE_LIMIT);
