// Caches group metadata for one session, so that a send needs no query. WhatsApp's notifications keep the metadata
// current. Each session has its own cache, because notifications can be missed between sessions.

import type { Logger } from 'pino';
import { BoundedMap } from '../../lib/bounded-map.ts';
import { toWholeNumber } from '../../lib/whole-number.ts';
import { isGroup, toBareJid } from '../address/jid.ts';
import { toGroupMetadata } from '../baileys/queries.ts';
import { childrenOf, type Stanza } from '../baileys/stanza.ts';
import type { GroupMetadata, Socket } from '../baileys/types.ts';
import type { SessionGroups } from '../session.ts';

/** Maximum number of participants in all cached groups of a session. The least recently used groups are evicted. */
const MAX_PARTICIPANTS = 50_000;
/** Milliseconds for which a picture URL stays in the cache. The URL itself is valid for days. */
const PICTURE_TTL = 3_600_000;
/** Maximum number of cached picture URLs; the oldest are evicted. */
const MAX_PICTURES = 5_000;

/** A fetch in progress. `isStale` is set when the group changes before the result arrives. */
interface PendingFetch {
  result: Promise<GroupMetadata>;
  isStale: boolean;
}

export class GroupCache implements SessionGroups {
  readonly #fetch: (jid: string) => Promise<GroupMetadata>;
  readonly #isMe: (jid: string) => boolean;
  readonly #log: Logger;
  readonly #groups = new Map<string, GroupMetadata>();
  readonly #pending = new Map<string, PendingFetch>();
  /** For each refreshAll() in progress, the groups that changed since it started. */
  readonly #changedDuringRefresh = new Set<Set<string>>();
  readonly #pictures = new BoundedMap<string, { url: string | null; expiresAt: number }>(MAX_PICTURES);
  /** The picture fetches in progress. When a picture changes, its fetch is removed. */
  readonly #pendingPictures = new Map<string, Promise<string | null>>();
  /** The hash of the participants' devices (`phash`) in the first ack since the metadata was cached. */
  readonly #participantHashes = new WeakMap<GroupMetadata, string>();
  /** Results of members(). */
  readonly #members = new WeakMap<GroupMetadata, ReadonlySet<string>>();
  #participantCount = 0;

  /**
   * `fetch` queries WhatsApp. `isMe` returns true for both addresses of the account: the phone number, and the LID (id
   * that hides the number).
   */
  constructor(deps: {
    fetch: (jid: string) => Promise<GroupMetadata>;
    isMe: (jid: string) => boolean;
    log: Logger;
  }) {
    this.#fetch = deps.fetch;
    this.#isMe = deps.isMe;
    this.#log = deps.log;
  }

  /** Returns the cached group, or fetches the group. Rejects when the fetch fails. */
  async get(jid: string): Promise<GroupMetadata> {
    const cached = this.#groups.get(jid);
    if (!cached) return this.refresh(jid);
    // Moves the group to the end of the eviction order.
    this.#groups.delete(jid);
    this.#groups.set(jid, cached);
    return cached;
  }

  /**
   * Returns all known addresses of all members: the same object until the group changes. Undefined when the group
   * cannot be fetched.
   */
  async members(jid: string): Promise<ReadonlySet<string> | undefined> {
    const group = await this.get(jid).catch(() => undefined);
    if (!group) return undefined;
    const cached = this.#members.get(group);
    if (cached) return cached;
    const addresses = group.participants.flatMap(({ id, lid, phoneNumber }) => [id, lid, phoneNumber]);
    const members = new Set(addresses.flatMap((address) => (address ? [toBareJid(address)] : [])));
    this.#members.set(group, members);
    return members;
  }

