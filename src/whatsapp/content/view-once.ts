// Files to be looked at once.

import { GatewayError } from '../../errors.ts';
import type { proto } from '../baileys/proto.ts';
import type { Stanza } from '../baileys/stanza.ts';

/** What the stanza of such a message says of it. */
export const VIEW_ONCE_NODES: Stanza[] = [{ tag: 'meta', attrs: { view_once: 'true' } }];

/** Kind of such a message. */
export const viewOnceKind = (mediatype: string): string =>
  mediatype === 'audio' ? 'viewOnceMessageV2Extension' : 'viewOnceMessageV2';

/** The content as phones send it: in a wrapper that others do not open, with a flag for those who look inside. Throws INVALID_REQUEST. */
export function toViewOnce(content: proto.IMessage): proto.IMessage {
  const { imageMessage, videoMessage, audioMessage } = content;
  const viewOnce = true;
  if (audioMessage) {
    const message = { audioMessage: { ...audioMessage, viewOnce } };
    return withInheritedFile({ viewOnceMessageV2Extension: { message } }, message);
  }
  if (!imageMessage && !videoMessage) throw viewOnceNotAllowed();
  const message = imageMessage
    ? { imageMessage: { ...imageMessage, viewOnce } }
    : { videoMessage: { ...videoMessage, viewOnce } };
  return withInheritedFile({ viewOnceMessageV2: { message } }, message);
}

export const viewOnceNotAllowed = () =>
  new GatewayError('INVALID_REQUEST', [['options.viewOnce is for images, videos and audios']], { certain: true });

/**
 * The platform drops such videos and sounds when their copies do not say what they are, and rc14 looks for that only outside of wrappers
 * (getMediaType). It finds what the content inherits; only what it has itself is encoded.
 */
function withInheritedFile(content: proto.IMessage, file: proto.IMessage): proto.IMessage {
  Object.setPrototypeOf(content, file);
  return content;
}
