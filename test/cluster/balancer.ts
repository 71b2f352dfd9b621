// The load balancer in front of the nodes: checks the readiness of each node and selects a ready node for each caller.
import { pause } from './wait.ts';

/** Time between two readiness checks, and the timeout of a check, ms. */
const CHECK_INTERVAL = 500;
const TIMEOUT = 1_000;

export interface Balancer {
  /** Base URL of a random ready node, or of any node when none is ready. */
  pick(): string;
  stop(): Promise<void>;
}

/** Nodes can be added to `nodes` later. */
export function startBalancer(nodes: readonly { url: string }[]): Balancer {
  const ready = new Set<string>();
  let isRunning = true;
  const check = async (url: string) => {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(TIMEOUT) }).catch(() => undefined);
    if (response?.ok) ready.add(url);
    else ready.delete(url);
  };
  const checking = (async () => {
    while (isRunning) {
      await Promise.all(nodes.map(({ url }) => check(url)));
      await pause(CHECK_INTERVAL);
    }
  })();
  return {
    pick() {
      const urls = ready.size > 0 ? [...ready] : nodes.map(({ url }) => url);
      return urls[Math.floor(Math.random() * urls.length)] ?? '';
    },
    async stop() {
      isRunning = false;
      await checking;
    },
  };
}
