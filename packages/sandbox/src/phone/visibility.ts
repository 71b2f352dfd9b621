// Decides whether a phone displays a decrypted message. It displays some kinds only when the stanza, which is not
// encrypted, names the kind in an attribute or an element.
import { type BinaryNode, getBinaryNodeChild, normalizeMessageContent, type proto } from '@whiskeysockets/baileys';
import { element } from '../lib/binary-node.ts';

/** Whether a phone displays `content`, which was encrypted in the element `enc` of the stanza `node`. */
export function isDisplayed(content: proto.IMessage, node: BinaryNode, enc: BinaryNode | undefined): boolean {
  const inner = normalizeMessageContent(content);
  if (inner?.interactiveMessage) return getBinaryNodeChild(node, 'biz') !== undefined;
  if (inner?.pinInChatMessage) return node.attrs.edit === '2';
  // View-once images are displayed even without a mediatype (WhiskeySockets/Baileys#2435).
  if (isViewOnce(content) && !inner?.imageMessage) return enc?.attrs.mediatype !== undefined;
  return true;
}

/** Whether a message is view-once, which a wrapper or a flag says. */
export function isViewOnce(content: proto.IMessage): boolean {
  const { viewOnceMessage, viewOnceMessageV2, viewOnceMessageV2Extension } = content;
  const { imageMessage, videoMessage, audioMessage } = content;
  const flagged = [imageMessage, videoMessage, audioMessage].some((file) => file?.viewOnce);
  return flagged || Boolean(viewOnceMessage ?? viewOnceMessageV2 ?? viewOnceMessageV2Extension);
}

/** The element that companions (linked devices) get instead of a view-once message, which only phones can show. */
export const createUnavailableNode = (): BinaryNode => element('unavailable', { type: 'view_once' });
