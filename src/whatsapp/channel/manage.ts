// Operations on channels: create, update, follow, mute and delete.
import { GatewayError } from '../../errors.ts';
import type { Media } from '../media/media.ts';
import { toPicture } from '../media/profile-picture.ts';
import type { Session } from '../session.ts';
import { queryChannels } from './query.ts';
import { findChannel, toChannelJid } from './read.ts';
import { type ChannelRecord, toChannelRecord } from './record.ts';

export interface CreateChannelInput {
  name: string;
  description?: string;
}

/** Creates a channel, which the account then owns. Throws as queryChannels(), and INVALID_REQUEST for a blank name. */
export async function createChannel(
  session: Session,
  { name, description }: CreateChannelInput,
): Promise<ChannelRecord> {
  const text = name.trim().toWellFormed();
  if (text === '') throw invalidRequest('The "name" cannot be empty');
  const input = { name: text, description: description?.toWellFormed() ?? null };
  const record = toChannelRecord(await queryChannels(session, 'create', { input }));
  // The channel was created, but the answer cannot be read.
  if (!record) throw new GatewayError('CHANNEL_REFUSED', ['Error: unexpected answer'], { certain: false });
  // The creator is the owner. Not every answer contains the role.
  return { ...record, role: 'owner' };
}

export interface UpdateChannelInput extends Partial<CreateChannelInput> {
  channel: string;
  /** Address, base64 or data URL. */
  image?: string;
}

/**
 * Changes a channel and returns it. Throws as findChannel() and Media.use(); INVALID_REQUEST without a change or with
 * an invalid picture, CHANNEL_FORBIDDEN unless the account is owner or admin.
 */
export async function updateChannel(
  session: Session,
  media: Media,
  { channel, name, description, image }: UpdateChannelInput,
): Promise<ChannelRecord> {
  const text = name?.trim().toWellFormed();
  if (text === '') throw invalidRequest('The "name" cannot be empty');
  if (name === undefined && description === undefined && image === undefined)
    throw invalidRequest('"name", "description" or "image" must be given');
  const id = await toChannelJid(session, channel);
  const picture =
    image === undefined
      ? undefined
      : await media.use(session.instanceId, image, (bytes) =>
          toPicture(media.images, session.instanceId, bytes, () =>
            invalidRequest('image is not a picture that can be read'),
          ),
        );
  const updates = {
    ...(text === undefined ? {} : { name: text }),
    ...(description === undefined ? {} : { description: description.toWellFormed() }),
    ...(picture ? { picture: picture.toString('base64') } : {}),
    settings: null,
  };
  await queryChannels(session, 'update', { newsletter_id: id, updates });
  return findChannel(session, id);
}

const invalidRequest = (sentence: string) => new GatewayError('INVALID_REQUEST', [[sentence]], { certain: true });

/** The channel that an operation changed. */
export interface ChangedChannel {
  id: string;
}

/** Follows a channel by JID, link or code. Its posts arrive from then on. Throws as findChannel(). */
export async function followChannel(session: Session, channel: string): Promise<ChannelRecord> {
  const id = await toChannelJid(session, channel);
  await queryChannels(session, 'follow', { newsletter_id: id });
  return findChannel(session, id);
}

/** Throws as findChannel(), and CHANNEL_FORBIDDEN for the owner. */
export async function unfollowChannel(session: Session, channel: string): Promise<ChangedChannel> {
  const id = await toChannelJid(session, channel);
  await queryChannels(session, 'unfollow', { newsletter_id: id });
  return { id };
}

/** Turns notifications of the phone off or on. Posts arrive in both cases. Throws as findChannel(). */
export async function muteChannel(session: Session, channel: string, muted: boolean): Promise<ChangedChannel> {
  const id = await toChannelJid(session, channel);
  await queryChannels(session, muted ? 'mute' : 'unmute', { newsletter_id: id });
  return { id };
}

/** Deletes the channel for everyone. Throws as findChannel(), and CHANNEL_FORBIDDEN unless the account is the owner. */
export async function deleteChannel(session: Session, channel: string): Promise<ChangedChannel> {
  const id = await toChannelJid(session, channel);
  await queryChannels(session, 'delete', { newsletter_id: id });
  return { id };
}
