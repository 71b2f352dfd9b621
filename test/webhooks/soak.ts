// A receiver that fails at random and a dispatcher that is restarted at random, until everything has arrived: nothing may be missing,
// doubled, changed or out of order. The same on either database.
import { expect, onTestFinished } from 'vitest';
import { startReceiver } from '../support/receiver.ts';
import { createWorld, textOf } from './world.ts';

const CHATS = 12;

/** Deterministic dice (mulberry32), so that a failure can be repeated. */
export function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface Soak {
  /** Of the dice. */
  seed: number;
  /** Events per chat, of twelve chats. */
  perChat: number;
  databaseUrl?: string;
}

export async function soak({ seed, perChat, databaseUrl }: Soak): Promise<void> {
  const random = dice(seed);
  // Hours pass here while one real exchange takes a millisecond: nothing may expire meanwhile.
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
  const taken = () => hook.posts.filter((post) => post.status === 200).map((post) => textOf(post.body));
  for (let n = 0; n < expected; n++) {
    await world.receive(id, `chat ${n % CHATS}`, `${n}`);
    if (random() < 0.05) await world.pass(10_000);
    if (random() < 0.01) await world.restart();
  }
  while (new Set(taken()).size < expected) await world.pass(5_000);
  for (let chat = 0; chat < CHATS; chat++) {
    const texts = [...new Set(taken())].filter((text) => Number(text) % CHATS === chat);
    expect(texts).toEqual(Array.from({ length: perChat }, (_, n) => `${n * CHATS + chat}`));
  }
  // Nothing was broken off: each event was taken exactly once.
  expect(taken()).toHaveLength(expected);
  const texts = new Map<unknown, string>();
  for (const post of hook.posts) {
    const known = texts.get(post.headers['webhook-id']);
    expect(post.raw).toBe(known ?? post.raw);
    texts.set(post.headers['webhook-id'], post.raw);
  }
  expect(texts.size).toBe(expected);
}