  /** Fetches the group. Concurrent callers share one query. */
  refresh(jid: string): Promise<GroupMetadata> {
    const pending = this.#pending.get(jid);
    if (pending && !pending.isStale) return pending.result;
    const newFetch: PendingFetch = { isStale: false, result: this.#fetch(jid) };
    newFetch.result = newFetch.result
      .then(
        (metadata) => {
          if (!newFetch.isStale) this.set(metadata);
          return metadata;
        },
        (error: unknown) => {
          this.delete(jid);
          throw error;
        },
      )
      .finally(() => {
        if (this.#pending.get(jid) === newFetch) this.#pending.delete(jid);
      });
    this.#pending.set(jid, newFetch);
    return newFetch.result;
  }

  /**
   * Fetches groups with `fetch` and puts them into the cache, except groups that changed meanwhile. After a clear()
   * during the fetch, puts none of them into the cache.
   */
  async refreshAll(fetch: () => Promise<GroupMetadata[]>): Promise<GroupMetadata[]> {
    const changed = new Set<string>();
    this.#changedDuringRefresh.add(changed);
    try {
      const groups = await fetch();
      const isCurrent = this.#changedDuringRefresh.has(changed);
      for (const group of groups) if (isCurrent && !changed.has(group.id)) this.set(group);
      return groups;
    } finally {
      this.#changedDuringRefresh.delete(changed);
    }
  }

  /** Puts metadata from WhatsApp into the cache. */
  set(metadata: GroupMetadata): void {
    this.#remove(metadata.id);
    this.#groups.set(metadata.id, metadata);
    this.#participantCount += metadata.participants.length;
    for (const oldest of this.#groups.keys()) {
      if (this.#participantCount <= MAX_PARTICIPANTS || this.#groups.size === 1) break;
      this.#remove(oldest);
    }
  }

  /** Removes a group from the cache. The next get() fetches the group. */
  delete(jid: string): void {
    this.#markChanged(jid);
    this.#remove(jid);
  }

  /** Removes all groups from the cache, for example because WhatsApp reports changes without naming the groups. */
  clear(): void {
    for (const jid of [...this.#groups.keys(), ...this.#pending.keys()]) this.delete(jid);
    // Each refreshAll() in progress then caches no group.
    this.#changedDuringRefresh.clear();
  }

  /** Keeps the results of running fetches out of the cache: they may or may not contain the change of this group. */
  #markChanged(jid: string): void {
    const pending = this.#pending.get(jid);
    if (pending) pending.isStale = true;
    for (const changed of this.#changedDuringRefresh) changed.add(jid);
  }

  #remove(jid: string): void {
    this.#participantCount -= this.#groups.get(jid)?.participants.length ?? 0;
    this.#groups.delete(jid);
  }

  /**
   * Listens to WhatsApp's notifications about groups (`w:gp2`) and pictures, and to acks. Reads stanzas, because
   * Baileys delays some of its group events by seconds.
   */
  listen(ws: Pick<Socket['ws'], 'on'>): void {
    ws.on('CB:notification,type:w:gp2', ({ attrs, content }: Stanza) => {
      const group = attrs.from ?? '';
      for (const change of Array.isArray(content) ? content : []) {
        this.apply(group, change);
        this.#log.debug({ group, change: change.tag }, 'group.changed');
      }
    });
    ws.on('CB:notification,type:picture', ({ attrs }: Stanza) => this.forgetPicture(attrs.from ?? ''));
    ws.on('CB:ack,class:message', ({ attrs: { from = '', phash } }: Stanza) => {
      if (phash && isGroup(from)) this.#checkParticipantHash(from, phash);
    });
  }

  /**
   * Applies a change to a cached group. `change` is a child element of a `w:gp2` notification. For a change that this
   * session made, it is the element that such a notification would contain.
   */
  apply(group: string, change: Stanza): void {
    this.#markChanged(group);
    const cached = this.#groups.get(group);
    if (change.tag === 'create') this.set(toGroupMetadata(change));
    if (change.tag === 'create' || !cached) return;
    const next = applyChange(cached, change);
    const isOwnExit = (change.tag === 'remove' || change.tag === 'leave') && participantJids(change).some(this.#isMe);
    if (!next || isOwnExit) this.delete(group);
    else if (next !== cached) this.set(next);
  }

  /**
   * Removes the group when `hash` differs from the hash in the first ack since the metadata was cached. An ack contains
   * `phash`, the hash of the participants' devices: a difference means that the cached participants are outdated.
   */
  #checkParticipantHash(group: string, hash: string): void {
    const cached = this.#groups.get(group);
    if (!cached) return;
    const firstHash = this.#participantHashes.get(cached);
    if (firstHash !== undefined && firstHash !== hash) this.delete(group);
    else this.#participantHashes.set(cached, hash);
  }

  /** Returns the cached URL of the picture, null for a group without a picture, undefined when nothing is cached. */
  picture(jid: string): string | null | undefined {
    const cached = this.#pictures.get(jid);
    return cached && cached.expiresAt > Date.now() ? cached.url : undefined;
  }

  /**
   * Returns the cached URL of the picture, or fetches it with `fetch`. Concurrent callers share one fetch. Caches
   * nothing and rejects when the fetch rejects.
   */
  getPicture(jid: string, fetch: () => Promise<string | null>): Promise<string | null> {
    const cached = this.picture(jid);
    if (cached !== undefined) return Promise.resolve(cached);
    const pending = this.#pendingPictures.get(jid);
    if (pending) return pending;
    const result = fetch()
      .then((url) => {
        // The picture can change during the fetch.
        if (this.#pendingPictures.get(jid) === result) this.#setPicture(jid, url);
        return url;
      })
      .finally(() => {
        if (this.#pendingPictures.get(jid) === result) this.#pendingPictures.delete(jid);
      });
    this.#pendingPictures.set(jid, result);
    return result;
  }

  #setPicture(jid: string, url: string | null): void {
    this.#pictures.delete(jid);
    this.#pictures.set(jid, { url, expiresAt: Date.now() + PICTURE_TTL });
  }

  /** Removes the URL of a picture that changed. A fetch in progress then does not cache its result. */
  forgetPicture(jid: string): void {
    this.#pictures.delete(jid);
    this.#pendingPictures.delete(jid);
  }
}

const participantJids = (change: Stanza): string[] =>
  childrenOf(change, 'participant').map(({ attrs }) => toBareJid(attrs.jid ?? ''));

/**
 * Returns the metadata after `change`: the same object when the change affects no field that the gateway reads from the
 * cache, undefined when the group must be fetched again.
 */
function applyChange(group: GroupMetadata, change: Stanza): GroupMetadata | undefined {
  const changed = childrenOf(change, 'participant').map(({ attrs }) => attrs);
  const affected = new Set(changed.map(({ jid }) => jid));
  const others = group.participants.filter(({ id }) => !affected.has(id));
  // A participant is not found when the notification names the LID and the metadata the phone number, or vice versa.
  const areAllFound = others.length === group.participants.length - affected.size;
  switch (change.tag) {
    case 'add': {
      const added = changed.flatMap(({ jid, phone_number: phoneNumber, lid, type }) =>
        jid ? [{ id: jid, phoneNumber, lid, admin: toAdmin(type) }] : [],
      );
      return withParticipants(group, [...others, ...added]);
    }
    case 'remove':
    case 'leave':
      return areAllFound ? withParticipants(group, others) : undefined;
    case 'promote':
    case 'demote': {
      const admin = change.tag === 'promote' ? ('admin' as const) : null;
      if (!areAllFound) return undefined;
      return withParticipants(
        group,
        group.participants.map((member) => (affected.has(member.id) ? { ...member, admin } : member)),
      );
    }
    case 'locked':
    case 'unlocked':
      return { ...group, restrict: change.tag === 'locked' };
    case 'ephemeral':
      return { ...group, ephemeralDuration: toWholeNumber(change.attrs.expiration) || undefined };
    case 'not_ephemeral':
      return { ...group, ephemeralDuration: undefined };
    case 'subject':
      return change.attrs.subject === undefined ? undefined : { ...group, subject: change.attrs.subject };
    case 'description':
    case 'announcement':
    case 'not_announcement':
    case 'invite':
    case 'member_add_mode':
    case 'membership_approval_mode':
    case 'created_membership_requests':
    case 'revoked_membership_requests':
      // Sends do not use these settings, and the operations that return them query WhatsApp.
      return group;
    default:
      return undefined;
  }
}

const toAdmin = (type: string | undefined): 'admin' | 'superadmin' | null =>
  type === 'admin' || type === 'superadmin' ? type : null;

const withParticipants = (group: GroupMetadata, participants: GroupMetadata['participants']): GroupMetadata => ({
  ...group,
  participants,
  size: participants.length,
});
