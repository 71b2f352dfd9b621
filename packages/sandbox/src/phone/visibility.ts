// Decides whether a phone displays a decrypted message. A phone displays messages of some kinds only when the stanza
// shows the kind too, in an attribute or an element outside of the encrypted content.
import { type BinaryNode, getBinaryNodeChild, normalizeMessageContent, type proto } from '@whiskeysockets/baileys';
import { element } from '../lib/binary-node.ts';

/** Value of the stanza's attribute `edit` for a message that pins another message. */
export const PINNED = '2';

/** Whether a phone displays `content`, which was encrypted in the element `enc` of the stanza `node`. */
export function isDisplayed(content: proto.IMessage, node: BinaryNode, enc: BinaryNode | undefined): boolean {
  const inner = normalizeMessageContent(content);
  if (inner?.interactiveMessage) return getBinaryNodeChild(node, 'biz') !== undefined;
  if (inner?.pinInChatMessage) return node.attrs.edit === PINNED;
  // View-once images are displayed even without a mediatype (WhiskeySockets/Baileys#2435).
  if (isViewOnce(content) && !inner?.imageMessage) return enc?.attrs.mediatype !== undefined;
  return true;
}

/** Whether a message is view-once: it has a wrapper for such messages, or its file has a flag. */
export function isViewOnce(content: proto.IMessage): boolean {
  const { viewOnceMessage, viewOnceMessageV2, viewOnceMessageV2Extension } = content;
  const { imageMessage, videoMessage, audioMessage } = content;
  const hasFlag = [imageMessage, videoMessage, audioMessage].some((file) => file?.viewOnce);
  return hasFlag || Boolean(viewOnceMessage ?? viewOnceMessageV2 ?? viewOnceMessageV2Extension);
}

/** The element that linked devices get in place of a view-once message, which only phones can show. */
export const createUnavailableNode = (): BinaryNode => element('unavailable', { type: 'view_once' });
