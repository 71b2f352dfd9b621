// Channel posts: allowed content, permission to post, and the stanza. Posts are not encrypted. Baileys rc14 omits the
// media type from the stanza, and WhatsApp then refuses the post (479).

import { GatewayError } from '../../errors.ts';
import { NOT_FOR_CHANNELS } from '../address/recipient.ts';
import { getContentType, proto } from '../baileys/proto.ts';
import type { Stanza } from '../baileys/stanza.ts';
import { findChannel } from '../channel/read.ts';
import type { Session } from '../session.ts';

/** Allowed content: the media type on the stanza, undefined for texts. */
const MEDIA_TYPES: ReadonlyMap<keyof proto.IMessage, string | undefined> = new Map([
  ['conversation', undefined],
  ['extendedTextMessage', undefined],
  ['imageMessage', 'image'],
  ['videoMessage', 'video'],
  ['audioMessage', 'audio'],
  ['documentMessage', 'document'],
  ['stickerMessage', 'sticker'],
]);

/**
 * Milliseconds for which a confirmed permission to post is not checked again. WhatsApp refuses the post if it was lost.
 */
const PERMISSION_TTL = 10 * 60_000;

/**
 * Throws CHANNEL_FORBIDDEN unless this account is owner or admin of the channel `jid`; otherwise as findChannel(). Nothing was sent.
 */
export async function assertMayPost(session: Session, jid: string): Promise<void> {
  const { postPermissions } = session.state;
  if (Date.now() - (postPermissions.get(jid) ?? 0) < PERMISSION_TTL) return;
  const { role } = await findChannel(session, jid);
  if (role !== 'owner' && role !== 'admin') {
    throw new GatewayError('CHANNEL_FORBIDDEN', ['Error: only the owner and the admins of a channel can post in it'], {
      certain: true,
    });
  }
  postPermissions.set(jid, Date.now());
}

/**
 * Throws INVALID_REQUEST (nothing was sent) for content that channels do not support and for a quote; otherwise as
 * assertMayPost(). Followers may react.
 */
export async function assertPostAllowed(
  session: Session,
  jid: string,
  content: proto.IMessage,
  quoted: unknown,
): Promise<void> {
  if (content.reactionMessage) return;
  if (quoted !== undefined)
    throw new GatewayError('INVALID_REQUEST', [['options.quoted: nothing can be quoted in a channel']], {
      certain: true,
    });
  const kind = getContentType(content);
  if (!kind || !MEDIA_TYPES.has(kind))
    throw new GatewayError('INVALID_REQUEST', [[NOT_FOR_CHANNELS]], { certain: true });
  await assertMayPost(session, jid);
}

/** Builds the stanza of a post or a reaction. `attributes` are those of Outgoing. */
export function toPostStanza(
  jid: string,
  id: string,
  content: proto.IMessage,
  attributes: Record<string, string> = {},
): Stanza {
  const { reactionMessage: reaction } = content;
  if (reaction) {
    const code = reaction.text ?? '';
    const attrs = { to: jid, id, type: 'reaction', ...(code ? {} : { edit: '7' }), ...attributes };
    return { tag: 'message', attrs, content: [{ tag: 'reaction', attrs: code ? { code } : {} }] };
  }
  const mediatype = mediaTypeOf(content);
  const attrs = { to: jid, id, type: mediatype ? 'media' : 'text', ...attributes };
  const plaintext = proto.Message.encode(content).finish();
  return {
    tag: 'message',
    attrs,
    content: [{ tag: 'plaintext', attrs: mediatype ? { mediatype } : {}, content: plaintext }],
  };
}

function mediaTypeOf(content: proto.IMessage): string | undefined {
  // A link with a preview counts as media.
  if (content.extendedTextMessage?.matchedText) return 'url';
  if (content.audioMessage?.ptt) return 'ptt';
  if (content.videoMessage?.gifPlayback) return 'gif';
  const kind = getContentType(content);
  return kind && MEDIA_TYPES.get(kind);
}
