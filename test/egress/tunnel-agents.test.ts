import { expect, it } from 'vitest';
import type { Tunnel } from '../../src/egress/proxy-tunnel.ts';
import { TunnelAgents } from '../../src/egress/tunnel-agents.ts';
import { Agent } from '../../src/egress/undici.ts';

const MAX_IDLE = 2;
const newTunnel = (): Tunnel => () => Promise.reject(new Error('no connections here'));

function createAgents() {
  const created: Agent[] = [];
  const agents = new TunnelAgents((): Agent => {
    const agent = new Agent();
    created.push(agent);
    return agent;
  }, MAX_IDLE);
  /** Whether each created agent is closed, in the order of creation. */
  const closed = () => created.map((agent) => agent.closed || agent.destroyed);
  return { agents, created, closed, use: (tunnel: Tunnel) => agents.run(tunnel, async (agent) => agent) };
}

it('TunnelAgents uses one agent for all requests through a tunnel', async () => {
  const { use, created } = createAgents();
  const tunnel = newTunnel();
  const both = await Promise.all([use(tunnel), use(tunnel)]);
  expect([...both, await use(tunnel)]).toEqual([created[0], created[0], created[0]]);
  expect(created).toHaveLength(1);
});

it('TunnelAgents closes the least recently used agents', async () => {
  const { use, closed } = createAgents();
  const first = newTunnel();
  await use(first);
  await use(newTunnel());
  await use(first);
  await use(newTunnel());
  expect(closed()).toEqual([false, true, false]);
  await use(newTunnel());
  expect(closed()).toEqual([true, true, false, false]);
});

it('TunnelAgents closes no agent before its last request has ended', async () => {
  const { agents, use, closed } = createAgents();
  const tunnel = newTunnel();
  const requests = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const [first, second] = requests.map(({ promise }) => agents.run(tunnel, () => promise));
  for (let count = 0; count < 3; count++) await use(newTunnel());
  requests[0]?.resolve();
  await first;
  for (let count = 0; count < 3; count++) await use(newTunnel());
  expect(closed()[0]).toBe(false);
  requests[1]?.reject(new Error('failed'));
  await expect(second).rejects.toThrow('failed');
  expect(closed()[0]).toBe(false);
  for (let count = 0; count < 2; count++) await use(newTunnel());
  expect(closed()[0]).toBe(true);
});

it('TunnelAgents.close() closes the agents with and without running requests', async () => {
  const { agents, use, closed } = createAgents();
  void agents.run(newTunnel(), () => new Promise(() => undefined));
  await use(newTunnel());
  await agents.close();
  expect(closed()).toEqual([true, true]);
});
