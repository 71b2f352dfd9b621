// Posts in channels: what may be posted, by whom, and the stanza. Posts are not encrypted; rc14 writes them without saying what kind of
// file is inside, and the platform refuses those (479).

import { GatewayError } from '../../errors.ts';
import { notForChannels } from '../address/recipient.ts';
import { getContentType, proto } from '../baileys/proto.ts';
import type { Stanza } from '../baileys/stanza.ts';
import { findChannel } from '../channel/read.ts';
import type { Session } from '../session.ts';

/** `edit` of a stanza that changes the post whose id it bears. */
export const EDITED = '3';
export const DELETED = '8';

/** Kinds of posts: what they are called on the stanza, or undefined for texts. */
const kinds: ReadonlyMap<keyof proto.IMessage, string | undefined> = new Map([
  ['conversation', undefined],
  ['extendedTextMessage', undefined],
  ['imageMessage', 'image'],
  ['videoMessage', 'video'],
  ['audioMessage', 'audio'],
  ['documentMessage', 'document'],
  ['stickerMessage', 'sticker'],
]);

/** ms for which somebody who may post is believed to go on; the platform refuses the post if not. */
const believed = 10 * 60_000;
/** When each session last heard that it may post in a channel, epoch ms. */
const admitted = new WeakMap<Session, Map<string, number>>();

/**
 * Throws CHANNEL_FORBIDDEN unless this account runs the channel `jid`, and as findChannel(): certain that nothing was sent.
 */
export async function mayPost(session: Session, jid: string): Promise<void> {
  const known = admitted.get(session) ?? new Map<string, number>();
  admitted.set(session, known);
  if (Date.now() - (known.get(jid) ?? 0) < believed) return;
  const { role } = await findChannel(session, jid);
  if (role !== 'owner' && role !== 'admin') {
    throw new GatewayError('CHANNEL_FORBIDDEN', ['Error: only the owner and the admins of a channel can post in it'], {
      certain: true,
    });
  }
  known.set(jid, Date.now());
}

/**
 * Throws INVALID_REQUEST, certain that nothing was sent, for content that channels do not take and for a message that `quoted` another;
 * else as mayPost(). Followers may react.
 */
export async function admit(session: Session, jid: string, content: proto.IMessage, quoted: unknown): Promise<void> {
  if (content.reactionMessage) return;
  if (quoted !== undefined)
    throw new GatewayError('INVALID_REQUEST', [['options.quoted: nothing can be quoted in a channel']], {
      certain: true,
    });
  const kind = getContentType(content);
  if (!kind || !kinds.has(kind)) throw new GatewayError('INVALID_REQUEST', [[notForChannels]], { certain: true });
  await mayPost(session, jid);
}

/** The stanza of a post or a reaction; `attributes` as sends add them. */
export function toStanza(
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
  const mediatype = mediatypeOf(content);
  const attrs = { to: jid, id, type: mediatype ? 'media' : 'text', ...attributes };
  const plaintext = proto.Message.encode(content).finish();
  return {
    tag: 'message',
    attrs,
    content: [{ tag: 'plaintext', attrs: mediatype ? { mediatype } : {}, content: plaintext }],
  };
}

function mediatypeOf(content: proto.IMessage): string | undefined {
  // A link with its preview counts as a file.
  if (content.extendedTextMessage?.matchedText) return 'url';
  if (content.audioMessage?.ptt) return 'ptt';
  if (content.videoMessage?.gifPlayback) return 'gif';
  const kind = getContentType(content);
  return kind && kinds.get(kind);
}
