// Decides whether a phone displays a decrypted message. Some kinds are displayed only when the stanza announced them.
import { type BinaryNode, getBinaryNodeChild, normalizeMessageContent, type proto } from '@whiskeysockets/baileys';
import { element } from './node.ts';

/** Whether a phone shows the content of `enc`, an encrypted copy in the stanza `node`. */
export function isDisplayed(content: proto.IMessage, node: BinaryNode, enc: BinaryNode | undefined): boolean {
  const inner = normalizeMessageContent(content);
  if (inner?.interactiveMessage) return getBinaryNodeChild(node, 'biz') !== undefined;
  if (inner?.pinInChatMessage) return node.attrs.edit === '2';
  // Pictures are let through without it (WhiskeySockets/Baileys#2435).
  if (isViewOnce(content) && !inner?.imageMessage) return enc?.attrs.mediatype !== undefined;
  return true;
}

/** To be looked at once, as a wrapper or a flag says. */
export function isViewOnce(content: proto.IMessage): boolean {
  const { viewOnceMessage, viewOnceMessageV2, viewOnceMessageV2Extension } = content;
  const { imageMessage, videoMessage, audioMessage } = content;
  const flagged = [imageMessage, videoMessage, audioMessage].some((file) => file?.viewOnce);
  return flagged || Boolean(viewOnceMessage ?? viewOnceMessageV2 ?? viewOnceMessageV2Extension);
}

/** What companions get of it instead. */
export const createUnavailableNode = (): BinaryNode => element('unavailable', { type: 'view_once' });
