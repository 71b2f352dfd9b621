// Groups, their participants and changes of them, in the terms of the API: the data of group events. Types only.

/** A participant in a group record. */
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
  /** Every participant may add others. */
  memberAddMode?: boolean;
  /** An admin approves each join by invite link. */
  joinApprovalMode?: boolean;
  /** Seconds after which messages disappear. */
  ephemeralDuration?: number;
  addressingMode?: string;
  participants?: GroupParticipant[];
}

/** The person who caused a group event, when reported: phone-number JID when known, and the LID. */
export interface Authored {
  author?: string;
  authorAlt?: string;
}

/** A person in a group event. */
export interface GroupPerson {
  /** Phone-number JID when known, else the LID. */
  jid: string;
  lid?: string;
  admin?: 'admin' | 'superadmin';
}

/** A change of a group; absent members are unchanged. */
export interface GroupUpdate extends Authored {
  id: string;
  subject?: string;
  /** Empty when the description was removed. */
  desc?: string;
  announce?: boolean;
  restrict?: boolean;
  inviteCode?: string;
  /** Every participant may add others. */
  memberAddMode?: boolean;
  joinApprovalMode?: boolean;
  /** Seconds after which messages disappear; 0: never. */
  ephemeralDuration?: number;
  picture?: 'changed' | 'removed';
}
