// Reports own channel posts as `fromMe`, and edited and deleted posts as changes.
// Why: Baileys ignores `is_sender` on a channel post, so that own posts from another device look like posts of others.
//   It reports an edit or a deletion of a post, which has the id of the post, as a new message.
// Upstream: not reported.
// Applies to: Baileys 7.0.0-rc14.
// Remove when: Baileys evaluates the attributes `is_sender` and `edit` of channel messages.

import {
  type BinaryNode,
  isJidNewsletter,
  proto,
  type WAMessageKey,
  type WAMessageUpdate,
  type WASocket,
} from '@whiskeysockets/baileys';
import { BoundedMap } from '../../../lib/bounded-map.ts';
import { toWholeNumber } from '../../../lib/whole-number.ts';
import { POST_DELETED, POST_EDITED } from '../queries.ts';

/** Maximum number of posts kept between their stanza and their event. */
const MAX_POSTS = 1_000;

/**
 * Content that Baileys processes without effect. It replaces the content of a change, so that no message is reported.
 */
const EMPTY_CONTENT = proto.Message.encode({
  protocolMessage: { type: proto.Message.ProtocolMessage.Type.EPHEMERAL_SYNC_RESPONSE },
}).finish();

/**
 * Sets `fromMe` on own posts, and emits messages.update for changes. Its listener runs before the listeners of batches
 * (`ev.process`).
 */
export function patchNewsletterMessages({ ws, ev }: Pick<WASocket, 'ws' | 'ev'>): void {
  const ownPosts = new BoundedMap<string, true>(MAX_POSTS);
  const changes = new BoundedMap<string, WAMessageUpdate['update']>(MAX_POSTS);
  ws.prependListener('CB:message', (node: BinaryNode) => {
    const { from = '', id, edit, is_sender: isSender } = node.attrs;
    if (!isJidNewsletter(from) || !id) return;
    const postKey = postKeyOf({ remoteJid: from, id });
    if (isSender === 'true') ownPosts.set(postKey, true);
    if (edit !== POST_EDITED && edit !== POST_DELETED) return;
    const change = edit === POST_EDITED ? editIn(node) : { messageStubType: proto.WebMessageInfo.StubType.REVOKE };
    if (change) changes.set(postKey, { ...change, messageTimestamp: toWholeNumber(node.attrs.t) ?? 0 });
    node.content = [{ tag: 'plaintext', attrs: {}, content: EMPTY_CONTENT }];
  });
  ev.on('messages.upsert', ({ messages }) => {
    for (const { key } of messages) {
      const postKey = postKeyOf(key);
      if (ownPosts.has(postKey)) key.fromMe = true;
      const update = changes.get(postKey);
      if (update && changes.delete(postKey)) ev.emit('messages.update', [{ key, update }]);
    }
  });
}

const postKeyOf = ({ remoteJid, id }: WAMessageKey) => `${remoteJid}|${id}`;

/** Returns the new content of an edited post; undefined when it cannot be decoded. */
function editIn({ content }: BinaryNode): WAMessageUpdate['update'] | undefined {
  const plaintext = Array.isArray(content) ? content.find(({ tag }) => tag === 'plaintext')?.content : undefined;
  if (!(plaintext instanceof Uint8Array)) return undefined;
  try {
    return { message: { editedMessage: { message: proto.Message.decode(plaintext) } } };
  } catch {
    return undefined;
  }
}
