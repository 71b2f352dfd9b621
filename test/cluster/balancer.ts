// What stands before the nodes: asks each whether it is ready, and sends callers to those that last said so.
import { pause } from './wait.ts';

/** ms between two questions to a node, and that it may take to answer. */
const EVERY = 500;
const TIMEOUT = 1_000;

export interface Balancer {
  /** Base address of a node, at random; of any when none is ready. */
  pick(): string;
  stop(): Promise<void>;
}

/** `nodes` may grow. */
export function startBalancer(nodes: readonly { url: string }[]): Balancer {
  const ready = new Set<string>();
  let isOn = true;
  const ask = async (url: string) => {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(TIMEOUT) }).catch(() => undefined);
    if (answer?.ok) ready.add(url);
    else ready.delete(url);
  };
  const asking = (async () => {
    while (isOn) {
      await Promise.all(nodes.map(({ url }) => ask(url)));
      await pause(EVERY);
    }
  })();
  return {
    pick() {
      const urls = ready.size > 0 ? [...ready] : nodes.map(({ url }) => url);
      return urls[Math.floor(Math.random() * urls.length)] ?? '';
    },
    async stop() {
      isOn = false;
      await asking;
    },
  };
}
