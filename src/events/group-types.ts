// Groups, their members and what changes about them, in the words integrators see: the part of events.ts that is about groups. Types only.

/** A member in a group record. */
export interface GroupParticipant {
  /** Phone-number JID when known, else the LID. */
  id: string;
  admin: 'admin' | 'superadmin' | null;
  lid?: string;
}

/** A group (interface §2.5). Times are seconds since the epoch. */
export interface GroupRecord {
  id: string;
  subject: string;
  subjectOwner: string;
  subjectTime: number;
  pictureUrl?: string | null;
  size: number;
  creation: number;
  owner: string;
  desc?: string;
  descId?: string;
  restrict: boolean;
  announce: boolean;
  isCommunity?: boolean;
  isCommunityAnnounce?: boolean;
  linkedParent?: string;
  /** True when every member may add others. */
  memberAddMode?: boolean;
  /** True when whoever joins by link waits for an admin. */
  joinApprovalMode?: boolean;
  /** Seconds after which messages disappear. */
  ephemeralDuration?: number;
  addressingMode?: string;
  participants?: GroupParticipant[];
}

/** Who did something in a group, when the platform says so: phone-number JID when known, with the LID beside it. */
export interface Authored {
  author?: string;
  authorAlt?: string;
}

/** Somebody in a group to whom something happened. */
export interface GroupPerson {
  /** Phone-number JID when known, else the LID. */
  jid: string;
  lid?: string;
  admin?: 'admin' | 'superadmin';
}

/** What changed about a group; what is absent is as it was. */
export interface GroupUpdate extends Authored {
  id: string;
  subject?: string;
  /** Empty when it was removed. */
  desc?: string;
  announce?: boolean;
  restrict?: boolean;
  inviteCode?: string;
  /** True when every member may add others. */
  memberAddMode?: boolean;
  joinApprovalMode?: boolean;
  /** Seconds; 0 when messages stay. */
  ephemeralDuration?: number;
  picture?: 'changed' | 'removed';
}
