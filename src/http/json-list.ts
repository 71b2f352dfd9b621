// Sends a long JSON list in pieces, so that making it blocks no other request. The bytes are those of the whole list.
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { turnEnd } from '../lib/event-loop-turn.ts';

/** Number of items that are converted without a pause. It takes about 5 ms. */
const ITEMS_PER_PIECE = 50;
/** ms after which the connection of a client that reads nothing is closed. */
const STALL_TIMEOUT_MS = 30_000;
/** ms after which the connection of a client that reads very slowly is closed. The items stay in memory until then. */
const MAX_DURATION_MS = 300_000;

export interface JsonList<Item> {
  items: readonly Item[];
  /** JSON before the first item, with the opening bracket of the list. */
  head: string;
  /** JSON after the last item. */
  tail: string;
  /** Serializes some items. */
  toJson(items: readonly Item[]): Promise<string[]>;
}

/** Whether a list of this length should be sent with sendJsonList(). A shorter one is one piece. */
export const isLongList = (length: number): boolean => length > ITEMS_PER_PIECE;

/**
 * Sends the list. A piece is made when the client has read most of the previous ones. Rejects with the errors of
 * `toJson` for the first piece; later ones close the connection, which the client notices as an incomplete response.
 */
export async function sendJsonList<Item>(reply: FastifyReply, list: JsonList<Item>): Promise<FastifyReply> {
  const pieces = piecesOf(list);
  const first = await pieces.next();
  const stream = Readable.from(startingWith(first.value ?? '', pieces), { objectMode: false });
  const limit = setTimeout(() => stream.destroy(), MAX_DURATION_MS).unref();
  stream.once('close', () => clearTimeout(limit));
  reply.raw.setTimeout(STALL_TIMEOUT_MS, () => reply.raw.destroy());
  return reply.type('application/json; charset=utf-8').send(stream);
}

async function* piecesOf<Item>({ items, head, tail, toJson }: JsonList<Item>): AsyncGenerator<string, undefined> {
  for (let at = 0; at < items.length; at += ITEMS_PER_PIECE) {
    const texts = await toJson(items.slice(at, at + ITEMS_PER_PIECE));
    yield (at === 0 ? head : ',') + texts.join(',');
    await turnEnd();
  }
  yield items.length === 0 ? head + tail : tail;
}

async function* startingWith(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield first;
  yield* rest;
}
