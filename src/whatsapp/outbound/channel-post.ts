// Checks whether a post may be sent to a channel, and builds its stanza, which is not encrypted. Baileys rc14 would
// omit the media type from the stanza, and WhatsApp would refuse the post (479). Decision D-115.

import { GatewayError, invalidRequestError } from '../../errors.ts';
import { notForChannels } from '../address/recipient.ts';
import { getContentType, proto } from '../baileys/proto.ts';
import type { Stanza } from '../baileys/stanza.ts';
import { findChannel } from '../channel/read.ts';
import type { Session } from '../session.ts';

/**
 * The content kinds that channels accept, and their media types in the stanza. Texts have none. For links, voice
 * messages and GIFs, mediaTypeOf() returns other media types.
 */
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
 * Time for which a confirmed permission is cached. If the account loses the permission meanwhile, WhatsApp refuses the
 * post.
 */
const PERMISSION_TTL_MS = 10 * 60_000;

/**
 * Throws CHANNEL_FORBIDDEN (`certain: true`: nothing was sent) unless this account is owner or admin of the channel
 * `jid`. Also throws the errors of findChannel().
 */
export async function assertMayPost(session: Session, jid: string): Promise<void> {
  const { postPermissions: permittedAt } = session.state;
  if (Date.now() - (permittedAt.get(jid) ?? 0) < PERMISSION_TTL_MS) return;
  const { role } = await findChannel(session, jid);
  if (role !== 'owner' && role !== 'admin') {
    throw new GatewayError('CHANNEL_FORBIDDEN', ['Error: only the owner and the admins of a channel can post in it'], {
      certain: true,
    });
  }
  permittedAt.set(jid, Date.now());
}

/**
 * Checks whether this account is allowed to send `content` to the channel `jid`. Throws INVALID_REQUEST
 * (`certain: true`: nothing was sent) for content that channels do not support and for a quoted message, and the errors
 * of assertMayPost(). Reactions need no permission, because followers are allowed to react.
 */
export async function assertPostAllowed(
  session: Session,
  jid: string,
  content: proto.IMessage,
  quoted: unknown,
): Promise<void> {
  if (content.reactionMessage) return;
  if (quoted !== undefined) throw invalidRequestError('options.quoted: nothing can be quoted in a channel');
  const kind = getContentType(content);
  if (!kind || !MEDIA_TYPES.has(kind)) throw invalidRequestError(notForChannels());
  await assertMayPost(session, jid);
}

/** Builds the stanza of a post or a reaction. `attributes` are added to the attributes of the stanza. */
export function toPostStanza(
  jid: string,
  id: string,
  content: proto.IMessage,
  attributes: Record<string, string> = {},
): Stanza {
  const { reactionMessage: reaction } = content;
  if (reaction) {
    const emoji = reaction.text ?? '';
    // The attribute `edit` with the value 7, without an emoji, removes the reaction.
    const attrs = { to: jid, id, type: 'reaction', ...(emoji ? {} : { edit: '7' }), ...attributes };
    return { tag: 'message', attrs, content: [{ tag: 'reaction', attrs: emoji ? { code: emoji } : {} }] };
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
