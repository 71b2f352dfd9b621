// Changes the subject, the description and the picture of a group.

import { COMPATIBILITY_PHRASES } from '../../compatibility-phrases.ts';
import { GatewayError } from '../../errors.ts';
import { generateMessageId } from '../baileys/proto.ts';
import type { Stanza } from '../baileys/stanza.ts';
import type { Media } from '../media/media.ts';
import { toProfilePicture } from '../media/profile-picture.ts';
import { QueryRefusal, queryWhatsApp } from '../query.ts';
import type { Session } from '../session.ts';
import { type GroupFailure, queryGroup, toGroupError } from './query.ts';
import { toGroupJid } from './record.ts';

/** Changes the subject. Throws the errors of queryGroup(), and INVALID_REQUEST for an invalid group id. */
export async function updateSubject(session: Session, groupJid: string, subject: string): Promise<void> {
  const group = toGroupJid(groupJid);
  const content = { tag: 'subject', attrs: {}, content: Buffer.from(subject) };
  await queryGroup(session, { text: 'Error updating group subject' }, { to: group, type: 'set', content });
  // Updates the cached metadata of the group.
  session.groups.apply(group, { tag: 'subject', attrs: { subject } });
}

/** WhatsApp's error code for a change that names an outdated id of the description. */
const CONFLICT = 409;

/**
 * Changes the description. An empty text removes the description. A change must name the id of the current description,
 * so this function reads the id first. If another admin changes the description between the two queries, WhatsApp
 * answers with CONFLICT. Both queries are then repeated once. Throws the errors of updateSubject().
 */
export async function updateDescription(session: Session, groupJid: string, description: string): Promise<void> {
  const failure: GroupFailure = { text: 'Error updating group description' };
  const group = toGroupJid(groupJid);
  const attempt = async () => {
    const { descId } = await session.groups.refresh(group);
    await writeDescription(session, group, description, descId);
  };
  await attempt()
    .catch((error: unknown) => {
      if (error instanceof QueryRefusal && error.code === CONFLICT) return attempt();
      throw error;
    })
    .catch((error: unknown) => {
      throw toGroupError(error, failure);
    });
}

/**
 * Replaces the description whose id is `previousId`; undefined means that the group has none. Does not retry. Throws
 * the errors of queryWhatsApp().
 */
export async function writeDescription(
  session: Session,
  group: string,
  description: string,
  previousId?: string,
): Promise<void> {
  const prev: Record<string, string> = previousId ? { prev: previousId } : {};
  const content: Stanza = description
    ? {
        tag: 'description',
        attrs: { id: generateMessageId(), ...prev },
        content: [{ tag: 'body', attrs: {}, content: Buffer.from(description) }],
      }
    : { tag: 'description', attrs: { delete: 'true', ...prev } };
  await queryWhatsApp(session, { tag: 'iq', attrs: { to: group, type: 'set', xmlns: 'w:g2' }, content: [content] });
}

/**
 * Changes the picture. `image` is the URL, base64 or data URL of a JPEG, PNG, GIF, WebP, TIFF or AVIF image. Throws the
 * errors of updateSubject() and Media.withFile(), and INVALID_REQUEST for data that is no such image.
 */
export async function updatePicture(session: Session, media: Media, groupJid: string, image: string): Promise<void> {
  const group = toGroupJid(groupJid);
  const content = await media.withFile(session.instanceId, image, (bytes) =>
    toProfilePicture(media.images, session.instanceId, bytes, unreadablePictureError),
  );
  const node: Stanza = {
    tag: 'iq',
    attrs: { target: group, to: '@s.whatsapp.net', type: 'set', xmlns: 'w:profile:picture' },
    content: [{ tag: 'picture', attrs: { type: 'image' }, content }],
  };
  await queryWhatsApp(session, node).catch((error: unknown) => {
    throw toGroupError(error, { text: COMPATIBILITY_PHRASES.groupPicture });
  });
  session.groups.forgetPicture(group);
}

const unreadablePictureError = () => {
  const problem = { property: 'instance.image', message: 'image is not a picture that can be read' };
  return new GatewayError('INVALID_REQUEST', [problem], { certain: true });
};
