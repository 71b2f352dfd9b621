// Constant traffic in both directions. Callers send through any node, and repeat with the same idempotency key until
// they get a final response. Phones send messages to the instances.
import type { Balancer } from './balancer.ts';
import type { Ledger, Send } from './ledger.ts';
import { now } from './ledger.ts';
import { KEY } from './nodes.ts';
import type { Platform } from './platform.ts';
import { pause } from './wait.ts';

/** Timeout of an attempt, and the time until the next attempt, ms. */
const ATTEMPT_TIMEOUT = 10_000;
const RETRY_DELAY = 150;

export interface TrafficOptions {
  ledger: Ledger;
  platform: Platform;
  /** Phone number of the account by name of the instance. */
  instances: ReadonlyMap<string, string>;
  /** Phone numbers of the chat partners. */
  phones: readonly string[];
  /** Messages per second in each direction, for all instances together. */
  rate: number;
  balancer: Pick<Balancer, 'pick'>;
}

export interface Traffic {
  /** Rejects when a phone cannot send. Otherwise its instance would seem cut off for the rest of the run. */
  readonly failed: Promise<never>;
  /** Starts no further messages. Resolves when all started sends have ended. */
  stop(): Promise<void>;
  /** Starts no further messages, and ends the sends in progress after their current attempt. */
  abandon(): void;
}

export function startTraffic(options: TrafficOptions): Traffic {
  const { instances, rate } = options;
  const interval = (instances.size / rate) * 1000;
  const stopController = new AbortController();
  const abandonController = new AbortController();
  const stopped = new Promise<void>((resolve) => stopController.signal.addEventListener('abort', () => resolve()));
  const runPeriodically = async (sendNext: (n: number) => Promise<void>) => {
    let due = performance.now() + Math.random() * interval;
    for (let n = 0; ; n++) {
      await Promise.race([pause(Math.max(0, due - performance.now())), stopped]);
      if (stopController.signal.aborted) return;
      await sendNext(n);
      // Messages that an outage delayed are not sent in a burst afterwards.
      due = Math.max(due + interval, performance.now());
    }
  };
  const loops = Array.from(instances, ([name, number]) => [
    runPeriodically((n) => send(options, { instance: name, n, signal: abandonController.signal })),
    runPeriodically((n) => receive(options, { name, number, n })),
  ]).flat();
  const allEnded = Promise.all(loops);
  const failure = Promise.withResolvers<never>();
  allEnded.catch(failure.reject);
  return {
    failed: failure.promise,
    async stop() {
      stopController.abort();
      await allEnded;
    },
    abandon() {
      stopController.abort();
      abandonController.abort();
    },
  };
}

const pickRandom = <T>(from: readonly T[]): T => {
  const found = from[Math.floor(Math.random() * from.length)];
  if (found === undefined) throw new Error('nothing to choose from');
  return found;
};

/** Sends one message until it is accepted or refused permanently. */
async function send(
  { ledger, phones, balancer }: TrafficOptions,
  { instance, n, signal }: { instance: string; n: number; signal: AbortSignal },
): Promise<void> {
  const entry = ledger.addSend({ instance, to: pickRandom(phones), text: `out ${instance} ${n}` });
  while (!entry.accepted && !entry.isUncertain && !signal.aborted) {
    // Every second caller waits until the platform has accepted the message.
    await attempt(ledger, entry, `${balancer.pick()}/message/sendText/${instance}${n % 2 ? '?wait=ack' : ''}`);
    if (!entry.accepted) await pause(RETRY_DELAY);
  }
}

async function attempt(ledger: Ledger, entry: Send, url: string): Promise<void> {
  const at = now();
  const recordOutcome = (outcome: string) => void entry.attempts.push({ at, outcome });
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { apikey: KEY, 'content-type': 'application/json', 'idempotency-key': entry.text.replaceAll(' ', '-') },
      body: JSON.stringify({ number: entry.to, textMessage: { text: entry.text } }),
      signal: AbortSignal.timeout(ATTEMPT_TIMEOUT),
    });
    const body = (await response.json()) as { key?: { id: string }; code?: string; certain?: boolean };
    recordOutcome(`${response.status} ${body.code ?? ''}`.trim());
    if (response.ok) return ledger.accept(entry, at, body.key?.id ?? '');
    // The replayed response of an earlier attempt, which is final. The message may have been sent.
    entry.isUncertain = body.certain === false && response.headers.get('idempotency-replayed') === 'true';
  } catch (error) {
    recordOutcome(error instanceof DOMException ? 'no answer in time' : 'no connection');
  }
}

/** Sends one message of a phone. Rejects when the platform does not accept it. */
async function receive(
  { ledger, platform, phones }: TrafficOptions,
  { name, number, n }: { name: string; number: string; n: number },
): Promise<void> {
  const from = pickRandom(phones);
  const text = `in ${name} ${n}`;
  ledger.addInbound({ instance: name, from, text, n });
  await platform.send(from, number, text);
}
