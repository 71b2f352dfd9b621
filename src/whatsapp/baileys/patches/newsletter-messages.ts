// What rc14 does not understand of posts that arrive: those of this account, written on another of its devices, and changes to a post,
// which come under the id of the post itself.
import {
  type BinaryNode,
  proto,
  type WAMessageKey,
  type WAMessageUpdate,
  type WASocket,
} from '@whiskeysockets/baileys';
import { toWholeNumber } from '../../../lib/whole-number.ts';
import { isNewsletter } from '../../address/jid.ts';
import { DELETED, EDITED } from '../../outbound/channel-post.ts';

/** Posts that are remembered, at most. */
const most = 1_000;

/** A content that means nothing to Baileys, and is no message to anybody. */
const nothing = proto.Message.encode({
  protocolMessage: { type: proto.Message.ProtocolMessage.Type.EPHEMERAL_SYNC_RESPONSE },
}).finish();

/**
 * From now on own posts are `fromMe`, and changes come as messages.update. Whoever listens to batches hears of both: listeners of one event
 * come before them.
 */
export function patchNewsletterMessages({ ws, ev }: Pick<WASocket, 'ws' | 'ev'>): void {
  const own = new Map<string, true>();
  const changes = new Map<string, WAMessageUpdate['update']>();
  ws.prependListener('CB:message', (node: BinaryNode) => {
    const { from = '', id, edit, is_sender: isSender } = node.attrs;
    if (!isNewsletter(from) || !id) return;
    const name = nameOf({ remoteJid: from, id });
    if (isSender === 'true') remember(own, name, true);
    if (edit !== EDITED && edit !== DELETED) return;
    const change = edit === EDITED ? editIn(node) : { messageStubType: proto.WebMessageInfo.StubType.REVOKE };
    if (change) remember(changes, name, { ...change, messageTimestamp: toWholeNumber(node.attrs.t) ?? 0 });
    node.content = [{ tag: 'plaintext', attrs: {}, content: nothing }];
  });
  ev.on('messages.upsert', ({ messages }) => {
    for (const { key } of messages) {
      const name = nameOf(key);
      if (own.has(name)) key.fromMe = true;
      const update = changes.get(name);
      if (update && changes.delete(name)) ev.emit('messages.update', [{ key, update }]);
    }
  });
}

const nameOf = ({ remoteJid, id }: WAMessageKey) => `${remoteJid}|${id}`;

function remember<T>(kept: Map<string, T>, name: string, value: T): void {
  kept.set(name, value);
  const [oldest] = kept.size > most ? kept.keys() : [];
  if (oldest !== undefined) kept.delete(oldest);
}

/** The new content; undefined when it cannot be read. */
function editIn({ content }: BinaryNode): WAMessageUpdate['update'] | undefined {
  const plaintext = Array.isArray(content) ? content.find(({ tag }) => tag === 'plaintext')?.content : undefined;
  if (!(plaintext instanceof Uint8Array)) return undefined;
  try {
    return { message: { editedMessage: { message: proto.Message.decode(plaintext) } } };
  } catch {
    return undefined;
  }
}
