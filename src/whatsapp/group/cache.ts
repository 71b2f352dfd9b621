// What this session knows about its groups, so that a send asks nothing: filled once per group, kept true by the platform's own
// notifications, gone with the connection (notifications may have been missed).

import type { Logger } from 'pino';
import { toWholeNumber } from '../../lib/whole-number.ts';
import { isGroup, toBareJid } from '../address/jid.ts';
import { toGroupMetadata } from '../baileys/queries.ts';
import { childrenOf, type Stanza } from '../baileys/stanza.ts';
import type { GroupMetadata, Socket } from '../baileys/types.ts';
import type { SessionGroups } from '../session.ts';

/** Participants kept over all groups of a session; the groups used longest ago go first. */
const MAX_PARTICIPANTS = 50_000;
/** ms for which a picture's address is believed. It is a link that expires after days. */
const PICTURE_TTL = 3_600_000;
const MAX_PICTURES = 5_000;

/** A question under way; `spoilt` when something happened in the group meanwhile. */
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
  readonly #pictures = new Map<string, { url: string | null; until: number }>();
  /** Hash of participants and devices that the platform sent with an ack, by what was known then. */
  readonly #hashes = new WeakMap<GroupMetadata, string>();
  readonly #members = new WeakMap<GroupMetadata, ReadonlySet<string>>();
  #participants = 0;

  /** `fetch` asks the platform; `isMe` knows both own addresses. */
  constructor(parts: {
    fetch: (jid: string) => Promise<GroupMetadata>;
    isMe: (jid: string) => boolean;
    log: Logger;
  }) {
    this.#fetch = parts.fetch;
    this.#isMe = parts.isMe;
    this.#log = parts.log;
  }

  /** The group as known, else asked for. Rejects as `fetch` does. */
  async get(jid: string): Promise<GroupMetadata> {
    const known = this.#groups.get(jid);
    if (!known) return this.refresh(jid);
    this.#groups.delete(jid);
    this.#groups.set(jid, known);
    return known;
  }

  /** Everybody in the group, in every form of address that is known; undefined when the group cannot be read. */
  async members(jid: string): Promise<ReadonlySet<string> | undefined> {
    const group = await this.get(jid).catch(() => undefined);
    if (!group) return undefined;
    const known = this.#members.get(group);
    if (known) return known;
    const names = group.participants.flatMap(({ id, lid, phoneNumber }) => [id, lid, phoneNumber]);
    const members = new Set(names.flatMap((name) => (name ? [toBareJid(name)] : [])));
    this.#members.set(group, members);
    return members;
  }

  /** The group as the platform says now; callers at the same time share one question. */
  refresh(jid: string): Promise<GroupMetadata> {
    const underWay = this.#pending.get(jid);
    if (underWay && !underWay.isStale) return underWay.result;
    const filling: PendingFetch = { isStale: false, result: this.#fetch(jid) };
    filling.result = filling.result
      .then(
        (metadata) => {
          if (!filling.isStale) this.keep(metadata);
          return metadata;
        },
        (error: unknown) => {
          this.drop(jid);
          throw error;
        },
      )
      .finally(() => {
        if (this.#pending.get(jid) === filling) this.#pending.delete(jid);
      });
    this.#pending.set(jid, filling);
    return filling.result;
  }

  /** Takes over what the platform said about a group. */
  keep(metadata: GroupMetadata): void {
    this.#remove(metadata.id);
    this.#groups.set(metadata.id, metadata);
    this.#participants += metadata.participants.length;
    for (const oldest of this.#groups.keys()) {
      if (this.#participants <= MAX_PARTICIPANTS || this.#groups.size === 1) break;
      this.#remove(oldest);
    }
  }

  /** Forgets a group; the next to need it asks. */
  drop(jid: string): void {
    const underWay = this.#pending.get(jid);
    if (underWay) underWay.isStale = true;
    this.#remove(jid);
  }

  #remove(jid: string): void {
    this.#participants -= this.#groups.get(jid)?.participants.length ?? 0;
    this.#groups.delete(jid);
  }

  /** Listens to what the platform tells about groups. Its own stanzas, because Baileys holds some of its events back for seconds. */
  listen(ws: Pick<Socket['ws'], 'on'>): void {
    ws.on('CB:notification,type:w:gp2', ({ attrs, content }: Stanza) => {
      const group = attrs.from ?? '';
      for (const change of Array.isArray(content) ? content : []) {
        this.apply(group, change);
        this.#log.debug({ group, change: change.tag }, 'group.changed');
      }
    });
    ws.on('CB:notification,type:picture', ({ attrs }: Stanza) => this.#pictures.delete(attrs.from ?? ''));
    ws.on('CB:ack,class:message', ({ attrs: { from = '', phash } }: Stanza) => {
      if (phash && isGroup(from)) this.#checkParticipantHash(from, phash);
    });
  }

  /** Applies one change as the platform words it: a child of a `w:gp2` notification, or of our own change that succeeded. */
  apply(group: string, change: Stanza): void {
    const underWay = this.#pending.get(group);
    // The answer may be older or newer than this; nobody can tell.
    if (underWay) underWay.isStale = true;
    const known = this.#groups.get(group);
    if (change.tag === 'create') this.keep(toGroupMetadata(change));
    if (change.tag === 'create' || !known) return;
    const next = applyChange(known, change);
    const haveLeft = (change.tag === 'remove' || change.tag === 'leave') && participantJids(change).some(this.#isMe);
    if (!next || haveLeft) this.drop(group);
    else if (next !== known) this.keep(next);
  }

  /** An ack of a message names a hash of those who get it: another one than last time means that somebody is missing here. */
  #checkParticipantHash(group: string, hash: string): void {
    const known = this.#groups.get(group);
    if (!known) return;
    const last = this.#hashes.get(known);
    if (last !== undefined && last !== hash) this.drop(group);
    else this.#hashes.set(known, hash);
  }

  /** Address of the group's picture, null for none, undefined when not known. */
  picture(jid: string): string | null | undefined {
    const known = this.#pictures.get(jid);
    return known && known.until > Date.now() ? known.url : undefined;
  }

  keepPicture(jid: string, url: string | null): void {
    this.#pictures.delete(jid);
    this.#pictures.set(jid, { url, until: Date.now() + PICTURE_TTL });
    const [oldest] = this.#pictures.size > MAX_PICTURES ? this.#pictures.keys() : [];
    if (oldest !== undefined) this.#pictures.delete(oldest);
  }

  dropPicture(jid: string): void {
    this.#pictures.delete(jid);
  }
}

const participantJids = (change: Stanza): string[] =>
  childrenOf(change, 'participant').map(({ attrs }) => toBareJid(attrs.jid ?? ''));

/** The group after `change`; the same object when nothing that is used changed, undefined when only asking again helps. */
function applyChange(group: GroupMetadata, change: Stanza): GroupMetadata | undefined {
  const people = childrenOf(change, 'participant').map(({ attrs }) => attrs);
  const named = new Set(people.map(({ jid }) => jid));
  const others = group.participants.filter(({ id }) => !named.has(id));
  switch (change.tag) {
    case 'add': {
      const added = people.flatMap(({ jid, phone_number: phoneNumber, lid, type }) =>
        jid ? [{ id: jid, phoneNumber, lid, admin: toAdmin(type) }] : [],
      );
      return withPeople(group, [...others, ...added]);
    }
    case 'remove':
    case 'leave':
      // Named in the other form of address than the group's: whom it means is not known here.
      if (others.length !== group.participants.length - named.size) return undefined;
      return withPeople(group, others);
    case 'promote':
    case 'demote': {
      const admin = change.tag === 'promote' ? ('admin' as const) : null;
      // As above: a person who is no admin any more must not pass for one.
      if (others.length !== group.participants.length - named.size) return undefined;
      return withPeople(
        group,
        group.participants.map((member) => (named.has(member.id) ? { ...member, admin } : member)),
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
    case 'description':
    case 'announcement':
    case 'not_announcement':
    case 'invite':
    case 'member_add_mode':
    case 'membership_approval_mode':
    case 'created_membership_requests':
    case 'revoked_membership_requests':
      // Sends need none of these, and reads ask the platform.
      return group;
    default:
      return undefined;
  }
}

const toAdmin = (type: string | undefined): 'admin' | 'superadmin' | null =>
  type === 'admin' || type === 'superadmin' ? type : null;

const withPeople = (group: GroupMetadata, participants: GroupMetadata['participants']): GroupMetadata => ({
  ...group,
  participants,
  size: participants.length,
});
