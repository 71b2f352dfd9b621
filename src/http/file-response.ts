// Sends files as response bodies, for a limited time.
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { OpenFile } from '../whatsapp/media/encrypted-spool.ts';
import { whenClosed } from './abort-on-close.ts';

/**
 * A response may take BASE_DURATION_MS, plus the time to send its file at MIN_BYTES_PER_S. The time is limited, because
 * an open file occupies disk space or memory, and the number of open files is limited.
 */
const BASE_DURATION_MS = 60_000;
const MIN_BYTES_PER_S = 64 * 1024;

/**
 * Sends `file` as the body of the response, as fast as the client reads it. Closes the file when the response was sent
 * or the client has hung up. Closes the connection of a client that is too slow.
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
