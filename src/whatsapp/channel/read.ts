// Reads channels and their posts from WhatsApp.

import { GatewayError } from '../../errors.ts';
import type { JsonObject, MessageKey } from '../../events/events.ts';
import { messageTypeOf } from '../../events/message-type.ts';
import { toWholeNumber } from '../../lib/whole-number.ts';
import { proto } from '../baileys/proto.ts';
import { childOf, childrenOf, type Stanza } from '../baileys/stanza.ts';
import { toJson } from '../content/message.ts';
import type { Session } from '../session.ts';
import { queryChannels, queryPosts } from './query.ts';
import { type ChannelRecord, parseChannelReference, toChannelRecord } from './record.ts';

/** Returns the channels that the account owns or follows. Throws the errors of queryChannels(). */
export async function fetchChannels(session: Session): Promise<ChannelRecord[]> {
  const channels = await queryChannels(session, 'list', {});
  return Array.isArray(channels) ? channels.map(toChannelRecord).filter((record) => record !== undefined) : [];
}

/**
 * Returns one channel by JID, invite link or invite code. Throws INVALID_REQUEST for other input, and the errors of
 * queryChannels().
 */
export async function findChannel(session: Session, channel: string): Promise<ChannelRecord> {
  const reference = parseChannelReference(channel);
  const input =
    'jid' in reference ? { key: reference.jid, type: 'JID' } : { key: reference.inviteCode, type: 'INVITE' };
  const requestedFields = { fetch_creation_time: true, fetch_full_image: false, fetch_viewer_metadata: true };
  const record = toChannelRecord(await queryChannels(session, 'find', { ...requestedFields, input }));
  if (!record) throw new GatewayError('CHANNEL_NOT_FOUND', ['Error: Not Found'], { certain: true });
  return record;
}

/**
 * Returns the JID of a channel. Queries WhatsApp only for an invite link or code. Throws the errors of findChannel().
 */
export async function toChannelJid(session: Session, channel: string): Promise<string> {
  const reference = parseChannelReference(channel);
  return 'jid' in reference ? reference.jid : (await findChannel(session, channel)).id;
}

/** A post with the numbers of its views and reactions. */
export interface Post {
  key: MessageKey;
  /** Consecutive number of the post within its channel. */
  serverId: string;
  message: JsonObject;
  messageType: string;
  /** Epoch seconds. */
  messageTimestamp: number;
  views: number;
  reactions: { reaction: string; count: number }[];
}

export interface PostsInput {
  /** JID, invite link or invite code. */
  channel: string;
  /** Maximum number of posts. Default: DEFAULT_POSTS. */
  count?: number;
  /** Server id of a post: only older posts are returned. */
  before?: string;
}

/** Maximum number of posts when the request has no `count`. */
const DEFAULT_POSTS = 50;
/** Maximum number of posts in one answer of WhatsApp. */
export const MAX_POSTS = 100;

/**
 * Returns the newest posts, or the newest ones that are older than the post `before`. The newest post comes first.
 * Posts without readable content, such as deleted ones, are left out. Throws the errors of findChannel().
 */
export async function fetchPosts(session: Session, input: PostsInput): Promise<Post[]> {
  return (await fetchPostPage(session, input)).posts;
}

/**
 * Like fetchPosts(), but also returns `oldestServerId`: the lowest server id in WhatsApp's answer, including the posts
 * that are left out. It is undefined when the answer contains no posts.
 */
export async function fetchPostPage(
  session: Session,
  { channel, count = DEFAULT_POSTS, before }: PostsInput,
): Promise<{ posts: Post[]; oldestServerId: string | undefined }> {
  const jid = await toChannelJid(session, channel);
  const attrs = { type: 'jid', jid, count: String(count), ...(before ? { before } : {}) };
  const nodes = childrenOf(await queryPosts(session, attrs), 'message');
  const posts = nodes.flatMap((node) => toPost(jid, node) ?? []);
  const serverIds = nodes.flatMap(({ attrs: { server_id: id } }) => id ?? []);
  const [oldestServerId] = serverIds.sort((one, other) => Number(one) - Number(other));
  return { posts: posts.sort((one, other) => Number(other.serverId) - Number(one.serverId)), oldestServerId };
}

/** Converts the stanza of a post. Returns undefined for a post without readable content. */
function toPost(jid: string, node: Stanza): Post | undefined {
  const { id, server_id: serverId, t, is_sender: isSender } = node.attrs;
  const bytes = childOf(node, 'plaintext')?.content;
  if (!id || !serverId || !(bytes instanceof Uint8Array)) return undefined;
  const message = readContent(bytes);
  const messageType = message && messageTypeOf(message);
  if (!message || !messageType || messageType === 'unknown') return undefined;
  const reactions = childrenOf(childOf(node, 'reactions'), 'reaction');
  return {
    key: { remoteJid: jid, fromMe: isSender === 'true', id },
    serverId,
    message,
    messageType,
    messageTimestamp: toWholeNumber(t) ?? 0,
    views: toWholeNumber(childOf(node, 'views_count')?.attrs.count) ?? 0,
    reactions: reactions.map(({ attrs }) => ({ reaction: attrs.code ?? '', count: toWholeNumber(attrs.count) ?? 0 })),
  };
}

/** Decodes a message. Returns undefined when the bytes are not a valid message. */
function readContent(bytes: Uint8Array): JsonObject | undefined {
  try {
    return toJson(proto.Message.decode(bytes));
  } catch {
    return undefined;
  }
}
