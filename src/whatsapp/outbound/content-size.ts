// Limits the size of message content. The whole content is encrypted for every device of a recipient, and one stanza
// contains all these copies.
import { GatewayError } from '../../errors.ts';
import { proto } from '../baileys/proto.ts';

/**
 * Maximum encoded size of content. The longest text (65,536 characters of 4 bytes) with the longest list of mentions, a
 * link preview and the quote of a stored message takes 430 kB. Copies for 30 devices fit into one stanza (16 MiB).
 */
export const MAX_CONTENT_BYTES = 512 * 1024;

/** Throws INVALID_REQUEST (`certain: true`: nothing was sent) for content above MAX_CONTENT_BYTES. */
export function assertContentSize(content: proto.IMessage): void {
  const size = proto.Message.encode(content).len;
  if (size <= MAX_CONTENT_BYTES) return;
  const sentence = `The message has ${size} bytes: at most ${MAX_CONTENT_BYTES} can be sent. Shorten its texts and options.quoted.message.`;
  throw new GatewayError('INVALID_REQUEST', [[sentence]], { certain: true });
}
