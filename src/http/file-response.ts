// Sends files as response bodies, for a limited time.
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { OpenFile } from '../whatsapp/media/download.ts';
import { whenClosed } from './abort-on-close.ts';

/**
 * A response may take this time in ms, and the time of its file at MIN_BYTES_PER_S. It is limited, because it occupies
 * disk space or memory, and one of a limited number of slots.
 */
const BASE_DURATION_MS = 60_000;
const MIN_BYTES_PER_S = 64 * 1024;

/**
 * Sends `file` as the body of the response, as fast as the client reads it. Closes the file when the response was sent
 * and when the client has hung up. Closes the connection of a client that is too slow.
 */
export function sendFile(reply: FastifyReply, file: OpenFile): FastifyReply {
  const timer = setTimeout(() => reply.raw.destroy(), BASE_DURATION_MS + (1_000 * file.size) / MIN_BYTES_PER_S);
  whenClosed(reply, () => clearTimeout(timer));
  return reply.header('content-length', file.size).send(streamOf(file));
}

/** A stream of the file's content. The file is closed when the stream ends or is destroyed. */
function streamOf(file: OpenFile): Readable {
  const stream = Readable.from(file.read(), { objectMode: false });
  stream.once('close', () => void file.close());
  return stream;
}
