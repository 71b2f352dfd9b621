// Reacts to a channel post. A request identifies the post by its message id, but WhatsApp needs the post's server id.
import { GatewayError } from '../../errors.ts';
import type { Message } from '../../events/events.ts';
import { fetchPostPage, MAX_POSTS, type Post } from '../channel/read.ts';
import { type SendOptions, send } from '../outbound/send.ts';
import type { Session } from '../session.ts';

/** Maximum number of pages, of MAX_POSTS posts each, in which findPost() looks for the post. */
const MAX_PAGES = 10;

/**
 * Resolves with the sent message. Throws the errors of fetchPostPage() and send(), and MESSAGE_NOT_FOUND unless the
 * post is one of the latest thousand.
 */
export async function reactToPost(
  session: Session,
  key: { channel: string; id: string },
  reaction: string,
  options: Pick<SendOptions, 'delay'>,
): Promise<Message> {
  const { serverId, key: postKey } = await findPost(session, key);
  return send(session, {
    number: key.channel,
    options,
    kind: 'reactionMessage',
    presence: 'composing',
    attributes: { server_id: serverId },
    content: () => ({ reactionMessage: { key: postKey, text: reaction, senderTimestampMs: Date.now() } }),
  });
}

async function findPost(session: Session, { channel, id }: { channel: string; id: string }): Promise<Post> {
  let before: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const input = { channel, count: MAX_POSTS, ...(before ? { before } : {}) };
    const { posts, oldestServerId } = await fetchPostPage(session, input);
    const found = posts.find(({ key }) => key.id === id);
    if (found) return found;
    if (oldestServerId === undefined) break;
    before = oldestServerId;
  }
  throw new GatewayError('MESSAGE_NOT_FOUND', ['Message not found'], { certain: true });
}
