// The HTTP agents for requests through proxies. A tunnel (proxy-tunnel.ts) is a function that connects through one
// proxy. An agent keeps the connections of its tunnel for later requests. Each change of a proxy setting creates
// another tunnel, so the number of agents without a running request is limited.
import { LRUCache } from 'lru-cache';
import type { Tunnel } from './proxy-tunnel.ts';
import type { Agent } from './undici.ts';

/** Maximum number of agents without a running request. The least recently used ones are closed. */
const MAX_IDLE_AGENTS = 200;

export class TunnelAgents {
  readonly #create: (tunnel: Tunnel) => Agent;
  readonly #inUse = new Map<Tunnel, { agent: Agent; requests: number }>();
  readonly #idle: LRUCache<Tunnel, Agent>;

  /** `create` returns a new agent that connects through the tunnel. */
  constructor(create: (tunnel: Tunnel) => Agent, maxIdle: number = MAX_IDLE_AGENTS) {
    this.#create = create;
    this.#idle = new LRUCache({
      max: maxIdle,
      dispose: (agent, _tunnel, reason) => {
        // The agent has no requests, so there is nothing to wait for. After the reason `delete`, run() uses it again.
        if (reason === 'evict') void agent.close().catch(() => undefined);
      },
    });
  }

  /**
   * Runs `request` with the agent of the tunnel and returns its result. The agent stays open until `request` has
   * settled.
   */
  async run<T>(tunnel: Tunnel, request: (agent: Agent) => Promise<T>): Promise<T> {
    const entry = this.#inUse.get(tunnel) ?? { agent: this.#idle.get(tunnel) ?? this.#create(tunnel), requests: 0 };
    this.#idle.delete(tunnel);
    this.#inUse.set(tunnel, entry);
    entry.requests += 1;
    try {
      return await request(entry.agent);
    } finally {
      entry.requests -= 1;
      if (entry.requests === 0) {
        this.#inUse.delete(tunnel);
        this.#idle.set(tunnel, entry.agent);
      }
    }
  }

  /** Closes all connections at once. Requests that are running fail. */
  async close(): Promise<void> {
    const agents = [...this.#idle.values(), ...[...this.#inUse.values()].map(({ agent }) => agent)];
    await Promise.all(agents.map((agent) => agent.destroy()));
  }
}
