// One channel (`newsletter` in the protocol): profile, admins, followers, posts.
import { randomBytes, randomInt } from 'node:crypto';
import type { Account } from './model.ts';

/** The rejection of a request. `code` is the error code of the answer. */
export class ChannelError extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export interface Post {
  /** Number of the post within its channel; reactions refer to it. */
  serverId: number;
  /** Message id. */
  id: string;
  author: Account;
  /** Epoch seconds. */
  at: number;
  /** `type` attribute of the stanza: text or media. */
  type: string;
  /** `mediatype` attribute of the stanza. */
  mediatype: string | undefined;
  /** The encoded message content, which is not encrypted in channels. */
  plaintext: Uint8Array;
  /** The accounts that have seen the post. */
  views: Set<Account>;
  /** Emoji by account. */
  reactions: Map<Account, string>;
}

export type ChannelRole = 'OWNER' | 'ADMIN' | 'SUBSCRIBER' | 'GUEST';

const INVITE_CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
/** Number of the first post of a channel. */
const FIRST_SERVER_ID = 100;

/** Real invites begin with `0029Va`. */
const createInvite = () =>
  `0029Va${Array.from(randomBytes(16), (byte) => INVITE_CHARACTERS[byte % INVITE_CHARACTERS.length]).join('')}`;

export class Channel {
  /** 18 digits and the server. Real ids begin with `120363`. */
  readonly id = `120363${String(randomInt(1e12)).padStart(12, '0')}@newsletter`;
  /** The last segment of the channel's link. */
  readonly invite = createInvite();
  readonly owner: Account;
  name: string;
  description: string;
  /** JPEG. */
  picture: { id: string; bytes: Buffer } | undefined;
  /** Epoch seconds. */
  readonly creation: number;
  readonly admins = new Set<Account>();
  /** Followers without owner and admins, and whether each has muted the channel. */
  readonly followers = new Map<Account, { muted: boolean }>();
  readonly posts: Post[] = [];
  /** Number of the newest post, even after its deletion: no number is used twice. */
  #lastServerId = FIRST_SERVER_ID - 1;

  constructor(owner: Account, name: string, description: string, creation: number) {
    this.owner = owner;
    this.name = name;
    this.description = description;
    this.creation = creation;
  }

  roleOf(account: Account): ChannelRole {
    if (account === this.owner) return 'OWNER';
    if (this.admins.has(account)) return 'ADMIN';
    return this.followers.has(account) ? 'SUBSCRIBER' : 'GUEST';
  }

  /** The accounts that receive posts. */
  readers(): Account[] {
    return [this.owner, ...this.admins, ...this.followers.keys()];
  }

  /** Throws ChannelError 403 unless the account is owner or admin. */
  assertMayPost(account: Account): void {
    const role = this.roleOf(account);
    if (role !== 'OWNER' && role !== 'ADMIN') throw new ChannelError(403, 'Only admins can post');
  }

  /** Throws ChannelError 404 for an unknown post. */
  getPost(serverId: number): Post {
    const found = this.posts.find((post) => post.serverId === serverId);
    if (!found) throw new ChannelError(404, 'There is no such post');
    return found;
  }

  addPost(post: Omit<Post, 'serverId' | 'views' | 'reactions'>): Post {
    this.#lastServerId += 1;
    const added = {
      ...post,
      serverId: this.#lastServerId,
      views: new Set<Account>(),
      reactions: new Map<Account, string>(),
    };
    this.posts.push(added);
    return added;
  }
}
