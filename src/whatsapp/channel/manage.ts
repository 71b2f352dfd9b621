// Creates, updates, follows, unfollows, mutes and deletes channels.
import { GatewayError, invalidRequestError } from '../../errors.ts';
import type { Media } from '../media/media.ts';
import { toProfilePicture } from '../media/profile-picture.ts';
import { queryAfterChange } from '../query.ts';
import type { Session } from '../session.ts';
import { queryChannels } from './query.ts';
import { findChannel, toChannelJid } from './read.ts';
import { type ChannelRecord, toChannelRecord } from './record.ts';

export interface CreateChannelInput {
  name: string;
  description?: string;
}

/**
 * Creates a channel, which the account then owns. Throws the errors of queryChannels(), INVALID_REQUEST for a blank
 * name, and CHANNEL_REFUSED (`certain: false`) when WhatsApp created the channel but its answer cannot be read.
 */
export async function createChannel(
  session: Session,
  { name, description }: CreateChannelInput,
): Promise<ChannelRecord> {
  const trimmedName = name.trim().toWellFormed();
  if (trimmedName === '') throw invalidRequestError('The "name" cannot be empty');
  const input = { name: trimmedName, description: description?.toWellFormed() ?? null };
  const record = toChannelRecord(await queryChannels(session, 'create', { input }));
  if (!record) throw new GatewayError('CHANNEL_REFUSED', ['Error: unexpected answer'], { certain: false });
  // The role is set here, because not every answer contains it.
  return { ...record, role: 'owner' };
}

export interface UpdateChannelInput extends Partial<CreateChannelInput> {
  channel: string;
  /** URL, base64 or data URL of the picture. */
  image?: string;
}

/**
 * Changes a channel and returns its record. Throws the errors of findChannel() and Media.withFile(), INVALID_REQUEST
 * for no change, a blank name or an invalid picture, and CHANNEL_FORBIDDEN unless the account is owner or admin.
 */
export async function updateChannel(
  session: Session,
  media: Media,
  { channel, name, description, image }: UpdateChannelInput,
): Promise<ChannelRecord> {
  const trimmedName = name?.trim().toWellFormed();
  if (trimmedName === '') throw invalidRequestError('The "name" cannot be empty');
  if (name === undefined && description === undefined && image === undefined)
    throw invalidRequestError('"name", "description" or "image" must be given');
  const id = await toChannelJid(session, channel);
  const picture = image === undefined ? undefined : await readPicture(session, media, image);
  const updates = {
    ...(trimmedName === undefined ? {} : { name: trimmedName }),
    ...(description === undefined ? {} : { description: description.toWellFormed() }),
    ...(picture ? { picture: picture.toString('base64') } : {}),
    // Baileys sends this empty field with every update, too.
    settings: null,
  };
  await queryChannels(session, 'update', { newsletter_id: id, updates });
  return queryAfterChange(() => findChannel(session, id));
}

function readPicture({ instanceId }: Session, media: Media, image: string): Promise<Buffer> {
  const unreadablePictureError = () => invalidRequestError('image is not a picture that can be read');
  return media.withFile(instanceId, image, (bytes) =>
    toProfilePicture(media.images, instanceId, bytes, unreadablePictureError),
  );
}

/** Identifies the channel that an operation changed. */
export interface ChangedChannel {
  id: string;
}

/** Follows a channel. WhatsApp then sends the new posts of the channel. Throws the errors of findChannel(). */
export async function followChannel(session: Session, channel: string): Promise<ChannelRecord> {
  const id = await toChannelJid(session, channel);
  await queryChannels(session, 'follow', { newsletter_id: id });
  return queryAfterChange(() => findChannel(session, id));
}

/** Stops following a channel. Throws the errors of findChannel(), and CHANNEL_FORBIDDEN for the owner. */
export async function unfollowChannel(session: Session, channel: string): Promise<ChangedChannel> {
  const id = await toChannelJid(session, channel);
  await queryChannels(session, 'unfollow', { newsletter_id: id });
  return { id };
}

/**
 * Turns the notifications of a channel on the account's phone off or on. WhatsApp sends new posts in both cases. Throws
 * the errors of findChannel().
 */
export async function muteChannel(session: Session, channel: string, muted: boolean): Promise<ChangedChannel> {
  const id = await toChannelJid(session, channel);
  await queryChannels(session, muted ? 'mute' : 'unmute', { newsletter_id: id });
  return { id };
}

/**
 * Deletes the channel for everyone. Throws the errors of findChannel(), and CHANNEL_FORBIDDEN unless the account is the
 * owner.
 */
export async function deleteChannel(session: Session, channel: string): Promise<ChangedChannel> {
  const id = await toChannelJid(session, channel);
  await queryChannels(session, 'delete', { newsletter_id: id });
  return { id };
}
