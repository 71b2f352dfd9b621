// Determines the unencrypted parts of a message stanza that depend on the content of the message and that Baileys does
// not add. Without these parts, phones hide some kinds of messages, or treat them as another kind.
import { normalizeMessageContent, proto } from '../baileys/proto.ts';
import type { Stanza } from '../baileys/stanza.ts';
import { nativeFlowNodes } from './interactive.ts';

export interface StanzaParts {
  /** Attributes of the message stanza. */
  attributes: Record<string, string>;
  /** Child elements of the message stanza. */
  nodes: Stanza[];
}

const { MESSAGE_EDIT, REVOKE } = proto.Message.ProtocolMessage.Type;

/** Returns the parts for a message that is sent for the first time, or again after a retry request. */
export function stanzaPartsOf(message: proto.IMessage): StanzaParts {
  const content = normalizeMessageContent(message) ?? {};
  const edit = editAttributeOf(content);
  return { attributes: edit === undefined ? {} : { edit }, nodes: nodesOf(content) };
}

/** Returns the value of the attribute `edit`, which marks changes of another message. */
function editAttributeOf({ pinInChatMessage, protocolMessage }: proto.IMessage): string | undefined {
  // 2 marks a pin, and also the removal of a pin.
  if (pinInChatMessage) return '2';
  const { key, type } = protocolMessage ?? {};
  if (!key) return undefined;
  if (type === MESSAGE_EDIT) return '1';
  // 7 is a deletion by the author, and 8 a deletion by an admin of the group.
  if (type === REVOKE) return key.fromMe ? '7' : '8';
  return undefined;
}

function nodesOf(content: proto.IMessage): Stanza[] {
  const { imageMessage, videoMessage, audioMessage, interactiveMessage } = content;
  if ([imageMessage, videoMessage, audioMessage].some((file) => file?.viewOnce))
    return [metaNode({ view_once: 'true' })];
  if (content.pollCreationMessage || content.pollCreationMessageV3) return [metaNode({ polltype: 'creation' })];
  const flow = interactiveMessage?.nativeFlowMessage;
  return flow ? nativeFlowNodes(flow.buttons ?? [], Date.now()) : [];
}

const metaNode = (attrs: Record<string, string>): Stanza => ({ tag: 'meta', attrs });
