// Constant traffic: callers that send through any node and repeat with the same key until they get an answer, and phones that send.
import type { Balancer } from './balancer.ts';
import type { Ledger, Send } from './ledger.ts';
import { now } from './ledger.ts';
import { KEY } from './nodes.ts';
import type { Platform } from './platform.ts';
import { pause } from './wait.ts';

/** ms after which a caller gives an attempt up, and until its next one. */
const PATIENCE = 10_000;
const AGAIN_AFTER = 150;

export interface TrafficOptions {
  ledger: Ledger;
  platform: Platform;
  /** Name → number of its account. */
  instances: ReadonlyMap<string, string>;
  /** Numbers of the people they talk to. */
  phones: readonly string[];
  /** Messages per second in each direction, all instances together. */
  rate: number;
  balancer: Pick<Balancer, 'pick'>;
}

export interface Traffic {
  /** Rejects when a phone cannot send: its instance would then look cut off for as long as the run lasts. */
  readonly failed: Promise<never>;
  /** Nothing new begins; resolves when what was started has ended. */
  stop(): Promise<void>;
  /** Everything ends as it is. */
  abandon(): void;
}

export function startTraffic(options: TrafficOptions): Traffic {
  const { instances, rate } = options;
  const interval = (instances.size / rate) * 1000;
  const ending = new AbortController();
  const giving = new AbortController();
  const ended = new Promise<void>((resolve) => ending.signal.addEventListener('abort', () => resolve()));
  const paced = async (one: (n: number) => Promise<void>) => {
    let due = performance.now() + Math.random() * interval;
    for (let n = 0; ; n++) {
      await Promise.race([pause(Math.max(0, due - performance.now())), ended]);
      if (ending.signal.aborted) return;
      await one(n);
      // What an outage delayed is not made up for in a burst.
      due = Math.max(due + interval, performance.now());
    }
  };
  const loops = Array.from(instances, ([name, number]) => [
    paced((n) => send(options, { instance: name, n, signal: giving.signal })),
    paced((n) => receive(options, { name, number, n })),
  ]).flat();
  const over = Promise.all(loops);
  const failure = Promise.withResolvers<never>();
  over.catch(failure.reject);
  return {
    failed: failure.promise,
    async stop() {
      ending.abort();
      await over;
    },
    abandon() {
      ending.abort();
      giving.abort();
    },
  };
}

const one = <T>(from: readonly T[]): T => {
  const found = from[Math.floor(Math.random() * from.length)];
  if (found === undefined) throw new Error('nothing to choose from');
  return found;
};

/** One send, until it is accepted, or refused permanently. */
async function send(
  { ledger, phones, balancer }: TrafficOptions,
  { instance, n, signal }: { instance: string; n: number; signal: AbortSignal },
): Promise<void> {
  const entry = ledger.send({ instance, to: one(phones), text: `out ${instance} ${n}` });
  while (!entry.accepted && !entry.isUncertain && !signal.aborted) {
    // Every second caller waits until the platform has it.
    await attempt(ledger, entry, `${balancer.pick()}/message/sendText/${instance}${n % 2 ? '?wait=ack' : ''}`);
    if (!entry.accepted) await pause(AGAIN_AFTER);
  }
}

async function attempt(ledger: Ledger, entry: Send, url: string): Promise<void> {
  const at = now();
  const note = (outcome: string) => void entry.attempts.push({ at, outcome });
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { apikey: KEY, 'content-type': 'application/json', 'idempotency-key': entry.text.replaceAll(' ', '-') },
      body: JSON.stringify({ number: entry.to, textMessage: { text: entry.text } }),
      signal: AbortSignal.timeout(PATIENCE),
    });
    const body = (await answer.json()) as { key?: { id: string }; code?: string; certain?: boolean };
    note(`${answer.status} ${body.code ?? ''}`.trim());
    if (answer.ok) return ledger.accept(entry, at, body.key?.id ?? '');
    // The answer of before, which will not change: the message may have left.
    entry.isUncertain = body.certain === false && answer.headers.get('idempotency-replayed') === 'true';
  } catch (error) {
    note(error instanceof DOMException ? 'no answer in time' : 'no connection');
  }
}

/** One message of a phone. What the platform does not take is no message. */
async function receive(
  { ledger, platform, phones }: TrafficOptions,
  { name, number, n }: { name: string; number: string; n: number },
): Promise<void> {
  const from = one(phones);
  const text = `in ${name} ${n}`;
  ledger.inbound({ instance: name, from, text, n });
  await platform.send(from, number, text);
}
