// All channels of the simulated WhatsApp: creates, finds and changes them, and checks permissions.
import { Channel, ChannelError } from './channel.ts';
import type { Account, World } from './model.ts';

const MAX_NAME_LENGTH = 100;
const MAX_DESCRIPTION_LENGTH = 2048;
/** The first two bytes of a JPEG file. */
const JPEG_MARKER = Buffer.from([0xff, 0xd8]);

/** A change of a channel's profile; absent fields stay unchanged. */
interface ChannelProfile {
  name?: string | undefined;
  description?: string | undefined;
  /** JPEG. Empty: removes the picture. */
  picture?: Buffer | undefined;
}

/** Converts the bytes to a picture; undefined for empty bytes. Throws ChannelError 400 when they are no JPEG. */
function toPicture(bytes: Buffer, id: string): Channel['picture'] {
  if (bytes.length === 0) return undefined;
  if (!bytes.subarray(0, JPEG_MARKER.length).equals(JPEG_MARKER)) throw new ChannelError(400, 'Invalid picture');
  return { id, bytes };
}

function assertValidProfile(name: string, description: string): void {
  if (name.trim() === '' || name.length > MAX_NAME_LENGTH || description.length > MAX_DESCRIPTION_LENGTH)
    throw new ChannelError(400, 'Invalid name or description');
}

export class Channels {
  readonly #world: World;
  readonly #byId = new Map<string, Channel>();

  constructor(world: World) {
    this.#world = world;
  }

  /** Throws ChannelError 400 for an invalid name or description. */
  create(owner: Account, name: string, description = ''): Channel {
    assertValidProfile(name, description);
    const channel = new Channel(owner, name, description, this.#world.now());
    this.#byId.set(channel.id, channel);
    return channel;
  }

  /**
   * Changes the profile. Throws ChannelError 403 unless `actor` is owner or admin, 400 for an invalid name or
   * description and for a picture that is no JPEG.
   */
  update(channel: Channel, actor: Account, { name, description, picture }: ChannelProfile): void {
    channel.assertMayPost(actor);
    assertValidProfile(name ?? channel.name, description ?? channel.description);
    const nextPicture = picture ? toPicture(picture, this.#world.nextId()) : channel.picture;
    channel.name = name ?? channel.name;
    channel.description = description ?? channel.description;
    channel.picture = nextPicture;
  }

  /** Throws ChannelError 404 for an unknown id. */
  get(id: string): Channel {
    const found = this.#byId.get(id);
    if (!found) throw new ChannelError(404, 'Not Found');
    return found;
  }

  /** Finds a channel by its invite code, the last segment of its link. Throws ChannelError 404 for an unknown code. */
  byInvite(code: string): Channel {
    const found = [...this.#byId.values()].find(({ invite }) => invite === code);
    if (!found) throw new ChannelError(404, 'Not Found');
    return found;
  }

  /** Channels that the account owns, administers or follows. */
  listFor(account: Account): Channel[] {
    return [...this.#byId.values()].filter((channel) => channel.roleOf(account) !== 'GUEST');
  }

  /** Makes the account a follower. The channel is muted until the follower unmutes it. */
  follow(channel: Channel, account: Account): void {
    if (channel.roleOf(account) === 'GUEST') channel.followers.set(account, { muted: true });
  }

  /** Throws ChannelError 403 for the owner, who cannot leave the channel. */
  unfollow(channel: Channel, account: Account): void {
    if (account === channel.owner) throw new ChannelError(403, 'The owner cannot leave');
    channel.followers.delete(account);
    channel.admins.delete(account);
  }

  /** Throws ChannelError 403 unless the account follows the channel. */
  setMuted(channel: Channel, account: Account, muted: boolean): void {
    const follower = channel.followers.get(account);
    if (!follower) throw new ChannelError(403, 'Not a follower');
    follower.muted = muted;
  }

  /**
   * Makes a follower an admin. Throws ChannelError 403 unless `actor` is the owner, 404 when `account` does not follow
   * the channel.
   */
  promote(channel: Channel, actor: Account, account: Account): void {
    if (actor !== channel.owner) throw new ChannelError(403, 'Only the owner can promote');
    if (!channel.followers.delete(account)) throw new ChannelError(404, 'Not a follower');
    channel.admins.add(account);
  }

  /** Throws ChannelError 403 unless `actor` is the owner. */
  delete(channel: Channel, actor: Account): void {
    if (actor !== channel.owner) throw new ChannelError(403, 'Only the owner can delete');
    this.#byId.delete(channel.id);
  }

  /**
   * Sets the account's reaction to a post; an empty `code` removes it. Throws ChannelError 403 when the account is
   * neither owner, admin nor follower, 404 for an unknown post.
   */
  react(channel: Channel, account: Account, serverId: number, code: string): void {
    if (channel.roleOf(account) === 'GUEST') throw new ChannelError(403, 'Not a follower');
    const { reactions } = channel.getPost(serverId);
    if (code) reactions.set(account, code);
    else reactions.delete(account);
  }
}
