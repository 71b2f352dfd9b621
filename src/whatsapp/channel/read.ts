// Reads channels and their posts from WhatsApp.

import { GatewayError } from '../../errors.ts';
import type { JsonObject, MessageKey } from '../../events/events.ts';
import { toWholeNumber } from '../../lib/whole-number.ts';
import { proto } from '../baileys/proto.ts';
import { childOf, childrenOf, type Stanza } from '../baileys/stanza.ts';
import { messageTypeOf, toJson } from '../content/message.ts';
import type { Session } from '../session.ts';
import { queryChannels, queryPosts } from './query.ts';
import { type ChannelRecord, parseChannelName, toChannelRecord } from './record.ts';

/** Returns the channels that the account owns or follows. Throws as queryChannels(). */
export async function fetchChannels(session: Session): Promise<ChannelRecord[]> {
  const channels = await queryChannels(session, 'list', {});
  return Array.isArray(channels) ? channels.map(toChannelRecord).filter((record) => record !== undefined) : [];
}

/** Returns one channel by JID, link or code. Throws INVALID_REQUEST for other input, and as queryChannels(). */
export async function findChannel(session: Session, channel: string): Promise<ChannelRecord> {
  const name = parseChannelName(channel);
  const input = 'jid' in name ? { key: name.jid, type: 'JID' } : { key: name.invite, type: 'INVITE' };
  const fetched = { fetch_creation_time: true, fetch_full_image: false, fetch_viewer_metadata: true };
  const record = toChannelRecord(await queryChannels(session, 'find', { ...fetched, input }));
  if (!record) throw new GatewayError('CHANNEL_NOT_FOUND', ['Error: Not Found'], { certain: true });
  return record;
}

/** Returns the JID of a channel. An invite link or code needs a query. Throws as findChannel(). */
export async function toChannelJid(session: Session, channel: string): Promise<string> {
  const name = parseChannelName(channel);
  return 'jid' in name ? name.jid : (await findChannel(session, channel)).id;
}

/** A post with its views and reactions. */
export interface Post {
  key: MessageKey;
  /** Number of the post in the channel. */
  serverId: string;
  message: JsonObject;
  messageType: string;
  /** Seconds since the epoch. */
  messageTimestamp: number;
  views: number;
  reactions: { reaction: string; count: number }[];
}

export interface PostsInput {
  channel: string;
  count?: number;
  /** Returns only posts before this server id. */
  before?: string;
}

/** Posts in one answer of WhatsApp. */
export const MAX_POSTS = 100;

/**
 * Returns the latest posts, newest first. Posts without readable content, such as deleted ones, are left out. Throws as
 * findChannel().
 */
export async function fetchPosts(session: Session, { channel, count = 50, before }: PostsInput): Promise<Post[]> {
  const jid = await toChannelJid(session, channel);
  const attrs = { type: 'jid', jid, count: String(count), ...(before ? { before } : {}) };
  const posts = childrenOf(await queryPosts(session, attrs), 'message').flatMap((node) => toPost(jid, node) ?? []);
  return posts.sort((one, other) => Number(other.serverId) - Number(one.serverId));
}

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

/** Returns undefined when the bytes are no message. */
function readContent(bytes: Uint8Array): JsonObject | undefined {
  try {
    return toJson(proto.Message.decode(bytes));
  } catch {
    return undefined;
  }
}
