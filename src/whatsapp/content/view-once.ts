// Builds and recognizes view-once messages: pictures, videos and sounds that the receiver can open only once. Decision
// D-119.

import { GatewayError } from '../../errors.ts';
import type { JsonObject } from '../../events/events.ts';
import { isObject } from '../../lib/json-object.ts';
import type { proto } from '../baileys/proto.ts';

/** Returns the messageType of a view-once message with a file of this type (image, video or audio). */
export const viewOnceMessageType = (mediatype: string): string =>
  mediatype === 'audio' ? 'viewOnceMessageV2Extension' : 'viewOnceMessageV2';

/**
 * Returns `content` in a view-once wrapper, with a view-once flag in the file, as phones send it. Throws
 * INVALID_REQUEST for content other than images, videos and sounds.
 */
export function toViewOnce(content: proto.IMessage): proto.IMessage {
  const { imageMessage, videoMessage, audioMessage } = content;
  const viewOnce = true;
  if (audioMessage) {
    const message = { audioMessage: { ...audioMessage, viewOnce } };
    return withInheritedFields({ viewOnceMessageV2Extension: { message } }, message);
  }
  if (!imageMessage && !videoMessage) throw viewOnceNotAllowedError();
  const message = imageMessage
    ? { imageMessage: { ...imageMessage, viewOnce } }
    : { videoMessage: { ...videoMessage, viewOnce } };
  return withInheritedFields({ viewOnceMessageV2: { message } }, message);
}

export const viewOnceNotAllowedError = () =>
  new GatewayError('INVALID_REQUEST', [['options.viewOnce is for images, videos and audios']], { certain: true });

/**
 * Makes the fields of `inner` readable on `wrapper` by inheritance. WhatsApp drops view-once videos and sounds unless
 * the stanza states their media type. getMediaType of Baileys rc14 determines this type and does not look into
 * wrappers. The inherited fields are not sent, because the protobuf encoder writes own properties only.
 */
function withInheritedFields(wrapper: proto.IMessage, inner: proto.IMessage): proto.IMessage {
  Object.setPrototypeOf(wrapper, inner);
  return wrapper;
}

/** True when the content, or a message nested in it, is a view-once wrapper or has the flag `viewOnce`. */
export function isViewOnce(content: JsonObject): boolean {
  return Object.entries(content).some(([name, body]) => {
    if (!isObject(body)) return false;
    return (
      name.startsWith('viewOnceMessage') ||
      body.viewOnce === true ||
      (isObject(body.message) && isViewOnce(body.message))
    );
  });
}
