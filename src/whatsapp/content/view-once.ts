// Builds view-once messages: pictures, videos and voice notes that the receiver can open once.

import { GatewayError } from '../../errors.ts';
import type { proto } from '../baileys/proto.ts';
import type { Stanza } from '../baileys/stanza.ts';

/** Additional stanza nodes of a view-once message. */
export const VIEW_ONCE_NODES: Stanza[] = [{ tag: 'meta', attrs: { view_once: 'true' } }];

/** Returns the messageType of a view-once message. */
export const viewOnceKind = (mediatype: string): string =>
  mediatype === 'audio' ? 'viewOnceMessageV2Extension' : 'viewOnceMessageV2';

/**
 * Wraps the content as phones do: a wrapper that companions do not open, and a flag in the file. Throws INVALID_REQUEST
 * for other kinds.
 */
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
 * WhatsApp drops such videos and sounds unless each encrypted copy states its media type. getMediaType of Baileys rc14
 * looks for the file outside of wrappers only. It finds an inherited property; the encoder writes own properties only.
 */
function withInheritedFile(content: proto.IMessage, file: proto.IMessage): proto.IMessage {
  Object.setPrototypeOf(content, file);
  return content;
}
