// The disasters: failures and changes of nodes and of the database, one after another while the traffic continues.

import type { Stage } from './environment.ts';
import { now } from './ledger.ts';
import type { GatewayNode } from './nodes.ts';
import { pause } from './wait.ts';

/** Time after which an instance that is cut off counts as lost, ms. */
const RECOVERY_LIMIT = 90_000;
/** Time in which the nodes must have equal shares again, ms. Only a few instances move at a time. */
const SHARE_LIMIT = 120_000;

/** The record of a disaster, for the figures. */
export interface DisasterRecord {
  name: string;
  /** Epoch ms. */
  from: number;
  to: number;
  /** Instances that the disaster cut off. */
  affected: string[];
  /**
   * Whether WhatsApp may close a connection of these instances as replaced. Their node was frozen with open
   * connections, so it could not close them before another node took over.
   */
  mayReplace: boolean;
}

export type Disaster = (stage: Stage, records: DisasterRecord[]) => Promise<void>;

export const disasters: Record<string, Disaster> = {
  /** A node ends without notice. The other nodes claim its instances after the leases have expired. */
  async killed(stage, records) {
    const { node, affected } = await busiest(stage);
    const record = addRecord(records, 'kill -9, not started again', affected);
    await node.kill();
    await waitUntilRecovered(stage, record);
    await node.start();
    await waitUntilSettled(stage);
  },

  /** A node ends without notice and starts again. It takes its leases back. */
  async crashed(stage, records) {
    const { node, affected } = await busiest(stage);
    const record = addRecord(records, 'kill -9, started again', affected);
    await node.kill();
    await node.start();
    await waitUntilRecovered(stage, record);
    await waitUntilSettled(stage);
  },

  /** A node is frozen for longer than the TTL. Afterwards its connections and leases belong to others. */
  async stopped(stage, records) {
    const { node, affected } = await busiest(stage);
    const record = { ...addRecord(records, 'SIGSTOP beyond the TTL', affected), mayReplace: true };
    records[records.length - 1] = record;
    node.freeze();
    await Promise.all([waitUntilRecovered(stage, record), pause(stage.ttl * 1.5)]);
    node.thaw();
    const resumed = addRecord(records, '… SIGCONT', affected);
    await node.ready();
    await waitUntilRecovered(stage, resumed);
    await waitUntilSettled(stage);
  },

  async rolling(stage, records) {
    for (const node of stage.nodes) {
      const record = addRecord(records, `SIGTERM and start: ${node.name}`, await stage.instancesOf(node));
      await node.stop();
      await node.start();
      await waitUntilRecovered(stage, record);
      await waitUntilSettled(stage);
    }
  },

  async database(stage, records) {
    const record = addRecord(records, 'PostgreSQL stopped and started', [...stage.instances.keys()]);
    await stage.server.halt();
    await stage.server.resume();
    await waitUntilRecovered(stage, { ...record, from: now() });
    record.to = now();
    for (const node of stage.nodes) await node.ready();
    await waitUntilSettled(stage);
  },

  async joined(stage, records) {
    const node = await stage.addNode();
    const record = addRecord(records, 'one more node', []);
    await node.start();
    await waitUntilSettled(stage);
    record.affected = await stage.instancesOf(node);
    await waitUntilRecovered(stage, { ...record, from: now() });
    record.to = now();
  },
};

/** Returns the node with the most instances, and the names of these instances. */
async function busiest(stage: Stage): Promise<{ node: GatewayNode; affected: string[] }> {
  const owned = await Promise.all(stage.nodes.map(async (node) => ({ node, affected: await stage.instancesOf(node) })));
  const [busiestNode] = owned.sort((a, b) => b.affected.length - a.affected.length);
  if (!busiestNode) throw new Error('no node');
  return busiestNode;
}

function addRecord(records: DisasterRecord[], name: string, affected: string[]): DisasterRecord {
  const record = { name, from: now(), to: now(), affected, mayReplace: false };
  records.push(record);
  return record;
}

/** Resolves when all instances that were cut off accept sends and report messages again. */
async function waitUntilRecovered({ ledger }: Stage, record: DisasterRecord): Promise<void> {
  const findMissing = () => ledger.findCutOff(record.affected, record.from);
  await ledger.until(
    () => findMissing().length === 0,
    RECOVERY_LIMIT,
    () => `${record.name}: ${findMissing()} recovered`,
  );
  record.to = now();
}

const waitUntilSettled = (stage: Stage) => stage.waitUntilSettled(SHARE_LIMIT);
