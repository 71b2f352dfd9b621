// Creates, changes, follows, mutes and deletes channels.
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

/** The new channel, which the account owns. Throws as askInJson(), and INVALID_REQUEST for a blank name. */
export async function createChannel(
  session: Session,
  { name, description }: CreateChannelInput,
): Promise<ChannelRecord> {
  const text = name.trim().toWellFormed();
  if (text === '') throw invalidRequest('The "name" cannot be empty');
  const input = { name: text, description: description?.toWellFormed() ?? null };
  const record = toChannelRecord(await queryChannels(session, 'create', { input }));
  // Created, but under no name that we understand.
  if (!record) throw new GatewayError('CHANNEL_REFUSED', ['Error: unexpected answer'], { certain: false });
  // Whoever has just created it owns it, also where the answer does not repeat it.
  return { ...record, role: 'owner' };
}

export interface UpdateChannelInput extends Partial<CreateChannelInput> {
  channel: string;
  /** Address, base64 or data URL. */
  image?: string;
}

/**
 * The channel as it is then. Throws as findChannel() and Media.use(); INVALID_REQUEST when nothing is to change or the picture is none,
 * CHANNEL_FORBIDDEN for all but those who run it.
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

/** What was done, to which channel. */
export interface ChangedChannel {
  id: string;
}

/** By JID, link or code: its posts arrive from now on. Throws as findChannel(). */
export async function followChannel(session: Session, channel: string): Promise<ChannelRecord> {
  const id = await toChannelJid(session, channel);
  await queryChannels(session, 'follow', { newsletter_id: id });
  return findChannel(session, id);
}

/** Throws as findChannel(); CHANNEL_FORBIDDEN for its owner. */
export async function unfollowChannel(session: Session, channel: string): Promise<ChangedChannel> {
  const id = await toChannelJid(session, channel);
  await queryChannels(session, 'unfollow', { newsletter_id: id });
  return { id };
}

/** Whether the phone is silent about it; posts arrive in any case. Throws as findChannel(). */
export async function muteChannel(session: Session, channel: string, muted: boolean): Promise<ChangedChannel> {
  const id = await toChannelJid(session, channel);
  await queryChannels(session, muted ? 'mute' : 'unmute', { newsletter_id: id });
  return { id };
}

/** For everybody and for good. Throws as findChannel(); CHANNEL_FORBIDDEN for all but its owner. */
export async function deleteChannel(session: Session, channel: string): Promise<ChangedChannel> {
  const id = await toChannelJid(session, channel);
  await queryChannels(session, 'delete', { newsletter_id: id });
  return { id };
}
