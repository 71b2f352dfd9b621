// A receiver that fails at random, and a dispatcher that is restarted at random. All events arrive exactly once,
// unchanged and in the order of their chat. Tests run it with both databases.
import { expect, onTestFinished } from 'vitest';
import { createWorld, textOf } from '../support/dispatcher-world.ts';
import { startReceiver } from '../support/receiver.ts';

const CHATS = 12;

/** Creates a generator of random numbers (mulberry32) from a seed, so that a failure can be repeated. */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface Soak {
  /** Seed of the random numbers. */
  seed: number;
  /** Number of events of each of the twelve chats. */
  perChat: number;
  databaseUrl?: string;
}

export async function soak({ seed, perChat, databaseUrl }: Soak): Promise<void> {
  const random = createRandom(seed);
  // The manual clock advances by hours. No event expires meanwhile.
  const world = await createWorld({ databaseUrl, options: { maxAge: 1e12 } });
  const hook = await startReceiver();
  onTestFinished(() => hook.stop());
  const id = await world.subscribe('shop', hook.url);
  const failures = [500, 503, 429, 'close', 408] as const;
  hook.answer(async () => {
    if (random() < 0.3) await new Promise(setImmediate);
    return random() < 0.4 ? (failures[Math.floor(random() * failures.length)] ?? 500) : 200;
  });
  const expected = CHATS * perChat;
  const acceptedTexts = () => hook.posts.filter((post) => post.status === 200).map((post) => textOf(post.body));
  for (let n = 0; n < expected; n++) {
    await world.receive(id, `chat ${n % CHATS}`, `${n}`);
    // Unlike pass(), this also advances the time of requests in flight.
    if (random() < 0.05) world.clock.advance(10_000);
    if (random() < 0.01) await world.restart();
  }
  while (new Set(acceptedTexts()).size < expected) await world.pass(5_000);
  for (let chat = 0; chat < CHATS; chat++) {
    const texts = [...new Set(acceptedTexts())].filter((text) => Number(text) % CHATS === chat);
    expect(texts).toEqual(Array.from({ length: perChat }, (_, n) => `${n * CHATS + chat}`));
  }
  // No request was aborted, so the receiver accepted each event exactly once.
  expect(acceptedTexts()).toHaveLength(expected);
  const texts = new Map<unknown, string>();
  for (const post of hook.posts) {
    const firstBody = texts.get(post.headers['webhook-id']);
    expect(post.raw).toBe(firstBody ?? post.raw);
    texts.set(post.headers['webhook-id'], post.raw);
  }
  expect(texts.size).toBe(expected);
}
