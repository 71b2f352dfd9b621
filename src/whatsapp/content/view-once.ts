// Files to be looked at once.

import { GatewayError } from '../../errors.ts';
import type { proto } from '../baileys/proto.ts';
import type { Stanza } from '../baileys/stanza.ts';

/** What the stanza of such a message says of it. */
export const onceNodes: Stanza[] = [{ tag: 'meta', attrs: { view_once: 'true' } }];

/** Kind of such a message. */
export const onceKind = (mediatype: string): string =>
  mediatype === 'audio' ? 'viewOnceMessageV2Extension' : 'viewOnceMessageV2';

/** The content as phones send it: in a wrapper that others do not open, with a flag for those who look inside. Throws INVALID_REQUEST. */
export function toOnce(content: proto.IMessage): proto.IMessage {
  const { imageMessage, videoMessage, audioMessage } = content;
  const viewOnce = true;
  if (audioMessage) {
    const message = { audioMessage: { ...audioMessage, viewOnce } };
    return announced({ viewOnceMessageV2Extension: { message } }, message);
  }
  if (!imageMessage && !videoMessage) throw notOnce();
  const message = imageMessage
    ? { imageMessage: { ...imageMessage, viewOnce } }
    : { videoMessage: { ...videoMessage, viewOnce } };
  return announced({ viewOnceMessageV2: { message } }, message);
}

export const notOnce = () =>
  new GatewayError('INVALID_REQUEST', [['options.viewOnce is for images, videos and audios']], { certain: true });

/**
 * The platform drops such videos and sounds when their copies do not say what they are, and rc14 looks for that only outside of wrappers
 * (getMediaType). It finds what the content inherits; only what it has itself is encoded.
 */
function announced(content: proto.IMessage, file: proto.IMessage): proto.IMessage {
  Object.setPrototypeOf(content, file);
  return content;
}
