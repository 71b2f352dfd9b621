// Serializes and sends a long JSON list in pieces, so that the work does not block other requests. The client receives
// the same bytes as without pieces.
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { turnEnd } from '../lib/event-loop-turn.ts';

/** Number of items in a piece. A piece is serialized without a pause, which takes about 5 ms. */
const ITEMS_PER_PIECE = 50;
/** Maximum duration of the response, ms. While a client reads slowly, the items stay in memory. */
const MAX_DURATION_MS = 300_000;

export interface JsonList<Item> {
  items: readonly Item[];
  /** JSON before the first item, with the opening bracket of the list. */
  head: string;
  /** JSON after the last item. */
  tail: string;
  /** Resolves with the JSON of each item. */
  toJson(items: readonly Item[]): Promise<string[]>;
}

/** Whether a list of this length should be sent with sendJsonList(). A shorter list fits into one piece. */
export const isLongList = (length: number): boolean => length > ITEMS_PER_PIECE;

/**
 * Sends the list. Each piece is serialized only when the client has read most of the bytes before it. Rejects when
 * `toJson` fails for the first piece. When `toJson` fails for a later piece, the connection is closed, and the client
 * gets an incomplete response.
 */
export async function sendJsonList<Item>(reply: FastifyReply, list: JsonList<Item>): Promise<FastifyReply> {
  const pieces = piecesOf(list);
  const first = await pieces.next();
  const stream = Readable.from(prepend(first.value ?? '', pieces), { objectMode: false });
  const durationTimer = setTimeout(() => stream.destroy(), MAX_DURATION_MS).unref();
  stream.once('close', () => clearTimeout(durationTimer));
  return reply.type('application/json; charset=utf-8').send(stream);
}

async function* piecesOf<Item>({ items, head, tail, toJson }: JsonList<Item>): AsyncGenerator<string, undefined> {
  for (let at = 0; at < items.length; at += ITEMS_PER_PIECE) {
    const texts = await toJson(items.slice(at, at + ITEMS_PER_PIECE));
    yield (at === 0 ? head : ',') + texts.join(',');
    // Other requests can run now.
    await turnEnd();
  }
  yield items.length === 0 ? head + tail : tail;
}

async function* prepend(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield first;
  yield* rest;
}
